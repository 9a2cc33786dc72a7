/* select(2), one thread, with bitmaps as large as the descriptor limit.
 * The one thing to know: every turn copies the bitmaps into the kernel and scans them up to the highest
 * descriptor, whatever is ready; that is what select costs. */
#include "../parts/bitmaps.h"
#include "../parts/times.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct loop {
  int listener;
  struct times times;
  struct bitmaps bits;
  struct timed **connections; /* by descriptor */
  struct desk desk;
};

static void accept_pause(struct loop *loop, int error) {
  times_pause(&loop->times, error);
  bit_clear(loop->bits.want_read, loop->listener);
}

static void accept_resume(struct loop *loop) {
  loop->times.resume_at_ns = 0;
  bit_set(loop->bits.want_read, loop->listener);
}

static void connection_open(struct loop *loop, int fd) {
  struct timed *connection = fd < loop->bits.limit ? calloc(1, sizeof *connection) : NULL;
  if (connection == NULL || !timed_open(connection, &loop->times, fd)) {
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

static void connection_close(struct loop *loop, struct timed *connection) {
  const int fd = connection->talk.fd;
  bit_clear(loop->bits.want_read, fd);
  bit_clear(loop->bits.want_write, fd);
  timed_close(connection, &loop->times);
  talk_close(&connection->talk, &loop->desk);
  free(connection);
  loop->connections[fd] = NULL;
  while (loop->bits.highest > loop->listener && loop->connections[loop->bits.highest] == NULL) {
    loop->bits.highest--;
  }
  if (loop->times.resume_at_ns != 0) {
    accept_resume(loop);
  }
}

static void listener_readable(struct loop *loop) {
  for (int i = 0; i < SERVER_ACCEPTS_PER_TURN && loop->times.resume_at_ns == 0; i++) {
    int fd = accept4(loop->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      connection_open(loop, fd);
    } else if (errno == EAGAIN) {
      return;
    } else if (server_is_full(errno)) {
      accept_pause(loop, errno);
    }
  }
}

/* Arranges for what the connection waits for now. */
static void go_on(struct loop *loop, struct timed *connection, enum talk_next next) {
  const int fd = connection->talk.fd;
  timed_moved(connection, &loop->times);
  switch (next) {
  case TALK_READ:
    bit_clear(loop->bits.want_write, fd);
    bit_set(loop->bits.want_read, fd);
    return;
  case TALK_WRITE:
    bit_clear(loop->bits.want_read, fd);
    bit_set(loop->bits.want_write, fd);
    return;
  case TALK_WAIT:
    bit_clear(loop->bits.want_read, fd);
    if (timed_work(connection, &loop->times, loop->desk.wait_ns)) {
      return;
    }
    break;
  case TALK_CLOSE: break;
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
        continue; /* last, so that no descriptor changes hands within a turn */
      }
      struct timed *connection = loop->connections[fd];
      if (bit_is_set(loop->bits.can_write, fd)) {
        go_on(loop, connection, talk_writable(&connection->talk));
      } else {
        go_on(loop, connection, talk_readable(&connection->talk, &loop->desk));
      }
    }
  }
  if (bit_is_set(loop->bits.can_read, loop->listener)) {
    listener_readable(loop);
  }
}

static void serve_due(struct loop *loop) {
  enum talk_next next;
  for (struct timed *connection; (connection = times_next(&loop->times, &next)) != NULL;) {
    go_on(loop, connection, next == TALK_WRITE ? talk_writable(&connection->talk) : next);
  }
}

static int select_run(const struct options *options, int listener) {
  static struct loop loop;
  const long limit = limits_raise_descriptors();
  times_start(&loop.times, options);
  loop.listener = listener;
  loop.connections = calloc((size_t)limit, sizeof(struct timed *));
  if (loop.connections == NULL || !bitmaps_create(&loop.bits, limit) || fcntl(listener, F_SETFL, O_NONBLOCK) < 0) {
    server_say("cannot set up the bitmaps", errno);
    return 1;
  }
  desk_start(&loop.desk, options, 0, false);
  loop.bits.highest = listener;
  bit_set(loop.bits.want_read, listener);
  for (;;) {
    const int watched_words = loop.bits.highest / WORD_BITS + 1;
    const int count = bitmaps_select(&loop.bits, times_left_ns(&loop.times));
    times_turn(&loop.times);
    if (count > 0) {
      serve_ready(&loop, watched_words);
    } else if (count < 0 && errno != EINTR) {
      server_say("select", errno);
      return 1;
    }
    serve_due(&loop);
    if (times_resume(&loop.times)) {
      accept_resume(&loop);
    }
  }
}

const struct model server_model = {
    .name = "select",
    .summary = "One thread, select(2) with bitmaps as large as the descriptor limit.",
    .processes = PROCESSES_OF_THE_PORT,
    .run = select_run,
};
