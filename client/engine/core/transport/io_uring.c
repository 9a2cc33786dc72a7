/*
 * io_uring.c: the transport over io_uring: one ring, submitted once a turn. Multishot receives share one set of
 * buffers, so that an idle connection owns none. Needs Linux 6.1 (SINGLE_ISSUER, DEFER_TASKRUN, multishot receive).
 *
 * The one thing to know: a descriptor is closed only after every operation on it has completed, its cancellation
 * included. So no completion ever finds another connection under its slot or its descriptor.
 */
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "closing_queue.h"
#include "io_uring_buffers.h"
#include "socket.h"
#include "timestamps.h"

#define SUBMISSIONS (4096u / IO_URING_PART)
#define COMPLETIONS (16384u / IO_URING_PART)
#define COMPLETIONS_PER_TURN 256u
#define COMPLETIONS_PER_CLOCK 32u /* completions that share one reading of the clock */

/* ENDING: operations are still in flight. CLOSED: on_close is due. */
enum uring_slot_state { FREE, CONNECTING, OPEN, ENDING, CLOSED };

/* What an entry of the ring is for. DELIVERED: a completion that has been delivered before its turn. */
enum uring_operation { CONNECT, RECEIVE, SEND, CANCEL, WAKE, DELIVERED };

struct uring_connection {
  int fd;            /* -1: none */
  int reason;        /* ENDING, CLOSED: for on_close; 0 also where the owner has closed it after its peer */
  uint8_t state;     /* enum uring_slot_state */
  uint8_t in_flight; /* operations whose last completion has not come */
  uint8_t sending;   /* ... those of them that are iovecs of the send */
  bool reset;        /* closing sends RST */
  bool is_unix;      /* a unix socket */
  bool pending;      /* the last send has not been reported */
  uint8_t stamps;    /* enum stamping */
  size_t unsent;     /* its bytes that the kernel has not taken, also after it broke off */
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
  struct closing_queue closing;
  uint64_t **started; /* where to write the time of the next submission */
  uint32_t started_count;
  struct ring_buffers buffers;
  struct timestamps timestamps;
  struct msghdr stamped; /* how receives that carry their time are asked for */
  bool sends_delivered;  /* all completions of sends that were there in this turn */
};

static struct uring_transport *self_of(struct transport *transport) {
  return (struct uring_transport *)(void *)transport;
}

/* Just before a submission. */
static void write_start_times(struct uring_transport *self) {
  if (self->started_count == 0) return;
  uint64_t now_ns = clock_now(self->settings.clock);
  for (uint32_t i = 0; i < self->started_count; i++) *self->started[i] = now_ns;
  self->started_count = 0;
}

/* The thread that submits first becomes the ring's only issuer. (Debian's liburing 2.3 exports no function for it.) */
static int enable(struct uring_transport *self) {
  int fd = self->ring.ring_fd;
  if (!self->enabled && syscall(__NR_io_uring_register, fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0) != 0) return -errno;
  self->enabled = true;
  return 0;
}

/* Submits in mid-turn or before the first, because the queue is full. */
static void submit(struct uring_transport *self) {
  int result = enable(self);
  write_start_times(self);
  if (!result) result = io_uring_submit(&self->ring);
  if (result < 0 && result != -EINTR && result != -EAGAIN && result != -EBUSY) self->failed = result;
  if (result == -EBUSY) io_uring_get_events(&self->ring); /* completions wait for room */
}

static struct io_uring_sqe *next_entry(struct uring_transport *self, enum uring_operation operation, uint32_t slot) {
  struct io_uring_sqe *entry = io_uring_get_sqe(&self->ring);
  while (!entry) {
    submit(self);
    entry = io_uring_get_sqe(&self->ring);
    if (!entry && self->failed) entry = &self->discarded; /* turn() reports it */
  }
  if (operation != WAKE) self->connections[slot].in_flight++;
  return entry;
}

static void set_tag(struct io_uring_sqe *entry, enum uring_operation operation, uint32_t slot) {
  io_uring_sqe_set_data64(entry, (uint64_t)operation << 32 | slot);
}

/* *STARTED_NS is to be the time of the submission of the last entry. */
static void start_at_submission(struct uring_transport *self, uint64_t *started_ns) {
  if (self->started_count == SUBMISSIONS) write_start_times(self);
  self->started[self->started_count++] = started_ns;
}

static void receive(struct uring_transport *self, uint32_t slot) {
  struct io_uring_sqe *entry = next_entry(self, RECEIVE, slot);
  if (self->connections[slot].stamps == STAMPS_NONE) {
    io_uring_prep_recv_multishot(entry, self->connections[slot].fd, NULL, 0, 0);
  } else {
    io_uring_prep_recvmsg_multishot(entry, self->connections[slot].fd, &self->stamped, 0);
  }
  entry->flags |= IOSQE_BUFFER_SELECT;
  entry->buf_group = RING_BUFFERS_GROUP;
  set_tag(entry, RECEIVE, slot);
}

/* No operation is in flight: closes the descriptor, and on_close becomes due. */
static void close_slot(struct uring_transport *self, uint32_t slot) {
  struct uring_connection *connection = &self->connections[slot];
  if (connection->fd >= 0) {
    if (connection->reset) socket_reset_on_close(connection->fd);
    close(connection->fd);
  }
  connection->fd = -1;
  connection->state = CLOSED;
  closing_queue_add(&self->closing, slot);
}

static void cancel(struct uring_transport *self, uint32_t slot) {
  struct io_uring_sqe *entry = next_entry(self, CANCEL, slot);
  io_uring_prep_cancel_fd(entry, self->connections[slot].fd, IORING_ASYNC_CANCEL_ALL);
  set_tag(entry, CANCEL, slot);
}

/* The connection ends for REASON; first the operations in flight are cancelled. */
static void end_slot(struct uring_transport *self, uint32_t slot, int reason) {
  struct uring_connection *connection = &self->connections[slot];
  connection->state = ENDING;
  connection->reason = reason;
  if (connection->in_flight == 0) {
    close_slot(self, slot);
    return;
  }
  cancel(self, slot);
}

static void ring_connect(struct transport *transport, uint32_t slot, const struct endpoint *endpoint,
                         uint16_t source_port, uint64_t *started_ns) {
  struct uring_transport *self = self_of(transport);
  struct uring_connection *connection = &self->connections[slot];
  *connection = (struct uring_connection){.fd = -1, .state = CONNECTING};
  *started_ns = clock_now(self->settings.clock);
  bool is_stream = endpoint->protocol != IPPROTO_SCTP && endpoint->transport == SOCK_STREAM;
  int fd = is_stream ? socket_open_blocking(endpoint, source_port) : -EPROTONOSUPPORT;
  if (fd < 0) {
    end_slot(self, slot, fd);
    return;
  }
  connection->fd = fd;
  connection->is_unix = endpoint->family == AF_UNIX;
  struct io_uring_sqe *entry = next_entry(self, CONNECT, slot);
  if (connection->is_unix) {
    io_uring_prep_nop(entry); /* connected already, in the call that began at *STARTED_NS; a turn delivers it */
  } else {
    io_uring_prep_connect(entry, fd, (const struct sockaddr *)&endpoint->address, endpoint->address_length);
    start_at_submission(self, started_ns);
  }
  set_tag(entry, CONNECT, slot);
}

static enum transport_send ring_send(struct transport *transport, uint32_t slot, const struct iovec *iovecs,
                                     unsigned count, uint64_t *started_ns) {
  struct uring_transport *self = self_of(transport);
  struct uring_connection *connection = &self->connections[slot];
  if (connection->state != OPEN) {
    for (unsigned i = 0; i < count; i++) connection->unsent += iovecs[i].iov_len;
    return IO_PENDING;
  }
  if (io_uring_sq_space_left(&self->ring) < count) submit(self); /* a submission must not cut a chain of links */
  for (unsigned i = 0; i < count; i++) {
    bool last = i + 1 == count;
    struct io_uring_sqe *entry = next_entry(self, SEND, slot);
    int flags = MSG_NOSIGNAL | MSG_WAITALL | (last ? 0 : MSG_MORE);
    io_uring_prep_send(entry, connection->fd, iovecs[i].iov_base, iovecs[i].iov_len, flags);
    if (!last) entry->flags |= IOSQE_IO_LINK;
    set_tag(entry, SEND, slot);
    connection->unsent += iovecs[i].iov_len;
    if (connection->stamps != STAMPS_NONE) timestamps_count(&self->timestamps, slot, iovecs[i].iov_len);
  }
  connection->sending = (uint8_t)(connection->sending + count);
  connection->pending = true;
  *started_ns = transport->seen_ns; /* until it is submitted */
  start_at_submission(self, started_ns);
  return IO_PENDING;
}

static void ring_stamp_sends(struct transport *transport, uint32_t slot, bool stamped) {
  struct uring_connection *connection = &self_of(transport)->connections[slot];
  bool is_stamped = connection->stamps == STAMPS_ALL;
  if (connection->state != OPEN || connection->stamps == STAMPS_NONE || is_stamped == stamped) return;
  connection->stamps = (uint8_t)timestamps_of_sends(connection->fd, stamped);
}

static bool ring_sent_bytes(struct transport *transport, uint32_t slot, uint32_t *bytes) {
  *bytes = timestamps_sent_bytes(&self_of(transport)->timestamps, slot);
  return true;
}

static bool ring_take_stamp(struct transport *transport, uint32_t slot, struct sent_stamp *stamp) {
  struct uring_transport *self = self_of(transport);
  const struct uring_connection *connection = &self->connections[slot];
  if (connection->state != OPEN || connection->stamps == STAMPS_NONE) return false;
  return timestamps_take(&self->timestamps, transport, connection->fd, stamp);
}

static size_t ring_unsent_bytes(struct transport *transport, uint32_t slot) {
  return self_of(transport)->connections[slot].unsent;
}

static void ring_shutdown_write(struct transport *transport, uint32_t slot) {
  struct uring_connection *connection = &self_of(transport)->connections[slot];
  if (connection->state == OPEN) shutdown(connection->fd, SHUT_WR);
}

static int ring_inspect(struct transport *transport, uint32_t slot, struct tcp_info *info) {
  return socket_inspect(self_of(transport)->connections[slot].fd, info);
}

static void ring_close(struct transport *transport, uint32_t slot, enum transport_close_mode mode) {
  struct uring_transport *self = self_of(transport);
  struct uring_connection *connection = &self->connections[slot];
  if (connection->state == ENDING) { /* the peer ended it before; the owner has not been notified yet */
    connection->reason = 0;
    connection->reset |= mode == IO_RST;
    return;
  }
  if (connection->state != CONNECTING && connection->state != OPEN) return;
  connection->reset = mode == IO_RST;
  end_slot(self, slot, 0);
}

static void connected(struct uring_transport *self, uint32_t slot, int result) {
  struct uring_connection *connection = &self->connections[slot];
  if (connection->state != CONNECTING) return;
  if (result < 0) {
    end_slot(self, slot, result);
  } else if (socket_is_self_connected(connection->fd)) {
    connection->reset = true;
    end_slot(self, slot, IO_SELF_CONNECTED);
  } else {
    connection->state = OPEN;
    if (!connection->is_unix) connection->stamps = (uint8_t)timestamps_begin(&self->timestamps, slot, connection->fd);
    receive(self, slot);
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
  bool is_full = (unsigned)*result == RING_BUFFER_BYTES; /* the time may be that of bytes after them */
  self->transport.arrived_ns = 0;
  if (!is_full && self->connections[slot].stamps == STAMPS_ALL) {
    struct msghdr message = {.msg_control = io_uring_recvmsg_name(out), .msg_controllen = out->controllen};
    self->transport.arrived_ns = timestamps_arrived_ns(&self->timestamps, &self->transport, &message);
  }
  *result = (int)length;
  return io_uring_recvmsg_payload(out, &self->stamped);
}

static void received(struct uring_transport *self, uint32_t slot, int result, uint32_t flags) {
  struct uring_connection *connection = &self->connections[slot];
  const uint8_t *bytes = result > 0 ? ring_buffers_at(&self->buffers, flags) : NULL;
  if (result > 0 && connection->stamps != STAMPS_NONE) bytes = open_stamped(self, slot, bytes, &result);
  if (result > 0 && connection->state == OPEN) {
    self->settings.events->on_bytes(self->settings.owner, slot, bytes, (size_t)result);
  }
  if (flags & IORING_CQE_F_BUFFER) ring_buffers_give_back(&self->buffers, flags);
  if (connection->state != OPEN) return;
  if (result == 0) {
    end_slot(self, slot, IO_EOF);
  } else if (result < 0 && result != -ENOBUFS) {
    end_slot(self, slot, result);
  } else if (!(flags & IORING_CQE_F_MORE)) {
    receive(self, slot);
  }
}

/* A send with MSG_WAITALL ends early only where the connection broke. Then the kernel says how many bytes it took,
 * cancels the linked sends behind it, and gives no reason. */
static void sent(struct uring_transport *self, uint32_t slot, int result) {
  struct uring_connection *connection = &self->connections[slot];
  connection->sending--;
  if (result > 0) connection->unsent -= (size_t)result;
  bool peer_ended = connection->state == ENDING && connection->reason != 0; /* what was sent before still counts */
  if (connection->state != OPEN && !peer_ended) return;
  bool broke = result < 0 || (connection->sending == 0 && connection->unsent > 0);
  if (broke) {
    if (!peer_ended) end_slot(self, slot, result >= 0 || result == -ECANCELED ? -ECONNRESET : result);
  } else if (connection->sending == 0 && connection->pending) {
    connection->pending = false;
    self->settings.events->on_sent(self->settings.owner, slot);
  }
}

/* A blocked send that is woken without room is tried again and again by the kernel, and while it waits for its next
 * try no cancellation finds it: COUNT, the number of operations found, is then less than are left. */
static void cancelled(struct uring_transport *self, uint32_t slot, int count) {
  const struct uring_connection *connection = &self->connections[slot];
  if (connection->state == ENDING && count < connection->in_flight) cancel(self, slot);
}

static void watch_wake(struct uring_transport *self) {
  struct io_uring_sqe *entry = next_entry(self, WAKE, 0);
  io_uring_prep_read(entry, self->wake, &self->wake_count, sizeof self->wake_count, 0);
  set_tag(entry, WAKE, 0);
}

static void deliver(struct uring_transport *self, struct io_uring_cqe *completion);

/* io_uring gives no order between different requests: before Linux 6.15 the completion of a multishot receive could
 * overtake that of a send that was done before it. A reply would then look as if it had come before its request was
 * sent. So, once a turn and only where a receive meets a pending send, the completions of all sends behind RECEIVE go
 * first; their entries are marked. */
static void deliver_sends(struct uring_transport *self, const struct io_uring_cqe *receive) {
  struct io_uring_cqe *completion;
  unsigned head;
  bool behind = false;
  self->sends_delivered = true;
  io_uring_for_each_cqe(&self->ring, head, completion) {
    bool is_send = (enum uring_operation)(completion->user_data >> 32) == SEND;
    if (behind && is_send) {
      deliver(self, completion);
      completion->user_data = (uint64_t)DELIVERED << 32;
    }
    behind |= completion == receive;
  }
}

static void deliver(struct uring_transport *self, struct io_uring_cqe *completion) {
  uint64_t data = io_uring_cqe_get_data64(completion);
  uint32_t slot = (uint32_t)data, flags = completion->flags;
  enum uring_operation operation = (enum uring_operation)(data >> 32);
  int result = completion->res;
  if (operation == DELIVERED) return;
  if (operation == WAKE) {
    watch_wake(self);
    return;
  }
  struct uring_connection *connection = &self->connections[slot];
  if (operation == RECEIVE && connection->pending && !self->sends_delivered) deliver_sends(self, completion);
  if (!(flags & IORING_CQE_F_MORE)) connection->in_flight--;
  switch (operation) {
  case CONNECT: connected(self, slot, result); break;
  case RECEIVE: received(self, slot, result, flags); break;
  case SEND: sent(self, slot, result); break;
  case CANCEL: cancelled(self, slot, result); break;
  default: break;
  }
  if (connection->state == ENDING && connection->in_flight == 0) close_slot(self, slot);
}

/* Submits what is queued and waits for a completion until the deadline. */
static int submit_and_wait(struct uring_transport *self, uint64_t deadline_ns) {
  struct io_uring_cqe *completion;
  uint64_t now_ns = clock_now(self->settings.clock);
  write_start_times(self);
  if (deadline_ns <= now_ns || self->closing.count > 0 || io_uring_cq_ready(&self->ring) > 0) {
    return io_uring_submit_and_get_events(&self->ring);
  }
  uint64_t wait_ns = deadline_ns - now_ns;
  struct __kernel_timespec wait = {.tv_sec = (long long)(wait_ns / NS_PER_SECOND),
                                   .tv_nsec = (long long)(wait_ns % NS_PER_SECOND)};
  if (wait_ns > NS_PER_SECOND) wait = (struct __kernel_timespec){.tv_sec = 1};
  return io_uring_submit_and_wait_timeout(&self->ring, &completion, 1, &wait, NULL);
}

static int ring_turn(struct transport *transport, uint64_t deadline_ns) {
  struct uring_transport *self = self_of(transport);
  int result = enable(self);
  if (result == 0) result = submit_and_wait(self, deadline_ns);
  transport->seen_ns = clock_now(self->settings.clock);
  if (self->failed) return self->failed;
  if (result < 0 && result != -ETIME && result != -EINTR && result != -EAGAIN && result != -EBUSY) return result;
  struct io_uring_cqe *completions[COMPLETIONS_PER_TURN];
  self->sends_delivered = false;
  unsigned count = io_uring_peek_batch_cqe(&self->ring, completions, COMPLETIONS_PER_TURN);
  for (unsigned i = 0; i < count; i++) {
    if (i > 0 && i % COMPLETIONS_PER_CLOCK == 0) transport->seen_ns = clock_now(self->settings.clock);
    deliver(self, completions[i]);
  }
  io_uring_cq_advance(&self->ring, count);
  for (uint32_t due = self->closing.count; due > 0; due--) {
    uint32_t slot = closing_queue_take(&self->closing);
    self->connections[slot].state = FREE;
    self->settings.events->on_close(self->settings.owner, slot, self->connections[slot].reason);
  }
  return (int)count;
}

static void ring_wake(struct transport *transport) {
  uint64_t one = 1;
  if (write(self_of(transport)->wake, &one, sizeof one) < 0) return; /* full: a wake is pending already */
}

static void ring_destroy(struct transport *transport) {
  struct uring_transport *self = self_of(transport);
  if (self->has_ring) io_uring_queue_exit(&self->ring);
  for (uint32_t slot = 0; self->connections && slot < self->settings.slots; slot++) {
    if (self->connections[slot].fd >= 0) close(self->connections[slot].fd);
  }
  if (self->wake >= 0) close(self->wake);
  free(self->connections);
  closing_queue_destroy(&self->closing);
  free(self->started);
  ring_buffers_destroy(&self->buffers);
  timestamps_destroy(&self->timestamps);
  free(self);
}

static int create_ring(struct io_uring *ring, unsigned submissions, unsigned completions) {
  struct io_uring_params parameters = {
      .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_R_DISABLED | IORING_SETUP_CQSIZE |
               IORING_SETUP_CLAMP,
      .cq_entries = completions,
  };
  return io_uring_queue_init_params(submissions, ring, &parameters);
}

static int ring_create(const struct transport_settings *settings, struct transport **transport) {
  struct uring_transport *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  self->transport.table = &transport_io_uring;
  self->transport.defers_sends = true;
  self->settings = *settings;
  self->stamped.msg_controllen = TIMESTAMPS_CONTROL_BYTES;
  self->wake = eventfd(0, EFD_CLOEXEC);
  int error = self->wake < 0 ? -errno : create_ring(&self->ring, SUBMISSIONS, COMPLETIONS);
  self->has_ring = !error;
  self->connections = calloc(settings->slots, sizeof *self->connections);
  if (!error) error = closing_queue_create(&self->closing, settings->slots);
  self->started = calloc(SUBMISSIONS, sizeof *self->started);
  if (!error && !(self->connections && self->started)) error = -ENOMEM;
  for (uint32_t slot = 0; self->connections && slot < settings->slots; slot++) self->connections[slot].fd = -1;
  if (!error) error = ring_buffers_create(&self->ring, &self->buffers);
  if (!error) error = timestamps_create(&self->timestamps, settings);
  if (error) {
    ring_destroy(&self->transport);
    return error;
  }
  watch_wake(self);
  *transport = &self->transport;
  return 0;
}

static int ring_probe(void) {
  struct io_uring ring;
  int error = create_ring(&ring, 8, 16);
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
