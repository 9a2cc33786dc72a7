/* An io_uring for a server: set up with what the kernel has, with buffers that it picks from for receives.
 * The one thing to know: a buffer belongs to the kernel until a completion names it, then to the model until
 * ring_return_buffer. There are so many of them and no more, whatever clients do; a connection at rest has none. */
#ifndef BROADSIDE_RING_H
#define BROADSIDE_RING_H

#include "../server.h"

#include <liburing.h>

/* The groups of buffers. What is received into one may be answered in place, so each lies at the start of
 * SERVER_BUFFER_BYTES of memory; they differ in how much of it a receive may fill. */
enum ring_group {
  RING_SMALL, /* for receives that bring many completions: what piles up before they can be stopped stays small */
  RING_LARGE, /* for receives of one completion: as much as the protocol takes at once */
  RING_GROUPS,
};

/* A receive that found no buffer (-ENOBUFS). Zeroed: it waits for none. */
struct ring_waiting {
  struct ring_waiting *next;
  bool waits;
};

struct ring {
  struct io_uring uring;
  struct ring_buffers {
    struct io_uring_buf_ring *queue;
    unsigned first, count; /* the numbers of its buffers; the kernel's name of one is its number within the group */
    unsigned bytes;        /* that a receive may fill of each */
    unsigned given;        /* so many of them are the kernel's, as far as it has said */
    struct ring_waiting *waiting_first, *waiting_last;
  } groups[RING_GROUPS];
  unsigned char *memory;
};

/* False, after having said why, where there is no io_uring that can do what is needed (Linux 6.0). */
bool ring_is_supported(void);
/* From now on `listener` stops listening before SIGTERM or SIGINT ends this process. The kernel dissolves a ring some
 * milliseconds after its process, and until then an accept that waits in it would keep the port. */
void ring_release_port_on_exit(int listener);

/* Sets it up for the calling thread, the only one that may use it. `read_bytes` as in struct protocol. False after
 * having said why. */
bool ring_open(struct ring *ring, size_t read_bytes);
/* A submission to be filled in; submits those before it when the queue is full. */
struct io_uring_sqe *ring_new_entry(struct ring *ring);
/* Submits what there is, and does not wait. */
void ring_submit(struct ring *ring);
/* Submits what there is and waits for a completion, at most `left_ns` (-1: for ever), in one system call. */
void ring_turn(struct ring *ring, int64_t left_ns);

/* A receive, into a buffer of that group. */
void ring_receive(struct io_uring_sqe *entry, int fd, enum ring_group group);
/* Takes the buffer that a completion of a receive from that group names: its number. */
unsigned ring_take_buffer(struct ring *ring, enum ring_group group, const struct io_uring_cqe *completion);
unsigned char *ring_bytes(const struct ring *ring, unsigned buffer);
void ring_return_buffer(struct ring *ring, unsigned buffer);

/* Where more receives than there are buffers are tried again at once, most of them fail again, each time: so they wait
 * in line. `waiting` stays where it is until ring_next_waiting has returned it. */
void ring_wait(struct ring *ring, enum ring_group group, struct ring_waiting *waiting);
/* The next in line, or NULL. Not to be called in a turn more often than `given` was at first, or nothing is won. */
struct ring_waiting *ring_next_waiting(struct ring *ring, enum ring_group group);
bool ring_has_waiting(const struct ring *ring);

#endif
