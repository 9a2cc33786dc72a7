/*
 * socket_ring: small sends to many sockets, or receives from many, in one system call, by a ring of io_uring's. The
 * kernel runs them one after another inside the call. One thread, which need not be the one that creates and destroys
 * it.
 */
#ifndef BROADSIDE_SOCKET_RING_H
#define BROADSIDE_SOCKET_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/clock.h"

#define SOCKET_RING_MOST 256u       /* sends or receives at once */
#define SOCKET_RING_SEND_BYTES 512u /* longer sends gain nothing, and differ in the time that they take */

struct socket_ring;

/* NULL where this build or this kernel has no such ring. */
struct socket_ring *socket_ring_create(void);

void socket_ring_destroy(struct socket_ring *ring);

/* The descriptor that the thread must have. */
int socket_ring_descriptor(const struct socket_ring *ring);

/* Adds a send to the next call, until which BYTES and FD must stay valid, and STARTED_NS as long as that call lasts. */
void socket_ring_add_send(struct socket_ring *ring, int fd, const void *bytes, size_t length, uint64_t *started_ns);

/* Sends what was added, without waiting for room, and writes when each began: its share of the call's time later than
 * the one before it. Returns how many it has tried, in their order; below the number added the ring has failed, and can
 * only be destroyed. */
unsigned socket_ring_send(struct socket_ring *ring, const struct clock *clock);

/* Of the last call: how many bytes of the K-th send the kernel took, or -errno, such as -EAGAIN. */
int32_t socket_ring_taken(const struct socket_ring *ring, unsigned k);

/* Receives from COUNT sockets, SOCKET_RING_MOST at most, without waiting: up to SIZE bytes of FDS[i] into BUFFERS + i *
 * SIZE. No send may be added and not sent. RESULTS[i]: as recv(2) returns, or -errno; -EAGAIN where the kernel has not
 * tried. False: the ring has failed, and can only be destroyed; the results hold. */
bool socket_ring_receive(struct socket_ring *ring, const int *fds, unsigned count, uint8_t *buffers, size_t size,
                         int32_t *results);

#endif
