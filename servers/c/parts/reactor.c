/* See reactor.h. A request costs one recv and one send; epoll_ctl is called only when a write blocks, or when a client
 * sends more while its request is being worked on. */
#include "reactor.h"

#include "epoll_wait.h"
#include "timeouts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS_PER_TURN 512

struct connection {
  struct timed_connection timed; /* must be the first member */
  uint32_t watched;              /* the events registered with epoll */
};

struct reactor {
  int epoll;
  int listener;
  struct timeouts timeouts;
  struct worker worker;
};

/* data.ptr == NULL means the listener. */
static bool watch(const struct reactor *reactor, int operation, int fd, uint32_t events,
                  struct connection *connection) {
  struct epoll_event event = {.events = events, .data.ptr = connection};
  return epoll_ctl(reactor->epoll, operation, fd, &event) == 0;
}

static void accept_pause(struct reactor *reactor, int error) {
  timeouts_pause_accept(&reactor->timeouts, error);
  watch(reactor, EPOLL_CTL_MOD, reactor->listener, 0, NULL);
}

static void accept_resume(struct reactor *reactor) {
  reactor->timeouts.resume_at_ns = 0;
  watch(reactor, EPOLL_CTL_MOD, reactor->listener, EPOLLIN, NULL);
}

static void connection_close(struct reactor *reactor, struct connection *connection) {
  timed_connection_close(&connection->timed, &reactor->timeouts);
  session_close(&connection->timed.session, &reactor->worker);
  free(connection);
  if (reactor->timeouts.resume_at_ns != 0) {
    accept_resume(reactor);
  }
}

static void connection_open(struct reactor *reactor, int fd) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection != NULL) {
    connection->watched = EPOLLIN;
    if (timed_connection_open(&connection->timed, &reactor->timeouts, fd) &&
        watch(reactor, EPOLL_CTL_ADD, fd, EPOLLIN, connection)) {
      return;
    }
    timed_connection_close(&connection->timed, &reactor->timeouts);
  }
  const int error = errno; /* ENOMEM; ENOSPC: fs.epoll.max_user_watches */
  close(fd);
  free(connection);
  accept_pause(reactor, error);
}

static void listener_readable(struct reactor *reactor) {
  for (int i = 0; i < SERVER_ACCEPTS_PER_TURN && reactor->timeouts.resume_at_ns == 0; i++) {
    int fd = accept4(reactor->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      connection_open(reactor, fd);
    } else if (errno == EAGAIN) {
      return;
    } else if (server_out_of_resources(errno)) {
      accept_pause(reactor, errno);
    }
  }
}

static bool watch_for(struct reactor *reactor, struct connection *connection, uint32_t events) {
  if (connection->watched == events) {
    return true;
  }
  connection->watched = events;
  return watch(reactor, EPOLL_CTL_MOD, connection->timed.session.fd, events, connection);
}

/* Registers for what the connection waits for now. */
static void await_next(struct reactor *reactor, struct connection *connection, enum session_next next) {
  bool arranged = false;
  timed_connection_touch(&connection->timed, &reactor->timeouts);
  if (next == SESSION_READ || next == SESSION_WRITE) {
    arranged = watch_for(reactor, connection, next == SESSION_READ ? EPOLLIN : EPOLLOUT);
  } else if (next == SESSION_WAIT) {
    arranged = timed_connection_work(&connection->timed, &reactor->timeouts, reactor->worker.wait_ns);
  }
  if (!arranged) {
    connection_close(reactor, connection);
  }
}

static void serve_event(struct reactor *reactor, struct connection *connection, uint32_t events) {
  struct session *session = &connection->timed.session;
  if (connection->timed.working) {
    /* The client has closed, or sends during its work; that input is read afterwards. */
    if ((events & (EPOLLERR | EPOLLHUP)) != 0 || !watch_for(reactor, connection, 0)) {
      connection_close(reactor, connection);
    }
  } else {
    await_next(reactor, connection,
               session->pending == NULL ? session_readable(session, &reactor->worker) : session_writable(session));
  }
}

static void serve_timeouts(struct reactor *reactor) {
  enum session_next next;
  for (struct timed_connection *timed; (timed = timeouts_next(&reactor->timeouts, &next)) != NULL;) {
    await_next(reactor, (struct connection *)timed, next == SESSION_WRITE ? session_writable(&timed->session) : next);
  }
}

int reactor_run(struct reactor *reactor) {
  for (;;) {
    struct epoll_event events[EVENTS_PER_TURN];
    const int64_t left = timeouts_remaining_ns(&reactor->timeouts);
    const int count = epoll_wait_ns(reactor->epoll, events, EVENTS_PER_TURN, left);
    if (count < 0 && errno != EINTR) {
      server_log("epoll_wait", errno);
      return 1;
    }
    timeouts_begin_turn(&reactor->timeouts);
    for (int i = 0; i < count; i++) {
      if (events[i].data.ptr == NULL) {
        listener_readable(reactor);
      } else {
        serve_event(reactor, events[i].data.ptr, events[i].events);
      }
    }
    serve_timeouts(reactor);
    if (timeouts_resume_accept(&reactor->timeouts)) {
      accept_resume(reactor);
    }
  }
}

struct reactor *reactor_create(const struct options *options, int listener, uint64_t number) {
  struct reactor *reactor = calloc(1, sizeof *reactor);
  if (reactor == NULL || fcntl(listener, F_SETFL, O_NONBLOCK) < 0) {
    server_log("cannot set up the loop", errno);
    return NULL;
  }
  timeouts_init(&reactor->timeouts, options);
  reactor->listener = listener;
  reactor->epoll = epoll_create1(EPOLL_CLOEXEC);
  worker_init(&reactor->worker, options, number, false);
  if (reactor->epoll < 0 || !watch(reactor, EPOLL_CTL_ADD, listener, EPOLLIN, NULL)) {
    server_log("epoll_create1", errno);
    return NULL;
  }
  return reactor;
}
