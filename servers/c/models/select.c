/* select(2), one thread, with bitmaps as large as the descriptor limit. Every turn copies the bitmaps into the kernel
 * and scans them up to the highest descriptor, however few are ready; that is the cost of select. */
#include "../parts/bitmaps.h"
#include "../parts/timeouts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct loop {
  int listener;
  struct timeouts timeouts;
  struct bitmaps bits;
  struct timed_connection **connections; /* indexed by descriptor */
  struct worker worker;
};

static void accept_pause(struct loop *loop, int error) {
  timeouts_pause_accept(&loop->timeouts, error);
  bit_clear(loop->bits.want_read, loop->listener);
}

static void accept_resume(struct loop *loop) {
  loop->timeouts.resume_at_ns = 0;
  bit_set(loop->bits.want_read, loop->listener);
}

static void connection_open(struct loop *loop, int fd) {
  struct timed_connection *connection = fd < loop->bits.limit ? calloc(1, sizeof *connection) : NULL;
  if (connection == NULL || !timed_connection_open(connection, &loop->timeouts, fd)) {
    close(fd);
    free(connection);
    accept_pause(loop, ENOMEM);
    return;
  }
  loop->connections[fd] = connection;
  bit_set(loop->bits.want_read, fd);
  if (fd > loop->bits.highest) {
    loop->bits.highest = fd;
  }
}

static void connection_close(struct loop *loop, struct timed_connection *connection) {
  const int fd = connection->session.fd;
  bit_clear(loop->bits.want_read, fd);
  bit_clear(loop->bits.want_write, fd);
  timed_connection_close(connection, &loop->timeouts);
  session_close(&connection->session, &loop->worker);
  free(connection);
  loop->connections[fd] = NULL;
  while (loop->bits.highest > loop->listener && loop->connections[loop->bits.highest] == NULL) {
    loop->bits.highest--;
  }
  if (loop->timeouts.resume_at_ns != 0) {
    accept_resume(loop);
  }
}

static void listener_readable(struct loop *loop) {
  for (int i = 0; i < SERVER_ACCEPTS_PER_TURN && loop->timeouts.resume_at_ns == 0; i++) {
    int fd = accept4(loop->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      connection_open(loop, fd);
    } else if (errno == EAGAIN) {
      return;
    } else if (server_out_of_resources(errno)) {
      accept_pause(loop, errno);
    }
  }
}

/* Registers for what the connection waits for now. */
static void await_next(struct loop *loop, struct timed_connection *connection, enum session_next next) {
  const int fd = connection->session.fd;
  timed_connection_touch(connection, &loop->timeouts);
  switch (next) {
  case SESSION_READ:
    bit_clear(loop->bits.want_write, fd);
    bit_set(loop->bits.want_read, fd);
    return;
  case SESSION_WRITE:
    bit_clear(loop->bits.want_read, fd);
    bit_set(loop->bits.want_write, fd);
    return;
  case SESSION_WAIT:
    bit_clear(loop->bits.want_read, fd);
    if (timed_connection_work(connection, &loop->timeouts, loop->worker.wait_ns)) {
      return;
    }
    break;
  case SESSION_CLOSE: break;
  }
  connection_close(loop, connection);
}

static void serve_ready(struct loop *loop, int words) {
  for (int word = 0; word < words; word++) {
    unsigned long ready = loop->bits.can_read[word] | loop->bits.can_write[word];
    while (ready != 0) {
      const int fd = word * WORD_BITS + __builtin_ctzl(ready);
      ready &= ready - 1;
      if (fd == loop->listener) {
        continue; /* handled last, so that no descriptor is reused within a turn */
      }
      struct timed_connection *connection = loop->connections[fd];
      if (bit_is_set(loop->bits.can_write, fd)) {
        await_next(loop, connection, session_writable(&connection->session));
      } else {
        await_next(loop, connection, session_readable(&connection->session, &loop->worker));
      }
    }
  }
  if (bit_is_set(loop->bits.can_read, loop->listener)) {
    listener_readable(loop);
  }
}

static void serve_timeouts(struct loop *loop) {
  enum session_next next;
  for (struct timed_connection *connection; (connection = timeouts_next(&loop->timeouts, &next)) != NULL;) {
    await_next(loop, connection, next == SESSION_WRITE ? session_writable(&connection->session) : next);
  }
}

static int select_run(const struct options *options, int listener) {
  static struct loop loop;
  const long limit = limits_raise_descriptors();
  timeouts_init(&loop.timeouts, options);
  loop.listener = listener;
  loop.connections = calloc((size_t)limit, sizeof(struct timed_connection *));
  if (loop.connections == NULL || !bitmaps_create(&loop.bits, limit) || fcntl(listener, F_SETFL, O_NONBLOCK) < 0) {
    server_log("cannot set up the bitmaps", errno);
    return 1;
  }
  worker_init(&loop.worker, options, 0, false);
  loop.bits.highest = listener;
  bit_set(loop.bits.want_read, listener);
  for (;;) {
    const int watched_words = loop.bits.highest / WORD_BITS + 1;
    const int count = bitmaps_select(&loop.bits, timeouts_remaining_ns(&loop.timeouts));
    timeouts_begin_turn(&loop.timeouts);
    if (count > 0) {
      serve_ready(&loop, watched_words);
    } else if (count < 0 && errno != EINTR) {
      server_log("select", errno);
      return 1;
    }
    serve_timeouts(&loop);
    if (timeouts_resume_accept(&loop.timeouts)) {
      accept_resume(&loop);
    }
  }
}

const struct model server_model = {
    .name = "select",
    .summary = "One thread, select(2) with bitmaps as large as the descriptor limit.",
    .processes = PROCESSES_OWN_LISTENERS,
    .run = select_run,
};
