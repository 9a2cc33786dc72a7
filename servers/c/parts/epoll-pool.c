/* See epoll-pool.h. An idle connection is shut down, not closed: that wakes it, and it ends like any other, on a
 * thread. */
#include "epoll-pool.h"

#include "pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS_PER_TURN 512
/* Reads of one connection before others get their turn. */
#define READS_PER_TURN 16

struct loop {
  int epoll;
  int listener;
  uint32_t trigger; /* EPOLLONESHOT, with or without EPOLLET */
  struct pool *pool;
  struct timeouts timeouts;
  struct worker worker; /* used for closing only */
};

/* Event tags; otherwise the tag is the connection. */
static char listener_tag, wake_tag;

static bool watch(const struct loop *loop, int operation, int fd, uint32_t events, void *tag) {
  struct epoll_event event = {.events = events, .data.ptr = tag};
  return epoll_ctl(loop->epoll, operation, fd, &event) == 0;
}

static bool arm(const struct loop *loop, int operation, struct pooled_connection *connection, enum session_next next) {
  const uint32_t direction = next == SESSION_READ ? EPOLLIN | EPOLLRDHUP : EPOLLOUT;
  return watch(loop, operation, connection->timed.session.fd, direction | loop->trigger, connection);
}

/* Runs on a thread of the pool. Once re-armed, the connection may already be served by another thread. */
static void serve(struct pooled_connection *connection, struct pool_thread *thread, void *of) {
  const struct loop *loop = of;
  const bool to_the_end = (loop->trigger & EPOLLET) != 0;
  enum session_next next = pooled_connection_step(connection, &thread->worker);
  for (int i = 1; to_the_end && next == SESSION_READ && !thread->worker.drained && i < READS_PER_TURN; i++) {
    next = pooled_connection_step(connection, &thread->worker);
  }
  connection->next = next;
  if (next != SESSION_CLOSE) {
    pool_arm_begin(thread, connection);
    const bool armed = arm(loop, EPOLL_CTL_MOD, connection, next);
    pool_arm_end(thread);
    if (armed) {
      return;
    }
    connection->next = SESSION_CLOSE;
  }
  pool_return(loop->pool, connection);
}

static void accept_pause(struct loop *loop, int error) {
  timeouts_pause_accept(&loop->timeouts, error);
  watch(loop, EPOLL_CTL_MOD, loop->listener, 0, &listener_tag);
}

static void accept_resume(struct loop *loop) {
  loop->timeouts.resume_at_ns = 0;
  watch(loop, EPOLL_CTL_MOD, loop->listener, EPOLLIN, &listener_tag);
}

static void connection_open(struct loop *loop, int fd) {
  struct pooled_connection *connection = calloc(1, sizeof *connection);
  if (connection != NULL) {
    if (timed_connection_open(&connection->timed, &loop->timeouts, fd) &&
        arm(loop, EPOLL_CTL_ADD, connection, SESSION_READ)) {
      return;
    }
    timed_connection_close(&connection->timed, &loop->timeouts);
  }
  const int error = errno; /* ENOMEM; ENOSPC: fs.epoll.max_user_watches */
  close(fd);
  free(connection);
  accept_pause(loop, error);
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

/* Closes the returned connections. */
static void close_returned(struct loop *loop) {
  struct pooled_connection *connections = pool_collect(loop->pool);
  pool_wait_armed(loop->pool); /* a previous thread may still be arming one of them */
  for (struct pooled_connection *each = connections, *following; each != NULL; each = following) {
    following = each->link;
    timed_connection_close(&each->timed, &loop->timeouts);
    session_close(&each->timed.session, &loop->worker);
    free(each);
    if (loop->timeouts.resume_at_ns != 0) {
      accept_resume(loop);
    }
  }
}

/* Closes idle connections; work is done by the threads. */
static void serve_timeouts(struct loop *loop) {
  enum session_next next;
  for (struct timed_connection *timed; (timed = timeouts_next(&loop->timeouts, &next)) != NULL;) {
    const struct pooled_connection *connection = (const struct pooled_connection *)timed;
    if (!connection->busy && loop->timeouts.turn_ns - connection->served_ns >= loop->timeouts.idle_ns) {
      shutdown(timed->session.fd, SHUT_RDWR);
    }
    timed_connection_postpone(timed, &loop->timeouts); /* checked again later if a thread serves it */
  }
}

/* Milliseconds suffice: only idle timeouts and pauses are waited for here. */
static int wait_events(const struct loop *loop, struct epoll_event *events) {
  const int64_t left = timeouts_remaining_ns(&loop->timeouts);
  return epoll_wait(loop->epoll, events, EVENTS_PER_TURN, left < 0 ? -1 : (int)((left + 999999) / 1000000));
}

static void turn(struct loop *loop, const struct epoll_event *events, int count) {
  bool returned = false;
  for (int i = 0; i < count; i++) {
    void *tag = events[i].data.ptr;
    if (tag == &listener_tag) {
      listener_readable(loop);
    } else if (tag == &wake_tag) {
      returned = true;
    } else {
      timed_connection_touch(tag, &loop->timeouts);
      pool_submit(loop->pool, tag);
    }
  }
  pool_hand_over(loop->pool);
  if (returned) {
    close_returned(loop);
  }
  serve_timeouts(loop);
  if (timeouts_resume_accept(&loop->timeouts)) {
    accept_resume(loop);
  }
}

int epoll_pool_run(const struct options *options, int listener, bool edge_triggered) {
  static struct loop loop;
  timeouts_init(&loop.timeouts, options);
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
    turn(&loop, events, count < 0 ? 0 : count);
  }
}
