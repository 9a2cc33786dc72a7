/* See epoll-pool.h. The one thing to know: a connection that idles too long is shut down, not closed: that
 * wakes it, and it ends as any other, by way of a thread. */
#include "epoll-pool.h"

#include "pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS_PER_TURN 512
/* Of one connection by one thread, before others get their turn. */
#define READS_PER_TURN 16

struct loop {
  int epoll;
  int listener;
  uint32_t trigger; /* EPOLLONESHOT, and EPOLLET or not */
  struct pool *pool;
  struct times times;
  struct desk desk; /* for closing only */
};

/* What epoll hands over with an event; a connection otherwise. */
static char listener_tag, wake_tag;

static bool watch(const struct loop *loop, int operation, int fd, uint32_t events, void *tag) {
  struct epoll_event event = {.events = events, .data.ptr = tag};
  return epoll_ctl(loop->epoll, operation, fd, &event) == 0;
}

static bool arm(const struct loop *loop, int operation, struct pooled *connection, enum talk_next next) {
  const uint32_t direction = next == TALK_READ ? EPOLLIN | EPOLLRDHUP : EPOLLOUT;
  return watch(loop, operation, connection->timed.talk.fd, direction | loop->trigger, connection);
}

/* On a thread of the pool. Once it is armed, the connection may be with another thread already. */
static void serve(struct pooled *connection, struct pool_thread *thread, void *of) {
  const struct loop *loop = of;
  const bool to_the_end = (loop->trigger & EPOLLET) != 0;
  enum talk_next next = pooled_step(connection, &thread->desk);
  for (int i = 1; to_the_end && next == TALK_READ && !thread->desk.drained && i < READS_PER_TURN; i++) {
    next = pooled_step(connection, &thread->desk);
  }
  connection->next = next;
  if (next != TALK_CLOSE) {
    pool_arm_begin(thread, connection);
    const bool armed = arm(loop, EPOLL_CTL_MOD, connection, next);
    pool_arm_end(thread);
    if (armed) {
      return;
    }
    connection->next = TALK_CLOSE;
  }
  pool_hand_back(loop->pool, connection);
}

static void accept_pause(struct loop *loop, int error) {
  times_pause(&loop->times, error);
  watch(loop, EPOLL_CTL_MOD, loop->listener, 0, &listener_tag);
}

static void accept_resume(struct loop *loop) {
  loop->times.resume_at_ns = 0;
  watch(loop, EPOLL_CTL_MOD, loop->listener, EPOLLIN, &listener_tag);
}

static void connection_open(struct loop *loop, int fd) {
  struct pooled *connection = calloc(1, sizeof *connection);
  if (connection != NULL) {
    if (timed_open(&connection->timed, &loop->times, fd) && arm(loop, EPOLL_CTL_ADD, connection, TALK_READ)) {
      return;
    }
    timed_close(&connection->timed, &loop->times);
  }
  const int error = errno; /* ENOMEM; ENOSPC: fs.epoll.max_user_watches */
  close(fd);
  free(connection);
  accept_pause(loop, error);
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

/* What came back is to be closed. */
static void close_handed_back(struct loop *loop) {
  struct pooled *connections = pool_take_back(loop->pool);
  pool_settle(loop->pool); /* the thread before the last may still be arming one of them */
  for (struct pooled *each = connections, *following; each != NULL; each = following) {
    following = each->link;
    timed_close(&each->timed, &loop->times);
    talk_close(&each->timed.talk, &loop->desk);
    free(each);
    if (loop->times.resume_at_ns != 0) {
      accept_resume(loop);
    }
  }
}

/* Those that idle too long; the work is the threads'. */
static void serve_due(struct loop *loop) {
  enum talk_next next;
  for (struct timed *timed; (timed = times_next(&loop->times, &next)) != NULL;) {
    const struct pooled *connection = (const struct pooled *)timed;
    if (!connection->busy && loop->times.turn_ns - connection->served_ns >= loop->times.idle_ns) {
      shutdown(timed->talk.fd, SHUT_RDWR);
    }
    timed_put_off(timed, &loop->times); /* looked at again, should a thread have it */
  }
}

/* Whole milliseconds will do: nothing but idling and pauses is waited for here. */
static int wait_events(const struct loop *loop, struct epoll_event *events) {
  const int64_t left = times_left_ns(&loop->times);
  return epoll_wait(loop->epoll, events, EVENTS_PER_TURN, left < 0 ? -1 : (int)((left + 999999) / 1000000));
}

static void turn(struct loop *loop, const struct epoll_event *events, int count) {
  bool handed_back = false;
  for (int i = 0; i < count; i++) {
    void *tag = events[i].data.ptr;
    if (tag == &listener_tag) {
      listener_readable(loop);
    } else if (tag == &wake_tag) {
      handed_back = true;
    } else {
      timed_moved(tag, &loop->times);
      pool_give(loop->pool, tag);
    }
  }
  if (handed_back) {
    close_handed_back(loop);
  }
  serve_due(loop);
  if (times_resume(&loop->times)) {
    accept_resume(loop);
  }
}

int epoll_pool_run(const struct options *options, int listener, bool edge_triggered) {
  static struct loop loop;
  times_start(&loop.times, options);
  loop.listener = listener;
  loop.trigger = edge_triggered ? EPOLLONESHOT | EPOLLET : EPOLLONESHOT;
  loop.epoll = epoll_create1(EPOLL_CLOEXEC);
  loop.pool = pool_start(options, serve, &loop);
  if (loop.pool == NULL) {
    return 1;
  }
  if (loop.epoll < 0 || fcntl(listener, F_SETFL, O_NONBLOCK) < 0 ||
      !watch(&loop, EPOLL_CTL_ADD, listener, EPOLLIN, &listener_tag) ||
      !watch(&loop, EPOLL_CTL_ADD, pool_descriptor(loop.pool), EPOLLIN, &wake_tag)) {
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
    turn(&loop, events, count < 0 ? 0 : count);
  }
}
