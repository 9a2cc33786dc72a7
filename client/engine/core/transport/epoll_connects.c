/*
 * epoll_connects.c: how a connection of the transport over epoll begins.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../base/splitmix64.h"
#include "epoll_transport.h"

static enum epoll_socket_kind kind_of(const struct endpoint *endpoint) {
  if (endpoint->transport == SOCK_DGRAM) return DATAGRAMS;
  if (endpoint->family == AF_UNIX) return UNIX_STREAM;
  if (endpoint->protocol != IPPROTO_SCTP) return TCP_STREAM;
  return endpoint->transport == SOCK_SEQPACKET ? SCTP_ONE_TO_MANY : SCTP_ONE_TO_ONE;
}

/* Memory for what sockets of KIND need, once there is one. 0 or -ENOMEM. */
static int prepare_kind(struct epoll_transport *self, uint8_t kind) {
  if (kind == SCTP_ONE_TO_MANY && !self->associations) {
    self->associations = calloc(self->settings.slots, sizeof *self->associations);
    return self->associations ? 0 : -ENOMEM;
  }
  if (kind == DATAGRAMS && !self->requests) {
    uint64_t random = clock_now(self->settings.clock) ^ (uint64_t)getpid() << 32;
    self->requests = calloc(self->settings.slots, sizeof *self->requests);
    if (!self->requests) return -ENOMEM;
    for (uint32_t slot = 0; slot < self->settings.slots; slot++) {
      self->requests[slot].id = (uint16_t)splitmix64_next(&random);
    }
  }
  return 0;
}

/* 0 or -errno. */
static int open_socket(struct epoll_transport *self, uint32_t slot, const struct endpoint *endpoint,
                       uint16_t source_port) {
  struct epoll_connection *connection = &self->connections[slot];
  connection->kind = (uint8_t)kind_of(endpoint) & 15u;
  connection->reuse = self->settings.has_fixed_endpoints ? socket_reuse_of(endpoint, source_port) & 3u : REUSE_NEVER;
  int fd = prepare_kind(self, connection->kind);
  if (fd == 0) fd = socket_open(endpoint, source_port);
  if (fd < 0) return fd;
  connection->fd = fd;
  return 0;
}

/* Whether the slot has the socket of its last connection, ready to connect again. Closes it where it is not. */
static bool keeps_socket(struct epoll_connection *connection) {
  if (connection->fd < 0) return false;
  bool is_ready = socket_prepare_again(connection->fd, (enum socket_reuse)connection->reuse);
  if (is_ready && connection->stamps != STAMPS_NONE) is_ready = timestamps_end(connection->fd) == 0;
  if (is_ready) return true;
  epoll_close_socket(connection);
  return false;
}

void epoll_connect(struct transport *transport, uint32_t slot, const struct endpoint *endpoint, uint16_t source_port,
                   uint64_t *started_ns) {
  struct epoll_transport *self = epoll_of(transport);
  struct epoll_connection *connection = &self->connections[slot];
  bool has_socket = keeps_socket(connection);
  connection->stamps = STAMPS_NONE;
  connection->unsent = 0;
  connection->state = CONNECTING;
  *started_ns = clock_now(self->settings.clock);
  int error = has_socket ? 0 : open_socket(self, slot, endpoint, source_port);
  if (error) {
    epoll_end_connection(self, slot, error);
    return;
  }
  int fd = connection->fd;
  connection->reason = socket_may_be_self_connected(&self->ephemeral, endpoint, source_port);
  *started_ns = clock_now(self->settings.clock);
  if (connect(fd, (const struct sockaddr *)&endpoint->address, endpoint->address_length) != 0 && errno != EINPROGRESS) {
    epoll_end_connection(self, slot, -errno);
    return;
  }
  if (has_socket) return; /* it is being watched */
  /* a one-to-many socket is writable at once; a notification says when its association is up */
  bool is_one_to_many = connection->kind == SCTP_ONE_TO_MANY;
  uint32_t events = connection->kind == TCP_STREAM ? EPOLL_EDGES : is_one_to_many ? EPOLLIN : EPOLLIN | EPOLLOUT;
  error = epoll_watch(self, EPOLL_CTL_ADD, slot, events);
  if (error) epoll_end_connection(self, slot, error);
}

/* FIONREAD leaves a pending error in place, which a receive would clear. */
static bool has_bytes(int fd) {
  int bytes = 0;
  return ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

/* Why the connect failed, as errno; 0: it has not. */
static int error_of(int fd, uint32_t events) {
  int error = 0;
  socklen_t length = sizeof error;
  if (!(events & (EPOLLERR | EPOLLHUP))) return 0;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

void epoll_finish_connect(struct epoll_transport *self, uint32_t slot, uint32_t events) {
  struct epoll_connection *connection = &self->connections[slot];
  int error = error_of(connection->fd, events);
  if (error) {
    epoll_end_connection(self, slot, -error);
  } else if (events & EPOLLOUT) {
    if (connection->reason && socket_is_self_connected(connection->fd)) {
      socket_reset_on_close(connection->fd);
      epoll_end_connection(self, slot, IO_SELF_CONNECTED);
      return;
    }
    if (connection->kind != TCP_STREAM) error = epoll_watch(self, EPOLL_CTL_MOD, slot, EPOLLIN);
    if (error) {
      epoll_end_connection(self, slot, error);
      return;
    }
    connection->state = OPEN;
    if (connection->kind == TCP_STREAM) {
      connection->stamps = (uint8_t)timestamps_begin(&self->timestamps, slot, connection->fd);
    }
    /* EPOLLIN may also mean that it has ended; a datagram may be a stray, after which no bytes follow */
    self->transport.has_early_data = (events & EPOLLIN) && connection->kind != DATAGRAMS && has_bytes(connection->fd);
    self->settings.events->on_connect(self->settings.owner, slot);
    self->transport.has_early_data = false;
  }
}
