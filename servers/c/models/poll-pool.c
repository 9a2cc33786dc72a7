/* Half-sync/half-async: one thread in poll(2) and a pool of N threads that serve. A connection that a thread serves is
 * not watched (its descriptor is negative in the array, so poll skips it); the thread returns it through an eventfd.
 * See models/poll.c for the cost of poll. */
#include "../parts/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* The first two entries of the arrays. */
enum { LISTENER, WAKE, FIRST };

struct connection {
  struct pooled_connection pooled; /* must be the first member */
  size_t place;                    /* index in the arrays */
};

struct loop {
  struct pool *pool;
  struct timeouts timeouts;
  struct pollfd *polled;
  struct connection **connections; /* connections[i] belongs to polled[i] */
  size_t count;
  size_t room;
  struct worker worker; /* used for closing only */
};

/* Runs on a thread of the pool. */
static void serve(struct pooled_connection *connection, struct pool_thread *thread, void *of) {
  const struct loop *loop = of;
  connection->next = pooled_connection_step(connection, &thread->worker);
  pool_return(loop->pool, connection);
}

static void accept_pause(struct loop *loop, int error) {
  timeouts_pause_accept(&loop->timeouts, error);
  loop->polled[LISTENER].events = 0;
}

static void accept_resume(struct loop *loop) {
  loop->timeouts.resume_at_ns = 0;
  loop->polled[LISTENER].events = POLLIN;
}

static void connection_open(struct loop *loop, int fd) {
  struct connection *connection = loop->count < loop->room ? calloc(1, sizeof *connection) : NULL;
  if (connection == NULL || !timed_connection_open(&connection->pooled.timed, &loop->timeouts, fd)) {
    close(fd);
    free(connection);
    accept_pause(loop, ENOMEM);
    return;
  }
  connection->place = loop->count++;
  loop->connections[connection->place] = connection;
  loop->polled[connection->place] = (struct pollfd){.fd = fd, .events = POLLIN};
}

/* The last entry takes its place. */
static void connection_close(struct loop *loop, struct connection *connection) {
  const size_t place = connection->place;
  const size_t last = --loop->count;
  loop->polled[place] = loop->polled[last];
  loop->connections[place] = loop->connections[last];
  loop->connections[place]->place = place;
  timed_connection_close(&connection->pooled.timed, &loop->timeouts);
  session_close(&connection->pooled.timed.session, &loop->worker);
  free(connection);
  if (loop->timeouts.resume_at_ns != 0) {
    accept_resume(loop);
  }
}

static void listener_readable(struct loop *loop) {
  for (int i = 0; i < SERVER_ACCEPTS_PER_TURN && loop->timeouts.resume_at_ns == 0; i++) {
    int fd = accept4(loop->polled[LISTENER].fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
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
    struct connection *connection = (struct connection *)each;
    following = each->link;
    if (each->next == SESSION_CLOSE) {
      connection_close(loop, connection);
    } else {
      timed_connection_touch(&each->timed, &loop->timeouts);
      loop->polled[connection->place] =
          (struct pollfd){.fd = each->timed.session.fd, .events = each->next == SESSION_READ ? POLLIN : POLLOUT};
    }
  }
}

static void serve_ready(struct loop *loop) {
  const bool returned = loop->polled[WAKE].revents != 0;
  const bool waiting = loop->polled[LISTENER].revents != 0;
  for (size_t i = FIRST; i < loop->count; i++) {
    if (loop->polled[i].revents != 0) {
      loop->polled[i] = (struct pollfd){.fd = -1};
      pool_submit(loop->pool, &loop->connections[i]->pooled);
    }
  }
  pool_hand_over(loop->pool);
  if (returned) {
    collect_returned(loop);
  }
  if (waiting) {
    listener_readable(loop);
  }
}

/* Closes idle connections; work is done by the threads. */
static void serve_timeouts(struct loop *loop) {
  enum session_next next;
  for (struct timed_connection *timed; (timed = timeouts_next(&loop->timeouts, &next)) != NULL;) {
    struct connection *connection = (struct connection *)timed;
    if (loop->polled[connection->place].fd >= 0) {
      connection_close(loop, connection);
    } else {
      timed_connection_postpone(timed, &loop->timeouts); /* a thread serves it, so it is not idle */
    }
  }
}

static int wait_ready(struct loop *loop) {
  const int64_t left = timeouts_remaining_ns(&loop->timeouts);
  const struct timespec most = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  return ppoll(loop->polled, loop->count, left < 0 ? NULL : &most, NULL);
}

static int poll_pool_run(const struct options *options, int listener) {
  static struct loop loop;
  timeouts_init(&loop.timeouts, options);
  loop.room = (size_t)limits_raise_descriptors();
  loop.polled = calloc(loop.room, sizeof *loop.polled);
  loop.connections = calloc(loop.room, sizeof(struct connection *));
  loop.pool = pool_start(options, serve, &loop);
  if (loop.pool == NULL) {
    return 1;
  }
  if (loop.polled == NULL || loop.connections == NULL || fcntl(listener, F_SETFL, O_NONBLOCK) < 0) {
    server_log("cannot set up the array of descriptors", errno);
    return 1;
  }
  loop.polled[LISTENER] = (struct pollfd){.fd = listener, .events = POLLIN};
  loop.polled[WAKE] = (struct pollfd){.fd = pool_descriptor(loop.pool), .events = POLLIN};
  loop.count = FIRST;
  for (;;) {
    const int ready = wait_ready(&loop);
    timeouts_begin_turn(&loop.timeouts);
    if (ready > 0) {
      serve_ready(&loop);
    } else if (ready < 0 && errno != EINTR) {
      server_log("poll", errno);
      return 1;
    }
    serve_timeouts(&loop);
    if (timeouts_resume_accept(&loop.timeouts)) {
      accept_resume(&loop);
    }
  }
}

const struct model server_model = {
    .name = "poll-pool",
    .summary = "One thread in poll(2), a pool of threads behind it.",
    .threads = -1,
    .processes = PROCESSES_OWN_LISTENERS,
    .run = poll_pool_run,
};
