/*
 * usrsctp.c: the transport over usrsctp, an SCTP stack in this process, whose packets UDP carries (RFC 6951). All of it
 * runs on the engine's thread: turn() hands usrsctp the packets that have come and the time that has passed, and
 * usrsctp sends from within those calls. The one thing to know: usrsctp's state is that of the whole process, so there
 * is one such transport at a time.
 *
 * A request is sent as messages of at most MESSAGE_BYTES; their boundaries mean nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <usrsctp.h>

#include "closing_queue.h"
#include "epoll_wait.h"
#include "usrsctp_addresses.h"
#include "usrsctp_channels.h"
#include "usrsctp_owner.h"
#include "usrsctp_socket.h"

#define EVENTS_PER_TURN 64
#define PACKETS_PER_CALL 32
#define CALLS_PER_CHANNEL 8 /* before the next channel has its turn */
#define PACKET_BYTES 65536u
#define READ_BYTES (256u * 1024u)
#define READS_PER_SLOT 4
#define MESSAGE_BYTES 65536u
#define PACKET_MESSAGE_BYTES 1200u /* of the 1,280 bytes of usrsctp's packets over AF_CONN */
#define TICK_MS 10u                /* between two looks of usrsctp at its timers, as in its own thread */
#define SETTLE_MS 200              /* for associations that end when the transport is destroyed */
#define WAKE UINT64_MAX

enum usrsctp_slot_state { FREE, CONNECTING, OPEN, CLOSED };

struct usrsctp_slot {
  struct socket *socket; /* NULL: none */
  uint32_t association;
  uint32_t channel;
  int reason;     /* CLOSED: for on_close; OPEN: why a send failed, if nothing explains it better; 0: none has */
  uint8_t state;  /* enum usrsctp_slot_state */
  uint8_t unsent; /* iovecs of a blocked send that are left, also after it broke off; 0: none */
  bool is_ready;  /* it is in the queue of those that usrsctp has news of */
  bool resets;    /* every close sends an ABORT */
};

struct usrsctp_blocked {
  struct iovec iovecs[IO_IOVECS_MAX];
};

struct usrsctp_transport {
  struct transport transport;
  struct transport_settings settings;
  int epoll, wake; /* descriptors */
  struct usrsctp_slot *slots;
  struct usrsctp_blocked *blocked;
  struct closing_queue closing, ready;
  struct usrsctp_channels channels;
  uint64_t ticked_ns; /* usrsctp's timers have run up to then; 0: it has had no socket yet */
  uint8_t *buffer, *packets;
  uint8_t *message; /* iovecs of one message, copied together */
  struct mmsghdr headers[PACKETS_PER_CALL];
  struct iovec packet_iovecs[PACKETS_PER_CALL];
};

static struct usrsctp_transport *owner_of_usrsctp;

static struct usrsctp_transport *self_of(struct transport *transport) {
  return (struct usrsctp_transport *)(void *)transport;
}

static void close_socket(struct usrsctp_slot *own, bool reset) {
  if (own->socket) usrsctp_socket_close(own->socket, reset || own->resets);
  own->socket = NULL;
}

/* turn() delivers the on_close. */
static void end_slot(struct usrsctp_transport *self, uint32_t slot, int reason, bool reset) {
  struct usrsctp_slot *own = &self->slots[slot];
  close_socket(own, reset);
  own->state = CLOSED;
  own->reason = reason;
  closing_queue_add(&self->closing, slot);
}

static void mark_ready(struct usrsctp_transport *self, uint32_t slot) {
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
    mark_ready(owner_of_usrsctp, (uint32_t)slot);
  }
}

/* ---- connecting ---- */

static void usrsctp_start_connect(struct transport *transport, uint32_t slot, const struct endpoint *endpoint,
                                  uint16_t source_port, uint64_t *started_ns) {
  struct usrsctp_transport *self = self_of(transport);
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
  if (error) end_slot(self, slot, error, true);
}

/* ---- sending ---- */

static void keep_unsent(struct usrsctp_transport *self, uint32_t slot, const struct iovec *iovecs, unsigned count,
                        size_t taken) {
  struct iovec *kept = self->blocked[slot].iovecs;
  self->slots[slot].unsent = (uint8_t)count;
  memmove(kept, iovecs, count * sizeof *iovecs);
  kept[0].iov_base = (uint8_t *)kept[0].iov_base + taken;
  kept[0].iov_len -= taken;
}

/* The next message of COUNT iovecs, of which the first TAKEN bytes are sent, in one piece; *LENGTH at most LIMIT. */
static const uint8_t *next_message(struct usrsctp_transport *self, const struct iovec *iovecs, unsigned count,
                                   size_t taken, size_t limit, size_t *length) {
  const uint8_t *first = (const uint8_t *)iovecs->iov_base + taken;
  size_t left = iovecs->iov_len - taken;
  if (count == 1 || left >= limit) {
    *length = left < limit ? left : limit;
    return first;
  }
  memcpy(self->message, first, left);
  *length = left;
  for (unsigned i = 1; i < count && *length < limit; i++) {
    size_t part = iovecs[i].iov_len < limit - *length ? iovecs[i].iov_len : limit - *length;
    memcpy(self->message + *length, iovecs[i].iov_base, part);
    *length += part;
  }
  return self->message;
}

/* All associations of a one-to-many socket share its receive buffer. It could fill up with the beginnings of messages,
 * of which none could be completed; a message of one packet has no beginning. */
static size_t longest_message(const struct endpoint *endpoint) {
  if (endpoint->transport == SOCK_SEQPACKET) return PACKET_MESSAGE_BYTES;
  int buffer_bytes = endpoint->socket.send_bytes;
  return buffer_bytes > 0 && buffer_bytes < (int)MESSAGE_BYTES ? (size_t)buffer_bytes : MESSAGE_BYTES;
}

/* Sends COUNT iovecs, and keeps what usrsctp does not take. True when it has taken all. An error ends the slot, after
 * what came before it has been read: a notification may give the reason. */
static bool send_iovecs(struct usrsctp_transport *self, uint32_t slot, const struct iovec *iovecs, unsigned count) {
  struct usrsctp_slot *own = &self->slots[slot];
  size_t limit = longest_message(self->channels.list[own->channel].endpoint);
  size_t taken = 0; /* of the first iovec */
  while (count > 0) {
    size_t length;
    const uint8_t *message = next_message(self, iovecs, count, taken, limit, &length);
    ssize_t sent = length > 0 ? usrsctp_socket_send(own->socket, own->association, message, length) : 0;
    if (sent < 0) {
      keep_unsent(self, slot, iovecs, count, taken);
      if (sent != -EAGAIN && sent != -EWOULDBLOCK) {
        own->reason = (int)sent;
        mark_ready(self, slot);
      }
      return false;
    }
    taken += (size_t)sent;
    for (; count > 0 && taken >= iovecs->iov_len; count--) taken -= (iovecs++)->iov_len;
  }
  own->unsent = 0;
  return true;
}

static enum transport_send usrsctp_send(struct transport *transport, uint32_t slot, const struct iovec *iovecs,
                                        unsigned count, uint64_t *started_ns) {
  struct usrsctp_transport *self = self_of(transport);
  if (self->slots[slot].state != OPEN) {
    keep_unsent(self, slot, iovecs, count, 0);
    return IO_PENDING;
  }
  *started_ns = clock_now(self->settings.clock);
  return send_iovecs(self, slot, iovecs, count) ? IO_SENT : IO_PENDING;
}

static size_t usrsctp_unsent_bytes(struct transport *transport, uint32_t slot) {
  const struct usrsctp_transport *self = self_of(transport);
  size_t bytes = 0;
  for (unsigned i = 0; i < self->slots[slot].unsent; i++) bytes += self->blocked[slot].iovecs[i].iov_len;
  return bytes;
}

static void usrsctp_shutdown_write(struct transport *transport, uint32_t slot) {
  struct usrsctp_slot *own = &self_of(transport)->slots[slot];
  if (own->state == OPEN) usrsctp_socket_shutdown(own->socket, own->association);
}

int usrsctp_addresses(struct transport *transport, uint32_t slot, struct sockaddr_storage *local,
                      struct sockaddr_storage *peer) {
  const struct usrsctp_transport *self = self_of(transport);
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
  struct usrsctp_transport *self = self_of(transport);
  uint8_t state = self->slots[slot].state;
  if (state == CONNECTING || state == OPEN) end_slot(self, slot, 0, mode == IO_RST || state == CONNECTING);
}

/* ---- what usrsctp has for a slot ---- */

static bool has_connection(const struct usrsctp_slot *own) { return own->state == CONNECTING || own->state == OPEN; }

static void receive(struct usrsctp_transport *self, uint32_t slot) {
  struct usrsctp_slot *own = &self->slots[slot];
  for (int reads = 0; reads < READS_PER_SLOT; reads++) {
    ssize_t length = usrsctp_socket_receive(own->socket, self->buffer, READ_BYTES, &own->association);
    if (length == SCTP_SOCKET_UP && own->state == CONNECTING) {
      own->state = OPEN;
      self->settings.events->on_connect(self->settings.owner, slot);
    } else if (length > 0) {
      self->settings.events->on_bytes(self->settings.owner, slot, self->buffer, (size_t)length);
    } else if (length == SCTP_SOCKET_EOF) {
      end_slot(self, slot, IO_EOF, false);
    } else if (length == -EAGAIN || length == -EWOULDBLOCK) {
      return;
    } else if (length != SCTP_SOCKET_NOTHING && length != SCTP_SOCKET_UP) {
      end_slot(self, slot, (int)length, false);
    }
    if (!has_connection(own)) return;
  }
  mark_ready(self, slot);
}

static void serve(struct usrsctp_transport *self, uint32_t slot) {
  struct usrsctp_slot *own = &self->slots[slot];
  if (own->state == OPEN && own->unsent > 0 && own->reason == 0 &&
      send_iovecs(self, slot, self->blocked[slot].iovecs, own->unsent)) {
    self->settings.events->on_sent(self->settings.owner, slot);
  }
  if (has_connection(own)) receive(self, slot);
  if (has_connection(own) && own->reason != 0) end_slot(self, slot, own->reason, true);
}

/* Those that are ready now; who becomes ready meanwhile has its turn next. */
static void serve_ready(struct usrsctp_transport *self) {
  for (uint32_t due = self->ready.count; due > 0; due--) {
    uint32_t slot = closing_queue_take(&self->ready);
    self->slots[slot].is_ready = false;
    serve(self, slot);
  }
}

/* ---- packets and time ---- */

static void receive_packets(struct usrsctp_transport *self, uint32_t index) {
  void *address = usrsctp_channels_address(&self->channels, index);
  for (int calls = 0; calls < CALLS_PER_CHANNEL; calls++) {
    int count = recvmmsg(self->channels.list[index].fd, self->headers, PACKETS_PER_CALL, MSG_DONTWAIT, NULL);
    if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      self->channels.list[index].failure = errno;
    }
    self->transport.seen_ns = clock_now(self->settings.clock);
    for (int i = 0; i < count; i++) {
      usrsctp_conninput(address, self->packet_iovecs[i].iov_base, self->headers[i].msg_len, 0);
    }
    serve_ready(self);
    if (count < (int)PACKETS_PER_CALL) return;
  }
}

/* A packet could not be delivered: an ICMP message said so, or the kernel. What is connecting is rejected for that. A
 * UDP port without a socket is to SCTP over UDP what a RST is to TCP, so open connections are reset by it; for other
 * failures, which may pass, usrsctp sends again. */
static void fail_channel(struct usrsctp_transport *self, uint32_t index) {
  int failure = self->channels.list[index].failure;
  self->channels.list[index].failure = 0;
  for (uint32_t slot = 0; slot < self->settings.slots; slot++) {
    struct usrsctp_slot *own = &self->slots[slot];
    if (!has_connection(own) || own->channel != index) continue;
    if (own->state == CONNECTING)
      end_slot(self, slot, -failure, true);
    else if (failure == ECONNREFUSED)
      end_slot(self, slot, -ECONNRESET, true);
  }
}

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
    receive_packets(self, (uint32_t)event->data.u64);
  else if (read(self->wake, &count, sizeof count) < 0)
    return;
}

static int usrsctp_turn(struct transport *transport, uint64_t deadline_ns) {
  struct usrsctp_transport *self = self_of(transport);
  struct epoll_event events[EVENTS_PER_TURN];
  int count = wait_events(self, events, deadline_ns);
  transport->seen_ns = clock_now(self->settings.clock);
  if (count < 0 && count != -EINTR) return count;
  for (int i = 0; i < count; i++) deliver(self, &events[i]);
  run_timers(self, transport->seen_ns);
  serve_ready(self);
  for (uint32_t index = 0; index < self->channels.count; index++) {
    if (self->channels.list[index].failure) fail_channel(self, index);
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
  if (write(self_of(transport)->wake, &one, sizeof one) < 0) return; /* full: a wake is pending already */
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
  struct usrsctp_transport *self = self_of(transport);
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

static int usrsctp_probe(void) { return 0; }

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
    .probe = usrsctp_probe,
    .create = usrsctp_create,
    .connect = usrsctp_start_connect,
    .send = usrsctp_send,
    .unsent_bytes = usrsctp_unsent_bytes,
    .shutdown_write = usrsctp_shutdown_write,
    .inspect = usrsctp_inspect,
    .close = usrsctp_close_slot,
    .turn = usrsctp_turn,
    .wake = usrsctp_wake,
    .destroy = usrsctp_destroy,
};
