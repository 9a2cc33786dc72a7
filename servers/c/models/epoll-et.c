/* epoll, edge-triggered, one thread. Every descriptor is registered once, for both directions. An edge is reported
 * once, so readiness is remembered until the socket is drained. A connection with more input is re-registered after
 * READS_PER_TURN, which reports a new edge; otherwise it would starve the others. */
#include "../parts/epoll_wait.h"
#include "../parts/timeouts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS_PER_TURN 512
#define READS_PER_TURN 16

struct connection {
  struct timed_connection timed; /* must be the first member */
  bool readable;                 /* an edge was reported and the socket has not been drained since */
  bool hung_up;                  /* no further edge follows: read until recv reports the end */
};

struct loop {
  int epoll;
  int listener;
  bool acceptable; /* as `readable`, for the listener */
  struct timeouts timeouts;
  struct worker worker;
};

static void connection_close(struct loop *loop, struct connection *connection) {
  timed_connection_close(&connection->timed, &loop->timeouts);
  session_close(&connection->timed.session, &loop->worker);
  free(connection);
  loop->timeouts.resume_at_ns = 0; /* a descriptor is free */
}

/* data.ptr == NULL means the listener. */
static bool watch(const struct loop *loop, int operation, int fd, struct connection *connection) {
  const uint32_t events = connection == NULL ? EPOLLIN : EPOLLIN | EPOLLOUT | EPOLLRDHUP;
  struct epoll_event event = {.events = events | EPOLLET, .data.ptr = connection};
  return epoll_ctl(loop->epoll, operation, fd, &event) == 0;
}

static void connection_open(struct loop *loop, int fd) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection != NULL) {
    if (timed_connection_open(&connection->timed, &loop->timeouts, fd) && watch(loop, EPOLL_CTL_ADD, fd, connection)) {
      return;
    }
    timed_connection_close(&connection->timed, &loop->timeouts);
  }
  const int error = errno; /* ENOMEM; ENOSPC: fs.epoll.max_user_watches */
  close(fd);
  free(connection);
  timeouts_pause_accept(&loop->timeouts, error);
}

/* Accepts until the queue is empty or the limit per turn is reached. */
static void accept_pending(struct loop *loop) {
  for (int i = 0; i < SERVER_ACCEPTS_PER_TURN && loop->acceptable && loop->timeouts.resume_at_ns == 0; i++) {
    int fd = accept4(loop->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      connection_open(loop, fd);
    } else if (errno == EAGAIN) {
      loop->acceptable = false;
    } else if (server_out_of_resources(errno)) {
      timeouts_pause_accept(&loop->timeouts, errno);
    }
  }
}

static enum session_next read_once(struct loop *loop, struct connection *connection) {
  const enum session_next next = session_readable(&connection->timed.session, &loop->worker);
  connection->readable = connection->hung_up || !loop->worker.drained;
  return next;
}

/* Continues from `next` until the connection has to wait. */
static void await_next(struct loop *loop, struct connection *connection, enum session_next next) {
  for (int reads = 0; next == SESSION_READ && connection->readable; reads++) {
    if (reads == READS_PER_TURN) {
      next = watch(loop, EPOLL_CTL_MOD, connection->timed.session.fd, connection) ? SESSION_READ : SESSION_CLOSE;
      break;
    }
    next = read_once(loop, connection);
  }
  timed_connection_touch(&connection->timed, &loop->timeouts);
  if (next == SESSION_CLOSE ||
      (next == SESSION_WAIT && !timed_connection_work(&connection->timed, &loop->timeouts, loop->worker.wait_ns))) {
    connection_close(loop, connection);
  }
}

static void serve_event(struct loop *loop, struct connection *connection, uint32_t events) {
  struct timed_connection *timed = &connection->timed;
  connection->readable = connection->readable || (events & ~(uint32_t)EPOLLOUT) != 0;
  connection->hung_up = connection->hung_up || (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  if (timed->working) {
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
      connection_close(loop, connection);
    }
  } else if (timed->session.pending == NULL) {
    await_next(loop, connection, SESSION_READ);
  } else if ((events & ~(uint32_t)(EPOLLIN | EPOLLRDHUP)) != 0) {
    await_next(loop, connection, session_writable(&timed->session));
  }
}

static void serve_timeouts(struct loop *loop) {
  enum session_next next;
  for (struct timed_connection *timed; (timed = timeouts_next(&loop->timeouts, &next)) != NULL;) {
    await_next(loop, (struct connection *)timed, next == SESSION_WRITE ? session_writable(&timed->session) : next);
  }
}

static int wait_events(const struct loop *loop, struct epoll_event *events) {
  const bool busy = loop->acceptable && loop->timeouts.resume_at_ns == 0;
  const int64_t left = busy ? 0 : timeouts_remaining_ns(&loop->timeouts);
  return epoll_wait_ns(loop->epoll, events, EVENTS_PER_TURN, left);
}

static void turn(struct loop *loop, const struct epoll_event *events, int count) {
  for (int i = 0; i < count; i++) {
    struct connection *connection = events[i].data.ptr;
    if (connection == NULL) {
      loop->acceptable = true;
    } else {
      serve_event(loop, connection, events[i].events);
    }
  }
  serve_timeouts(loop);
  timeouts_resume_accept(&loop->timeouts);
  accept_pending(loop);
}

static int epoll_et_run(const struct options *options, int listener) {
  static struct loop loop;
  timeouts_init(&loop.timeouts, options);
  loop.listener = listener;
  loop.epoll = epoll_create1(EPOLL_CLOEXEC);
  worker_init(&loop.worker, options, 0, false);
  if (loop.epoll < 0 || fcntl(listener, F_SETFL, O_NONBLOCK) < 0 || !watch(&loop, EPOLL_CTL_ADD, listener, NULL)) {
    server_log("cannot set up the loop", errno);
    return 1;
  }
  for (;;) {
    struct epoll_event events[EVENTS_PER_TURN];
    const int count = wait_events(&loop, events);
    if (count < 0 && errno != EINTR) {
      server_log("epoll_wait", errno);
      return 1;
    }
    timeouts_begin_turn(&loop.timeouts);
    turn(&loop, events, count);
  }
}

const struct model server_model = {
    .name = "epoll-et",
    .summary = "One thread, one edge-triggered epoll loop.",
    .processes = PROCESSES_OWN_LISTENERS,
    .run = epoll_et_run,
};
