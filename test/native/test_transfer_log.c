/*
 * test_transfer_log.c: the transfer log between its two threads: every row arrives, in order, in a file whose whole
 * batches can be read; a full disk ends it at its last whole batch. What the file says is checked by native.test.js
 * with an Arrow reader; here only the counts. argv[1]: a folder to write in; argv[2]: one that holds less than 4 MiB,
 * or "".
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../client/engine/core/metrics/transfer_log.h"
#include "check.h"

static const char *folder, *small_folder;

static const char *path_in(const char *parent, const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", parent, name);
  return path;
}

/* Until the other end is closed. */
static void *read_all(void *disk) {
  uint8_t bytes[65536];
  while (read(*(int *)disk, bytes, sizeof bytes) > 0) continue;
  return NULL;
}

TEST(every_row_arrives) {
  struct transfer_log *log;
  struct transfer_log_result result;
  char splits_path[4096];
  snprintf(splits_path, sizeof splits_path, "%s/splits.arrows", folder);
  const char *path = path_in(folder, "rows.arrows");
  CHECK_EQUAL(transfer_log_open(path, splits_path, 0, &log), 0);
  CHECK(transfer_log_thread(log) > 0);
  uint64_t taken = 0;
  for (int64_t row = 0; row < 200000; row++) {
    struct split split = {0, (uint64_t)row, (uint64_t)row + 1, (uint64_t)row + 2};
    if (row % 10 == 7) transfer_log_split(log, &split);
    taken += transfer_log_append(log, row - 5, row * 3, (uint32_t)row, (uint8_t)(row % 7),
                                 (struct transfer_labels){(uint16_t)(row % 600), (uint16_t)(row % 5)});
    if (row % 4000 == 0) transfer_log_flush(log); /* 51 batches: fewer than there are, however slow the writer is */
  }
  CHECK_EQUAL(transfer_log_error(log), 0);
  transfer_log_close(log, &result);
  struct stat status;
  CHECK_EQUAL(stat(path, &status), 0);
  CHECK_EQUAL(taken, 200000);
  CHECK_EQUAL(result.rows, 200000);
  CHECK_EQUAL(result.error, 0);
  CHECK_EQUAL(status.st_size, result.bytes + 8);
}

TEST(an_empty_log) {
  struct transfer_log *log;
  struct transfer_log_result result;
  CHECK_EQUAL(transfer_log_open(path_in(folder, "empty.arrows"), NULL, 0, &log), 0);
  transfer_log_split(log, &(struct split){0, 1, 2, 3}); /* there is nowhere to write it */
  transfer_log_close(log, &result);
  CHECK_EQUAL(result.rows, 0);
  CHECK_EQUAL(result.error, 0);
}

/* A disk that stalls: a pipe that nobody reads for a while. */
TEST(goes_on_after_a_stall) {
  struct transfer_log *log;
  struct transfer_log_result result;
  const char *path = path_in(folder, "stalled.arrows");
  CHECK_EQUAL(mkfifo(path, 0600), 0);
  int disk = open(path, O_RDONLY | O_NONBLOCK);
  CHECK(disk >= 0);
  CHECK_EQUAL(transfer_log_open(path, NULL, 0, &log), 0);
  const int64_t rows = 2 * TRANSFER_LOG_BATCHES * (int64_t)TRANSFER_LOG_ROWS;
  uint64_t taken = 0, dropped = 0;
  for (int64_t row = 0; row < rows; row++)
    taken += transfer_log_append(log, row, row, 0, 0, (struct transfer_labels){0});
  dropped = (uint64_t)rows - taken;
  CHECK(dropped >= TRANSFER_LOG_ROWS);
  CHECK_EQUAL(transfer_log_error(log), 0);
  uint8_t read_away[65536];
  bool goes_on = false;
  for (int i = 0; i < 20000 && !goes_on; i++) {
    while (read(disk, read_away, sizeof read_away) > 0) continue;
    goes_on = transfer_log_append(log, rows + i, 0, 0, 0, (struct transfer_labels){0});
    if (!goes_on) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  CHECK(goes_on);
  fcntl(disk, F_SETFL, 0);
  pthread_t reader;
  CHECK_EQUAL(pthread_create(&reader, NULL, read_all, &disk), 0);
  transfer_log_close(log, &result);
  pthread_join(reader, NULL);
  close(disk);
  CHECK_EQUAL(result.rows, taken + 1);
  CHECK_EQUAL(result.error, TRANSFER_LOG_BEHIND);
}

TEST(no_such_folder) {
  struct transfer_log *log;
  struct transfer_log_result result;
  CHECK_EQUAL(transfer_log_open(path_in(folder, "none/at/all"), NULL, 0, &log), 0);
  CHECK(!transfer_log_append(log, 1, 1, 1, 1, (struct transfer_labels){0}));
  transfer_log_close(log, &result);
  CHECK_EQUAL(result.rows, 0);
  CHECK_EQUAL(result.bytes, 0);
  CHECK_EQUAL(result.error, -ENOENT);
}

/* One of two files that cannot be created: the other is not left behind. */
TEST(no_second_stream) {
  struct transfer_log *log;
  struct transfer_log_result result;
  struct stat status;
  const char *path = path_in(folder, "alone.arrows");
  CHECK_EQUAL(transfer_log_open(path, folder, 0, &log), 0);
  CHECK(!transfer_log_append(log, 1, 1, 1, 1, (struct transfer_labels){0}));
  transfer_log_close(log, &result);
  CHECK_EQUAL(result.error, -EISDIR);
  CHECK(stat(path, &status) != 0 && errno == ENOENT);
}

TEST(gives_up_before_the_reserve) {
  struct transfer_log *log;
  struct transfer_log_result result;
  struct stat status;
  const char *path = path_in(folder, "reserve.arrows");
  CHECK_EQUAL(transfer_log_open(path, NULL, UINT64_MAX / 2, &log), 0);
  CHECK(!transfer_log_append(log, 1, 1, 1, 1, (struct transfer_labels){0}));
  transfer_log_close(log, &result);
  CHECK(stat(path, &status) != 0 && errno == ENOENT);
  CHECK_EQUAL(result.rows, 0);
  CHECK_EQUAL(result.error, -ENOSPC);
}

TEST(a_full_disk) {
  if (!small_folder[0]) return; /* native.test.js says that this was left out */
  struct transfer_log *log;
  struct transfer_log_result result;
  const char *path = path_in(small_folder, "full.arrows");
  CHECK_EQUAL(transfer_log_open(path, NULL, 0, &log), 0);
  /* more than the disk holds, fewer batches than there are: the writer meets the end, however slow it is */
  for (int64_t row = 0; row < 50 * (int64_t)TRANSFER_LOG_ROWS; row++)
    transfer_log_append(log, row, row, 0, 0, (struct transfer_labels){0});
  for (int i = 0; i < 20000 && transfer_log_error(log) == 0; i++)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  CHECK_EQUAL(transfer_log_error(log), -ENOSPC);
  CHECK(!transfer_log_append(log, 1, 1, 1, 1, (struct transfer_labels){0}));
  transfer_log_close(log, &result);
  struct stat status;
  CHECK_EQUAL(stat(path, &status), 0);
  CHECK(result.rows > 0);
  CHECK_EQUAL(result.rows % TRANSFER_LOG_ROWS, 0);
  CHECK(status.st_size == (off_t)result.bytes || status.st_size == (off_t)result.bytes + 8);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  folder = argv[1];
  small_folder = argv[2];
  return check_run("");
}
