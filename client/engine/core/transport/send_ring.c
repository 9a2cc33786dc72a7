/*
 * send_ring.c: a ring whose entries are sends that complete inside the call that submits them.
 */
#include "send_ring.h"

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

struct send_ring {
  struct io_uring ring;
  bool enabled;
  unsigned added;
  int32_t taken[SEND_RING_MOST]; /* of each send added: its length, unless the kernel said otherwise */
  uint64_t *started_ns[SEND_RING_MOST];
};

struct send_ring *send_ring_create(void) {
  struct send_ring *self = calloc(1, sizeof *self);
  struct io_uring_params parameters = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN |
                                                IORING_SETUP_R_DISABLED};
  if (self && io_uring_queue_init_params(SEND_RING_MOST, &self->ring, &parameters) != 0) {
    free(self);
    return NULL;
  }
  return self;
}

void send_ring_destroy(struct send_ring *ring) {
  if (!ring) return;
  io_uring_queue_exit(&ring->ring);
  free(ring);
}

int send_ring_descriptor(const struct send_ring *ring) { return ring->ring.ring_fd; }

void send_ring_add(struct send_ring *ring, int fd, const void *bytes, size_t length, uint64_t *started_ns) {
  struct io_uring_sqe *entry = io_uring_get_sqe(&ring->ring);
  /* with MSG_WAITALL a send that is not taken whole is none that succeeds, and has a completion */
  io_uring_prep_send(entry, fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL);
  entry->flags |= IOSQE_CQE_SKIP_SUCCESS;
  io_uring_sqe_set_data64(entry, ring->added);
  ring->started_ns[ring->added] = started_ns;
  ring->taken[ring->added++] = (int32_t)length;
}

/* By the thread that sends. Without a registered descriptor a call only costs more. */
static bool enable(struct send_ring *ring) {
  if (syscall(__NR_io_uring_register, ring->ring.ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0) != 0) return false;
  ring->enabled = true;
  io_uring_register_ring_fd(&ring->ring);
  return true;
}

/* How many entries the kernel has taken: all, unless it keeps refusing. */
static unsigned submit(struct send_ring *ring) {
  unsigned taken = 0;
  for (unsigned tries = 0; taken < ring->added && tries < TRIES; tries++) {
    int result = io_uring_submit(&ring->ring);
    if (result > 0) taken += (unsigned)result;
    if (result < 0 && result != -EINTR && result != -EAGAIN && result != -EBUSY) break;
  }
  return taken;
}

unsigned send_ring_send(struct send_ring *ring, const struct clock *clock) {
  if (!ring->enabled && !enable(ring)) return 0;
  uint64_t from_ns = clock_now(clock);
  unsigned tried = submit(ring), head, seen = 0;
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

int32_t send_ring_taken(const struct send_ring *ring, unsigned k) { return ring->taken[k]; }

#else

struct send_ring *send_ring_create(void) {
  return NULL;
}

void send_ring_destroy(struct send_ring *ring) { (void)ring; }

int send_ring_descriptor(const struct send_ring *ring) {
  (void)ring;
  return -1;
}

void send_ring_add(struct send_ring *ring, int fd, const void *bytes, size_t length, uint64_t *started_ns) {
  (void)ring, (void)fd, (void)bytes, (void)length, (void)started_ns;
}

unsigned send_ring_send(struct send_ring *ring, const struct clock *clock) {
  (void)ring, (void)clock;
  return 0;
}

int32_t send_ring_taken(const struct send_ring *ring, unsigned k) {
  (void)ring, (void)k;
  return 0;
}

#endif
