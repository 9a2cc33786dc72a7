/* One connection at a time, from its first byte to its last, with blocking calls. While a client is served or stays
 * silent, all others wait in the accept queue. */
#include "../frame/session.h"

#include <errno.h>
#include <sys/socket.h>
#include <time.h>

static int iterative_run(const struct options *options, int listener) {
  static struct worker worker;
  worker_init(&worker, options, 0, true);
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) {
      session_serve(fd, &worker, options->idle_ns);
    } else if (server_out_of_resources(errno)) {
      server_log_once("accept: further connections wait in the accept queue", errno);
      nanosleep(&(struct timespec){.tv_nsec = SERVER_ACCEPT_PAUSE_MS * 1000000L}, NULL);
    } else if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) {
      server_log("accept", errno);
      return 1;
    }
  }
}

const struct model server_model = {
    .name = "iterative",
    .summary = "One connection at a time, blocking calls.",
    .run = iterative_run,
};
