/* Half-sync/half-async: one thread in select(2) and a pool of N threads that serve. A connection that a thread serves
 * is not watched; the thread returns it through an eventfd, which is one more descriptor in the bitmaps. See
 * models/select.c for the cost of select. */
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
  struct timeouts timeouts;
  struct bitmaps bits;
  struct pooled_connection **connections; /* indexed by descriptor */
  struct worker worker;                   /* used for closing only */
};

/* Runs on a thread of the pool. */
static void serve(struct pooled_connection *connection, struct pool_thread *thread, void *of) {
  const struct loop *loop = of;
  connection->next = pooled_connection_step(connection, &thread->worker);
  pool_return(loop->pool, connection);
}

static void accept_pause(struct loop *loop, int error) {
  timeouts_pause_accept(&loop->timeouts, error);
  bit_clear(loop->bits.want_read, loop->listener);
}

static void accept_resume(struct loop *loop) {
  loop->timeouts.resume_at_ns = 0;
  bit_set(loop->bits.want_read, loop->listener);
}

static void connection_open(struct loop *loop, int fd) {
  struct pooled_connection *connection = fd < loop->bits.limit ? calloc(1, sizeof *connection) : NULL;
  if (connection == NULL || !timed_connection_open(&connection->timed, &loop->timeouts, fd)) {
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

static void connection_close(struct loop *loop, struct pooled_connection *connection) {
  const int fd = connection->timed.session.fd;
  const int lowest = loop->wake > loop->listener ? loop->wake : loop->listener;
  bit_clear(loop->bits.want_read, fd);
  bit_clear(loop->bits.want_write, fd);
  timed_connection_close(&connection->timed, &loop->timeouts);
  session_close(&connection->timed.session, &loop->worker);
  free(connection);
  loop->connections[fd] = NULL;
  while (loop->bits.highest > lowest && loop->connections[loop->bits.highest] == NULL) {
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

/* Watches the connections again that threads have returned. */
static void collect_returned(struct loop *loop) {
  for (struct pooled_connection *each = pool_collect(loop->pool), *following; each != NULL; each = following) {
    following = each->link;
    if (each->next == SESSION_CLOSE) {
      connection_close(loop, each);
    } else {
      timed_connection_touch(&each->timed, &loop->timeouts);
      bit_set(each->next == SESSION_READ ? loop->bits.want_read : loop->bits.want_write, each->timed.session.fd);
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
        pool_submit(loop->pool, loop->connections[fd]);
      }
    }
  }
  pool_hand_over(loop->pool);
  if (bit_is_set(loop->bits.can_read, loop->wake)) {
    collect_returned(loop);
  }
  if (bit_is_set(loop->bits.can_read, loop->listener)) {
    listener_readable(loop);
  }
}

/* Closes idle connections; work is done by the threads. */
static void serve_timeouts(struct loop *loop) {
  enum session_next next;
  for (struct timed_connection *timed; (timed = timeouts_next(&loop->timeouts, &next)) != NULL;) {
    struct pooled_connection *connection = (struct pooled_connection *)timed;
    if (bit_is_set(loop->bits.want_read, timed->session.fd) || bit_is_set(loop->bits.want_write, timed->session.fd)) {
      connection_close(loop, connection);
    } else {
      timed_connection_postpone(timed, &loop->timeouts); /* a thread serves it, so it is not idle */
    }
  }
}

static int select_pool_run(const struct options *options, int listener) {
  static struct loop loop;
  const long limit = limits_raise_descriptors();
  timeouts_init(&loop.timeouts, options);
  loop.listener = listener;
  loop.connections = calloc((size_t)limit, sizeof(struct pooled_connection *));
  loop.pool = pool_start(options, serve, &loop);
  if (loop.pool == NULL) {
    return 1;
  }
  loop.wake = pool_descriptor(loop.pool);
  if (loop.connections == NULL || !bitmaps_create(&loop.bits, limit) || fcntl(listener, F_SETFL, O_NONBLOCK) < 0) {
    server_log("cannot set up the bitmaps", errno);
    return 1;
  }
  loop.bits.highest = loop.wake > listener ? loop.wake : listener;
  bit_set(loop.bits.want_read, listener);
  bit_set(loop.bits.want_read, loop.wake);
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
    .name = "select-pool",
    .summary = "One thread in select(2), a pool of threads behind it.",
    .threads = -1,
    .processes = PROCESSES_OWN_LISTENERS,
    .run = select_pool_run,
};
