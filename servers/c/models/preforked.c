/* N processes, forked before the first connection, all blocked in accept on the same socket. Each serves one connection
 * at a time, so N are served at once; the kernel wakes one process per connection. */
#include "../frame/session.h"

#include <errno.h>
#include <sys/socket.h>
#include <time.h>

/* Runs in each process. */
static int preforked_run(const struct options *options, int listener) {
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
    .name = "preforked",
    .summary = "Processes in accept on one socket, each serving a connection at a time.",
    .processes = PROCESSES_SHARED_LISTENER,
    .default_processes = 16,
    .run = preforked_run,
};
