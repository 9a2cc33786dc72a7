/* A thread per connection, blocking calls. The thread's stack is the connection's memory (STACK_BYTES of address space,
 * of which only touched pages are backed). At the ceiling of threads the acceptor stops accepting, and further
 * connections wait in the accept queue. */
#include "../frame/session.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK_BYTES (1024 * 1024)
#else
#define STACK_BYTES (64 * 1024)
#endif

static const struct options *options;
/* Protects `children`; `child_ended` is signalled only while the acceptor waits. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t child_ended;
static long children;
static bool acceptor_waits;

static void *serve_connection(void *argument) {
  static atomic_ulong started;
  struct worker worker;
  worker_init(&worker, options, started++, true);
  session_serve((int)(intptr_t)argument, &worker, options->idle_ns);
  pthread_mutex_lock(&lock);
  children--;
  if (acceptor_waits) {
    pthread_cond_signal(&child_ended);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

/* Waits until a child ends, at most SERVER_ACCEPT_PAUSE_MS: limits of the machine may also ease for other reasons. */
static void wait_for_capacity(const char *what, int error) {
  server_log_once(what, error);
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += SERVER_ACCEPT_PAUSE_MS * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  pthread_mutex_lock(&lock);
  const long before = children;
  acceptor_waits = true;
  while (children >= before && pthread_cond_timedwait(&child_ended, &lock, &until) == 0) {
  }
  acceptor_waits = false;
  pthread_mutex_unlock(&lock);
}

static long children_now(void) {
  pthread_mutex_lock(&lock);
  long count = children;
  pthread_mutex_unlock(&lock);
  return count;
}

static void start_child(const pthread_attr_t *attributes, int fd) {
  pthread_mutex_lock(&lock);
  children++;
  pthread_mutex_unlock(&lock);
  for (;;) {
    pthread_t thread;
    int error = pthread_create(&thread, attributes, serve_connection, (void *)(intptr_t)fd);
    if (error == 0) {
      return;
    }
    wait_for_capacity("pthread_create: further connections wait in the accept queue", error);
  }
}

static int multi_threaded_run(const struct options *given, int listener) {
  options = given;
  const long ceiling = options->max_children > 0 ? options->max_children : limits_threads();
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&child_ended, &clock);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  for (;;) {
    if (children_now() >= ceiling) {
      wait_for_capacity("maximum of threads (--max-children) reached; further connections wait in the accept queue", 0);
      continue;
    }
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) {
      start_child(&attributes, fd);
    } else if (server_out_of_resources(errno)) {
      wait_for_capacity("accept: further connections wait in the accept queue", errno);
    } else if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) {
      server_log("accept", errno);
      return 1;
    }
  }
}

const struct model server_model = {
    .name = "multi-threaded",
    .summary = "A blocking thread per connection.",
    .max_children = "threads",
    .serves_sctp = true,
    .run = multi_threaded_run,
};
