/* An io_uring instance with the features that the kernel has, and buffers that the kernel selects for receives. A
 * buffer belongs to the kernel until a completion names it, then to the model until ring_return_buffer. Their number is
 * fixed, whatever clients do; an idle connection has none. */
#ifndef BROADSIDE_RING_H
#define BROADSIDE_RING_H

#include "../server.h"

#include <liburing.h>

/* The groups of buffers. Input may be answered in place, so each buffer lies at the start of SERVER_BUFFER_BYTES of
 * memory; the groups differ in how much of it a receive may fill. */
enum ring_group {
  RING_SMALL, /* for multishot receives: little accumulates before they can be stopped */
  RING_LARGE, /* for single receives: as much as the protocol accepts at once */
  RING_GROUPS,
};

/* A receive that found no buffer (-ENOBUFS). Zeroed: not waiting. */
struct ring_waiting {
  struct ring_waiting *next;
  bool waits;
};

struct ring {
  struct io_uring uring;
  struct ring_buffers {
    struct io_uring_buf_ring *queue;
    unsigned first, count; /* the range of its buffer numbers; the kernel numbers them from 0 within the group */
    unsigned bytes;        /* bytes that a receive may fill */
    unsigned given;        /* how many the kernel still has, as far as it has reported */
    struct ring_waiting *waiting_first, *waiting_last;
  } groups[RING_GROUPS];
  unsigned char *memory;
};

/* Returns false, after logging the reason, when io_uring is not available or too old (Linux 6.0 is required). */
bool ring_is_supported(void);
/* Makes `listener` stop listening before SIGTERM or SIGINT ends this process. The kernel releases a ring some
 * milliseconds after its process, and until then an accept in the ring would keep the port. */
void ring_release_port_on_exit(int listener);

/* Sets the ring up for the calling thread, the only one that may use it. `read_bytes` as in struct protocol. Returns
 * false after logging the error. */
bool ring_open(struct ring *ring, size_t read_bytes);
/* A submission entry to fill in; submits the previous ones when the queue is full. */
struct io_uring_sqe *ring_new_entry(struct ring *ring);
/* Submits the pending entries without waiting. */
void ring_submit(struct ring *ring);
/* Submits the pending entries and waits for a completion, at most `left_ns` (-1: no limit), in one system call. */
void ring_turn(struct ring *ring, int64_t left_ns);

/* Prepares a receive into a buffer of this group. */
void ring_receive(struct io_uring_sqe *entry, int fd, enum ring_group group);
/* Takes the buffer named by a completion of a receive from this group. Returns its number. */
unsigned ring_take_buffer(struct ring *ring, enum ring_group group, const struct io_uring_cqe *completion);
unsigned char *ring_bytes(const struct ring *ring, unsigned buffer);
void ring_return_buffer(struct ring *ring, unsigned buffer);

/* If there are more receives than buffers, retrying all of them makes most fail again; so they wait in line. `waiting`
 * must stay valid until ring_next_waiting returns it. */
void ring_wait(struct ring *ring, enum ring_group group, struct ring_waiting *waiting);
/* The next in line, or NULL. Per turn it should be called at most `given` times, as `given` was at the start of the
 * turn. */
struct ring_waiting *ring_next_waiting(struct ring *ring, enum ring_group group);
bool ring_has_waiting(const struct ring *ring);

#endif
