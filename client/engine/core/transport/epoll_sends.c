/*
 * epoll_sends.c: how the transport over epoll sends. What the kernel does not take is kept, and EPOLLOUT is requested
 * until it is sent.
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

/* Keeps the last COUNT iovecs of a send, of which the kernel has taken the first TAKEN bytes. */
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
  if (connection->kind != BYTE_STREAM) {
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

/* Sends COUNT iovecs, and keeps what the kernel does not take. True when it has taken all; an error closes the slot. */
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
    if (sent < 0 && sent != -EAGAIN && sent != -EWOULDBLOCK) epoll_end_connection(self, slot, (int)sent);
    if (sent < 0 || connection->kind == BYTE_STREAM) return false;
    iovecs = self->blocked[slot].iovecs; /* it was one message of SCTP; the next one follows */
  }
}

static void count_bytes(struct epoll_transport *self, uint32_t slot, const struct iovec *iovecs, unsigned count) {
  for (unsigned i = 0; i < count; i++) timestamps_count(&self->timestamps, slot, iovecs[i].iov_len);
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
  *started_ns = clock_now(self->settings.clock);
  if (send_iovecs(self, slot, iovecs, count)) return IO_SENT;
  if (connection->state == OPEN) {
    int error = epoll_watch(self, EPOLL_CTL_MOD, slot, EPOLLIN | EPOLLOUT);
    if (error) epoll_end_connection(self, slot, error);
  }
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
  int error = epoll_watch(self, EPOLL_CTL_MOD, slot, EPOLLIN);
  if (error) {
    epoll_end_connection(self, slot, error);
    return;
  }
  self->settings.events->on_sent(self->settings.owner, slot);
}
