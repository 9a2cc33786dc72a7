/*
 * epoll.c: the transport over epoll, edge-triggered for TCP. An idle connection costs a descriptor and 12 bytes; all
 * connections read into one buffer. The usual transfer costs one send and one recv.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "epoll_transport.h"
#include "epoll_wait.h"

#define EVENTS_PER_CLOCK 32 /* events that share one reading of the clock */
#define WAKE UINT64_MAX     /* marks the events of wake() */

void epoll_close_socket(struct epoll_connection *connection) {
  if (connection->fd >= 0) close(connection->fd);
  connection->fd = -1;
}

static void report_close(struct epoll_transport *self, uint32_t slot, enum epoll_slot_state state, int reason) {
  struct epoll_connection *connection = &self->connections[slot];
  connection->state = (uint8_t)state & 15u;
  connection->reason = reason;
  closing_queue_add(&self->closing, slot);
}

void epoll_end_connection(struct epoll_transport *self, uint32_t slot, int reason) {
  epoll_close_socket(&self->connections[slot]);
  report_close(self, slot, CLOSED, reason);
}

void epoll_break_connection(struct epoll_transport *self, uint32_t slot, int reason) {
  uint8_t kind = self->connections[slot].kind;
  bool is_over = reason == -EPIPE || reason == -ECONNRESET; /* nothing more comes */
  if (is_over && kind != DATAGRAMS && kind != SCTP_ONE_TO_MANY) {
    report_close(self, slot, BROKEN, reason);
  } else {
    epoll_end_connection(self, slot, reason);
  }
}

int epoll_watch(struct epoll_transport *self, int operation, uint32_t slot, uint32_t events) {
  struct epoll_event event = {.events = events, .data = {.u64 = slot}};
  return epoll_ctl(self->epoll, operation, self->connections[slot].fd, &event) == 0 ? 0 : -errno;
}

static void epoll_stamp_sends(struct transport *transport, uint32_t slot, bool stamped) {
  struct epoll_connection *connection = &epoll_of(transport)->connections[slot];
  bool is_stamped = connection->stamps == STAMPS_ALL;
  if (connection->state != OPEN || connection->stamps == STAMPS_NONE || is_stamped == stamped) return;
  connection->reuse = REUSE_NEVER; /* the kernel keeps stamps with the socket */
  connection->stamps = (uint8_t)timestamps_of_sends(connection->fd, stamped);
}

static bool epoll_sent_bytes(struct transport *transport, uint32_t slot, uint32_t *bytes) {
  struct epoll_transport *self = epoll_of(transport);
  *bytes = timestamps_sent_bytes(&self->timestamps, slot);
  return true;
}

static bool epoll_take_stamp(struct transport *transport, uint32_t slot, struct sent_stamp *stamp) {
  struct epoll_transport *self = epoll_of(transport);
  const struct epoll_connection *connection = &self->connections[slot];
  if (connection->state != OPEN || connection->stamps == STAMPS_NONE) return false;
  return timestamps_take(&self->timestamps, transport, connection->fd, stamp);
}

static int epoll_inspect(struct transport *transport, uint32_t slot, struct tcp_info *info) {
  return socket_inspect(epoll_of(transport)->connections[slot].fd, info);
}

int epoll_descriptor(struct transport *transport, uint32_t slot) { return epoll_of(transport)->connections[slot].fd; }

/* Ends a connection that is closed by FIN; keeps its socket where it may soon be free to connect again. */
static bool end_and_keep(const struct epoll_transport *self, uint32_t slot) {
  const struct epoll_connection *connection = &self->connections[slot];
  if (connection->state != OPEN || connection->reuse == REUSE_NEVER) return false;
  if (connection->reuse == REUSE_AFTER_FIN && slot != self->ended_slot) return false; /* TIME_WAIT would be ours */
  return socket_end(connection->fd, (enum socket_reuse)connection->reuse);
}

static void epoll_close(struct transport *transport, uint32_t slot, enum transport_close_mode mode) {
  struct epoll_transport *self = epoll_of(transport);
  struct epoll_connection *connection = &self->connections[slot];
  if (connection->state == FREE || connection->state == CLOSED) return;
  if (mode == IO_RST) socket_reset_on_close(connection->fd);
  if (mode == IO_FIN && connection->state == OPEN) epoll_send_deferred_of(self, slot);
  if (connection->state == BROKEN) { /* its on_close is due already */
    epoll_close_socket(connection);
    connection->state = CLOSED;
  }
  if (connection->state == CLOSED) {
    connection->reason = 0;
  } else if (mode == IO_FIN && end_and_keep(self, slot)) {
    report_close(self, slot, CLOSED, 0);
  } else {
    epoll_end_connection(self, slot, 0);
  }
}

static void deliver(struct epoll_transport *self, const struct epoll_event *event) {
  if (event->data.u64 == WAKE) {
    uint64_t count;
    if (read(self->wake, &count, sizeof count) < 0) return;
    return;
  }
  uint32_t slot = (uint32_t)event->data.u64;
  struct epoll_connection *connection = &self->connections[slot];
  if (connection->kind == SCTP_ONE_TO_MANY) {
    bool has_ended = connection->state != CONNECTING && connection->state != OPEN;
    if (!has_ended && (event->events & ~(uint32_t)EPOLLOUT)) epoll_read_messages(self, slot);
  } else {
    if (connection->state == CONNECTING) epoll_finish_connect(self, slot, event->events);
    if ((event->events & EPOLLERR) && connection->state == OPEN && connection->stamps != STAMPS_NONE) {
      self->settings.events->on_stamps(self->settings.owner, slot);
    }
    bool has_news = connection->state == OPEN && (event->events & (EPOLLIN | EPOLLERR | EPOLLHUP | EPOLLRDHUP));
    if (event->events & EPOLLRDHUP) self->ended_slot = slot;
    if (has_news && connection->kind == DATAGRAMS) {
      epoll_read_datagrams(self, slot);
    } else if (has_news) {
      epoll_read_bytes(self, slot, event->events);
    }
  }
  if (connection->state == OPEN && (event->events & EPOLLOUT) && connection->unsent > 0) epoll_send_blocked(self, slot);
  self->ended_slot = NO_SLOT;
}

static int wait_events(struct epoll_transport *self, uint64_t deadline_ns) {
  uint64_t now_ns = clock_now(self->settings.clock);
  uint64_t wait_ns = deadline_ns > now_ns && self->closing.count == 0 ? deadline_ns - now_ns : 0;
  return epoll_wait_ns(self->epoll, self->events, EVENTS_PER_TURN, wait_ns);
}

static int epoll_turn(struct transport *transport, uint64_t deadline_ns) {
  struct epoll_transport *self = epoll_of(transport);
  int count = wait_events(self, deadline_ns);
  transport->seen_ns = clock_now(self->settings.clock);
  if (count < 0 && count != -EINTR) return count;
  self->defers_now = count > 1;
  if (count > 0 && epoll_read_together(self, (unsigned)count) > 0) transport->seen_ns = clock_now(self->settings.clock);
  for (int i = 0; i < count; i++) {
    if (i > 0 && i % EVENTS_PER_CLOCK == 0) transport->seen_ns = clock_now(self->settings.clock);
    if (self->events[i].events != 0) deliver(self, &self->events[i]);
  }
  epoll_send_deferred(self);
  for (uint32_t due = self->closing.count; due > 0; due--) {
    uint32_t slot = closing_queue_take(&self->closing);
    struct epoll_connection *connection = &self->connections[slot];
    if (connection->state == BROKEN) epoll_read_rest(self, slot);
    if (connection->state == BROKEN) epoll_close_socket(connection);
    connection->state = FREE;
    self->settings.events->on_close(self->settings.owner, slot, connection->reason);
    if (connection->state == FREE) epoll_close_socket(connection); /* it has not connected again */
  }
  return count < 0 ? 0 : count;
}

void epoll_destroy_ring(struct epoll_transport *self) {
  socket_ring_destroy(self->ring);
  free(self->reads.buffers);
  self->ring = NULL;
  self->reads.buffers = NULL;
}

static void epoll_wake(struct transport *transport) {
  uint64_t one = 1;
  if (write(epoll_of(transport)->wake, &one, sizeof one) < 0) return; /* full: a wake is pending already */
}

static void epoll_destroy(struct transport *transport) {
  struct epoll_transport *self = epoll_of(transport);
  for (uint32_t slot = 0; self->connections && slot < self->settings.slots; slot++) {
    if (self->connections[slot].fd >= 0 && !transport->has_own_table) close(self->connections[slot].fd);
  }
  if (self->epoll >= 0) close(self->epoll);
  if (self->wake >= 0) close(self->wake);
  free(self->connections);
  free(self->blocked);
  free(self->associations);
  free(self->requests);
  closing_queue_destroy(&self->closing);
  timestamps_destroy(&self->timestamps);
  epoll_destroy_ring(self);
  free(self->buffer);
  free(self);
}

static int epoll_create_io(const struct transport_settings *settings, struct transport **transport) {
  struct epoll_transport *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  self->transport.table = &transport_epoll;
  self->settings = *settings;
  self->ephemeral = socket_ephemeral_ports();
  self->ended_slot = NO_SLOT;
  self->epoll = epoll_create1(EPOLL_CLOEXEC);
  self->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  self->connections = malloc(settings->slots * sizeof *self->connections);
  self->blocked = calloc(settings->slots, sizeof *self->blocked);
  self->buffer = malloc(READ_BYTES);
  int error = closing_queue_create(&self->closing, settings->slots);
  if (!error) error = timestamps_create(&self->timestamps, settings);
  if (!self->connections || !self->blocked || !self->buffer) error = -ENOMEM;
  for (uint32_t slot = 0; self->connections && slot < settings->slots; slot++) {
    self->connections[slot] = (struct epoll_connection){.fd = -1};
  }
  struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = WAKE}};
  if (!error && (self->epoll < 0 || self->wake < 0)) error = -errno;
  if (!error && epoll_ctl(self->epoll, EPOLL_CTL_ADD, self->wake, &event) != 0) error = -errno;
  if (error) {
    epoll_destroy(&self->transport);
    return error;
  }
  self->ring = socket_ring_create();
  if (self->ring) self->reads.buffers = malloc((size_t)EVENTS_PER_TURN * RING_READ_BYTES);
  transport_keep(&self->transport, self->epoll);
  transport_keep(&self->transport, self->wake);
  if (self->ring) transport_keep(&self->transport, socket_ring_descriptor(self->ring));
  *transport = &self->transport;
  return 0;
}

const struct transport_table transport_epoll = {
    .name = "epoll",
    .create = epoll_create_io,
    .connect = epoll_connect,
    .send = epoll_send,
    .unsent_bytes = epoll_unsent_bytes,
    .inspect = epoll_inspect,
    .stamp_sends = epoll_stamp_sends,
    .sent_bytes = epoll_sent_bytes,
    .take_stamp = epoll_take_stamp,
    .close = epoll_close,
    .turn = epoll_turn,
    .wake = epoll_wake,
    .destroy = epoll_destroy,
};
