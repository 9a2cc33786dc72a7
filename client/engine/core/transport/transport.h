/*
 * transport: moves the bytes of connections. One table of functions and one of events, so that epoll, TLS over epoll,
 * and the fake of the tests are equals behind it; no other part of core/ knows a descriptor. A connection is named by
 * its slot, 0 .. slots - 1.
 *
 * Rules. The tests hold every transport to them.
 *
 *  1. One thread calls everything but wake(), which any thread may call.
 *  2. Events are delivered only inside turn(). Inside an event every function may be called but turn() and destroy().
 *  3. connect() starts a connection on a slot that has none. The connection ends with exactly one on_close, whatever
 *     happens to it; a failed connect has no on_connect before it. From on_close on, the slot is free again.
 *  4. send() needs an open connection whose previous send is done. It returns IO_SENT when the kernel has taken all
 *     bytes; no event follows. It returns IO_PENDING otherwise; the bytes belong to the transport until on_sent or
 *     on_close. A failed send ends in on_close, after on_bytes with what the peer sent before.
 *  5. on_bytes delivers bytes that stay valid during the call. It may come before on_sent, but not when the peer sent
 *     the bytes after it had received the whole request: then on_sent comes first.
 *  6. close() is final: on_close follows in one of the next turns, and nothing else does.
 *  7. A connection without a pending send owns no buffer.
 *  8. Deadlines are the caller's, except for that of turn().
 */
#ifndef BROADSIDE_TRANSPORT_H
#define BROADSIDE_TRANSPORT_H

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "../base/clock.h"
#include "../base/failure.h"
#include "../base/stamped_slots.h"

/* The most iovecs of one send(): the three of a request, and the requests before it copied together. */
#define IO_IOVECS_MAX 4u

/* The buffer that all connections of a transport are read into. */
#define READ_BYTES (256u * 1024u)

/* How close() ends a connection. IO_FIN: what the kernel has taken is sent, then a FIN. IO_RST: it is dropped, and a
 * RST is sent. */
enum transport_close_mode { IO_FIN, IO_RST };

/* What send() returns: rule 4. */
enum transport_send { IO_SENT, IO_PENDING };

/* Options of a connection's socket. Zeros leave an option to the kernel. */
struct socket_options {
  bool nodelay;        /* TCP_NODELAY or SCTP_NODELAY */
  bool reset_on_close; /* every close sends RST, also one with IO_FIN */
  int keepalive_s;     /* idle time before the first probe, and between two */
};

/* Where a connection goes to, and where from. */
struct endpoint {
  int family;    /* AF_INET, AF_INET6 or AF_UNIX */
  int transport; /* SOCK_STREAM; SOCK_SEQPACKET, SCTP's one-to-many style; or SOCK_DGRAM, UDP (udp_socket.h) */
  int protocol;  /* 0: the usual one of family and transport; or IPPROTO_SCTP */
  struct sockaddr_storage address, source;
  socklen_t address_length;
  socklen_t source_length; /* 0: the kernel chooses the source */
  struct socket_options socket;
};

/* What happens to the connection SLOT. OWNER is that of the settings. */
struct transport_events {
  /* It is open. */
  void (*on_connect)(void *owner, uint32_t slot);
  /* LENGTH > 0 bytes have come. */
  void (*on_bytes)(void *owner, uint32_t slot, const uint8_t *bytes, size_t length);
  /* The kernel has taken all bytes of a pending send. */
  void (*on_sent)(void *owner, uint32_t slot);
  /* It has ended, for REASON: 0 (we closed it), an end_reason, or -errno (failure.h). */
  void (*on_close)(void *owner, uint32_t slot, int reason);
  /* TCP is connected and the TLS handshake begins; on_connect comes when it is done. Only TLS delivers it; NULL where
   * the owner does not need it. */
  void (*on_transport)(void *owner, uint32_t slot);
  /* Stamps of its sends can be taken, which take_stamp() did not find when they were sent. NULL where slots have none.
   */
  void (*on_stamps)(void *owner, uint32_t slot);
};

/* What a transport is created with. Events and clock must outlive it. */
struct transport_settings {
  uint32_t slots;
  const struct transport_events *events;
  void *owner;
  const struct clock *clock;
  struct stamped_slots stamped; /* slots whose connections of TCP get kernel timestamps */
  /* All connections of a slot have one endpoint and one source port: a new one may use the socket of the last again. */
  bool has_fixed_endpoints;
  void *context; /* the script of the fake transport; the others ignore it */
};

#define TRANSPORT_DESCRIPTORS_MAX 3u

/* What every transport begins with. The caller reads it and writes nothing but has_own_table; a tap replaces the table.
 */
struct transport {
  const struct transport_table *table;
  /* When the events being delivered were seen: just after the system call that brought them, refreshed every 32. */
  uint64_t seen_ns;
  /* Inside on_connect: bytes of the peer are there already, and on_bytes follows in the same turn. False where the
   * transport cannot know. */
  bool has_early_data;
  /* Datagrams of UDP so far that did not continue a reply. */
  uint64_t strays;
  /* Inside on_bytes of a connection whose sends are stamped: when the last of the bytes arrived at this host; 0 where
   * the kernel does not say, or more bytes may have arrived with them. */
  uint64_t arrived_ns;
  /* Inside on_sent: the kernel took the bytes in several steps, for which the peer had to make room. */
  bool send_was_blocked;
  /* When a step of the clock of timestamps was last noticed: those before it are of no use. 0: none was. */
  uint64_t clock_stepped_ns;
  /* The descriptors that it is created with, ascending: those that turn() needs besides its connections. None where it
   * must run in the process's table of descriptors. */
  int descriptors[TRANSPORT_DESCRIPTORS_MAX];
  uint8_t descriptor_count;
  /* turn() runs in a table of its own (descriptor_table.h), in which the descriptors of all connections are: destroy()
   * closes none of those, and is called once that thread has ended. */
  bool has_own_table;
};

/* Notes a descriptor that a transport is created with. */
static inline void transport_keep(struct transport *transport, int descriptor) {
  unsigned at = transport->descriptor_count++;
  for (; at > 0 && transport->descriptors[at - 1] > descriptor; at--) {
    transport->descriptors[at] = transport->descriptors[at - 1];
  }
  transport->descriptors[at] = descriptor;
}

/* When the last byte of a send left for the network device. */
struct sent_stamp {
  uint32_t bytes; /* sent_bytes() at that byte */
  uint64_t at_ns;
};

/* The functions of a transport. Those that return int return 0 or -errno unless they say otherwise. */
struct transport_table {
  const char *name;

  int (*create)(const struct transport_settings *settings, struct transport **transport);

  /* Starts a connection (rule 3), from the port SOURCE_PORT of the endpoint's source; 0: from the source as it is.
   * Writes the time just before the system call into *STARTED_NS, which must stay valid until on_connect or on_close;
   * ENDPOINT likewise. */
  void (*connect)(struct transport *transport, uint32_t slot, const struct endpoint *endpoint, uint16_t source_port,
                  uint64_t *started_ns);

  /* Sends the bytes of COUNT iovecs, in order (rule 4). Writes the time just before the system call that submits them
   * into *STARTED_NS, or when it came to them if it submits many; that must stay valid until the send is done, and
   * holds an earlier time until that call. The array of iovecs is copied. */
  enum transport_send (*send)(struct transport *transport, uint32_t slot, const struct iovec *iovecs, unsigned count,
                              uint64_t *started_ns);

  /* Inside on_close, until the slot connects again: how many bytes of the last send() the kernel has not taken; 0 where
   * that was done. Over TLS, bytes are taken by the buffer of up to 64 KiB that they were encrypted into. */
  size_t (*unsent_bytes)(struct transport *transport, uint32_t slot);

  /* Reads TCP_INFO of an open connection. */
  int (*inspect)(struct transport *transport, uint32_t slot, struct tcp_info *info);

  /* Of the connection of a stamped slot, from its on_connect to its on_close; NULL where the transport has no
   * timestamps. stamp_sends: whether the sends that follow are stamped. sent_bytes: how many bytes send() was given so
   * far, modulo 2^32; over TLS encrypted ones, and false where some are not encrypted yet. take_stamp: takes the next
   * stamp; false: there is none yet. */
  void (*stamp_sends)(struct transport *transport, uint32_t slot, bool stamped);
  bool (*sent_bytes)(struct transport *transport, uint32_t slot, uint32_t *bytes);
  bool (*take_stamp)(struct transport *transport, uint32_t slot, struct sent_stamp *stamp);

  /* Ends a connection (rule 6). Does nothing for a slot without one, or one that is being closed. */
  void (*close)(struct transport *transport, uint32_t slot, enum transport_close_mode mode);

  /* Delivers what has happened, or waits for it until DEADLINE_NS; does not wait where that has passed. May return
   * earlier. Returns how many events of the kernel it saw, 0 where it had only its own to deliver, or -errno. */
  int (*turn)(struct transport *transport, uint64_t deadline_ns);

  /* Makes a turn() that waits return. */
  void (*wake)(struct transport *transport);

  /* Closes what is open, without events, and frees everything. */
  void (*destroy)(struct transport *transport);
};

/* Whether it is a transport of TABLE, with or without a tap (tap.h). */
static inline bool transport_is(const struct transport *transport, const struct transport_table *table) {
  return transport->table->name == table->name;
}

/* Moves bytes through the kernel's sockets. */
extern const struct transport_table transport_epoll;

/* The descriptor of an open connection of a transport of epoll; -1: there is none. It stays the transport's. */
int epoll_descriptor(struct transport *transport, uint32_t slot);

#endif
