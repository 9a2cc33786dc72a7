/*
 * send_ring: small sends to many sockets in one system call, by a ring of io_uring's. The kernel runs them one after
 * another inside the call; only one that it does not take whole has a completion. One thread, which need not be the one
 * that creates and destroys it.
 */
#ifndef BROADSIDE_SEND_RING_H
#define BROADSIDE_SEND_RING_H

#include <stddef.h>
#include <stdint.h>

#include "../base/clock.h"

#define SEND_RING_MOST 256u  /* sends at once */
#define SEND_RING_BYTES 512u /* longer ones gain nothing, and differ in the time that they take */

struct send_ring;

/* NULL where this build or this kernel has no such ring. */
struct send_ring *send_ring_create(void);

void send_ring_destroy(struct send_ring *ring);

/* The descriptor that the thread must have. */
int send_ring_descriptor(const struct send_ring *ring);

/* Adds a send to the next call, until which BYTES and FD must stay valid, and STARTED_NS as long as that call lasts. */
void send_ring_add(struct send_ring *ring, int fd, const void *bytes, size_t length, uint64_t *started_ns);

/* Sends what was added, without waiting for room, and writes when each began: its share of the call's time later than
 * the one before it. Returns how many it has tried, in their order; below the number added the ring has failed, and can
 * only be destroyed. */
unsigned send_ring_send(struct send_ring *ring, const struct clock *clock);

/* Of the last call: how many bytes of the K-th send the kernel took, or -errno, such as -EAGAIN. */
int32_t send_ring_taken(const struct send_ring *ring, unsigned k);

#endif
