/*
 * usrsctp.c: the transport over usrsctp, an SCTP stack in this process, whose packets UDP carries (RFC 6951). All of it
 * runs on the engine's thread: turn() hands usrsctp the packets that have come and the time that has passed, and
 * usrsctp sends from within those calls. The one thing to know: usrsctp's state is that of the whole process, so there
 * is one such transport at a time.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <usrsctp.h>

#include "epoll_wait.h"
#include "usrsctp_addresses.h"
#include "usrsctp_owner.h"
#include "usrsctp_socket.h"
#include "usrsctp_transport.h"

#define EVENTS_PER_TURN 64
#define TICK_MS 10u   /* between two looks of usrsctp at its timers, as in its own thread */
#define SETTLE_MS 200 /* for associations that end when the transport is destroyed */
#define WAKE UINT64_MAX

static struct usrsctp_transport *owner_of_usrsctp;

static void close_socket(struct usrsctp_slot *own, bool reset) {
  if (own->socket) usrsctp_socket_close(own->socket, reset || own->resets);
  own->socket = NULL;
}

void usrsctp_end_slot(struct usrsctp_transport *self, uint32_t slot, int reason, bool reset) {
  struct usrsctp_slot *own = &self->slots[slot];
  close_socket(own, reset);
  own->state = CLOSED;
  own->reason = reason;
  closing_queue_add(&self->closing, slot);
}

void usrsctp_mark_ready(struct usrsctp_transport *self, uint32_t slot) {
  struct usrsctp_slot *own = &self->slots[slot];
  if (own->is_ready) return;
  own->is_ready = true;
  closing_queue_add(&self->ready, slot);
}

/* usrsctp has news of a socket. It may be in the middle of a call of ours, so this only remembers the slot. */
static void on_news(struct socket *socket, void *argument, int flags) {
  uintptr_t slot = (uintptr_t)argument;
  (void)flags;
  if (owner_of_usrsctp && owner_of_usrsctp->slots[slot].socket == socket) {
    usrsctp_mark_ready(owner_of_usrsctp, (uint32_t)slot);
  }
}

/* ---- connecting ---- */

static void usrsctp_start_connect(struct transport *transport, uint32_t slot, const struct endpoint *endpoint,
                                  uint16_t source_port, uint64_t *started_ns) {
  struct usrsctp_transport *self = usrsctp_of(transport);
  struct usrsctp_slot *own = &self->slots[slot];
  *own =
      (struct usrsctp_slot){.state = CONNECTING, .is_ready = own->is_ready, .resets = endpoint->socket.reset_on_close};
  *started_ns = clock_now(self->settings.clock);
  if (self->ticked_ns == 0) self->ticked_ns = *started_ns;
  int channel =
      endpoint->protocol == IPPROTO_SCTP ? usrsctp_channels_find(&self->channels, endpoint) : -EPROTONOSUPPORT;
  int error = channel < 0 ? channel : 0;
  if (!error) {
    own->channel = (uint32_t)channel;
    *started_ns = clock_now(self->settings.clock);
    void *address = usrsctp_channels_address(&self->channels, own->channel);
    error = usrsctp_socket_open(endpoint, &own->socket);
    if (!error) usrsctp_set_upcall(own->socket, on_news, (void *)(uintptr_t)slot);
    if (!error) error = usrsctp_socket_connect(own->socket, endpoint, address, source_port);
  }
  if (error) usrsctp_end_slot(self, slot, error, true);
}

int usrsctp_addresses(struct transport *transport, uint32_t slot, struct sockaddr_storage *local,
                      struct sockaddr_storage *peer) {
  const struct usrsctp_transport *self = usrsctp_of(transport);
  socklen_t local_length = sizeof *local, peer_length = sizeof *peer;
  if (self->slots[slot].state != OPEN) return -ENOTCONN;
  int fd = self->channels.list[self->slots[slot].channel].fd;
  if (getsockname(fd, (struct sockaddr *)local, &local_length) != 0) return -errno;
  return getpeername(fd, (struct sockaddr *)peer, &peer_length) == 0 ? 0 : -errno;
}

/* There is no TCP here. */
static int usrsctp_inspect(struct transport *transport, uint32_t slot, struct tcp_info *info) {
  (void)transport, (void)slot, (void)info;
  return -EOPNOTSUPP;
}

static void usrsctp_close_slot(struct transport *transport, uint32_t slot, enum transport_close_mode mode) {
  struct usrsctp_transport *self = usrsctp_of(transport);
  uint8_t state = self->slots[slot].state;
  if (state == CONNECTING || state == OPEN) usrsctp_end_slot(self, slot, 0, mode == IO_RST || state == CONNECTING);
}

/* ---- time ---- */

static void run_timers(struct usrsctp_transport *self, uint64_t now_ns) {
  uint64_t elapsed_ms = self->ticked_ns && now_ns > self->ticked_ns ? (now_ns - self->ticked_ns) / 1000000 : 0;
  if (elapsed_ms < TICK_MS) return;
  self->ticked_ns += elapsed_ms * 1000000;
  usrsctp_handle_timers((uint32_t)elapsed_ms);
}

static int wait_events(struct usrsctp_transport *self, struct epoll_event *events, uint64_t deadline_ns) {
  uint64_t now_ns = clock_now(self->settings.clock);
  if (self->ticked_ns) deadline_ns = earlier_ns(deadline_ns, self->ticked_ns + TICK_MS * UINT64_C(1000000));
  uint64_t wait_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
  if (self->closing.count > 0 || self->ready.count > 0) wait_ns = 0;
  return epoll_wait_ns(self->epoll, events, EVENTS_PER_TURN, wait_ns);
}

static void deliver(struct usrsctp_transport *self, const struct epoll_event *event) {
  uint64_t count;
  if (event->data.u64 != WAKE)
    usrsctp_receive_packets(self, (uint32_t)event->data.u64);
  else if (read(self->wake, &count, sizeof count) < 0)
    return;
}

static int usrsctp_turn(struct transport *transport, uint64_t deadline_ns) {
  struct usrsctp_transport *self = usrsctp_of(transport);
  struct epoll_event events[EVENTS_PER_TURN];
  int count = wait_events(self, events, deadline_ns);
  transport->seen_ns = clock_now(self->settings.clock);
  if (count < 0 && count != -EINTR) return count;
  for (int i = 0; i < count; i++) deliver(self, &events[i]);
  run_timers(self, transport->seen_ns);
  usrsctp_serve_ready(self);
  for (uint32_t index = 0; index < self->channels.count; index++) {
    if (self->channels.list[index].failure) usrsctp_fail_channel(self, index);
  }
  for (uint32_t due = self->closing.count; due > 0; due--) {
    uint32_t slot = closing_queue_take(&self->closing);
    self->slots[slot].state = FREE;
    self->settings.events->on_close(self->settings.owner, slot, self->slots[slot].reason);
  }
  return count < 0 ? 0 : count;
}

static void usrsctp_wake(struct transport *transport) {
  uint64_t one = 1;
  if (write(usrsctp_of(transport)->wake, &one, sizeof one) < 0) return; /* full: a wake is pending already */
}

/* ---- beginning and end ---- */

/* Associations that were shut down before still have packets to exchange: they get a little time for it. Whether
 * nothing of usrsctp is left. */
static bool settle(struct usrsctp_transport *self) {
  struct epoll_event events[EVENTS_PER_TURN];
  uint64_t end_ns = clock_monotonic_ns(NULL) + SETTLE_MS * UINT64_C(1000000);
  self->ticked_ns = clock_monotonic_ns(NULL);
  while (usrsctp_finish() != 0) {
    if (clock_monotonic_ns(NULL) > end_ns) return false;
    int count = epoll_wait(self->epoll, events, EVENTS_PER_TURN, 1);
    for (int i = 0; i < count; i++) deliver(self, &events[i]);
    run_timers(self, clock_monotonic_ns(NULL));
  }
  return true;
}

static void usrsctp_destroy(struct transport *transport) {
  struct usrsctp_transport *self = usrsctp_of(transport);
  for (uint32_t slot = 0; self->slots && slot < self->settings.slots; slot++) {
    close_socket(&self->slots[slot], true);
    self->slots[slot].state = FREE;
  }
  if (owner_of_usrsctp == self) {
    usrsctp_channels_close(&self->channels, settle(self));
    owner_of_usrsctp = NULL;
    usrsctp_give_back();
  }
  if (self->epoll >= 0) close(self->epoll);
  if (self->wake >= 0) close(self->wake);
  free(self->slots);
  free(self->blocked);
  closing_queue_destroy(&self->closing);
  closing_queue_destroy(&self->ready);
  free(self->buffer);
  free(self->packets);
  free(self->message);
  free(self);
}

static int allocate(struct usrsctp_transport *self) {
  uint32_t slots = self->settings.slots;
  self->slots = calloc(slots, sizeof *self->slots);
  self->blocked = calloc(slots, sizeof *self->blocked);
  self->buffer = malloc(READ_BYTES);
  self->packets = malloc((size_t)PACKETS_PER_CALL * PACKET_BYTES);
  self->message = malloc(MESSAGE_BYTES);
  int error = closing_queue_create(&self->closing, slots);
  if (!error) error = closing_queue_create(&self->ready, slots);
  if (error || !self->slots || !self->blocked || !self->buffer || !self->packets || !self->message) return -ENOMEM;
  for (unsigned i = 0; i < PACKETS_PER_CALL; i++) {
    self->packet_iovecs[i] = (struct iovec){self->packets + (size_t)i * PACKET_BYTES, PACKET_BYTES};
    self->headers[i].msg_hdr = (struct msghdr){.msg_iov = &self->packet_iovecs[i], .msg_iovlen = 1};
  }
  return 0;
}

static int usrsctp_create(const struct transport_settings *settings, struct transport **transport) {
  struct usrsctp_transport *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  self->transport.table = &transport_usrsctp;
  self->settings = *settings;
  self->epoll = epoll_create1(EPOLL_CLOEXEC);
  self->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = WAKE}};
  int error = self->epoll < 0 || self->wake < 0 ? -errno : allocate(self);
  if (!error && epoll_ctl(self->epoll, EPOLL_CTL_ADD, self->wake, &event) != 0) error = -errno;
  if (!error && !usrsctp_take()) error = -EBUSY;
  if (error) {
    usrsctp_destroy(&self->transport);
    return error;
  }
  owner_of_usrsctp = self;
  usrsctp_init_nothreads(0, usrsctp_channels_send, NULL); /* nothing happens where the last one has not finished */
  usrsctp_sysctl_set_sctp_auto_asconf(0);                 /* a channel is no further address of an association */
  usrsctp_channels_open(&self->channels, self->epoll);
  *transport = &self->transport;
  return 0;
}

const struct transport_table transport_usrsctp = {
    .name = "usrsctp",
    .create = usrsctp_create,
    .connect = usrsctp_start_connect,
    .send = usrsctp_send,
    .unsent_bytes = usrsctp_unsent_bytes,
    .inspect = usrsctp_inspect,
    .close = usrsctp_close_slot,
    .turn = usrsctp_turn,
    .wake = usrsctp_wake,
    .destroy = usrsctp_destroy,
};
