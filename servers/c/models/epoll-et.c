/* epoll, edge-triggered, one thread.
 * The one thing to know: every descriptor is registered once, for both directions. An edge comes once, so
 * what it said is remembered until the socket has nothing left; one that always has more is registered
 * anew after READS_PER_TURN, which brings a new edge: else it would starve the others. */
#include "../parts/times.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_PER_TURN 512
#define READS_PER_TURN 16

struct connection {
  struct timed timed; /* first */
  bool readable;      /* an edge said so, and it has not been read to its end since */
  bool hung_up;       /* no edge will follow: read until recv says so */
};

struct loop {
  int epoll;
  int listener;
  bool acceptable; /* as `readable`, of the listener */
  struct times times;
  struct desk desk;
};

static void connection_close(struct loop *loop, struct connection *connection) {
  timed_close(&connection->timed, &loop->times);
  talk_close(&connection->timed.talk, &loop->desk);
  free(connection);
  loop->times.resume_at_ns = 0; /* a descriptor is free */
}

/* data.ptr == NULL is the listener. */
static bool watch(const struct loop *loop, int operation, int fd, struct connection *connection) {
  const uint32_t events = connection == NULL ? EPOLLIN : EPOLLIN | EPOLLOUT | EPOLLRDHUP;
  struct epoll_event event = {.events = events | EPOLLET, .data.ptr = connection};
  return epoll_ctl(loop->epoll, operation, fd, &event) == 0;
}

static void connection_open(struct loop *loop, int fd) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection != NULL) {
    if (timed_open(&connection->timed, &loop->times, fd) && watch(loop, EPOLL_CTL_ADD, fd, connection)) {
      return;
    }
    timed_close(&connection->timed, &loop->times);
  }
  const int error = errno; /* ENOMEM; ENOSPC: fs.epoll.max_user_watches */
  close(fd);
  free(connection);
  times_pause(&loop->times, error);
}

/* Until nobody waits, or its share of the turn is over. */
static void accept_waiting(struct loop *loop) {
  for (int i = 0; i < SERVER_ACCEPTS_PER_TURN && loop->acceptable && loop->times.resume_at_ns == 0; i++) {
    int fd = accept4(loop->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      connection_open(loop, fd);
    } else if (errno == EAGAIN) {
      loop->acceptable = false;
    } else if (server_is_full(errno)) {
      times_pause(&loop->times, errno);
    }
  }
}

static enum talk_next read_once(struct loop *loop, struct connection *connection) {
  const enum talk_next next = talk_readable(&connection->timed.talk, &loop->desk);
  connection->readable = connection->hung_up || !loop->desk.drained;
  return next;
}

/* Goes on from `next` until the connection has to wait for something. */
static void go_on(struct loop *loop, struct connection *connection, enum talk_next next) {
  for (int reads = 0; next == TALK_READ && connection->readable; reads++) {
    if (reads == READS_PER_TURN) {
      next = watch(loop, EPOLL_CTL_MOD, connection->timed.talk.fd, connection) ? TALK_READ : TALK_CLOSE;
      break;
    }
    next = read_once(loop, connection);
  }
  timed_moved(&connection->timed, &loop->times);
  if (next == TALK_CLOSE || (next == TALK_WAIT && !timed_work(&connection->timed, &loop->times, loop->desk.wait_ns))) {
    connection_close(loop, connection);
  }
}

static void serve_event(struct loop *loop, struct connection *connection, uint32_t events) {
  struct timed *timed = &connection->timed;
  connection->readable = connection->readable || (events & ~(uint32_t)EPOLLOUT) != 0;
  connection->hung_up = connection->hung_up || (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  if (timed->working) {
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
      connection_close(loop, connection);
    }
  } else if (timed->talk.owed == NULL) {
    go_on(loop, connection, TALK_READ);
  } else if ((events & ~(uint32_t)(EPOLLIN | EPOLLRDHUP)) != 0) {
    go_on(loop, connection, talk_writable(&timed->talk));
  }
}

static void serve_due(struct loop *loop) {
  enum talk_next next;
  for (struct timed *timed; (timed = times_next(&loop->times, &next)) != NULL;) {
    go_on(loop, (struct connection *)timed, next == TALK_WRITE ? talk_writable(&timed->talk) : next);
  }
}

/* epoll_pwait2 because milliseconds are too coarse for --work: Linux 5.11. */
static int wait_events(const struct loop *loop, struct epoll_event *events) {
  const bool busy = loop->acceptable && loop->times.resume_at_ns == 0;
  const int64_t left = busy ? 0 : times_left_ns(&loop->times);
  const struct timespec most = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  return left <= 0 ? epoll_wait(loop->epoll, events, EVENTS_PER_TURN, left < 0 ? -1 : 0)
                   : epoll_pwait2(loop->epoll, events, EVENTS_PER_TURN, &most, NULL);
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
  serve_due(loop);
  times_resume(&loop->times);
  accept_waiting(loop);
}

static int epoll_et_run(const struct options *options, int listener) {
  static struct loop loop;
  times_start(&loop.times, options);
  loop.listener = listener;
  loop.epoll = epoll_create1(EPOLL_CLOEXEC);
  desk_start(&loop.desk, options, 0, false);
  if (loop.epoll < 0 || fcntl(listener, F_SETFL, O_NONBLOCK) < 0 || !watch(&loop, EPOLL_CTL_ADD, listener, NULL)) {
    server_say("cannot set up the loop", errno);
    return 1;
  }
  for (;;) {
    struct epoll_event events[EVENTS_PER_TURN];
    const int count = wait_events(&loop, events);
    if (count < 0 && errno != EINTR) {
      server_say("epoll_wait", errno);
      return 1;
    }
    times_turn(&loop.times);
    turn(&loop, events, count);
  }
}

const struct model server_model = {
    .name = "epoll-et",
    .summary = "One thread, one edge-triggered epoll loop.",
    .processes = PROCESSES_OF_THE_PORT,
    .run = epoll_et_run,
};
