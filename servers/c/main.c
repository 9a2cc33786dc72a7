/* The frame of every C server: options, limits, signals, listen, ready line; then the model takes over.
 * With --processes the model takes over in each of several children instead (processes.c).
 * The one thing to know: SIGTERM and SIGINT end the process from within the handler, so that a server
 * under full load ends as fast as an idle one. */
#include "server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void on_end_signal(int signal_number) {
  (void)signal_number;
  _exit(0);
}

static void signals_install(void) {
  struct sigaction end = {.sa_handler = on_end_signal};
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  sigemptyset(&end.sa_mask);
  sigemptyset(&ignore.sa_mask);
  sigaction(SIGTERM, &end, NULL);
  sigaction(SIGINT, &end, NULL);
  sigaction(SIGPIPE, &ignore, NULL); /* a client that resets must not end the server */
}

/* " (process 2 of 4)", or nothing. */
static char which[48];

void server_number_process(long number, long of) { snprintf(which, sizeof which, " (process %ld of %ld)", number, of); }

void server_say(const char *what, int error) {
  if (error != 0) {
    fprintf(stderr, "%s%s: %s: %s\n", server_model.name, which, what, strerror(error));
  } else {
    fprintf(stderr, "%s%s: %s\n", server_model.name, which, what);
  }
}

bool server_is_full(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS; }

int main(int argc, char **argv) {
  struct options options;
  options_parse(&options, argc, argv);
  signals_install();
  limits_raise_descriptors();
  if (options.processes > 1) {
    return processes_run(&options);
  }
  int listener = listener_open(&options);
  const pid_t self = getpid();
  if (listener < 0 || listener_announce(&options, listener, &self, 1) < 0) {
    return 1;
  }
  return server_model.run(&options, listener);
}
