/* Starts a C server: options, listener, ready line, model, in several processes if requested (processes.c). SIGTERM and
 * SIGINT end the process from within the signal handler, so a server under full load ends as fast as an idle one. */
#include "../server.h"
#include "unix.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* The process that SIGTERM ends the server by. */
static pid_t first_process;

static void on_end_signal(int signal_number) {
  (void)signal_number;
  unix_unlink();
  _exit(0);
}

static void signals_install(void) {
  struct sigaction end = {.sa_handler = on_end_signal};
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  sigemptyset(&end.sa_mask);
  sigemptyset(&ignore.sa_mask);
  sigaction(SIGTERM, &end, NULL);
  sigaction(SIGINT, &end, NULL);
  sigaction(SIGPIPE, &ignore, NULL); /* a reset by a client must not end the server */
  signal(SIGCHLD, SIG_DFL);          /* the parent may have ignored it */
  sigset_t handled;
  sigemptyset(&handled);
  sigaddset(&handled, SIGTERM);
  sigaddset(&handled, SIGINT);
  sigprocmask(SIG_UNBLOCK, &handled, NULL);
}

void server_stop(void) {
  if (getpid() != first_process) {
    kill(first_process, SIGTERM);
  }
  unix_unlink();
  _exit(0);
}

/* " (process 2 of 4)", or empty. */
static char process_label[48];
static long process_number;

void server_set_process_number(long number, long of) {
  process_number = number;
  snprintf(process_label, sizeof process_label, " (process %ld of %ld)", number, of);
}

long server_process_number(void) { return process_number; }

void server_log(const char *what, int error) {
  if (error != 0) {
    fprintf(stderr, "%s%s: %s: %s\n", server_model.name, process_label, what, strerror(error));
  } else {
    fprintf(stderr, "%s%s: %s\n", server_model.name, process_label, what);
  }
}

void server_log_once(const char *what, int error) {
  static atomic_flag said = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&said)) {
    server_log(what, error);
  }
}

bool server_out_of_resources(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

int64_t server_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int argc, char **argv) {
  struct options options;
  options_parse(&options, argc, argv);
  first_process = getpid();
  prctl(PR_SET_TIMERSLACK, 1); /* ns; the default of 50 us would be added to every --work. Children inherit it */
  signals_install();
  limits_raise_descriptors();
  if (server_model.is_supported != NULL && !server_model.is_supported()) {
    return 1;
  }
  if (!transport_is_supported(options.transport)) {
    return 1;
  }
  if (options.processes > 1 || server_model.processes == PROCESSES_SHARED_LISTENER) {
    const int status = processes_run(&options);
    unix_unlink();
    return status;
  }
  int listener = listener_open(&options);
  if (listener < 0 || listener_announce(&options, listener, &first_process, 1) < 0) {
    return 1;
  }
  return options.transport == TRANSPORT_SCTP_SEQPACKET ? server_model.run_seqpacket(&options, listener)
                                                       : server_model.run(&options, listener);
}
