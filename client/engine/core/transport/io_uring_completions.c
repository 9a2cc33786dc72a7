/*
 * io_uring_completions.c: what each completion of the ring means for its connection.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io_uring_transport.h"

static void connected(struct uring_transport *self, uint32_t slot, int result) {
  struct uring_connection *connection = &self->connections[slot];
  if (connection->state != CONNECTING) return;
  if (result < 0) {
    uring_end_slot(self, slot, result);
  } else if (connection->may_be_self && socket_is_self_connected(connection->fd)) {
    connection->reset = true;
    uring_end_slot(self, slot, IO_SELF_CONNECTED);
  } else {
    connection->state = OPEN;
    if (!connection->is_unix) connection->stamps = (uint8_t)timestamps_begin(&self->timestamps, slot, connection->fd);
    uring_receive(self, slot);
    self->settings.events->on_connect(self->settings.owner, slot);
  }
}

/* The bytes of a receive that carries its time, which has RESULT bytes in BUFFER with all that is before them. Sets
 * *RESULT to their number; returns where they are. */
static const uint8_t *open_stamped(struct uring_transport *self, uint32_t slot, const uint8_t *buffer, int *result) {
  struct io_uring_recvmsg_out *out = io_uring_recvmsg_validate((void *)(uintptr_t)buffer, *result, &self->stamped);
  if (!out) {
    *result = -EBADMSG;
    return NULL;
  }
  unsigned length = io_uring_recvmsg_payload_length(out, *result, &self->stamped);
  bool is_full = (unsigned)*result == self->stamped_buffers.bytes; /* the time may be that of bytes after them */
  self->transport.arrived_ns = 0;
  if (!is_full && self->connections[slot].stamps == STAMPS_ALL) {
    struct msghdr message = {.msg_control = io_uring_recvmsg_name(out), .msg_controllen = out->controllen};
    self->transport.arrived_ns = timestamps_arrived_ns(&self->timestamps, &self->transport, &message);
  }
  *result = (int)length;
  return io_uring_recvmsg_payload(out, &self->stamped);
}

/* io_uring gives no order between different requests: before Linux 6.15 the completion of a multishot receive could
 * overtake that of a send that was done before it, and a read at once overtakes all. A reply would then look as if it
 * had come before its request was sent. So, where bytes meet a pending send, the completions of all sends in the queue
 * go first; their entries are marked. */
static void report_sends(struct uring_transport *self) {
  const struct io_uring_cq *queue = &self->ring.cq;
  unsigned place = *queue->khead, end = io_uring_smp_load_acquire(queue->ktail);
  if (end - self->sends_reported < end - place) place = self->sends_reported;
  self->sends_reported = end;
  for (; place != end; place++) {
    struct io_uring_cqe *entry = &queue->cqes[place & queue->ring_mask];
    if (uring_operation_of(entry->user_data) != SEND) continue;
    const struct uring_completion completion = {entry->user_data, entry->res, entry->flags};
    entry->user_data = uring_tag(DELIVERED, 0);
    uring_deliver(self, &completion);
  }
}

/* The receive has ended for want of a buffer or of room for completions. Would it just be queued again, it would
 * compete for the next buffers with those that have just had one, and its failures would delay the completions that
 * keep them. So what is there is read at once, as the transport over epoll does. */
static void read_at_once(struct uring_transport *self, uint32_t slot) {
  const struct uring_connection *connection = &self->connections[slot];
  if (connection->pending) report_sends(self);
  if (connection->state != OPEN) return;
  if (connection->pending && io_uring_cq_has_overflow(&self->ring)) { /* its completion may be out of reach */
    closing_queue_add(&self->unread, slot);
    return;
  }
  ssize_t length =
      connection->stamps == STAMPS_ALL
          ? timestamps_receive(&self->timestamps, &self->transport, connection->fd, self->read_buffer, READ_BYTES)
          : syscall(SYS_recvfrom, connection->fd, self->read_buffer, READ_BYTES, MSG_DONTWAIT, NULL, NULL);
  if (length == 0) {
    uring_end_slot(self, slot, IO_EOF);
  } else if (length < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
    uring_end_slot(self, slot, -errno);
  } else {
    if (length >= LONG_COPY_BYTES) self->transport.seen_ns = clock_now(self->settings.clock);
    if (length > 0) self->settings.events->on_bytes(self->settings.owner, slot, self->read_buffer, (size_t)length);
    if (connection->state == OPEN) uring_receive(self, slot);
  }
}

void uring_read_unread(struct uring_transport *self) {
  for (uint32_t due = self->unread.count; due > 0; due--) {
    uint32_t slot = closing_queue_take(&self->unread);
    if (self->connections[slot].state == OPEN) read_at_once(self, slot);
  }
}

static void received(struct uring_transport *self, uint32_t slot, int result, uint32_t flags) {
  struct uring_connection *connection = &self->connections[slot];
  struct ring_buffers *buffers = connection->stamps == STAMPS_NONE ? &self->buffers : &self->stamped_buffers;
  uint32_t filled = result > 0 ? (uint32_t)result : 0;
  const uint8_t *bytes = result > 0 ? ring_buffers_at(buffers, flags) : NULL;
  if (connection->pending && result > 0) report_sends(self);
  if (result > 0 && connection->stamps != STAMPS_NONE) bytes = open_stamped(self, slot, bytes, &result);
  if (result > 0 && connection->state == OPEN) {
    self->settings.events->on_bytes(self->settings.owner, slot, bytes, (size_t)result);
  }
  if (flags & IORING_CQE_F_BUFFER) ring_buffers_release(buffers, flags, filled);
  if (connection->state != OPEN) return;
  if (result <= 0 && result != -ENOBUFS) {
    uring_end_slot(self, slot, result == 0 ? IO_EOF : result);
  } else if (!(flags & IORING_CQE_F_MORE)) {
    read_at_once(self, slot);
  }
}

/* A send with MSG_WAITALL ends early only where the connection broke. Then the kernel says how many bytes it took and
 * gives no reason. */
static void sent(struct uring_transport *self, uint32_t slot, int result) {
  struct uring_connection *connection = &self->connections[slot];
  if (result > 0) connection->unsent -= (size_t)result;
  bool peer_ended = connection->state == ENDING && connection->reason != 0; /* what was sent before still counts */
  if (connection->state != OPEN && !peer_ended) return;
  if (result < 0 || connection->unsent > 0) {
    int failure = result >= 0 || result == -ECANCELED ? -ECONNRESET : result;
    if (!peer_ended && failure != -EPIPE && failure != -ECONNRESET) uring_end_slot(self, slot, failure);
    if (!peer_ended) connection->failure = failure;
  } else if (connection->pending) {
    connection->pending = false;
    self->settings.events->on_sent(self->settings.owner, slot);
  }
}

/* The cancellation of OPERATION has completed with RESULT. A blocked send that is woken without room is tried again and
 * again by the kernel, and while it waits for its next try no cancellation finds it. The end of the stream does: what
 * is in flight completes. */
static void cancelled(struct uring_transport *self, uint32_t slot, enum uring_operation operation, int result) {
  const struct uring_connection *connection = &self->connections[slot];
  bool in_flight = connection->cancellable & 1u << operation;
  if (connection->state == ENDING && in_flight && result < 0) shutdown(connection->fd, SHUT_RDWR);
}

void uring_watch_wake(struct uring_transport *self) {
  struct io_uring_sqe *entry = uring_next_entry(self, WAKE, 0);
  io_uring_prep_read(entry, self->wake, &self->wake_count, sizeof self->wake_count, 0);
  uring_set_tag(entry, WAKE, 0);
}

void uring_deliver(struct uring_transport *self, const struct uring_completion *completion) {
  uint32_t slot = (uint32_t)completion->tag, flags = completion->flags;
  enum uring_operation operation = uring_operation_of(completion->tag);
  int result = completion->result;
  if (operation == DELIVERED) return;
  if (operation == WAKE) {
    uring_watch_wake(self);
    return;
  }
  struct uring_connection *connection = &self->connections[slot];
  if (!(flags & IORING_CQE_F_MORE)) {
    connection->in_flight--;
    if (operation < CANCELLABLE_OPERATIONS) connection->cancellable &= (uint8_t) ~(1u << operation);
  }
  switch (operation) {
  case CONNECT: connected(self, slot, result); break;
  case RECEIVE: received(self, slot, result, flags); break;
  case SEND: sent(self, slot, result); break;
  case CANCEL: cancelled(self, slot, (enum uring_operation)(completion->tag >> CANCELLED_SHIFT), result); break;
  default: break;
  }
  if (connection->state == ENDING && connection->in_flight == 0) uring_close_slot(self, slot);
}
