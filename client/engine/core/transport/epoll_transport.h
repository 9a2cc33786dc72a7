/*
 * epoll_transport: what the files of the transport over epoll share: its connections, and the steps of one that more
 * than one of them takes. epoll.c has the turn and the table of functions; epoll_connects.c, epoll_sends.c and
 * epoll_receives.c each have one part of a connection's life. Private to them.
 */
#ifndef BROADSIDE_EPOLL_TRANSPORT_H
#define BROADSIDE_EPOLL_TRANSPORT_H

#include <sys/epoll.h>

#include "closing_queue.h"
#include "socket.h"
#include "socket_ring.h"
#include "timestamps.h"
#include "transport.h"
#include "udp_socket.h"

#define EVENTS_PER_TURN SOCKET_RING_MOST /* each has at most one deferred send */
#define RING_MIN 4u                      /* fewer sends or reads are made one by one */
#define RING_READ_BYTES 2048u            /* of each read by the ring; what is longer is read from the socket */
#define READS_PER_EVENT 4 /* full buffers or datagrams read from one connection before the next has its turn */
#define NO_SLOT UINT32_MAX

/* All that happens to a socket of TCP, reported once: it is neither asked again each turn, nor are its events changed
 * when it has connected or while a send is blocked. A unix socket would report room after each read of its peer. */
#define EPOLL_EDGES (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)

/* BROKEN: a send has failed; what came before that is still to be read, and on_close to be delivered. */
enum epoll_slot_state { FREE, CONNECTING, OPEN, BROKEN, CLOSED };
/* TCP_STREAM is watched edge-triggered, the others level-triggered. */
enum epoll_socket_kind { TCP_STREAM, UNIX_STREAM, SCTP_ONE_TO_ONE, SCTP_ONE_TO_MANY, DATAGRAMS };

struct epoll_connection {
  int fd;              /* -1: none; CLOSED, and FREE during on_close: a socket that may connect again */
  int reason;          /* BROKEN, CLOSED: for on_close; CONNECTING: whether it may be connected to itself */
  uint8_t state : 4;   /* enum epoll_slot_state */
  uint8_t reuse : 4;   /* enum socket_reuse: of the socket, for the slot's next connection */
  uint8_t unsent;      /* iovecs of a blocked send that are left, also after it broke off; 0: none */
  uint8_t kind : 4;    /* enum epoll_socket_kind */
  uint8_t is_long : 4; /* the last read was longer than RING_READ_BYTES */
  uint8_t stamps;      /* enum stamping */
};

/* The iovecs of a blocked send. In an array apart, whose memory is touched only once a send has blocked. */
struct blocked_send {
  struct iovec iovecs[IO_IOVECS_MAX];
};

/* TAKEN: the kernel has taken all of it, and on_sent is due. TRIED: it has not, and nothing is due. */
enum deferred_state { DEFERRED, TAKEN, TRIED };

/* A send that waits until the replies that are there have been read. */
struct deferred_send {
  uint64_t *started_ns;
  uint32_t slot;
  uint8_t count;
  uint8_t state; /* enum deferred_state */
  struct iovec iovecs[IO_IOVECS_MAX];
};

/* The memory for the reads of a turn that are made by one call. */
struct ring_reads {
  uint8_t *buffers; /* RING_READ_BYTES for each; NULL: streams are read one by one */
  int fds[EVENTS_PER_TURN];
  int32_t results[EVENTS_PER_TURN];
  uint16_t events[EVENTS_PER_TURN]; /* which event of the turn each is for */
};

struct epoll_transport {
  struct transport transport;
  struct transport_settings settings;
  int epoll, wake; /* descriptors */
  struct epoll_connection *connections;
  struct blocked_send *blocked;
  int32_t *associations;        /* of the one-to-many sockets; NULL until there is one */
  struct udp_request *requests; /* of the sockets of UDP; NULL until there is one */
  struct closing_queue closing;
  struct port_range ephemeral;
  struct timestamps timestamps;
  uint8_t *buffer;
  bool defers_now;          /* inside the events of a turn */
  uint32_t ended_slot;      /* the one whose event is being delivered, if its peer has ended the stream; else NO_SLOT */
  struct socket_ring *ring; /* for the reads and deferred sends of a turn; NULL: each is made by a call of its own */
  struct ring_reads reads;
  uint32_t deferred_count;
  struct deferred_send deferred[EVENTS_PER_TURN];
  struct epoll_event events[EVENTS_PER_TURN];
};

static inline struct epoll_transport *epoll_of(struct transport *transport) {
  return (struct epoll_transport *)(void *)transport;
}

/* Closes the socket, if there is one. */
void epoll_close_socket(struct epoll_connection *connection);

/* Closes the socket at once; turn() delivers the on_close. */
void epoll_end_connection(struct epoll_transport *self, uint32_t slot, int reason);

/* A send has failed for REASON: turn() delivers the bytes that the peer sent before, such as a reply that did not wait
 * for the whole request (RFC 9112, section 9.5), and then the on_close. */
void epoll_break_connection(struct epoll_transport *self, uint32_t slot, int reason);

/* epoll_ctl(2) for the descriptor of a slot. 0 or -errno. */
int epoll_watch(struct epoll_transport *self, int operation, uint32_t slot, uint32_t events);

/* From here on reads and sends are made one by one. */
void epoll_destroy_ring(struct epoll_transport *self);

/* As in struct transport_table. */
void epoll_connect(struct transport *transport, uint32_t slot, const struct endpoint *endpoint, uint16_t source_port,
                   uint64_t *started_ns);

/* A connecting socket has EVENTS: it is open or has failed. */
void epoll_finish_connect(struct epoll_transport *self, uint32_t slot, uint32_t events);

/* As in struct transport_table. */
enum transport_send epoll_send(struct transport *transport, uint32_t slot, const struct iovec *iovecs, unsigned count,
                               uint64_t *started_ns);
size_t epoll_unsent_bytes(struct transport *transport, uint32_t slot);

/* Sends what was deferred: of all slots; of one slot that is being closed, without an on_sent. */
void epoll_send_deferred(struct epoll_transport *self);
void epoll_send_deferred_of(struct epoll_transport *self, uint32_t slot);

/* There is room for a blocked send. */
void epoll_send_blocked(struct epoll_transport *self, uint32_t slot);

/* Each reads a socket that has news: a stream of bytes, whose EVENTS may say that it has ended; one of UDP; a
 * one-to-many socket, whose association is up or has ended, or which has bytes. */
void epoll_read_bytes(struct epoll_transport *self, uint32_t slot, uint32_t events);
void epoll_read_datagrams(struct epoll_transport *self, uint32_t slot);
void epoll_read_messages(struct epoll_transport *self, uint32_t slot);

/* Reads those streams of the first COUNT events that have bytes and nothing else to report, by one call where there is
 * a ring, and delivers what has come. The events that were delivered are cleared. Returns how many. */
unsigned epoll_read_together(struct epoll_transport *self, unsigned count);

/* Reads what is left of a BROKEN stream, unless the owner closes it meanwhile. */
void epoll_read_rest(struct epoll_transport *self, uint32_t slot);

#endif
