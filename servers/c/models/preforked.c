/* Preforked: N processes, forked before the first connection, all blocked in accept on the same socket.
 * The one thing to know: each serves one connection at a time, so N are served at once; the kernel wakes
 * one process for each connection. */
#include "../frame/talk.h"

#include <errno.h>
#include <sys/socket.h>
#include <time.h>

/* Runs in each of the processes. */
static int preforked_run(const struct options *options, int listener) {
  static struct desk desk;
  desk_start(&desk, options, 0, true);
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) {
      talk_serve(fd, &desk, options->idle_ns);
    } else if (server_is_full(errno)) {
      server_say_once("accept: the surplus waits in the backlog", errno);
      nanosleep(&(struct timespec){.tv_nsec = SERVER_ACCEPT_PAUSE_MS * 1000000L}, NULL);
    } else if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) {
      server_say("accept", errno);
      return 1;
    }
  }
}

const struct model server_model = {
    .name = "preforked",
    .summary = "Processes in accept on one socket, each serving a connection at a time.",
    .processes = PROCESSES_OF_A_SOCKET,
    .default_processes = 16,
    .run = preforked_run,
};
