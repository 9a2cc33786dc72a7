/* One thread in select(2), a pool of N threads behind it.
 * The one thing to know: a connection that a thread has is not watched; the thread hands it back through
 * an eventfd, which is one more descriptor in the bitmaps. See models/select.c for what select costs. */
#include "../parts/bitmaps.h"
#include "../parts/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct loop {
  int listener;
  int wake;
  struct pool *pool;
  struct times times;
  struct bitmaps bits;
  struct pooled **connections; /* by descriptor */
  struct desk desk;            /* for closing only */
};

/* On a thread of the pool. */
static void serve(struct pooled *connection, struct pool_thread *thread, void *of) {
  const struct loop *loop = of;
  connection->next = pooled_step(connection, &thread->desk);
  pool_hand_back(loop->pool, connection);
}

static void accept_pause(struct loop *loop, int error) {
  times_pause(&loop->times, error);
  bit_clear(loop->bits.want_read, loop->listener);
}

static void accept_resume(struct loop *loop) {
  loop->times.resume_at_ns = 0;
  bit_set(loop->bits.want_read, loop->listener);
}

static void connection_open(struct loop *loop, int fd) {
  struct pooled *connection = fd < loop->bits.limit ? calloc(1, sizeof *connection) : NULL;
  if (connection == NULL || !timed_open(&connection->timed, &loop->times, fd)) {
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

static void connection_close(struct loop *loop, struct pooled *connection) {
  const int fd = connection->timed.talk.fd;
  const int lowest = loop->wake > loop->listener ? loop->wake : loop->listener;
  bit_clear(loop->bits.want_read, fd);
  bit_clear(loop->bits.want_write, fd);
  timed_close(&connection->timed, &loop->times);
  talk_close(&connection->timed.talk, &loop->desk);
  free(connection);
  loop->connections[fd] = NULL;
  while (loop->bits.highest > lowest && loop->connections[loop->bits.highest] == NULL) {
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

/* What the threads are done with waits for its client again. */
static void take_back(struct loop *loop) {
  for (struct pooled *each = pool_take_back(loop->pool), *following; each != NULL; each = following) {
    following = each->link;
    if (each->next == TALK_CLOSE) {
      connection_close(loop, each);
    } else {
      timed_moved(&each->timed, &loop->times);
      bit_set(each->next == TALK_READ ? loop->bits.want_read : loop->bits.want_write, each->timed.talk.fd);
    }
  }
}

static void serve_ready(struct loop *loop, int words) {
  for (int word = 0; word < words; word++) {
    unsigned long ready = loop->bits.can_read[word] | loop->bits.can_write[word];
    while (ready != 0) {
      const int fd = word * WORD_BITS + __builtin_ctzl(ready);
      ready &= ready - 1;
      if (fd != loop->listener && fd != loop->wake) {
        bit_clear(loop->bits.want_read, fd);
        bit_clear(loop->bits.want_write, fd);
        pool_give(loop->pool, loop->connections[fd]);
      }
    }
  }
  if (bit_is_set(loop->bits.can_read, loop->wake)) {
    take_back(loop);
  }
  if (bit_is_set(loop->bits.can_read, loop->listener)) {
    listener_readable(loop);
  }
}

/* Those that idle too long; the work is the threads'. */
static void serve_due(struct loop *loop) {
  enum talk_next next;
  for (struct timed *timed; (timed = times_next(&loop->times, &next)) != NULL;) {
    struct pooled *connection = (struct pooled *)timed;
    if (bit_is_set(loop->bits.want_read, timed->talk.fd) || bit_is_set(loop->bits.want_write, timed->talk.fd)) {
      connection_close(loop, connection);
    } else {
      timed_put_off(timed, &loop->times); /* a thread has it: it does not idle */
    }
  }
}

static int select_pool_run(const struct options *options, int listener) {
  static struct loop loop;
  const long limit = limits_raise_descriptors();
  times_start(&loop.times, options);
  loop.listener = listener;
  loop.connections = calloc((size_t)limit, sizeof(struct pooled *));
  loop.pool = pool_start(options, serve, &loop);
  if (loop.pool == NULL) {
    return 1;
  }
  loop.wake = pool_descriptor(loop.pool);
  if (loop.connections == NULL || !bitmaps_create(&loop.bits, limit) || fcntl(listener, F_SETFL, O_NONBLOCK) < 0) {
    server_say("cannot set up the bitmaps", errno);
    return 1;
  }
  loop.bits.highest = loop.wake > listener ? loop.wake : listener;
  bit_set(loop.bits.want_read, listener);
  bit_set(loop.bits.want_read, loop.wake);
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
    .name = "select-pool",
    .summary = "One thread in select(2), a pool of threads behind it.",
    .threads = 16,
    .processes = PROCESSES_OF_THE_PORT,
    .run = select_pool_run,
};
