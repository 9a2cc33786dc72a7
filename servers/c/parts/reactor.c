/* See reactor.h. The one thing to know: a request costs one recv and one send; epoll_ctl is called only when
 * a write blocks, or when a client sends more while its work is being done. */
#include "reactor.h"

#include "times.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_PER_TURN 512

struct connection {
  struct timed timed; /* first */
  uint32_t watched;   /* the events epoll has been told */
};

struct reactor {
  int epoll;
  int listener;
  struct times times;
  struct desk desk;
};

/* data.ptr == NULL is the listener. */
static bool watch(const struct reactor *reactor, int operation, int fd, uint32_t events,
                  struct connection *connection) {
  struct epoll_event event = {.events = events, .data.ptr = connection};
  return epoll_ctl(reactor->epoll, operation, fd, &event) == 0;
}

static void accept_pause(struct reactor *reactor, int error) {
  times_pause(&reactor->times, error);
  watch(reactor, EPOLL_CTL_MOD, reactor->listener, 0, NULL);
}

static void accept_resume(struct reactor *reactor) {
  reactor->times.resume_at_ns = 0;
  watch(reactor, EPOLL_CTL_MOD, reactor->listener, EPOLLIN, NULL);
}

static void connection_close(struct reactor *reactor, struct connection *connection) {
  timed_close(&connection->timed, &reactor->times);
  talk_close(&connection->timed.talk, &reactor->desk);
  free(connection);
  if (reactor->times.resume_at_ns != 0) {
    accept_resume(reactor);
  }
}

static void connection_open(struct reactor *reactor, int fd) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection != NULL) {
    connection->watched = EPOLLIN;
    if (timed_open(&connection->timed, &reactor->times, fd) && watch(reactor, EPOLL_CTL_ADD, fd, EPOLLIN, connection)) {
      return;
    }
    timed_close(&connection->timed, &reactor->times);
  }
  const int error = errno; /* ENOMEM; ENOSPC: fs.epoll.max_user_watches */
  close(fd);
  free(connection);
  accept_pause(reactor, error);
}

static void listener_readable(struct reactor *reactor) {
  for (int i = 0; i < SERVER_ACCEPTS_PER_TURN && reactor->times.resume_at_ns == 0; i++) {
    int fd = accept4(reactor->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      connection_open(reactor, fd);
    } else if (errno == EAGAIN) {
      return;
    } else if (server_is_full(errno)) {
      accept_pause(reactor, errno);
    }
  }
}

static bool watch_for(struct reactor *reactor, struct connection *connection, uint32_t events) {
  if (connection->watched == events) {
    return true;
  }
  connection->watched = events;
  return watch(reactor, EPOLL_CTL_MOD, connection->timed.talk.fd, events, connection);
}

/* Arranges for what the connection waits for now. */
static void go_on(struct reactor *reactor, struct connection *connection, enum talk_next next) {
  bool arranged = false;
  timed_moved(&connection->timed, &reactor->times);
  if (next == TALK_READ || next == TALK_WRITE) {
    arranged = watch_for(reactor, connection, next == TALK_READ ? EPOLLIN : EPOLLOUT);
  } else if (next == TALK_WAIT) {
    arranged = timed_work(&connection->timed, &reactor->times, reactor->desk.wait_ns);
  }
  if (!arranged) {
    connection_close(reactor, connection);
  }
}

static void serve_event(struct reactor *reactor, struct connection *connection, uint32_t events) {
  struct talk *talk = &connection->timed.talk;
  if (connection->timed.working) {
    /* Gone, or sending while it is worked for: that is read afterwards. */
    if ((events & (EPOLLERR | EPOLLHUP)) != 0 || !watch_for(reactor, connection, 0)) {
      connection_close(reactor, connection);
    }
  } else {
    go_on(reactor, connection, talk->owed == NULL ? talk_readable(talk, &reactor->desk) : talk_writable(talk));
  }
}

static void serve_due(struct reactor *reactor) {
  enum talk_next next;
  for (struct timed *timed; (timed = times_next(&reactor->times, &next)) != NULL;) {
    go_on(reactor, (struct connection *)timed, next == TALK_WRITE ? talk_writable(&timed->talk) : next);
  }
}

/* epoll_pwait2 because milliseconds are too coarse for --work: Linux 5.11. */
static int wait_events(const struct reactor *reactor, struct epoll_event *events) {
  const int64_t left = times_left_ns(&reactor->times);
  const struct timespec most = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  return left < 0 ? epoll_wait(reactor->epoll, events, EVENTS_PER_TURN, -1)
                  : epoll_pwait2(reactor->epoll, events, EVENTS_PER_TURN, &most, NULL);
}

int reactor_run(struct reactor *reactor) {
  for (;;) {
    struct epoll_event events[EVENTS_PER_TURN];
    const int count = wait_events(reactor, events);
    if (count < 0 && errno != EINTR) {
      server_say("epoll_wait", errno);
      return 1;
    }
    times_turn(&reactor->times);
    for (int i = 0; i < count; i++) {
      if (events[i].data.ptr == NULL) {
        listener_readable(reactor);
      } else {
        serve_event(reactor, events[i].data.ptr, events[i].events);
      }
    }
    serve_due(reactor);
    if (times_resume(&reactor->times)) {
      accept_resume(reactor);
    }
  }
}

struct reactor *reactor_create(const struct options *options, int listener, uint64_t number) {
  struct reactor *reactor = calloc(1, sizeof *reactor);
  if (reactor == NULL || fcntl(listener, F_SETFL, O_NONBLOCK) < 0) {
    server_say("cannot set up the loop", errno);
    return NULL;
  }
  times_start(&reactor->times, options);
  reactor->listener = listener;
  reactor->epoll = epoll_create1(EPOLL_CLOEXEC);
  desk_start(&reactor->desk, options, number, false);
  if (reactor->epoll < 0 || !watch(reactor, EPOLL_CTL_ADD, listener, EPOLLIN, NULL)) {
    server_say("epoll_create1", errno);
    return NULL;
  }
  return reactor;
}
