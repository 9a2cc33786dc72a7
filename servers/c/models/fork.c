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

static atomic_long children;

static void reap(int signal_number) {
  (void)signal_number;
  const int error = errno;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
    children--;
  }
  errno = error;
}

/* Waits until a child ends, at most SERVER_ACCEPT_PAUSE_MS: limits of the machine may also ease for other reasons. */
static void wait_for_capacity(const char *what, int error) {
  const struct timespec most = {.tv_nsec = SERVER_ACCEPT_PAUSE_MS * 1000000L};
  const long before = children;
  server_log_once(what, error);
  if (children >= before) {
    nanosleep(&most, NULL); /* SIGCHLD interrupts it; one that arrives before it costs the pause */
  }
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
  static uint64_t number;
  const pid_t self = getpid();
  number++;
  for (;;) {
    children++;
    const pid_t pid = fork();
    if (pid == 0) {
      close(listener);
      serve_child(options, fd, self, number);
    }
    if (pid > 0) {
      close(fd);
      return;
    }
    children--;
    wait_for_capacity("fork: further connections wait in the accept queue", errno);
  }
}

static int fork_run(const struct options *options, int listener) {
  const long ceiling = options->max_children > 0 ? options->max_children : limits_processes();
  struct sigaction action = {.sa_handler = reap, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
  sigemptyset(&action.sa_mask);
  sigaction(SIGCHLD, &action, NULL);
  for (;;) {
    if (children >= ceiling) {
      wait_for_capacity("maximum of processes (--max-children) reached; further connections wait in the accept queue",
                        0);
      continue;
    }
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) {
      start_child(options, listener, fd);
    } else if (server_out_of_resources(errno)) {
      wait_for_capacity("accept: further connections wait in the accept queue", errno);
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
