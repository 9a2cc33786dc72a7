/*
 * socket_ring.c: a ring whose entries are sends or receives that complete inside the call that submits them.
 */
#include "socket_ring.h"

#ifdef HAVE_LIBURING

#include <errno.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The ring has failed when the kernel has refused entries this often because it had no memory. */
#define TRIES 100u

struct socket_ring {
  struct io_uring ring;
  bool enabled;
  unsigned added;
  int32_t taken[SOCKET_RING_MOST]; /* of each send added: its length, unless the kernel said otherwise */
  uint64_t *started_ns[SOCKET_RING_MOST];
};

struct socket_ring *socket_ring_create(void) {
  struct socket_ring *self = calloc(1, sizeof *self);
  struct io_uring_params parameters = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN |
                                                IORING_SETUP_R_DISABLED};
  if (self && io_uring_queue_init_params(SOCKET_RING_MOST, &self->ring, &parameters) != 0) {
    free(self);
    return NULL;
  }
  return self;
}

void socket_ring_destroy(struct socket_ring *ring) {
  if (!ring) return;
  io_uring_queue_exit(&ring->ring);
  free(ring);
}

int socket_ring_descriptor(const struct socket_ring *ring) { return ring->ring.ring_fd; }

void socket_ring_add_send(struct socket_ring *ring, int fd, const void *bytes, size_t length, uint64_t *started_ns) {
  struct io_uring_sqe *entry = io_uring_get_sqe(&ring->ring);
  /* with MSG_WAITALL a short send counts as failed, so that it posts a completion */
  io_uring_prep_send(entry, fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL);
  entry->flags |= IOSQE_CQE_SKIP_SUCCESS;
  io_uring_sqe_set_data64(entry, ring->added);
  ring->started_ns[ring->added] = started_ns;
  ring->taken[ring->added++] = (int32_t)length;
}

/* By the thread that sends. Without a registered descriptor a call only costs more. */
static bool enable(struct socket_ring *ring) {
  if (syscall(__NR_io_uring_register, ring->ring.ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0) != 0) return false;
  ring->enabled = true;
  io_uring_register_ring_fd(&ring->ring);
  return true;
}

/* How many of COUNT entries the kernel has taken: all, unless it keeps refusing. */
static unsigned submit(struct socket_ring *ring, unsigned count) {
  unsigned taken = 0;
  for (unsigned tries = 0; taken < count && tries < TRIES; tries++) {
    int result = io_uring_submit(&ring->ring);
    if (result > 0) taken += (unsigned)result;
    if (result < 0 && result != -EINTR && result != -EAGAIN && result != -EBUSY) break;
  }
  return taken;
}

unsigned socket_ring_send(struct socket_ring *ring, const struct clock *clock) {
  if (!ring->enabled && !enable(ring)) return 0;
  uint64_t from_ns = clock_now(clock);
  unsigned tried = submit(ring, ring->added), head, seen = 0;
  uint64_t took_ns = clock_now(clock) - from_ns;
  for (unsigned k = 0; k < tried; k++) *ring->started_ns[k] = from_ns + took_ns * k / tried;
  struct io_uring_cqe *completion;
  io_uring_for_each_cqe(&ring->ring, head, completion) {
    ring->taken[io_uring_cqe_get_data64(completion)] = completion->res;
    seen++;
  }
  io_uring_cq_advance(&ring->ring, seen);
  ring->added = 0;
  return tried;
}

int32_t socket_ring_taken(const struct socket_ring *ring, unsigned k) { return ring->taken[k]; }

bool socket_ring_receive(struct socket_ring *ring, const int *fds, unsigned count, uint8_t *buffers, size_t size,
                         int32_t *results) {
  for (unsigned i = 0; i < count; i++) results[i] = -EAGAIN;
  if (!ring->enabled && !enable(ring)) return false;
  for (unsigned i = 0; i < count; i++) {
    struct io_uring_sqe *entry = io_uring_get_sqe(&ring->ring);
    io_uring_prep_recv(entry, fds[i], buffers + i * size, size, MSG_DONTWAIT);
    io_uring_sqe_set_data64(entry, i);
  }
  unsigned head, seen = 0, tried = submit(ring, count);
  struct io_uring_cqe *completion;
  io_uring_for_each_cqe(&ring->ring, head, completion) {
    results[io_uring_cqe_get_data64(completion)] = completion->res;
    seen++;
  }
  io_uring_cq_advance(&ring->ring, seen);
  return tried == count;
}

#else

struct socket_ring *socket_ring_create(void) {
  return NULL;
}

void socket_ring_destroy(struct socket_ring *ring) { (void)ring; }

int socket_ring_descriptor(const struct socket_ring *ring) {
  (void)ring;
  return -1;
}

void socket_ring_add_send(struct socket_ring *ring, int fd, const void *bytes, size_t length, uint64_t *started_ns) {
  (void)ring, (void)fd, (void)bytes, (void)length, (void)started_ns;
}

unsigned socket_ring_send(struct socket_ring *ring, const struct clock *clock) {
  (void)ring, (void)clock;
  return 0;
}

int32_t socket_ring_taken(const struct socket_ring *ring, unsigned k) {
  (void)ring, (void)k;
  return 0;
}

bool socket_ring_receive(struct socket_ring *ring, const int *fds, unsigned count, uint8_t *buffers, size_t size,
                         int32_t *results) {
  (void)ring, (void)fds, (void)count, (void)buffers, (void)size, (void)results;
  return false;
}

#endif
