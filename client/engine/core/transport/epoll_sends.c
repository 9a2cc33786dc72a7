/*
 * epoll_sends.c: how the transport over epoll sends. What the kernel does not take is kept until EPOLLOUT; where
 * sockets are not edge-triggered, that is requested until then. Inside the events of a turn sends are deferred: a reply
 * waits in the socket while others are sent, which takes several times as long as reading it, and that time would be
 * part of its response time. Many small ones go in one call (socket_ring.h), where the kernel has that.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "epoll_transport.h"
#include "sctp_socket.h"

/* send(2) as a bare system call: in a process with threads glibc makes it a cancellation point, which costs
 * some 25 ns a call and is of no use here. */
static ssize_t send_bytes(int fd, const void *bytes, size_t length) {
  return syscall(SYS_sendto, fd, bytes, length, MSG_NOSIGNAL, NULL, 0);
}

static bool is_stream(const struct epoll_connection *connection) {
  return connection->kind == TCP_STREAM || connection->kind == UNIX_STREAM;
}

/* Keeps the last COUNT iovecs of a send, without the first TAKEN bytes of them, which the kernel has taken. */
static void keep_unsent(struct epoll_transport *self, uint32_t slot, const struct iovec *iovecs, unsigned count,
                        size_t taken) {
  struct iovec *kept = self->blocked[slot].iovecs;
  self->connections[slot].unsent = (uint8_t)count;
  memmove(kept, iovecs, count * sizeof *iovecs);
  kept[0].iov_base = (uint8_t *)kept[0].iov_base + taken;
  kept[0].iov_len -= taken;
}

/* Sends the first bytes of COUNT iovecs. How many the kernel took, or -errno. */
static ssize_t send_some(const struct epoll_transport *self, uint32_t slot, const struct iovec *iovecs,
                         unsigned count) {
  const struct epoll_connection *connection = &self->connections[slot];
  ssize_t sent;
  if (connection->kind == DATAGRAMS) return udp_socket_send(connection->fd, iovecs, count, &self->requests[slot]);
  if (!is_stream(connection)) {
    int32_t association = connection->kind == SCTP_ONE_TO_MANY ? self->associations[slot] : 0;
    return sctp_socket_send(connection->fd, iovecs, count, association);
  }
  if (count == 1) {
    sent = send_bytes(connection->fd, iovecs->iov_base, iovecs->iov_len);
  } else {
    struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)iovecs, .msg_iovlen = count};
    sent = sendmsg(connection->fd, &message, MSG_NOSIGNAL);
  }
  return sent < 0 ? -errno : sent;
}

/* Sends COUNT iovecs, and keeps what the kernel does not take. True when it has taken all; an error breaks the
 * connection. */
static bool send_iovecs(struct epoll_transport *self, uint32_t slot, const struct iovec *iovecs, unsigned count) {
  struct epoll_connection *connection = &self->connections[slot];
  for (;;) {
    ssize_t sent = send_some(self, slot, iovecs, count);
    if (sent == -EINTR) continue;
    size_t taken = sent < 0 ? 0 : (size_t)sent;
    for (; sent >= 0 && count > 0 && taken >= iovecs->iov_len; count--) taken -= (iovecs++)->iov_len;
    connection->unsent = 0;
    if (count == 0) return true;
    keep_unsent(self, slot, iovecs, count, taken);
    if (sent < 0 && sent != -EAGAIN && sent != -EWOULDBLOCK) epoll_break_connection(self, slot, (int)sent);
    if (sent < 0 || is_stream(connection)) return false;
    iovecs = self->blocked[slot].iovecs; /* one message of SCTP is sent; the rest follows */
  }
}

static void count_bytes(struct epoll_transport *self, uint32_t slot, const struct iovec *iovecs, unsigned count) {
  for (unsigned i = 0; i < count; i++) timestamps_count(&self->timestamps, slot, iovecs[i].iov_len);
}

/* A send is blocked, unless it has ended the connection. */
static void watch_room(struct epoll_transport *self, uint32_t slot) {
  if (self->connections[slot].state != OPEN || self->connections[slot].kind == TCP_STREAM) return;
  int error = epoll_watch(self, EPOLL_CTL_MOD, slot, EPOLLIN | EPOLLOUT);
  if (error) epoll_end_connection(self, slot, error);
}

static void defer(struct epoll_transport *self, uint32_t slot, const struct iovec *iovecs, unsigned count,
                  uint64_t *started_ns) {
  struct deferred_send *deferred = &self->deferred[self->deferred_count++];
  deferred->started_ns = started_ns;
  deferred->slot = slot;
  deferred->count = (uint8_t)count;
  deferred->state = DEFERRED;
  for (unsigned i = 0; i < count; i++) deferred->iovecs[i] = iovecs[i];
  *started_ns = self->transport.seen_ns; /* until it is sent */
}

enum transport_send epoll_send(struct transport *transport, uint32_t slot, const struct iovec *iovecs, unsigned count,
                               uint64_t *started_ns) {
  struct epoll_transport *self = epoll_of(transport);
  struct epoll_connection *connection = &self->connections[slot];
  if (connection->state != OPEN) {
    keep_unsent(self, slot, iovecs, count, 0);
    return IO_PENDING;
  }
  if (connection->kind == DATAGRAMS) udp_socket_begin(&self->requests[slot]);
  if (connection->stamps != STAMPS_NONE) count_bytes(self, slot, iovecs, count);
  if (self->defers_now && self->deferred_count < EVENTS_PER_TURN && is_stream(connection)) {
    defer(self, slot, iovecs, count, started_ns);
    return IO_PENDING;
  }
  *started_ns = clock_now(self->settings.clock);
  if (send_iovecs(self, slot, iovecs, count)) return IO_SENT;
  watch_room(self, slot);
  return IO_PENDING;
}

size_t epoll_unsent_bytes(struct transport *transport, uint32_t slot) {
  const struct epoll_transport *self = epoll_of(transport);
  size_t bytes = 0;
  for (unsigned i = 0; i < self->connections[slot].unsent; i++) bytes += self->blocked[slot].iovecs[i].iov_len;
  return bytes;
}

void epoll_send_blocked(struct epoll_transport *self, uint32_t slot) {
  if (!send_iovecs(self, slot, self->blocked[slot].iovecs, self->connections[slot].unsent)) return;
  int error = self->connections[slot].kind == TCP_STREAM ? 0 : epoll_watch(self, EPOLL_CTL_MOD, slot, EPOLLIN);
  if (error) {
    epoll_end_connection(self, slot, error);
    return;
  }
  self->transport.send_was_blocked = true;
  self->settings.events->on_sent(self->settings.owner, slot);
  self->transport.send_was_blocked = false;
}

/* Sends it by a call of its own. */
static void send_one(struct epoll_transport *self, struct deferred_send *deferred) {
  uint32_t slot = deferred->slot;
  deferred->state = TRIED;
  if (self->connections[slot].state != OPEN) {
    keep_unsent(self, slot, deferred->iovecs, deferred->count, 0);
    return;
  }
  *deferred->started_ns = clock_now(self->settings.clock);
  if (send_iovecs(self, slot, deferred->iovecs, deferred->count)) {
    deferred->state = TAKEN;
  } else {
    watch_room(self, slot);
  }
}

/* Whether the ring may send it: small, so that sends take the same time each, and without a kernel timestamp, which is
 * compared with the start of its own send. */
static bool suits_ring(const struct epoll_transport *self, const struct deferred_send *deferred) {
  const struct epoll_connection *connection = &self->connections[deferred->slot];
  return deferred->count == 1 && deferred->iovecs[0].iov_len <= SOCKET_RING_SEND_BYTES && connection->state == OPEN &&
         connection->stamps != STAMPS_ALL;
}

/* The ring took TAKEN bytes of a send, or -errno: the connection keeps the rest, or ends. An interrupted send stays
 * deferred, and is sent by a call of its own. */
static void settle(struct epoll_transport *self, struct deferred_send *deferred, int32_t taken) {
  struct epoll_connection *connection = &self->connections[deferred->slot];
  if (taken == -EINTR) return;
  bool is_whole = taken >= 0 && (size_t)taken == deferred->iovecs[0].iov_len;
  deferred->state = is_whole ? TAKEN : TRIED;
  connection->unsent = 0;
  if (is_whole) return;
  keep_unsent(self, deferred->slot, deferred->iovecs, 1, taken < 0 ? 0 : (size_t)taken);
  if (taken < 0 && taken != -EAGAIN) epoll_break_connection(self, deferred->slot, taken);
  watch_room(self, deferred->slot);
}

/* Sends those deferred sends that suit, if they are many, by one call. The first has one of its own: it may wake the
 * peer, which takes several times as long as a send, and would count as part of the times of those behind it. */
static void send_by_ring(struct epoll_transport *self) {
  struct deferred_send *sends[EVENTS_PER_TURN];
  unsigned count = 0;
  for (uint32_t i = 0; i < self->deferred_count; i++) {
    if (suits_ring(self, &self->deferred[i])) sends[count++] = &self->deferred[i];
  }
  if (count < RING_MIN) return;
  send_one(self, sends[0]);
  for (unsigned k = 1; k < count; k++) {
    const struct iovec *bytes = sends[k]->iovecs;
    int fd = self->connections[sends[k]->slot].fd;
    socket_ring_add_send(self->ring, fd, bytes->iov_base, bytes->iov_len, sends[k]->started_ns);
  }
  unsigned tried = socket_ring_send(self->ring, self->settings.clock);
  for (unsigned k = 0; k < tried; k++) settle(self, sends[1 + k], socket_ring_taken(self->ring, k));
  if (1 + tried == count) return;
  epoll_destroy_ring(self);
}

void epoll_send_deferred(struct epoll_transport *self) {
  if (self->ring && self->deferred_count >= RING_MIN) send_by_ring(self);
  uint32_t count = self->deferred_count;
  self->defers_now = false;
  for (uint32_t i = 0; i < count; i++) {
    struct deferred_send *deferred = &self->deferred[i];
    if (deferred->state == DEFERRED) send_one(self, deferred);
    if (deferred->state != TAKEN || self->connections[deferred->slot].state != OPEN) continue;
    deferred->state = TRIED;
    self->settings.events->on_sent(self->settings.owner, deferred->slot);
  }
  self->deferred_count = 0;
}

void epoll_send_deferred_of(struct epoll_transport *self, uint32_t slot) {
  for (uint32_t i = 0; i < self->deferred_count; i++) {
    struct deferred_send *deferred = &self->deferred[i];
    if (deferred->slot == slot && deferred->state == DEFERRED) send_one(self, deferred);
  }
}
