/* guard [--cpus LIST] [--scratch FOLDER] [--env NAME=VALUE]... COMMAND [ARGUMENT...]: starts a server in a session of
 * its own and ends its whole process tree. --cpus binds the tree, but not the guard, to CPUs (0, 0-1, 1,3); --scratch
 * names a folder that is removed with its contents after the tree has ended; --env sets a variable for the command
 * only, so that a value that breaks loading (LD_LIBRARY_PATH) does not break the guard.
 *
 * The starter holds the other end of the guard's stdin. When stdin closes, which the kernel does even if the starter is
 * killed, the guard ends every descendant of the command: SIGTERM, GRACE_MS, SIGKILL. As child subreaper it inherits
 * processes that daemonise, so none escapes by forking twice. SIGTERM has the same effect; SIGINT and SIGHUP are
 * ignored, so that Ctrl+C does not reach the server before the drain. When the command ends by itself, the rest of its
 * tree is ended too.
 *
 * Descriptor 3, if open, carries lines of JSON:
 *   {"pid":N}                                        the command was started
 *   {"execErrno":N}                                  its program could not be executed
 *   {"exit":N|null,"signal":N|null,"forced":bool}    it has ended; forced: SIGKILL was needed for some of the tree;
 * with "left":N when it ended by itself and N processes of it remained
 *   {"cpusAvailable":"LIST"|null}                    nothing was started: --cpus asks for others, or is malformed
 * (null) Exit status: that of the command, 128 + signal when a signal ended it, 127 when it could not be started, 2 for
 * wrong arguments. */
#include "cpus.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_MS 2000 /* as servers/README.md promises; memcached checks only once a second whether it should end */
#define POLL_MS 10    /* between two checks of a tree that is ending */
#define KILL_MS 5000  /* a process that outlives SIGKILL this long is stuck in the kernel */
#define REPORT_FD 3

#ifndef SYS_pidfd_open /* the same numbers on every architecture */
#define SYS_pidfd_send_signal 424
#define SYS_pidfd_open 434
#endif

struct command {
  pid_t pid;
  bool ended;
  int status;
};

struct process {
  pid_t pid;
  pid_t parent;
};

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The parent of `pid`, or -1 when it has ended. The process name in the file may contain any byte, so parsing starts
 * behind the last ')'. */
static pid_t parent_of(pid_t pid) {
  char path[32];
  char text[512];
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t count = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0) {
    close(fd);
  }
  if (count <= 0) {
    return -1;
  }
  text[count] = '\0';
  const char *after = strrchr(text, ')');
  long parent = -1;
  return after != NULL && sscanf(after + 1, " %*c %ld", &parent) == 1 ? (pid_t)parent : -1;
}

static int by_pid(const void *a, const void *b) {
  const struct process *first = a;
  const struct process *second = b;
  return (first->pid > second->pid) - (first->pid < second->pid);
}

/* Every process of the machine, by pid; the caller frees the list. NULL and 0 without memory or /proc. */
static struct process *processes_read(size_t *count) {
  DIR *directory = opendir("/proc");
  struct process *list = NULL;
  size_t room = 0;
  *count = 0;
  for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
    if (!isdigit((unsigned char)entry->d_name[0])) {
      continue;
    }
    if (*count == room) {
      room = room == 0 ? 256 : room * 2;
      struct process *larger = realloc(list, room * sizeof *list);
      if (larger == NULL) {
        break;
      }
      list = larger;
    }
    pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    list[(*count)++] = (struct process){.pid = pid, .parent = parent_of(pid)};
  }
  if (directory != NULL) {
    closedir(directory);
  }
  if (*count > 0) {
    qsort(list, *count, sizeof *list, by_pid);
  }
  return list;
}

static bool descends(const struct process *list, size_t count, pid_t pid, pid_t root) {
  for (size_t depth = 0; depth < count && pid > 1; depth++) {
    const struct process key = {.pid = pid};
    const struct process *process = bsearch(&key, list, count, sizeof *list, by_pid);
    if (process == NULL) {
      return false;
    }
    pid = process->parent;
    if (pid == root) {
      return true;
    }
  }
  return false;
}

/* Signals a process that was in the list, but none that has got its pid since: the pidfd names one process, whose
 * parent is still the same, or the guard if that has ended. */
static void process_signal(const struct process *process, int signal_number) {
  int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
  if (fd < 0) {
    if (errno == ENOSYS) { /* before Linux 5.3 */
      kill(process->pid, signal_number);
    }
    return;
  }
  const pid_t parent = parent_of(process->pid);
  if (parent == process->parent || parent == getpid()) {
    syscall(SYS_pidfd_send_signal, fd, signal_number, NULL, 0);
  }
  close(fd);
}

/* Sends a signal to every descendant of the guard (0: only counts them). Returns their number. */
static size_t tree_signal(int signal_number) {
  size_t count;
  size_t descendants = 0;
  struct process *list = processes_read(&count);
  for (size_t i = 0; i < count; i++) {
    if (descends(list, count, list[i].pid, getpid())) {
      descendants++;
      if (signal_number != 0) {
        process_signal(&list[i], signal_number);
      }
    }
  }
  free(list);
  return descendants;
}

/* Reaps ended children. True when no descendant is left: the last child of a subreaper is the last of its tree. */
static bool reap(struct command *command) {
  for (;;) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid == 0) {
      return false;
    }
    if (pid < 0 && errno != EINTR) {
      return true;
    }
    if (pid == command->pid && (WIFEXITED(status) || WIFSIGNALED(status))) {
      command->ended = true;
      command->status = status;
    }
  }
}

/* Reaps until no descendant is left; false when the deadline comes first. */
static bool wait_until_gone(struct command *command, long long until_ms) {
  while (!reap(command)) {
    if (now_ms() >= until_ms) {
      return false;
    }
    poll(NULL, 0, POLL_MS);
  }
  return true;
}

/* Ends the tree; true when SIGKILL was needed. */
static bool tree_end(struct command *command) {
  if (reap(command)) {
    return false;
  }
  tree_signal(SIGTERM);
  if (wait_until_gone(command, now_ms() + GRACE_MS)) {
    return false;
  }
  const long long give_up_ms = now_ms() + KILL_MS;
  do { /* repeatedly, because processes may fork before they are killed */
    tree_signal(SIGKILL);
  } while (!wait_until_gone(command, now_ms() + 10 * POLL_MS) && now_ms() < give_up_ms);
  return true;
}

/* For nftw: continues when an entry cannot be removed. */
static int entry_remove(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status;
  (void)kind;
  (void)place;
  (void)remove(path);
  return 0;
}

/* Errors are ignored: the starter may have ended. */
static void report_line(const char *line) {
  ssize_t written = write(REPORT_FD, line, strlen(line));
  (void)written;
}

static void report_cpus(const char *available) {
  char line[1100];
  const char *quote = available[0] == '\0' ? "" : "\"";
  snprintf(line, sizeof line, "{\"cpusAvailable\":%s%s%s}\n", quote, available[0] == '\0' ? "null" : available, quote);
  report_line(line);
}

static void report_end(const struct command *command, bool forced, size_t left) {
  char line[128];
  char end[48];
  snprintf(end, sizeof end, "%s", forced ? "true" : "false");
  if (left > 0) {
    snprintf(end, sizeof end, "%s,\"left\":%zu", forced ? "true" : "false", left);
  }
  if (command->ended && WIFSIGNALED(command->status)) {
    snprintf(line, sizeof line, "{\"exit\":null,\"signal\":%d,\"forced\":%s}\n", WTERMSIG(command->status), end);
  } else if (command->ended) {
    snprintf(line, sizeof line, "{\"exit\":%d,\"signal\":null,\"forced\":%s}\n", WEXITSTATUS(command->status), end);
  } else {
    snprintf(line, sizeof line, "{\"exit\":null,\"signal\":null,\"forced\":%s}\n", end);
  }
  report_line(line);
}

/* In the child: sets the variables at the beginning of `arguments` and executes the command, which is looked up on the
 * resulting PATH. */
static _Noreturn void command_become(char **arguments, const sigset_t *mask, pid_t guard) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* if the guard is killed, at least the command ends with it */
  if (getppid() != guard) {
    _exit(127);
  }
  setsid();
  for (int number = 1; number < NSIG; number++) {
    signal(number, SIG_DFL);
  }
  sigprocmask(SIG_SETMASK, mask, NULL);
  int null = open("/dev/null", O_RDONLY);
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    close(null);
  }
  for (; strcmp(arguments[0], "--env") == 0; arguments += 2) {
    putenv(arguments[1]);
  }
  execvp(arguments[0], arguments);
  dprintf(REPORT_FD, "{\"execErrno\":%d}\n", errno);
  dprintf(STDERR_FILENO, "cannot start %s: %s\n", arguments[0], strerror(errno));
  _exit(127);
}

/* Returns when the command has ended, stdin has closed or SIGTERM has arrived. */
static void watch(struct command *command, int signals) {
  struct pollfd watched[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
  while (!command->ended) {
    if (poll(watched, 2, -1) < 0 && errno != EINTR) {
      return;
    }
    if (watched[0].revents != 0) {
      char ignored[256];
      ssize_t count = read(STDIN_FILENO, ignored, sizeof ignored);
      if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) {
        return;
      }
    }
    if (watched[1].revents != 0) {
      struct signalfd_siginfo info;
      if (read(signals, &info, sizeof info) == (ssize_t)sizeof info && info.ssi_signo == SIGTERM) {
        return;
      }
      reap(command);
    }
  }
}

int main(int argc, char **argv) {
  int first = 1;
  const char *cpus = NULL;
  const char *scratch = NULL;
  if (first < argc && strcmp(argv[first], "--cpus") == 0) {
    cpus = argv[first + 1];
    first += 2;
  }
  if (first < argc && strcmp(argv[first], "--scratch") == 0) {
    scratch = argv[first + 1];
    first += 2;
  }
  char **arguments = argv + first;
  while (first < argc && strcmp(argv[first], "--env") == 0) {
    first += 2;
  }
  if (first >= argc) {
    fprintf(stderr, "Usage: guard [--cpus LIST] [--scratch FOLDER] [--env NAME=VALUE]... COMMAND [ARGUMENT...]\n");
    return 2;
  }
  fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC);
  signal(SIGPIPE, SIG_IGN);
  char available[1024];
  if (cpus != NULL && !cpus_bind(cpus, available, sizeof available)) {
    report_cpus(available);
    return 2;
  }
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  sigset_t handled;
  sigset_t before;
  sigemptyset(&handled);
  sigaddset(&handled, SIGTERM);
  sigaddset(&handled, SIGCHLD);
  sigprocmask(SIG_BLOCK, &handled, &before);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int signals = signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
  const pid_t guard = getpid();
  struct command command = {.pid = signals < 0 ? -1 : fork()};
  if (command.pid < 0) {
    perror("guard");
    return 127;
  }
  if (command.pid == 0) {
    sigdelset(&before, SIGTERM);
    sigdelset(&before, SIGCHLD);
    command_become(arguments, &before, guard);
  }
  if (cpus != NULL) {
    cpus_release(); /* the guard must not compete with a busy server for its CPUs */
  }
  char line[32];
  snprintf(line, sizeof line, "{\"pid\":%ld}\n", (long)command.pid);
  report_line(line);
  watch(&command, signals);
  const size_t left = command.ended ? tree_signal(0) : 0;
  const bool forced = tree_end(&command);
  if (scratch != NULL) {
    nftw(scratch, entry_remove, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
  }
  report_end(&command, forced, left);
  if (!command.ended) {
    return 137;
  }
  return WIFSIGNALED(command.status) ? 128 + WTERMSIG(command.status) : WEXITSTATUS(command.status);
}
