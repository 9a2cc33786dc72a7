/*
 * transfer_log.c: two queues of batches between two threads, each with one producer and one consumer, and one semaphore
 * on which the writer sleeps. The engine's side costs stores and, once a batch, a sem_post. A batch that was never used
 * is taken only when no used one is empty: so few circulate, and they stay in the cache.
 */
#include "transfer_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "arrow_template.h"

struct batch {
  uint32_t rows;
  int64_t start[TRANSFER_LOG_ROWS];
  int64_t response[TRANSFER_LOG_ROWS];
  uint32_t connection[TRANSFER_LOG_ROWS];
  uint8_t status[TRANSFER_LOG_ROWS];
};

/* Holds every batch there is, so it is never full. */
struct queue {
  _Atomic uint32_t put, taken;
  struct batch *batches[TRANSFER_LOG_BATCHES];
};

static void queue_put(struct queue *queue, struct batch *batch) {
  uint32_t put = atomic_load_explicit(&queue->put, memory_order_relaxed);
  queue->batches[put % TRANSFER_LOG_BATCHES] = batch;
  atomic_store_explicit(&queue->put, put + 1, memory_order_release);
}

/* NULL when it is empty. */
static struct batch *queue_take(struct queue *queue) {
  uint32_t taken = atomic_load_explicit(&queue->taken, memory_order_relaxed);
  if (taken == atomic_load_explicit(&queue->put, memory_order_acquire)) return NULL;
  struct batch *batch = queue->batches[taken % TRANSFER_LOG_BATCHES];
  atomic_store_explicit(&queue->taken, taken + 1, memory_order_release);
  return batch;
}

struct transfer_log {
  /* the engine's */
  struct batch *filling; /* NULL once the log was given up because no batch was empty */
  uint32_t used;         /* batches that were ever taken */
  /* shared */
  struct queue full, empty;
  _Atomic int error;
  _Atomic bool closing;
  sem_t work;
  /* the writer's */
  int fd;
  uint64_t reserve_bytes, rows, bytes;
  pthread_t thread;
  _Atomic pid_t tid;
  sem_t started;
  struct batch batches[TRANSFER_LOG_BATCHES];
};

static int write_all(int fd, struct iovec *parts, int count) {
  while (count > 0) {
    ssize_t done = writev(fd, parts, count);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return -errno;
    size_t left = (size_t)done;
    while (count > 0 && left >= parts->iov_len) {
      left -= parts->iov_len;
      parts++;
      count--;
    }
    if (count > 0) {
      parts->iov_base = (uint8_t *)parts->iov_base + left;
      parts->iov_len -= left;
    }
  }
  return 0;
}

static void put_int64(uint8_t *message, size_t at, int64_t value) { memcpy(message + at, &value, sizeof value); }

static int64_t padded(size_t bytes) { return (int64_t)((bytes + 7u) & ~(size_t)7u); }

/* One Arrow record batch: the message with its blanks filled in, then the columns, each padded to 8 bytes. */
static int write_batch(struct transfer_log *log, struct batch *batch, uint64_t *bytes) {
  uint8_t message[sizeof arrow_batch_message];
  memcpy(message, arrow_batch_message, sizeof message);
  const struct iovec columns[ARROW_COLUMNS] = {
      {batch->start, batch->rows * sizeof batch->start[0]},
      {batch->response, batch->rows * sizeof batch->response[0]},
      {batch->connection, batch->rows * sizeof batch->connection[0]},
      {batch->status, batch->rows * sizeof batch->status[0]},
  };
  static const uint8_t padding[8];
  struct iovec parts[1 + 2 * ARROW_COLUMNS] = {{message, sizeof message}};
  int count = 1;
  int64_t body = 0;
  put_int64(message, ARROW_ROWS_AT, batch->rows);
  for (size_t i = 0; i < ARROW_COLUMNS; i++) {
    int64_t length = padded(columns[i].iov_len);
    size_t at = ARROW_BUFFERS_AT + 32 * i;
    put_int64(message, ARROW_NODES_AT + 16 * i, batch->rows);
    put_int64(message, at, body);
    put_int64(message, at + 16, body);
    put_int64(message, at + 24, length);
    body += length;
    parts[count++] = columns[i];
    size_t gap = (size_t)length - columns[i].iov_len;
    if (gap > 0) parts[count++] = (struct iovec){(void *)(uintptr_t)padding, gap};
  }
  put_int64(message, ARROW_BODY_AT, body);
  *bytes = sizeof message + (uint64_t)body;
  return write_all(log->fd, parts, count);
}

static int space_left(const struct transfer_log *log) {
  struct statvfs fs;
  if (log->reserve_bytes == 0 || fstatvfs(log->fd, &fs) != 0) return 0;
  return (uint64_t)fs.f_bavail * fs.f_frsize < log->reserve_bytes ? -ENOSPC : 0;
}

/* After an error: the file ends at its last whole batch. */
static void give_up(struct transfer_log *log, int error) {
  int none = 0;
  atomic_compare_exchange_strong(&log->error, &none, error);
  if (ftruncate(log->fd, (off_t)log->bytes) != 0) return; /* readers stop at the broken batch then */
  lseek(log->fd, (off_t)log->bytes, SEEK_SET);
}

static void *writer(void *argument) {
  struct transfer_log *log = argument;
  bool failed = false;
  atomic_store(&log->tid, (pid_t)syscall(SYS_gettid));
  sem_post(&log->started);
  for (;;) {
    while (sem_wait(&log->work) != 0) continue;
    bool closing = atomic_load(&log->closing); /* read before the queue: nothing is put into it afterwards */
    for (struct batch *batch; (batch = queue_take(&log->full));) {
      uint64_t bytes = 0;
      int error = failed ? 0 : space_left(log);
      if (!failed && !error) error = write_batch(log, batch, &bytes);
      if (error) {
        give_up(log, error);
        failed = true;
      } else if (!failed) {
        log->bytes += bytes;
        log->rows += batch->rows;
      }
      queue_put(&log->empty, batch);
    }
    if (closing) return NULL;
  }
}

int transfer_log_open(const char *path, uint64_t reserve_bytes, struct transfer_log **log) {
  struct transfer_log *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  self->reserve_bytes = reserve_bytes;
  self->filling = &self->batches[self->used++];
  self->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (self->fd < 0) {
    int error = -errno;
    free(self);
    return error;
  }
  struct iovec schema = {(void *)(uintptr_t)arrow_schema_message, sizeof arrow_schema_message};
  int error = write_all(self->fd, &schema, 1);
  self->bytes = sizeof arrow_schema_message;
  sem_init(&self->work, 0, 0);
  sem_init(&self->started, 0, 0);
  if (!error) error = -pthread_create(&self->thread, NULL, writer, self);
  if (error) {
    close(self->fd);
    free(self);
    return error;
  }
  while (sem_wait(&self->started) != 0) continue;
  *log = self;
  return 0;
}

void transfer_log_flush(struct transfer_log *log) {
  if (!log->filling || log->filling->rows == 0 || transfer_log_error(log) != 0) return;
  struct batch *next = queue_take(&log->empty);
  if (!next && log->used < TRANSFER_LOG_BATCHES) next = &log->batches[log->used++];
  queue_put(&log->full, log->filling);
  sem_post(&log->work);
  log->filling = next;
  if (next) {
    next->rows = 0;
  } else {
    int none = 0;
    atomic_compare_exchange_strong(&log->error, &none, TRANSFER_LOG_BEHIND);
  }
}

bool transfer_log_append(struct transfer_log *log, int64_t start_ns, int64_t response_ns, uint32_t connection,
                         uint8_t status) {
  if (__builtin_expect(atomic_load_explicit(&log->error, memory_order_relaxed) != 0, 0)) return false;
  struct batch *batch = log->filling;
  uint32_t row = batch->rows++;
  batch->start[row] = start_ns;
  batch->response[row] = response_ns;
  batch->connection[row] = connection;
  batch->status[row] = status;
  if (row + 1 == TRANSFER_LOG_ROWS) transfer_log_flush(log);
  return true;
}

int transfer_log_error(struct transfer_log *log) { return atomic_load_explicit(&log->error, memory_order_relaxed); }

pid_t transfer_log_thread(struct transfer_log *log) { return atomic_load(&log->tid); }

void transfer_log_close(struct transfer_log *log, struct transfer_log_result *result) {
  transfer_log_flush(log);
  atomic_store(&log->closing, true);
  sem_post(&log->work);
  pthread_join(log->thread, NULL);
  struct iovec end = {(void *)(uintptr_t)arrow_end_of_stream, sizeof arrow_end_of_stream};
  int error = write_all(log->fd, &end, 1);
  if (error) give_up(log, error);
  int none = 0;
  if (close(log->fd) != 0 && errno != EINTR) atomic_compare_exchange_strong(&log->error, &none, -errno);
  *result = (struct transfer_log_result){log->rows, log->bytes, transfer_log_error(log)};
  sem_destroy(&log->work);
  sem_destroy(&log->started);
  free(log);
}
