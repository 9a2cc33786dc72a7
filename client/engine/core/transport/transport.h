/*
 * transport: how bytes move. A completion-shaped table, so that epoll and io_uring are equals behind it; nothing else
 * in core/ knows a descriptor. Connections are named by their slot, 0 .. slots - 1.
 *
 * Rules, tested on every backend:
 *  - Everything but wake() is called from one thread; wake() from any, also from a signal-free second thread.
 *  - Callbacks run only inside turn(). Inside a callback every function but turn() and destroy() may be called.
 *  - connect() on a slot without a connection starts one. It ends in exactly one on_close, the last callback of that
 *    connection, whatever happened; a failed connect has no on_connect. After on_close (also inside it) the slot
 *    may connect again.
 *  - send() on an open connection whose previous send is done. IO_SENT: the kernel has it all, no callback follows.
 *    IO_PENDING: the buffers belong to the backend until on_sent (or on_close). A failed send ends in on_close.
 *  - on_bytes hands bytes that are valid during the call only. It may come before on_sent. An idle connection owns
 *    no buffer.
 *  - close() makes on_close certain, in one of the next turns; no other callback comes for the connection after it.
 *  - Timers are not the backend's.
 */
#ifndef BROADSIDE_TRANSPORT_H
#define BROADSIDE_TRANSPORT_H

#include <netinet/tcp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "../base/clock.h"
#include "../base/failure.h"

/* The most iovecs of one send(): the three of a request, and the requests before it copied together. */
#define IO_IOVECS_MAX 4u

enum transport_close_mode { IO_FIN, IO_RST };
enum transport_send { IO_SENT, IO_PENDING };

/* Options of a connection's socket. A zero leaves that one to the kernel. */
struct socket_options {
  bool nodelay;
  bool reset_on_close; /* every close sends RST, also one with IO_FIN */
  int keepalive_s;     /* idle until the first probe, and between two */
  int send_bytes, receive_bytes;
  int tos;             /* of IPv6: the traffic class */
  char congestion[16]; /* as long as the kernel's names */
};

struct endpoint {
  int family, transport; /* AF_INET, AF_INET6 or AF_UNIX; SOCK_STREAM */
  struct sockaddr_storage address, source;
  socklen_t address_length, source_length; /* source_length 0: the kernel picks the source */
  struct socket_options socket;
};

struct transport_events {
  void (*on_connect)(void *owner, uint32_t slot);
  void (*on_bytes)(void *owner, uint32_t slot, const uint8_t *bytes, size_t length); /* length > 0 */
  void (*on_sent)(void *owner, uint32_t slot);
  void (*on_close)(void *owner, uint32_t slot, int reason); /* as in failure.h */
  void (*on_transport)(void *owner, uint32_t slot); /* NULL, or called by TLS before its handshake (channel.h) */
};

struct transport_settings {
  uint32_t slots;
  const struct transport_events *events;
  void *owner;
  const struct clock *clock;
  void *context; /* the fake backend's script; real ones ignore it */
};

/* What every backend begins with. */
struct transport {
  const struct transport_table *table;
  uint64_t seen_ns;    /* when the batch of completions being handed out was seen; never older than 32 of them */
  bool has_early_data; /* inside on_connect: the peer's bytes are there already, and on_bytes follows in the same turn.
                  A backend that cannot know leaves it false */
};

struct transport_table {
  const char *name;
  int (*probe)(void); /* 0, or -errno: this kernel cannot */
  int (*create)(const struct transport_settings *settings, struct transport **transport); /* 0 or -errno */
  /* *started_ns: just before the system call. Must stay valid until on_connect or on_close. */
  void (*connect)(struct transport *transport, uint32_t slot, const struct endpoint *endpoint, uint64_t *started_ns);
  /* *started_ns: just before the system call that submits it. Must stay valid until the send is done. */
  enum transport_send (*send)(struct transport *transport, uint32_t slot, const struct iovec *parts, unsigned count,
                              uint64_t *started_ns);
  void (*shutdown_write)(struct transport *transport, uint32_t slot);
  int (*inspect)(struct transport *transport, uint32_t slot, struct tcp_info *info); /* 0 or -errno */
  void (*close)(struct transport *transport, uint32_t slot, enum transport_close_mode ending);
  /* Hands out what has come, or waits for it until the deadline; one that is past: it only looks. Returns how many
   * of the kernel's events and completions it handed out (0: what it did was our own), or -errno. */
  int (*turn)(struct transport *transport, uint64_t deadline_ns);
  void (*wake)(struct transport *transport);
  void (*destroy)(struct transport *transport); /* closes what is open, without callbacks */
};

extern const struct transport_table transport_epoll, transport_io_uring;

/* What this build has, NULL last; and one of it by name, NULL when there is none. */
extern const struct transport_table *const transports[];
const struct transport_table *transport_find(const char *name);

#endif
