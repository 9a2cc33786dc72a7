/*
 * io_uring_ring.c: the ring of the transport over io_uring: its submissions, their times, and the wait for completions.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io_uring_transport.h"

int uring_create_ring(struct io_uring *ring, unsigned submissions, unsigned completions) {
  struct io_uring_params parameters = {
      .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_R_DISABLED | IORING_SETUP_CQSIZE |
               IORING_SETUP_CLAMP,
      .cq_entries = completions,
  };
  return io_uring_queue_init_params(submissions, ring, &parameters);
}

/* Just before a submission. */
static void write_start_times(struct uring_transport *self) {
  if (self->started_count == 0) return;
  uint64_t now_ns = clock_now(self->settings.clock);
  for (uint32_t i = 0; i < self->started_count; i++) *self->started[i] = now_ns;
  self->started_count = 0;
  self->started_bytes = 0;
}

/* Debian's liburing 2.3 exports no function for it. */
int uring_enable(struct uring_transport *self) {
  int fd = self->ring.ring_fd;
  if (!self->enabled && syscall(__NR_io_uring_register, fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0) != 0) return -errno;
  self->enabled = true;
  return 0;
}

void uring_submit(struct uring_transport *self) {
  int result = uring_enable(self);
  write_start_times(self);
  if (!result) result = io_uring_submit(&self->ring);
  if (result < 0 && result != -EINTR && result != -EAGAIN && result != -EBUSY) self->failed = result;
  if (result == -EBUSY) io_uring_get_events(&self->ring); /* completions wait for room */
}

/* How often the kernel may refuse a full queue for want of memory before the transport has failed. */
#define SUBMISSION_TRIES 10000u

struct io_uring_sqe *uring_next_entry(struct uring_transport *self, enum uring_operation operation, uint32_t slot) {
  struct io_uring_sqe *entry = io_uring_get_sqe(&self->ring);
  for (unsigned tries = 1; !entry; tries++) {
    uring_submit(self);
    entry = io_uring_get_sqe(&self->ring);
    if (!entry && tries == SUBMISSION_TRIES && !self->failed) self->failed = -ENOMEM;
    if (!entry && self->failed) entry = &self->discarded; /* turn() reports it */
  }
  if (operation != WAKE) self->connections[slot].in_flight++;
  if (operation < CANCELLABLE_OPERATIONS) self->connections[slot].cancellable |= (uint8_t)(1u << operation);
  return entry;
}

const struct msghdr *uring_message(struct uring_transport *self, const struct io_uring_sqe *entry,
                                   const struct iovec *iovecs, unsigned count) {
  size_t index = entry == &self->discarded ? SUBMISSIONS : (size_t)(entry - self->ring.sq.sqes);
  struct uring_message *message = &self->messages[index];
  memcpy(message->iovecs, iovecs, count * sizeof *iovecs);
  message->header = (struct msghdr){.msg_iov = message->iovecs, .msg_iovlen = count};
  return &message->header;
}

void uring_start_at_submission(struct uring_transport *self, uint64_t *started_ns) {
  if (self->started_count == SUBMISSIONS) write_start_times(self);
  self->started[self->started_count++] = started_ns;
}

int uring_submit_and_wait(struct uring_transport *self, uint64_t deadline_ns) {
  struct io_uring_cqe *completion;
  uint64_t now_ns = clock_now(self->settings.clock);
  write_start_times(self);
  bool has_work = self->closing.count > 0 || self->unread.count > 0 || io_uring_cq_ready(&self->ring) > 0;
  if (deadline_ns <= now_ns || has_work) {
    return io_uring_submit_and_get_events(&self->ring);
  }
  uint64_t wait_ns = deadline_ns - now_ns;
  struct __kernel_timespec wait = {.tv_sec = (long long)(wait_ns / NS_PER_SECOND),
                                   .tv_nsec = (long long)(wait_ns % NS_PER_SECOND)};
  if (wait_ns > NS_PER_SECOND) wait = (struct __kernel_timespec){.tv_sec = 1};
  return io_uring_submit_and_wait_timeout(&self->ring, &completion, 1, &wait, NULL);
}
