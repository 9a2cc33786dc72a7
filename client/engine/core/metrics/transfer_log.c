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
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "arrow_template.h"

struct batch {
  uint32_t rows, splits;
  int64_t start[TRANSFER_LOG_ROWS];
  int64_t response[TRANSFER_LOG_ROWS];
  uint32_t connection[TRANSFER_LOG_ROWS];
  uint8_t status[TRANSFER_LOG_ROWS];
  uint16_t code[TRANSFER_LOG_ROWS];
  uint16_t request[TRANSFER_LOG_ROWS];
  struct { /* of the second stream */
    int64_t row[TRANSFER_LOG_ROWS];
    int64_t send_delay[TRANSFER_LOG_ROWS];
    int64_t network_and_server[TRANSFER_LOG_ROWS];
    int64_t receive_delay[TRANSFER_LOG_ROWS];
  } split;
};

#define COLUMNS_MOST 6u

_Static_assert((int)ARROW_COLUMNS <= COLUMNS_MOST && (int)ARROW_SPLIT_COLUMNS <= COLUMNS_MOST, "of both streams");

/* The messages of a stream, and where their blanks are. */
struct stream_format {
  const uint8_t *schema, *message;
  size_t schema_bytes, message_bytes, rows_at, body_at, nodes_at, buffers_at, columns;
};

static const struct stream_format transfer_format = {arrow_schema_message,
                                                     arrow_batch_message,
                                                     sizeof arrow_schema_message,
                                                     sizeof arrow_batch_message,
                                                     ARROW_ROWS_AT,
                                                     ARROW_BODY_AT,
                                                     ARROW_NODES_AT,
                                                     ARROW_BUFFERS_AT,
                                                     ARROW_COLUMNS};
static const struct stream_format split_format = {arrow_split_schema_message,
                                                  arrow_split_batch_message,
                                                  sizeof arrow_split_schema_message,
                                                  sizeof arrow_split_batch_message,
                                                  ARROW_SPLIT_ROWS_AT,
                                                  ARROW_SPLIT_BODY_AT,
                                                  ARROW_SPLIT_NODES_AT,
                                                  ARROW_SPLIT_BUFFERS_AT,
                                                  ARROW_SPLIT_COLUMNS};

#define MESSAGE_BYTES_MOST 1024u

_Static_assert(sizeof arrow_batch_message <= MESSAGE_BYTES_MOST, "a message fits");
_Static_assert(sizeof arrow_split_batch_message <= MESSAGE_BYTES_MOST, "a message fits");

/* A file of whole batches. */
struct stream {
  const struct stream_format *format;
  int fd; /* -1: none */
  uint64_t bytes;
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
  struct batch *filling; /* NULL while no batch is empty */
  bool was_behind;       /* rows were dropped meanwhile */
  uint64_t appended;     /* rows */
  uint32_t used;         /* batches that were ever taken */
  /* shared */
  struct queue full, empty;
  _Atomic int error;
  _Atomic bool closing;
  sem_t work;
  /* the writer's */
  struct stream transfers, splits;
  uint64_t reserve_bytes, rows;
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

/* Appends one Arrow record batch of ROWS: the message with its blanks filled in, then the columns, each padded to 8
 * bytes. */
static int write_columns(struct stream *stream, uint32_t rows, const struct iovec *columns) {
  const struct stream_format *format = stream->format;
  uint8_t message[MESSAGE_BYTES_MOST];
  memcpy(message, format->message, format->message_bytes);
  static const uint8_t padding[8];
  struct iovec parts[1 + 2 * COLUMNS_MOST] = {{message, format->message_bytes}};
  int count = 1;
  int64_t body = 0;
  put_int64(message, format->rows_at, rows);
  for (size_t i = 0; i < format->columns; i++) {
    int64_t length = padded(columns[i].iov_len);
    size_t at = format->buffers_at + 32 * i;
    put_int64(message, format->nodes_at + 16 * i, rows);
    put_int64(message, at, body);
    put_int64(message, at + 16, body);
    put_int64(message, at + 24, length);
    body += length;
    parts[count++] = columns[i];
    size_t gap = (size_t)length - columns[i].iov_len;
    if (gap > 0) parts[count++] = (struct iovec){(void *)(uintptr_t)padding, gap};
  }
  put_int64(message, format->body_at, body);
  int error = write_all(stream->fd, parts, count);
  if (!error) stream->bytes += format->message_bytes + (uint64_t)body;
  return error;
}

static int write_batch(struct transfer_log *log, struct batch *batch) {
  const struct iovec columns[ARROW_COLUMNS] = {
      {batch->start, batch->rows * sizeof batch->start[0]},
      {batch->response, batch->rows * sizeof batch->response[0]},
      {batch->connection, batch->rows * sizeof batch->connection[0]},
      {batch->status, batch->rows * sizeof batch->status[0]},
      {batch->code, batch->rows * sizeof batch->code[0]},
      {batch->request, batch->rows * sizeof batch->request[0]},
  };
  int error = write_columns(&log->transfers, batch->rows, columns);
  if (!error) log->rows += batch->rows;
  if (error || batch->splits == 0) return error;
  size_t bytes = batch->splits * sizeof batch->split.row[0];
  const struct iovec splits[ARROW_SPLIT_COLUMNS] = {{batch->split.row, bytes},
                                                    {batch->split.send_delay, bytes},
                                                    {batch->split.network_and_server, bytes},
                                                    {batch->split.receive_delay, bytes}};
  return write_columns(&log->splits, batch->splits, splits);
}

static int space_left(const struct transfer_log *log) {
  struct statvfs fs;
  if (log->reserve_bytes == 0 || fstatvfs(log->transfers.fd, &fs) != 0) return 0;
  return (uint64_t)fs.f_bavail * fs.f_frsize < log->reserve_bytes ? -ENOSPC : 0;
}

/* The file ends at its last whole batch. */
static void cut_off(struct stream *stream) {
  if (stream->fd < 0 || ftruncate(stream->fd, (off_t)stream->bytes) != 0) return; /* readers stop at the broken batch */
  lseek(stream->fd, (off_t)stream->bytes, SEEK_SET);
}

/* After an error. */
static void give_up(struct transfer_log *log, int error) {
  int none = 0;
  atomic_compare_exchange_strong(&log->error, &none, error);
  cut_off(&log->transfers);
  cut_off(&log->splits);
}

/* 0 or -errno. */
static int stream_close(struct stream *stream) {
  if (stream->fd < 0) return 0;
  int error = close(stream->fd) != 0 && errno != EINTR ? -errno : 0;
  stream->fd = -1;
  return error;
}

/* The end of both streams. The engine's thread may have a table of descriptors in which they are not open. */
static void end_streams(struct transfer_log *log) {
  if (log->transfers.fd < 0) return;
  struct iovec ends[] = {{(void *)(uintptr_t)arrow_end_of_stream, sizeof arrow_end_of_stream},
                         {(void *)(uintptr_t)arrow_end_of_stream, sizeof arrow_end_of_stream}};
  int error = write_all(log->transfers.fd, &ends[0], 1);
  if (!error && log->splits.fd >= 0) error = write_all(log->splits.fd, &ends[1], 1);
  if (error) give_up(log, error);
  int none = 0, closed = stream_close(&log->transfers), splits_closed = stream_close(&log->splits);
  if (!closed) closed = splits_closed;
  if (closed) atomic_compare_exchange_strong(&log->error, &none, closed);
}

/* Gives the pages of a written batch that was not full back to the kernel. Where few rows come in a second each batch
 * would otherwise keep what it took in its busiest second; a full one is filled again at once. */
static void batch_release(struct batch *batch) {
  if (batch->rows == TRANSFER_LOG_ROWS) return;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t from = ((uintptr_t)batch->start + page - 1) / page * page, to = (uintptr_t)(batch + 1) / page * page;
  madvise((void *)from, to - from, MADV_DONTNEED); /* the kernel may refuse it, for locked pages */
}

static void *writer(void *argument) {
  struct transfer_log *log = argument;
  bool failed = transfer_log_error(log) != 0;
  atomic_store(&log->tid, (pid_t)syscall(SYS_gettid));
  sem_post(&log->started);
  for (;;) {
    while (sem_wait(&log->work) != 0) continue;
    bool closing = atomic_load(&log->closing); /* read before the queue: nothing is put into it afterwards */
    for (struct batch *batch; (batch = queue_take(&log->full));) {
      int error = failed ? 0 : space_left(log);
      if (!failed && !error) error = write_batch(log, batch);
      if (error) {
        give_up(log, error);
        failed = true;
      }
      batch_release(batch);
      queue_put(&log->empty, batch);
    }
    if (closing) break;
  }
  end_streams(log);
  return NULL;
}

/* Creates the file of a stream. 0 or -errno. */
static int stream_open(struct stream *stream, const char *path, const struct stream_format *format) {
  stream->format = format;
  stream->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return stream->fd < 0 ? -errno : 0;
}

/* Writes what a stream begins with. 0 or -errno. */
static int stream_begin(struct stream *stream) {
  const struct stream_format *format = stream->format;
  struct iovec schema = {(void *)(uintptr_t)format->schema, format->schema_bytes};
  stream->bytes = format->schema_bytes;
  return write_all(stream->fd, &schema, 1);
}

/* Leaves nothing of a stream behind, whose file may not have been created. */
static void stream_remove(struct stream *stream, const char *path) {
  if (stream->fd < 0) return;
  stream_close(stream);
  unlink(path);
  stream->bytes = 0;
}

/* 0, or the -errno for which the log is given up before it begins; then there is no file. */
static int open_streams(struct transfer_log *log, const char *path, const char *splits_path) {
  int error = stream_open(&log->transfers, path, &transfer_format);
  if (!error && splits_path) error = stream_open(&log->splits, splits_path, &split_format);
  if (!error) error = space_left(log);
  if (!error) error = stream_begin(&log->transfers);
  if (!error && splits_path) error = stream_begin(&log->splits);
  if (error) {
    stream_remove(&log->transfers, path);
    stream_remove(&log->splits, splits_path);
  }
  return error;
}

int transfer_log_open(const char *path, const char *splits_path, uint64_t reserve_bytes, struct transfer_log **log) {
  struct transfer_log *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  self->reserve_bytes = reserve_bytes;
  self->filling = &self->batches[self->used++];
  self->transfers.fd = self->splits.fd = -1;
  sem_init(&self->work, 0, 0);
  sem_init(&self->started, 0, 0);
  atomic_init(&self->error, open_streams(self, path, splits_path));
  int error = -pthread_create(&self->thread, NULL, writer, self);
  if (error) {
    stream_close(&self->transfers);
    stream_close(&self->splits);
    free(self);
    return error;
  }
  while (sem_wait(&self->started) != 0) continue;
  *log = self;
  return 0;
}

/* Takes an empty batch to fill, if there is one. */
static struct batch *begin_batch(struct transfer_log *log) {
  struct batch *next = queue_take(&log->empty);
  if (!next && log->used < TRANSFER_LOG_BATCHES) next = &log->batches[log->used++];
  if (next) next->rows = next->splits = 0;
  log->filling = next;
  return next;
}

void transfer_log_flush(struct transfer_log *log) {
  if (!log->filling || log->filling->rows == 0 || transfer_log_error(log) != 0) return;
  queue_put(&log->full, log->filling);
  sem_post(&log->work);
  begin_batch(log);
}

bool transfer_log_append(struct transfer_log *log, int64_t start_ns, int64_t response_ns, uint32_t connection,
                         uint8_t status, struct transfer_labels labels) {
  if (__builtin_expect(atomic_load_explicit(&log->error, memory_order_relaxed) != 0, 0)) return false;
  struct batch *batch = log->filling;
  if (__builtin_expect(!batch, 0) && !(batch = begin_batch(log))) {
    log->was_behind = true;
    return false;
  }
  uint32_t row = batch->rows++;
  batch->start[row] = start_ns;
  batch->response[row] = response_ns;
  batch->connection[row] = connection;
  batch->status[row] = status;
  batch->code[row] = labels.code;
  batch->request[row] = labels.request;
  log->appended++;
  if (row + 1 == TRANSFER_LOG_ROWS) transfer_log_flush(log);
  return true;
}

void transfer_log_split(struct transfer_log *log, const struct split *split) {
  if (log->splits.fd < 0 || transfer_log_error(log) != 0) return;
  struct batch *batch = log->filling ? log->filling : begin_batch(log);
  if (!batch) return;
  uint32_t place = batch->splits++;
  batch->split.row[place] = (int64_t)log->appended;
  batch->split.send_delay[place] = (int64_t)split->send_delay_ns;
  batch->split.network_and_server[place] = (int64_t)split->network_and_server_ns;
  batch->split.receive_delay[place] = (int64_t)split->receive_delay_ns;
}

int transfer_log_error(struct transfer_log *log) { return atomic_load_explicit(&log->error, memory_order_relaxed); }

pid_t transfer_log_thread(struct transfer_log *log) { return atomic_load(&log->tid); }

void transfer_log_close(struct transfer_log *log, struct transfer_log_result *result) {
  transfer_log_flush(log);
  atomic_store(&log->closing, true);
  sem_post(&log->work);
  pthread_join(log->thread, NULL);
  int error = transfer_log_error(log);
  if (error == 0 && log->was_behind) error = TRANSFER_LOG_BEHIND;
  *result = (struct transfer_log_result){log->rows, log->transfers.bytes, error};
  sem_destroy(&log->work);
  sem_destroy(&log->started);
  free(log);
}
