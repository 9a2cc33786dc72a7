/*
 * io_uring.c: the transport over io_uring: one ring, submitted once a turn and, so that few sends share a time, when
 * some wait. Multishot receives share the buffers of the ring, so that an idle connection owns none. Needs Linux 6.1
 * (SINGLE_ISSUER, DEFER_TASKRUN, multishot receive).
 *
 * The one thing to know: a descriptor is closed only after every operation on it has completed, its cancellation
 * included. So no completion ever finds another connection under its slot or its descriptor.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "io_uring_transport.h"

#define COMPLETIONS_AT_ONCE 256u  /* that are taken out of the queue */
#define COMPLETIONS_PER_CLOCK 32u /* completions that share one reading of the clock */
/* Sends that are submitted together and so share one time, and from how many bytes on. Each takes the kernel some
 * microseconds, which are part of the response times of those behind it. */
#define SENDS_PER_SUBMISSION 16u
#define SEND_BYTES_PER_SUBMISSION (16u * 1024u)

void uring_receive(struct uring_transport *self, uint32_t slot) {
  struct io_uring_sqe *entry = uring_next_entry(self, RECEIVE, slot);
  bool is_stamped = self->connections[slot].stamps != STAMPS_NONE;
  if (!is_stamped) {
    io_uring_prep_recv_multishot(entry, self->connections[slot].fd, NULL, 0, 0);
  } else {
    io_uring_prep_recvmsg_multishot(entry, self->connections[slot].fd, &self->stamped, 0);
  }
  entry->ioprio |= IORING_RECVSEND_POLL_FIRST; /* otherwise it needs a buffer to learn that nothing is there */
  entry->flags |= IOSQE_BUFFER_SELECT;
  entry->buf_group = is_stamped ? STAMPED_BUFFERS_GROUP : BUFFERS_GROUP;
  uring_set_tag(entry, RECEIVE, slot);
}

void uring_close_slot(struct uring_transport *self, uint32_t slot) {
  struct uring_connection *connection = &self->connections[slot];
  if (connection->fd >= 0) {
    if (connection->reset) socket_reset_on_close(connection->fd);
    close(connection->fd);
  }
  connection->fd = -1;
  connection->state = CLOSED;
  closing_queue_add(&self->closing, slot);
}

void uring_cancel(struct uring_transport *self, uint32_t slot, enum uring_operation operation) {
  struct io_uring_sqe *entry = uring_next_entry(self, CANCEL, slot);
  /* by its tag, which the kernel finds in a hash table; for a descriptor it compares with every operation of the ring
   */
  io_uring_prep_cancel64(entry, uring_tag(operation, slot), 0);
  io_uring_sqe_set_data64(entry, uring_tag(CANCEL, slot) | (uint64_t)operation << CANCELLED_SHIFT);
}

void uring_end_slot(struct uring_transport *self, uint32_t slot, int reason) {
  struct uring_connection *connection = &self->connections[slot];
  connection->state = ENDING;
  connection->reason = reason == IO_EOF && connection->failure ? connection->failure : reason;
  if (connection->in_flight == 0) {
    uring_close_slot(self, slot);
    return;
  }
  uint8_t cancellable = connection->cancellable;
  for (unsigned operation = 0; operation < CANCELLABLE_OPERATIONS; operation++) {
    if (cancellable & 1u << operation) uring_cancel(self, slot, (enum uring_operation)operation);
  }
}

static void ring_connect(struct transport *transport, uint32_t slot, const struct endpoint *endpoint,
                         uint16_t source_port, uint64_t *started_ns) {
  struct uring_transport *self = uring_of(transport);
  struct uring_connection *connection = &self->connections[slot];
  *connection = (struct uring_connection){.fd = -1, .state = CONNECTING};
  *started_ns = clock_now(self->settings.clock);
  bool is_stream = endpoint->protocol != IPPROTO_SCTP && endpoint->transport == SOCK_STREAM;
  int fd = is_stream ? socket_open_blocking(endpoint, source_port) : -EPROTONOSUPPORT;
  if (fd < 0) {
    uring_end_slot(self, slot, fd);
    return;
  }
  connection->fd = fd;
  connection->is_unix = endpoint->family == AF_UNIX;
  connection->may_be_self = socket_may_be_self_connected(&self->ephemeral, endpoint, source_port);
  struct io_uring_sqe *entry = uring_next_entry(self, CONNECT, slot);
  if (connection->is_unix) {
    io_uring_prep_nop(entry); /* connected already, in the call that began at *STARTED_NS; a turn delivers it */
  } else {
    io_uring_prep_connect(entry, fd, (const struct sockaddr *)&endpoint->address, endpoint->address_length);
    uring_start_at_submission(self, started_ns);
  }
  uring_set_tag(entry, CONNECT, slot);
}

static enum transport_send ring_send(struct transport *transport, uint32_t slot, const struct iovec *iovecs,
                                     unsigned count, uint64_t *started_ns) {
  struct uring_transport *self = uring_of(transport);
  struct uring_connection *connection = &self->connections[slot];
  if (connection->state != OPEN) {
    for (unsigned i = 0; i < count; i++) connection->unsent += iovecs[i].iov_len;
    return IO_PENDING;
  }
  struct io_uring_sqe *entry = uring_next_entry(self, SEND, slot);
  if (count == 1) {
    io_uring_prep_send(entry, connection->fd, iovecs->iov_base, iovecs->iov_len, MSG_NOSIGNAL | MSG_WAITALL);
  } else {
    io_uring_prep_sendmsg(entry, connection->fd, uring_message(self, entry, iovecs, count), MSG_NOSIGNAL | MSG_WAITALL);
  }
  uring_set_tag(entry, SEND, slot);
  for (unsigned i = 0; i < count; i++) connection->unsent += iovecs[i].iov_len;
  self->started_bytes += connection->unsent;
  if (connection->stamps != STAMPS_NONE) timestamps_count(&self->timestamps, slot, connection->unsent);
  connection->pending = true;
  *started_ns = transport->seen_ns; /* until it is submitted */
  uring_start_at_submission(self, started_ns);
  bool is_full = self->started_count >= SENDS_PER_SUBMISSION || self->started_bytes >= SEND_BYTES_PER_SUBMISSION;
  if (is_full) uring_submit(self);
  return IO_PENDING;
}

static void ring_stamp_sends(struct transport *transport, uint32_t slot, bool stamped) {
  struct uring_connection *connection = &uring_of(transport)->connections[slot];
  bool is_stamped = connection->stamps == STAMPS_ALL;
  if (connection->state != OPEN || connection->stamps == STAMPS_NONE || is_stamped == stamped) return;
  connection->stamps = (uint8_t)timestamps_of_sends(connection->fd, stamped);
}

static bool ring_sent_bytes(struct transport *transport, uint32_t slot, uint32_t *bytes) {
  *bytes = timestamps_sent_bytes(&uring_of(transport)->timestamps, slot);
  return true;
}

static bool ring_take_stamp(struct transport *transport, uint32_t slot, struct sent_stamp *stamp) {
  struct uring_transport *self = uring_of(transport);
  const struct uring_connection *connection = &self->connections[slot];
  if (connection->state != OPEN || connection->stamps == STAMPS_NONE) return false;
  return timestamps_take(&self->timestamps, transport, connection->fd, stamp);
}

static size_t ring_unsent_bytes(struct transport *transport, uint32_t slot) {
  return uring_of(transport)->connections[slot].unsent;
}

static void ring_shutdown_write(struct transport *transport, uint32_t slot) {
  struct uring_connection *connection = &uring_of(transport)->connections[slot];
  if (connection->state == OPEN) shutdown(connection->fd, SHUT_WR);
}

static int ring_inspect(struct transport *transport, uint32_t slot, struct tcp_info *info) {
  return socket_inspect(uring_of(transport)->connections[slot].fd, info);
}

static void ring_close(struct transport *transport, uint32_t slot, enum transport_close_mode mode) {
  struct uring_transport *self = uring_of(transport);
  struct uring_connection *connection = &self->connections[slot];
  if (connection->state == ENDING) { /* the peer ended it before; the owner has not been notified yet */
    connection->reason = 0;
    connection->reset |= mode == IO_RST;
    return;
  }
  if (connection->state != CONNECTING && connection->state != OPEN) return;
  connection->reset = mode == IO_RST;
  uring_end_slot(self, slot, 0);
}

/* Handles the completions that are there. Those that come meanwhile are the next turn's: a peer cannot prolong this
 * one. Returns how many. */
static unsigned handle_completions(struct uring_transport *self) {
  struct io_uring_cqe *entries[COMPLETIONS_AT_ONCE];
  unsigned handled = 0, due = io_uring_cq_ready(&self->ring);
  while (handled < due) {
    unsigned left = due - handled;
    unsigned got =
        io_uring_peek_batch_cqe(&self->ring, entries, left < COMPLETIONS_AT_ONCE ? left : COMPLETIONS_AT_ONCE);
    if (got == 0) break;
    for (unsigned i = 0; i < got; i++, handled++) {
      const struct uring_completion completion = {entries[i]->user_data, entries[i]->res, entries[i]->flags};
      io_uring_cq_advance(&self->ring, 1);
      if (handled > 0 && handled % COMPLETIONS_PER_CLOCK == 0) {
        self->transport.seen_ns = clock_now(self->settings.clock);
      }
      uring_deliver(self, &completion);
    }
  }
  return handled;
}

static int ring_turn(struct transport *transport, uint64_t deadline_ns) {
  struct uring_transport *self = uring_of(transport);
  int result = uring_enable(self);
  if (result == 0) result = uring_submit_and_wait(self, deadline_ns);
  transport->seen_ns = clock_now(self->settings.clock);
  if (self->failed) return self->failed;
  if (result < 0 && result != -ETIME && result != -EINTR && result != -EAGAIN && result != -EBUSY) return result;
  unsigned count = handle_completions(self);
  uring_read_unread(self);
  for (uint32_t due = self->closing.count; due > 0; due--) {
    uint32_t slot = closing_queue_take(&self->closing);
    self->connections[slot].state = FREE;
    self->settings.events->on_close(self->settings.owner, slot, self->connections[slot].reason);
  }
  return (int)count;
}

static void ring_wake(struct transport *transport) {
  uint64_t one = 1;
  if (write(uring_of(transport)->wake, &one, sizeof one) < 0) return; /* full: a wake is pending already */
}

static void ring_destroy(struct transport *transport) {
  struct uring_transport *self = uring_of(transport);
  if (self->has_ring) io_uring_queue_exit(&self->ring);
  for (uint32_t slot = 0; self->connections && slot < self->settings.slots; slot++) {
    if (self->connections[slot].fd >= 0 && !transport->has_own_table) close(self->connections[slot].fd);
  }
  if (self->wake >= 0) close(self->wake);
  free(self->connections);
  closing_queue_destroy(&self->closing);
  closing_queue_destroy(&self->unread);
  free(self->started);
  free(self->messages);
  free(self->read_buffer);
  ring_buffers_destroy(&self->buffers);
  ring_buffers_destroy(&self->stamped_buffers);
  timestamps_destroy(&self->timestamps);
  free(self);
}

static int ring_create(const struct transport_settings *settings, struct transport **transport) {
  struct uring_transport *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  self->transport.table = &transport_io_uring;
  self->settings = *settings;
  self->ephemeral = socket_ephemeral_ports();
  self->stamped.msg_controllen = TIMESTAMPS_CONTROL_BYTES;
  self->wake = eventfd(0, EFD_CLOEXEC);
  int error = self->wake < 0 ? -errno : uring_create_ring(&self->ring, SUBMISSIONS, COMPLETIONS);
  self->has_ring = !error;
  self->connections = calloc(settings->slots, sizeof *self->connections);
  if (!error) error = closing_queue_create(&self->closing, settings->slots);
  if (!error) error = closing_queue_create(&self->unread, settings->slots);
  self->started = calloc(SUBMISSIONS, sizeof *self->started);
  self->messages = calloc(SUBMISSIONS + 1, sizeof *self->messages);
  self->read_buffer = malloc(READ_BYTES);
  bool has_memory = self->connections && self->started && self->messages && self->read_buffer;
  if (!error && !has_memory) error = -ENOMEM;
  for (uint32_t slot = 0; self->connections && slot < settings->slots; slot++) self->connections[slot].fd = -1;
  if (!error) error = ring_buffers_create(&self->ring, BUFFERS_GROUP, true, &self->buffers);
  if (!error) error = ring_buffers_create(&self->ring, STAMPED_BUFFERS_GROUP, false, &self->stamped_buffers);
  if (!error) error = timestamps_create(&self->timestamps, settings);
  if (error) {
    ring_destroy(&self->transport);
    return error;
  }
  uring_watch_wake(self);
  transport_keep(&self->transport, self->ring.ring_fd);
  transport_keep(&self->transport, self->wake);
  *transport = &self->transport;
  return 0;
}

static int ring_probe(void) {
  struct io_uring ring;
  int error = uring_create_ring(&ring, 8, 16);
  if (!error) io_uring_queue_exit(&ring);
  return error;
}

const struct transport_table transport_io_uring = {
    .name = "io_uring",
    .probe = ring_probe,
    .create = ring_create,
    .connect = ring_connect,
    .send = ring_send,
    .unsent_bytes = ring_unsent_bytes,
    .shutdown_write = ring_shutdown_write,
    .inspect = ring_inspect,
    .stamp_sends = ring_stamp_sends,
    .sent_bytes = ring_sent_bytes,
    .take_stamp = ring_take_stamp,
    .close = ring_close,
    .turn = ring_turn,
    .wake = ring_wake,
    .destroy = ring_destroy,
};
