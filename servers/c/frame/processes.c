/* --processes N: N children serve the same port, each with its own listener (SO_REUSEPORT), loop and descriptor table,
 * or all with the same listener, depending on the model. The parent only waits for them. Where each child has its own
 * listener, the parent holds the port with a socket that never listens, so no connection can be queued where it is
 * never accepted. No child outlives the parent, even if the parent is killed. */
#include "../server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long to wait for the next child to end before the remaining ones are killed. */
#define END_GRACE_NS 500000000

/* The parent, then its children; 0 for a child that has ended. */
static pid_t pids[SERVER_MAX_PROCESSES + 1];

static bool shares_listener(void) { return server_model.processes == PROCESSES_SHARED_LISTENER; }

/* `held`: the parent's socket. `reports`: the pipe on which a byte reports that this child listens. */
static _Noreturn void child_become(const struct options *options, long number, int held, int reports) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != pids[0]) { /* the parent has already ended */
    _exit(1);
  }
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  server_set_process_number(number, options->processes);
  int listener = held;
  if (!shares_listener()) {
    listener = listener_share(options, held);
    close(held);
  }
  if (listener < 0 || write(reports, "", 1) != 1) {
    _exit(1);
  }
  close(reports);
  exit(server_model.run(options, listener));
}

/* Returns how many children listen, once each of them has reported it or has ended. */
static long count_listening(int pipe_end) {
  char bytes[SERVER_MAX_PROCESSES];
  long listening = 0;
  for (;;) {
    ssize_t count = read(pipe_end, bytes, sizeof bytes);
    if (count > 0) {
      listening += count;
    } else if (count == 0 || errno != EINTR) {
      return listening;
    }
  }
}

static bool start_children(const struct options *options, int held) {
  int reports[2];
  if (pipe2(reports, O_CLOEXEC) < 0) {
    server_log("pipe", errno);
    return false;
  }
  pids[0] = getpid();
  long started = 0;
  while (started < options->processes) {
    pid_t pid = fork();
    if (pid == 0) {
      close(reports[0]);
      child_become(options, started + 1, held, reports[1]);
    }
    if (pid < 0) {
      server_log("cannot start all processes of --processes: fork", errno);
      break;
    }
    pids[++started] = pid;
  }
  close(reports[1]);
  const long listening = count_listening(reports[0]);
  close(reports[0]);
  if (started == options->processes && listening < started) {
    char text[96];
    snprintf(text, sizeof text, "only %ld of %ld processes listen; all are ended", listening, started);
    server_log(text, 0);
  }
  return listening == options->processes;
}

static void reap_children(const struct options *options, int flags) {
  for (long i = 1; i <= options->processes; i++) {
    pid_t ended = -1;
    while (pids[i] != 0 && (ended = waitpid(pids[i], NULL, flags)) < 0 && errno == EINTR) {
    }
    pids[i] = ended == 0 ? pids[i] : 0;
  }
}

static bool has_children(const struct options *options) {
  long i = 1;
  while (i <= options->processes && pids[i] == 0) {
    i++;
  }
  return i <= options->processes;
}

static void signal_children(const struct options *options, int signal_number) {
  for (long i = 1; i <= options->processes; i++) {
    if (pids[i] != 0) {
      kill(pids[i], signal_number);
    }
  }
}

/* A child whose port is held by more than its descriptors releases it on SIGTERM (io_uring). SIGCHLD is blocked. */
static void end_children(const struct options *options) {
  const struct timespec grace = {.tv_nsec = END_GRACE_NS};
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  signal_children(options, SIGTERM);
  signal_children(options, SIGCONT);
  /* EINTR: work that the kernel still does for the probe of is_supported wakes this process */
  do {
    reap_children(options, WNOHANG);
  } while (has_children(options) && (sigtimedwait(&child, NULL, &grace) > 0 || errno == EINTR));
  signal_children(options, SIGKILL);
  reap_children(options, 0);
}

static void log_child_end(const struct options *options, long number, int status, long left) {
  char text[256];
  char how[96];
  char rest[48];
  if (WIFSIGNALED(status)) {
    snprintf(how, sizeof how, "was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else {
    snprintf(how, sizeof how, "ended with exit status %d", WEXITSTATUS(status));
  }
  if (left > 0) {
    snprintf(rest, sizeof rest, "%ld remain%s", left, left == 1 ? "s" : "");
  } else {
    snprintf(rest, sizeof rest, "none remains");
  }
  snprintf(text, sizeof text, "process %ld of %ld (pid %ld) %s; %s", number, options->processes, (long)pids[number],
           how, rest);
  server_log(text, 0);
}

/* Returns when SIGTERM or SIGINT has arrived, or the last child has ended. */
static int wait_for_end(const struct options *options, const sigset_t *awaited) {
  long left = options->processes;
  bool was_signalled = false; /* the last one received the signal that was meant for the whole server */
  while (left > 0) {
    int signal_number = sigwaitinfo(awaited, NULL);
    if (signal_number == SIGTERM || signal_number == SIGINT) {
      end_children(options);
      return 0;
    }
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
      long number = 1;
      while (number <= options->processes && pids[number] != pid) {
        number++;
      }
      if (number > options->processes) {
        continue; /* a child of the program that called exec */
      }
      log_child_end(options, number, status, --left);
      pids[number] = 0;
      was_signalled = WIFSIGNALED(status) && (WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGINT);
    }
  }
  return was_signalled ? 0 : 1;
}

int processes_run(const struct options *options) {
  int held = shares_listener() ? listener_open(options) : listener_reserve(options);
  if (held < 0) {
    return 1;
  }
  /* Until the children exist, SIGTERM ends this process as usual, and the children end with it. */
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigprocmask(SIG_BLOCK, &awaited, NULL);
  const bool complete = start_children(options, held);
  sigaddset(&awaited, SIGTERM);
  sigaddset(&awaited, SIGINT);
  sigprocmask(SIG_BLOCK, &awaited, NULL);
  if (!complete || listener_announce(options, held, pids, (size_t)options->processes + 1) < 0) {
    end_children(options);
    return 1;
  }
  close(held); /* the children hold the port now */
  return wait_for_end(options, &awaited);
}
