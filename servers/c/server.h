/* What the parts of a C server promise each other. One binary is main + one model + every protocol:
 * the linker picks the model, `--protocol` picks the protocol.
 *
 * The one thing to know: a model owns its sockets, its loop and its threads; a protocol owns nothing,
 * sees no descriptor and never blocks; frame/session.h joins the two, so that all models do the same work
 * for a request. */
#ifndef BROADSIDE_SERVER_H
#define BROADSIDE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One read and the reply to it live in a buffer of this size. A model keeps one per thread, never one
 * per connection, except for what a blocked write left over. */
#define SERVER_BUFFER_BYTES 32768
/* What a protocol may remember of a connection between two reads; zeroed at accept. */
#define PROTOCOL_STATE_BYTES 16
/* How long a model that ran out of descriptors leaves the listener alone, unless a connection ends. */
#define SERVER_ACCEPT_PAUSE_MS 100
/* The most connections that a model accepts before it looks after the others again. */
#define SERVER_ACCEPTS_PER_TURN 256
/* The most that --processes and --threads take. */
#define SERVER_MAX_PROCESSES 1024
#define SERVER_MAX_THREADS 1024

/* What is to be written for the bytes that came in. `bytes` points into the model's buffer or at a
 * constant and holds until the model reads again. */
struct reply {
  const unsigned char *bytes;
  size_t count;      /* 0: nothing to say yet */
  unsigned requests; /* how many requests `bytes` answers: business work is done for each */
  bool close;        /* close the connection once `bytes` are written */
  bool stop;         /* end the server once `bytes` are written */
};

struct protocol {
  const char *name;
  /* The most a model may read at once. The reply to that many bytes fits into SERVER_BUFFER_BYTES. */
  size_t read_bytes;
  /* Consumes all `count` (1..read_bytes) bytes at the start of `buffer`. The whole buffer is the
   * protocol's to write to until it returns. Not called again after `close` or `stop`. */
  struct reply (*answer)(unsigned char *state, unsigned char *buffer, size_t count);
};

/* NULL when there is none of that name. */
const struct protocol *protocol_find(const char *name);
/* The same protocol with the word that ends the server; NULL when it has none. */
const struct protocol *protocol_with_stop(const struct protocol *protocol);
/* The names, separated by ", ". */
const char *protocol_names(void);

/* Business work: what --work asks for. */
enum work_kind {
  WORK_WAIT,  /* the reply is due after the time; whoever has a loop serves others meanwhile */
  WORK_BLOCK, /* the serving thread sleeps */
  WORK_SPIN,  /* the serving thread burns that much CPU time */
};

struct work_plan {
  bool any;
  enum work_kind kind;
  int64_t min_ns, max_ns;
  uint64_t seed;
};

struct options {
  const char *host; /* an address, a name, or unix:PATH, whose port is 0 */
  uint16_t port;    /* 0: the kernel picks */
  int backlog;
  bool nodelay;
  long max_children; /* 0: the model decides */
  long processes;    /* from 1 */
  long threads;      /* from 1, where the model takes it */
  int64_t idle_ns;   /* 0: a connection may idle for ever */
  struct work_plan work;
  const struct protocol *protocol;
};

/* How --processes N is served. */
enum model_processes {
  PROCESSES_UNSUPPORTED,     /* not at all */
  PROCESSES_OWN_LISTENERS,   /* each has a listener of its own on the port: `run` is right for each of several */
  PROCESSES_SHARED_LISTENER, /* one listener, in which all of them wait; also where N is 1 */
};

struct model {
  const char *name;
  const char *summary;
  const char *max_children; /* NULL, or what --max-children counts: "threads", "processes" */
  long threads;             /* 0, or the default of --threads; -1: as many as there are CPUs */
  enum model_processes processes;
  long default_processes;  /* 0 stands for 1 */
  bool shares_port;        /* it opens further listeners on its port */
  bool releases_port_late; /* where it was killed, the kernel frees its port some time after its process */
  /* NULL, or false, after having said why, where this machine cannot run it. */
  bool (*is_supported)(void);
  /* Serves `listener` (listening, blocking) until a signal ends the process. Returns only when it
   * cannot go on: the exit status, after having said why. */
  int (*run)(const struct options *options, int listener);
};

/* Defined by exactly one file of models/. */
extern const struct model server_model;

/* Fills `options` or ends the process: 0 after --help, 2 after a mistake. */
void options_parse(struct options *options, int argc, char **argv);
/* "30ms", "1.5s" in nanoseconds; -1 when it is none, or more than an hour. */
int64_t duration_parse(const char *text);

/* A listening socket, or -1 after having said why. Sockets accepted from it have TCP_NODELAY as
 * --nodelay says. No socket but those of listener_share can listen on its port. Where the host is
 * unix:PATH, it listens at that path, and so does what the next two return: the same socket. */
int listener_open(const struct options *options);
/* A bound socket that does not listen, or -1 after having said why. It holds the port against everyone
 * but the sockets that listener_share makes of it. */
int listener_reserve(const struct options *options);
/* As listener_open, on the port of `other`, beside any number of others: the kernel spreads the
 * connections over them by a hash of their addresses. `other` is reserved or shared, or was opened by a
 * model that shares its port. */
int listener_share(const struct options *options, int other);
/* The ready line, on stdout, flushed. `pids`: SIGTERM to the first of them ends the server. */
int listener_announce(const struct options *options, int listener, const pid_t *pids, size_t count);

/* Runs the model in `options->processes` children until a signal ends this process: the exit status. */
int processes_run(const struct options *options);

/* Descriptors: the soft limit becomes the hard one, up to a million. Returns it. */
long limits_raise_descriptors(void);
/* How many threads, or processes, this process may start without eating up the machine's pids or memory. */
long limits_threads(void);
long limits_processes(void);

/* Tasks, and bytes, that the control groups of this process leave it; LONG_MAX: no limit. `root` is /sys/fs/cgroup,
 * `groups` /proc/self/cgroup. */
long control_group_tasks(const char *root, const char *groups);
long control_group_bytes(const char *root, const char *groups);

/* CLOCK_MONOTONIC. */
int64_t server_now_ns(void);
/* Makes server_log tell this process from the others, and its business work differ from theirs. */
void server_set_process_number(long number, long of);
/* From 1; 0 where there is one process. */
long server_process_number(void);
/* "epoll: WHAT: strerror(error)" on stderr; error 0 leaves the reason out. */
void server_log(const char *what, int error);
/* As server_log, but only the first time that this process calls it. */
void server_log_once(const char *what, int error);
/* True when accept failed for want of descriptors or memory: waiting helps, trying again at once spins. */
bool server_out_of_resources(int error);
/* Ends the whole server with exit status 0, from any of its processes and threads. */
_Noreturn void server_stop(void);

#endif
