/* The interfaces between the parts of a C server. A binary is main + one model + all protocols: the linker selects the
 * model, --protocol the protocol. A model owns its sockets, its loop and its threads; a protocol owns nothing, sees no
 * descriptor and never blocks; frame/session.h joins the two, so that all models do the same work for a request. */
#ifndef BROADSIDE_SERVER_H
#define BROADSIDE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One read and the reply to it share a buffer of this size. A model has one per thread, never one per connection,
 * except for the rest of a blocked write. */
#define SERVER_BUFFER_BYTES 32768
/* State of a protocol for each connection; zeroed at accept. */
#define PROTOCOL_STATE_BYTES 16
/* How long a model without free descriptors stops accepting, unless a connection ends. */
#define SERVER_ACCEPT_PAUSE_MS 100
/* Maximum number of connections accepted before the others are served again. */
#define SERVER_ACCEPTS_PER_TURN 256
/* Maximum of --processes and --threads. */
#define SERVER_MAX_PROCESSES 1024
#define SERVER_MAX_THREADS 1024

/* The reply to the input. `bytes` points into the model's buffer or at a constant and is valid until the model reads
 * again. */
struct reply {
  const unsigned char *bytes;
  size_t count;      /* 0: no reply yet */
  unsigned requests; /* how many requests `bytes` answers, for simulated work */
  bool close;        /* close the connection once `bytes` are written */
  bool stop;         /* end the server once `bytes` are written */
};

struct protocol {
  const char *name;
  /* Maximum number of bytes per read. The reply to that many bytes fits into SERVER_BUFFER_BYTES. */
  size_t read_bytes;
  /* Consumes all `count` (1..read_bytes) bytes at the start of `buffer`, and may write to the whole buffer. Not called
   * again after `close` or `stop`. */
  struct reply (*answer)(unsigned char *state, unsigned char *buffer, size_t count);
};

/* NULL when the name is unknown. */
const struct protocol *protocol_find(const char *name);
/* The same protocol with a word that ends the server; NULL when it has none. */
const struct protocol *protocol_with_stop(const struct protocol *protocol);
/* The names, separated by ", ". */
const char *protocol_names(void);

/* Simulated work, as --work requests it. */
enum work_kind {
  WORK_WAIT,  /* the reply is sent after the time; an event loop serves other connections meanwhile */
  WORK_BLOCK, /* the serving thread sleeps */
  WORK_SPIN,  /* the serving thread uses that much CPU time */
};

struct work_plan {
  bool any;
  enum work_kind kind;
  int64_t min_ns, max_ns;
  uint64_t seed;
};

/* What carries the bytes. */
enum server_transport {
  TRANSPORT_TCP,            /* or a unix socket */
  TRANSPORT_SCTP,           /* one-to-one: a socket per association */
  TRANSPORT_SCTP_SEQPACKET, /* one-to-many: one socket for all associations */
};

struct options {
  const char *host; /* an address, a name, unix:PATH with port 0, or with SCTP a list: A,B */
  uint16_t port;    /* 0: the kernel chooses */
  enum server_transport transport;
  int backlog;
  bool nodelay;
  long max_children; /* 0: the model's default */
  long processes;    /* at least 1 */
  long threads;      /* at least 1, for models that have the option */
  int64_t idle_ns;   /* 0: no idle timeout */
  struct work_plan work;
  const struct protocol *protocol;
};

/* How a model supports --processes N. */
enum model_processes {
  PROCESSES_UNSUPPORTED,     /* not supported */
  PROCESSES_OWN_LISTENERS,   /* each process has its own listener on the port */
  PROCESSES_SHARED_LISTENER, /* all processes wait on one listener, also if N is 1 */
};

struct model {
  const char *name;
  const char *summary;
  const char *max_children; /* NULL, or what --max-children counts: "threads", "processes" */
  long threads; /* 0: not supported; -1: default is the number of CPUs; otherwise the default of --threads */
  enum model_processes processes;
  long default_processes;  /* 0 means 1 */
  bool shares_port;        /* opens further listeners on its port */
  bool releases_port_late; /* after kill -9 the kernel releases its port with a delay */
  /* NULL, or returns false after logging the reason when this machine cannot run the model. */
  bool (*is_supported)(void);
  bool serves_sctp; /* `run` also serves a one-to-one SCTP listener */
  /* Serves `listener` (listening, blocking) until a signal ends the process. Returns the exit status after logging an
   * error. */
  int (*run)(const struct options *options, int listener);
  /* NULL, or the same for a one-to-many SCTP socket. */
  int (*run_seqpacket)(const struct options *options, int socket);
};

/* Defined by exactly one file of models/. */
extern const struct model server_model;

/* Fills `options` or ends the process: 0 after --help, 2 after an error. */
void options_parse(struct options *options, int argc, char **argv);
/* Nanoseconds of "30ms", "1.5s"; -1 for anything else, and for more than an hour. */
int64_t duration_parse(const char *text);

/* A listening socket, or -1 after logging the error. Accepted sockets have TCP_NODELAY as --nodelay says. Only
 * sockets of listener_share can listen on the same port. For unix:PATH this and the next two functions return the
 * same socket. */
int listener_open(const struct options *options);
/* A bound socket that does not listen, or -1 after logging the error. It reserves the port for the sockets that
 * listener_share creates from it. */
int listener_reserve(const struct options *options);
/* As listener_open, on the port of `other`, next to any number of others: the kernel distributes the connections by a
 * hash of their addresses. `other` is reserved or shared, or was opened by a model with `shares_port`. */
int listener_share(const struct options *options, int other);
/* Prints the ready line to stdout and flushes it. `pids`: SIGTERM to the first ends the server. */
int listener_announce(const struct options *options, int listener, const pid_t *pids, size_t count);

/* Whether the kernel has the transport; false after logging the reason. */
bool transport_is_supported(enum server_transport transport);

/* Runs the model in `options->processes` children until a signal ends this process. Returns the exit status. */
int processes_run(const struct options *options);

/* Raises the soft descriptor limit to the hard one, up to a million. Returns it. */
long limits_raise_descriptors(void);
/* How many threads or processes this process may start without exhausting the machine's pids or memory. */
long limits_threads(void);
long limits_processes(void);

/* Tasks and bytes that remain in the control groups of this process; LONG_MAX: no limit. `root` is /sys/fs/cgroup,
 * `groups` is /proc/self/cgroup. */
long control_group_tasks(const char *root, const char *groups);
long control_group_bytes(const char *root, const char *groups);

/* CLOCK_MONOTONIC. */
int64_t server_now_ns(void);
/* Sets the number of this process, for server_log and for the seed of simulated work. */
void server_set_process_number(long number, long of);
/* From 1; 0 if there is one process. */
long server_process_number(void);
/* Prints "epoll: WHAT: strerror(error)" to stderr; without the reason if error is 0. */
void server_log(const char *what, int error);
/* As server_log, but only the first call in this process prints. */
void server_log_once(const char *what, int error);
/* Whether accept failed for lack of descriptors or memory, so that retrying immediately would spin. */
bool server_out_of_resources(int error);
/* Ends the whole server with exit status 0, from any of its processes and threads. */
_Noreturn void server_stop(void);

#endif
