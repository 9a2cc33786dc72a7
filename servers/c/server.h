/* What the parts of a C server promise each other. One binary is main + one model + every protocol:
 * the linker picks the model, `--protocol` picks the protocol.
 *
 * The one thing to know: no event library is shared between models. A model owns its sockets, its
 * loop and its memory; a protocol owns nothing, sees no descriptor and never blocks. */
#ifndef BROADSIDE_SERVER_H
#define BROADSIDE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One read and the reply to it live in a buffer of this size. A model keeps one per thread, never one
 * per connection, except for what a blocked write left over. */
#define SERVER_BUFFER_BYTES 32768
/* What a protocol may remember of a connection between two reads; zeroed by the model at accept. */
#define PROTOCOL_STATE_BYTES 16
/* How long a model that ran out of descriptors leaves the listener alone, unless a connection ends. */
#define SERVER_ACCEPT_PAUSE_MS 100
/* The most that --processes takes. */
#define SERVER_PROCESSES_MOST 1024

/* What is to be written for the bytes that came in. `bytes` points into the model's buffer or at a
 * constant and holds until the model reads again. */
struct reply {
  const unsigned char *bytes;
  size_t count; /* 0: nothing to say yet */
  bool close;   /* close the connection once `bytes` are written */
};

struct protocol {
  const char *name;
  /* The most a model may read at once. The reply to that many bytes fits into SERVER_BUFFER_BYTES. */
  size_t read_bytes;
  /* Consumes all `count` (1..read_bytes) bytes at the start of `buffer`. The whole buffer is the
   * protocol's to write to until it returns. */
  struct reply (*answer)(unsigned char *state, unsigned char *buffer, size_t count);
};

/* NULL when there is none of that name. */
const struct protocol *protocol_find(const char *name);
/* The names, separated by ", ". */
const char *protocol_names(void);

struct options {
  const char *host;
  uint16_t port; /* 0: the kernel picks */
  int backlog;
  long max_children; /* 0: the model decides */
  long processes;    /* from 1 */
  const struct protocol *protocol;
};

struct model {
  const char *name;
  const char *summary;
  bool takes_max_children;
  bool takes_processes; /* `run` is right for each of several processes, with a listener of its own each */
  /* Serves `listener` (listening, blocking) until a signal ends the process. Returns only when it
   * cannot go on: the exit status, after having said why. */
  int (*run)(const struct options *options, int listener);
};

/* Defined by exactly one file of models/. */
extern const struct model server_model;

/* Fills `options` or ends the process: 0 after --help, 2 after a mistake. */
void options_parse(struct options *options, int argc, char **argv);

/* A listening TCP socket, or -1 after having said why. Every socket accepted from it has TCP_NODELAY.
 * No other socket can listen on its port. */
int listener_open(const struct options *options);
/* A bound socket that does not listen, or -1 after having said why. It holds the port against everyone
 * but the sockets that listener_share makes of it. */
int listener_reserve(const struct options *options);
/* As listener_open, on the port of `reserved`, beside any number of others: the kernel spreads the
 * connections over them by a hash of their addresses. */
int listener_share(const struct options *options, int reserved);
/* The ready line, on stdout, flushed. `pids`: SIGTERM to the first of them ends the server. */
int listener_announce(const struct options *options, int listener, const pid_t *pids, size_t count);

/* Runs the model in `options->processes` children until a signal ends this process: the exit status. */
int processes_run(const struct options *options);

/* Descriptors: the soft limit becomes the hard one, up to a million. Returns it. */
long limits_raise_descriptors(void);
/* How many threads this process may start without eating up the machine's pids or memory. */
long limits_children(void);

/* Tasks, and bytes, that the control groups of this process leave it; LONG_MAX: no limit. `root` is /sys/fs/cgroup,
 * `groups` /proc/self/cgroup. */
long control_group_tasks(const char *root, const char *groups);
long control_group_bytes(const char *root, const char *groups);

/* Makes server_say tell this process from the others. */
void server_number_process(long number, long of);
/* "epoll: WHAT: strerror(error)" on stderr; error 0 leaves the reason out. */
void server_say(const char *what, int error);
/* True when accept failed for want of descriptors or memory: waiting helps, trying again at once spins. */
bool server_is_full(int error);

#endif
