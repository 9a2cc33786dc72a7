/* A process per connection, blocking calls. Children are counted when they are reaped, in the SIGCHLD handler. At the
 * ceiling of processes the parent stops accepting, and further connections wait in the accept queue. */
#include "../frame/session.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long started;
static atomic_long ended; /* counted when they are reaped */

static void reap(int signal_number) {
  (void)signal_number;
  const int error = errno;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
    ended++;
  }
  errno = error;
}

/* Waits until a child ends beyond the first `seen`, at most SERVER_ACCEPT_PAUSE_MS: limits of the machine may also ease
 * for other reasons. SIGCHLD is blocked from before the test until the wait, so that no end is missed in between. */
static void wait_for_capacity(const char *what, int error, long seen) {
  const struct timespec most = {.tv_nsec = SERVER_ACCEPT_PAUSE_MS * 1000000L};
  sigset_t child;
  server_log_once(what, error);
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  if (ended == seen && sigtimedwait(&child, NULL, &most) == SIGCHLD) {
    reap(SIGCHLD);
  }
  sigprocmask(SIG_UNBLOCK, &child, NULL);
}

static _Noreturn void serve_child(const struct options *options, int fd, pid_t parent, uint64_t number) {
  static struct worker worker; /* each child has its own copy */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) { /* the parent has already ended */
    _exit(1);
  }
  worker_init(&worker, options, number, true);
  session_serve(fd, &worker, options->idle_ns);
  _exit(0);
}

static void start_child(const struct options *options, int listener, int fd) {
  const pid_t self = getpid();
  started++;
  for (;;) {
    const long seen = ended;
    const pid_t pid = fork();
    if (pid == 0) {
      close(listener);
      serve_child(options, fd, self, (uint64_t)started);
    }
    if (pid > 0) {
      close(fd);
      return;
    }
    wait_for_capacity("fork: further connections wait in the accept queue", errno, seen);
  }
}

static int fork_run(const struct options *options, int listener) {
  const long ceiling = options->max_children > 0 ? options->max_children : limits_processes();
  struct sigaction action = {.sa_handler = reap, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
  sigemptyset(&action.sa_mask);
  sigaction(SIGCHLD, &action, NULL);
  for (;;) {
    const long seen = ended;
    if (started - seen >= ceiling) {
      wait_for_capacity("maximum of processes (--max-children) reached; further connections wait in the accept queue",
                        0, seen);
      continue;
    }
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) {
      start_child(options, listener, fd);
    } else if (server_out_of_resources(errno)) {
      wait_for_capacity("accept: further connections wait in the accept queue", errno, seen);
    } else if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) {
      server_log("accept", errno);
      return 1;
    }
  }
}

const struct model server_model = {
    .name = "fork",
    .summary = "A process per connection, blocking calls.",
    .max_children = "processes",
    .run = fork_run,
};
