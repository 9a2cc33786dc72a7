/*
 * io_uring_transport: what the files of the transport over io_uring share: its connections and its ring. io_uring.c has
 * the table of functions and how connections begin and end, io_uring_ring.c the ring and its submissions,
 * io_uring_completions.c what each completion means. Private to them.
 */
#ifndef BROADSIDE_IO_URING_TRANSPORT_H
#define BROADSIDE_IO_URING_TRANSPORT_H

#include <liburing.h>

#include "closing_queue.h"
#include "io_uring_buffers.h"
#include "socket.h"
#include "timestamps.h"
#include "transport.h"

#define SUBMISSIONS (4096u / IO_URING_PART)
#define COMPLETIONS (16384u / IO_URING_PART)

/* ENDING: operations are still in flight. CLOSED: on_close is due. */
enum uring_slot_state { FREE, CONNECTING, OPEN, ENDING, CLOSED };

/* What an entry of the ring is for. DELIVERED: a completion that has been delivered before those in front of it. */
enum uring_operation { CONNECT, RECEIVE, SEND, CANCEL, WAKE, DELIVERED };

/* Those that a connection has in flight once at most; a set of them is of 1 << operation. */
#define CANCELLABLE_OPERATIONS 3u

/* The tag of an entry has its slot in the low 32 bits, its operation in the next 8, and from this bit on the operation
 * that it cancels. */
#define CANCELLED_SHIFT 40

struct uring_connection {
  int fd;              /* -1: none */
  int failure;         /* of a send, after which the receive goes on to the end of the stream; 0: none has failed */
  int reason;          /* ENDING, CLOSED: for on_close; 0 also where the owner has closed it after its peer */
  uint8_t state;       /* enum uring_slot_state */
  uint8_t in_flight;   /* operations whose last completion has not come, cancellations among them */
  uint8_t cancellable; /* the set of those that can be cancelled */
  bool reset;          /* closing sends RST */
  bool is_unix;        /* a unix socket */
  bool may_be_self;    /* it may be connected to itself */
  bool pending;        /* the last send has not been reported */
  uint8_t stamps;      /* enum stamping */
  size_t unsent;       /* its bytes that the kernel has not taken, also after it broke off */
};

/* What the ring says of an operation. */
struct uring_completion {
  uint64_t tag;
  int result;
  uint32_t flags;
};

/* A send of several iovecs, which must last until the kernel has taken its entry. */
struct uring_message {
  struct msghdr header;
  struct iovec iovecs[IO_IOVECS_MAX];
};

struct uring_transport {
  struct transport transport;
  struct transport_settings settings;
  struct io_uring ring;
  bool has_ring, enabled;
  int failed;                    /* -errno once the kernel has refused a submission for good */
  struct io_uring_sqe discarded; /* ... then entries are prepared here and not submitted */
  int wake;                      /* an eventfd */
  uint64_t wake_count;           /* read from it */
  struct uring_connection *connections;
  struct closing_queue closing, unread; /* unread: without a receive in flight; read at the end of a turn */
  struct port_range ephemeral;
  uint64_t **started; /* where to write the time of the next submission */
  uint32_t started_count;
  size_t started_bytes; /* of the sends among them */
  struct uring_message
      *messages;               /* one for each entry of the ring, and for the discarded one; touched only where used */
  struct ring_buffers buffers; /* of receives without a time */
  struct ring_buffers stamped_buffers; /* of those with one, which has its place in front of the bytes */
  struct timestamps timestamps;
  struct msghdr stamped;   /* how receives that carry their time are asked for */
  uint8_t *read_buffer;    /* of reads for which the ring had no buffer */
  unsigned sends_reported; /* completions of sends before this place of the queue have been delivered */
};

enum { BUFFERS_GROUP = 1, STAMPED_BUFFERS_GROUP };

static inline struct uring_transport *uring_of(struct transport *transport) {
  return (struct uring_transport *)(void *)transport;
}

/* ---- the ring ---- */

/* 0 or -errno. */
int uring_create_ring(struct io_uring *ring, unsigned submissions, unsigned completions);

/* The thread that submits first becomes the ring's only issuer. 0 or -errno. */
int uring_enable(struct uring_transport *self);

/* Submits in mid-turn or before the first, because the queue is full. */
void uring_submit(struct uring_transport *self);

/* Submits what is queued and waits for a completion until the deadline. 0 or more, or -errno. */
int uring_submit_and_wait(struct uring_transport *self, uint64_t deadline_ns);

/* An entry of the ring to be filled in for SLOT, which counts as in flight. */
struct io_uring_sqe *uring_next_entry(struct uring_transport *self, enum uring_operation operation, uint32_t slot);

static inline uint64_t uring_tag(enum uring_operation operation, uint32_t slot) {
  return (uint64_t)operation << 32 | slot;
}

static inline enum uring_operation uring_operation_of(uint64_t tag) { return (enum uring_operation)(tag >> 32 & 0xff); }

static inline void uring_set_tag(struct io_uring_sqe *entry, enum uring_operation operation, uint32_t slot) {
  io_uring_sqe_set_data64(entry, uring_tag(operation, slot));
}

/* The message of ENTRY, of COUNT iovecs. */
const struct msghdr *uring_message(struct uring_transport *self, const struct io_uring_sqe *entry,
                                   const struct iovec *iovecs, unsigned count);

/* *STARTED_NS is to be the time of the submission of the last entry. */
void uring_start_at_submission(struct uring_transport *self, uint64_t *started_ns);

/* ---- a connection ---- */

/* Queues its next receive. */
void uring_receive(struct uring_transport *self, uint32_t slot);

/* Reads those that could not be read when their receive found no buffer. */
void uring_read_unread(struct uring_transport *self);

/* Queues the cancellation of OPERATION, which is in flight. */
void uring_cancel(struct uring_transport *self, uint32_t slot, enum uring_operation operation);

/* It ends for REASON; first the operations in flight are cancelled. */
void uring_end_slot(struct uring_transport *self, uint32_t slot, int reason);

/* No operation is in flight: closes the descriptor, and on_close becomes due. */
void uring_close_slot(struct uring_transport *self, uint32_t slot);

/* ---- what comes ---- */

/* Queues the read of the eventfd that wake() writes. */
void uring_watch_wake(struct uring_transport *self);

/* Handles a completion, which is no longer in the queue. */
void uring_deliver(struct uring_transport *self, const struct uring_completion *completion);

#endif
