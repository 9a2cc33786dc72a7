/*
 * io: how bytes move. A completion-shaped table, so that epoll and io_uring are equals behind it; nothing else in
 * core/ knows a descriptor. Connections are named by their slot, 0 .. slots - 1.
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

#define IO_PARTS 4u /* the most iovecs of one send: the three of a request, and requests before it in one piece */

/* Why a connection ended: 0 we closed it, IO_EOF its peer ended the stream, IO_SELF it was connected to itself
 * (simultaneous open on a dead port of the ephemeral range), else -errno. The others come from TLS alone: IO_HANDSHAKE
 * it could not be secured, IO_SPOILED what came on it is no TLS or says that it failed, IO_TRUNCATED the stream ended
 * without TLS's own word for it. */
enum { IO_EOF = 1, IO_SELF, IO_HANDSHAKE, IO_SPOILED, IO_TRUNCATED };

enum io_ending { IO_FIN, IO_RST };
enum io_send { IO_SENT, IO_PENDING };

/* Options of a connection's socket. A zero leaves that one to the kernel. */
struct io_socket {
  bool nodelay;
  bool reset_on_close; /* every close sends RST, also one with IO_FIN */
  int keepalive_s;     /* idle until the first probe, and between two */
  int send_bytes, receive_bytes;
  int tos;             /* of IPv6: the traffic class */
  char congestion[16]; /* as long as the kernel's names */
};

struct io_endpoint {
  int family, transport; /* AF_INET, AF_INET6 or AF_UNIX; SOCK_STREAM */
  struct sockaddr_storage address, source;
  socklen_t address_length, source_length; /* source_length 0: the kernel picks the source */
  struct io_socket socket;
};

struct io_events {
  void (*on_connect)(void *owner, uint32_t slot);
  void (*on_bytes)(void *owner, uint32_t slot, const uint8_t *bytes, size_t length); /* length > 0 */
  void (*on_sent)(void *owner, uint32_t slot);
  void (*on_close)(void *owner, uint32_t slot, int reason);
  void (*on_transport)(void *owner, uint32_t slot); /* NULL, or called by TLS before its handshake (channel.h) */
};

struct io_settings {
  uint32_t slots;
  const struct io_events *events;
  void *owner;
  const struct clock *clock;
  void *context; /* the fake backend's script; real ones ignore it */
};

/* What every backend begins with. */
struct io {
  const struct io_table *table;
  uint64_t seen_ns; /* when the batch of completions being handed out was seen; never older than 32 of them */
  bool spoken;      /* inside on_connect: the peer's bytes are there already, and on_bytes follows in the same turn. A
                       backend that cannot know leaves it false */
};

struct io_table {
  const char *name;
  int (*probe)(void);                                                /* 0, or -errno: this kernel cannot */
  int (*create)(const struct io_settings *settings, struct io **io); /* 0 or -errno */
  /* *started_ns: just before the system call. Must stay valid until on_connect or on_close. */
  void (*connect)(struct io *io, uint32_t slot, const struct io_endpoint *endpoint, uint64_t *started_ns);
  /* *started_ns: just before the system call that submits it. Must stay valid until the send is done. */
  enum io_send (*send)(struct io *io, uint32_t slot, const struct iovec *parts, unsigned count, uint64_t *started_ns);
  void (*shutdown_write)(struct io *io, uint32_t slot);
  int (*inspect)(struct io *io, uint32_t slot, struct tcp_info *info); /* 0 or -errno */
  void (*close)(struct io *io, uint32_t slot, enum io_ending ending);
  /* Hands out what has come, or waits for it until the deadline; one that is past: it only looks. Returns how many
   * of the kernel's events and completions it handed out (0: what it did was our own), or -errno. */
  int (*turn)(struct io *io, uint64_t deadline_ns);
  void (*wake)(struct io *io);
  void (*destroy)(struct io *io); /* closes what is open, without callbacks */
};

extern const struct io_table io_epoll, io_uring_backend;

/* What this build has, NULL last; and one of it by name, NULL when there is none. */
extern const struct io_table *const io_backends[];
const struct io_table *io_find(const char *name);

#endif
