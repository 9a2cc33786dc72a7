/* N threads, started before the first connection, all blocked in accept on the same socket. Each serves one connection
 * at a time, so N are served at once. */
#include "../frame/session.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static const struct options *options;
static int listener;

static void *serve(void *argument) {
  struct worker worker;
  worker_init(&worker, options, (uint64_t)(uintptr_t)argument, true);
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) {
      session_serve(fd, &worker, options->idle_ns);
    } else if (server_out_of_resources(errno)) {
      server_log_once("accept: further connections wait in the accept queue", errno);
      nanosleep(&(struct timespec){.tv_nsec = SERVER_ACCEPT_PAUSE_MS * 1000000L}, NULL);
    } else if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) {
      server_log("accept", errno);
      exit(1);
    }
  }
}

static int prethreaded_run(const struct options *given, int given_listener) {
  options = given;
  listener = given_listener;
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
    .name = "prethreaded",
    .summary = "Threads in accept on one socket, each serving a connection at a time.",
    .threads = 16,
    .run = prethreaded_run,
};
