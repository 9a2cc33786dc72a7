/* N threads in epoll_wait on one epoll instance, each descriptor armed for one event (EPOLLONESHOT): leader/followers.
 * A thread takes one event; if more are ready, the kernel wakes the next thread. It accepts, or reads once, works and
 * writes, and arms the descriptor again. Until then no other thread has the connection, so a request takes no lock and
 * is handed to no other thread; it costs an epoll_wait and an epoll_ctl of its own. The mutex protects what is rare:
 * opening, closing, and timeouts, for which one timer is armed in the same way. */
#include "../frame/session.h"
#include "../parts/timeouts.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

struct connection {
  struct timed_connection timed; /* must be the first member */
  _Atomic enum { SERVED, AWAITS_INPUT, AWAITS_ROOM } state;
  _Atomic int64_t served_ns; /* when a thread last armed it; maintained only with --idle-timeout */
};

static const struct options *options;
static int epoll, listener, timer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects `timeouts`, and what `timer` is set to */
static struct timeouts timeouts;

/* Event tags; otherwise the tag is the connection. */
static char listener_tag, timer_tag;

#ifdef __SANITIZE_THREAD__
/* A thread may take the event, and close the descriptor, before the epoll_ctl of the thread that armed it has returned.
 * ThreadSanitizer reports that as a race; it is harmless, as the call no longer uses the descriptor. */
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
#else
#define AnnotateIgnoreReadsBegin(file, line)
#define AnnotateIgnoreReadsEnd(file, line)
#endif

static bool arm(int operation, int fd, uint32_t events, void *tag) {
  struct epoll_event event = {.events = events | EPOLLONESHOT, .data.ptr = tag};
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  const bool is_armed = epoll_ctl(epoll, operation, fd, &event) == 0;
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  return is_armed;
}

/* Sets the timer to the next timeout, or to none. The lock is held. */
static void set_timer(void) {
  const int64_t left = timeouts_remaining_ns(&timeouts);
  const int64_t at = left < 0 ? 0 : left == 0 ? 1 : left; /* 0 would stop it */
  const struct itimerspec next = {.it_value = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000}};
  timerfd_settime(timer, 0, &next, NULL);
}

/* The listener stays unarmed until a connection has been closed, or until the timer. */
static void accept_pause(int error) {
  pthread_mutex_lock(&lock);
  timeouts_pause_accept(&timeouts, error);
  set_timer();
  pthread_mutex_unlock(&lock);
}

static void connection_close(struct connection *connection, struct worker *worker) {
  pthread_mutex_lock(&lock);
  timed_connection_close(&connection->timed, &timeouts);
  const bool paused = timeouts.resume_at_ns != 0;
  timeouts.resume_at_ns = 0;
  pthread_mutex_unlock(&lock);
  session_close(&connection->timed.session, worker);
  free(connection);
  if (paused) {
    arm(EPOLL_CTL_MOD, listener, EPOLLIN, &listener_tag);
  }
}

/* Returns false after it has paused the listener. */
static bool connection_open(int fd) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection != NULL) {
    pthread_mutex_lock(&lock);
    timeouts_begin_turn(&timeouts);
    const bool is_open = timed_connection_open(&connection->timed, &timeouts, fd);
    connection->served_ns = connection->timed.moved_ns;
    if (timeouts.timers.count == 1) { /* otherwise the timer is set to an earlier one */
      set_timer();
    }
    pthread_mutex_unlock(&lock);
    connection->state = AWAITS_INPUT;
    if (is_open && arm(EPOLL_CTL_ADD, fd, EPOLLIN, connection)) {
      return true;
    }
    pthread_mutex_lock(&lock);
    timed_connection_close(&connection->timed, &timeouts);
    pthread_mutex_unlock(&lock);
  }
  const int error = errno; /* ENOMEM; ENOSPC: fs.epoll.max_user_watches */
  close(fd);
  free(connection);
  accept_pause(error);
  return false;
}

static void listener_readable(void) {
  for (int i = 0; i < SERVER_ACCEPTS_PER_TURN; i++) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      if (!connection_open(fd)) {
        return;
      }
    } else if (errno == EAGAIN) {
      break;
    } else if (server_out_of_resources(errno)) {
      accept_pause(errno);
      return;
    }
  }
  arm(EPOLL_CTL_MOD, listener, EPOLLIN, &listener_tag);
}

/* One read, or one write of the pending reply. As soon as the descriptor is armed, another thread may serve the
 * connection, and free it. */
static void connection_ready(struct connection *connection, struct worker *worker) {
  atomic_exchange(&connection->state, SERVED); /* also acquires what the last thread wrote before it set the state */
  struct session *session = &connection->timed.session;
  const int fd = session->fd;
  const enum session_next next =
      session->pending == NULL ? session_readable(session, worker) : session_writable(session);
  if (next != SESSION_CLOSE) {
    if (options->idle_ns > 0) {
      connection->served_ns = server_now_ns();
    }
    connection->state = next == SESSION_READ ? AWAITS_INPUT : AWAITS_ROOM;
    if (arm(EPOLL_CTL_MOD, fd, next == SESSION_READ ? EPOLLIN : EPOLLOUT, connection)) {
      return;
    }
  }
  connection_close(connection, worker);
}

/* Whether the connection has been idle for too long. Its input is looked for before its state: a thread may have taken
 * its event and not changed its state yet. */
static bool is_idle(const struct connection *connection) {
  int unread = 0;
  ioctl(connection->timed.session.fd, FIONREAD, &unread);
  const int state = connection->state;
  return state != SERVED && !(state == AWAITS_INPUT && unread > 0) &&
         timeouts.turn_ns - connection->served_ns >= timeouts.idle_ns;
}

/* Shuts idle connections down, which makes them readable: their threads close them. Ends the pause of the listener. */
static void timer_expired(void) {
  enum session_next next;
  pthread_mutex_lock(&lock);
  timeouts_begin_turn(&timeouts);
  for (struct timed_connection *timed; (timed = timeouts_next(&timeouts, &next)) != NULL;) {
    if (is_idle((const struct connection *)timed)) {
      shutdown(timed->session.fd, SHUT_RDWR);
    }
    timed_connection_postpone(timed, &timeouts);
  }
  const bool resumes = timeouts_resume_accept(&timeouts);
  set_timer();
  pthread_mutex_unlock(&lock);
  if (resumes) {
    arm(EPOLL_CTL_MOD, listener, EPOLLIN, &listener_tag);
  }
  arm(EPOLL_CTL_MOD, timer, EPOLLIN, &timer_tag);
}

static void *serve(void *number) {
  struct worker worker;
  worker_init(&worker, options, (uint64_t)(uintptr_t)number, true);
  for (;;) {
    struct epoll_event event;
    const int count = epoll_wait(epoll, &event, 1, -1);
    if (count < 0 && errno != EINTR) {
      server_log("epoll_wait", errno);
      exit(1);
    }
    if (count <= 0) {
      continue;
    }
    if (event.data.ptr == &listener_tag) {
      listener_readable();
    } else if (event.data.ptr == &timer_tag) {
      timer_expired();
    } else {
      connection_ready(event.data.ptr, &worker);
    }
  }
}

static int epoll_oneshot_run(const struct options *given, int given_listener) {
  options = given;
  listener = given_listener;
  timeouts_init(&timeouts, options);
  epoll = epoll_create1(EPOLL_CLOEXEC);
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (epoll < 0 || timer < 0 || fcntl(listener, F_SETFL, O_NONBLOCK) < 0 ||
      !arm(EPOLL_CTL_ADD, listener, EPOLLIN, &listener_tag) || !arm(EPOLL_CTL_ADD, timer, EPOLLIN, &timer_tag)) {
    server_log("cannot set up epoll", errno);
    return 1;
  }
  for (long i = 1; i < options->threads; i++) {
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, serve, (void *)(uintptr_t)i);
    if (error != 0) {
      server_log("cannot start all threads of --threads: pthread_create", error);
      return 1;
    }
  }
  serve(NULL);
  return 1;
}

const struct model server_model = {
    .name = "epoll-oneshot",
    .summary = "Threads in epoll_wait on one instance; each serves the event that it takes.",
    .threads = -1,
    .processes = PROCESSES_OWN_LISTENERS,
    .run = epoll_oneshot_run,
};
