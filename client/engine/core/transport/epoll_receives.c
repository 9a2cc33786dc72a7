/*
 * epoll_receives.c: how the transport over epoll reads.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "epoll_transport.h"
#include "sctp_socket.h"

#define LONG_COPY_BYTES (16 * 1024) /* a read of that many takes so long that the clock is read again */

/* recv(2) as a bare system call, as in epoll_sends.c. */
static ssize_t receive_bytes(int fd, void *bytes, size_t length) {
  return syscall(SYS_recvfrom, fd, bytes, length, 0, NULL, NULL);
}

/* Reads as many bytes of a stream as there are, up to a full buffer. Their number, 0 at its end, or -1 with errno. */
static ssize_t read_stream(struct epoll_transport *self, const struct epoll_connection *connection) {
  ssize_t length = connection->stamps == STAMPS_ALL ? timestamps_receive(&self->timestamps, &self->transport,
                                                                         connection->fd, self->buffer, READ_BYTES)
                                                    : receive_bytes(connection->fd, self->buffer, READ_BYTES);
  if (length >= LONG_COPY_BYTES) self->transport.seen_ns = clock_now(self->settings.clock);
  return length;
}

/* Has the next turn read on: changing the events of a socket reports those that are there. */
static void read_later(struct epoll_transport *self, uint32_t slot) {
  int error = epoll_watch(self, EPOLL_CTL_MOD, slot, EPOLL_EDGES);
  if (error) epoll_end_connection(self, slot, error);
}

/* After a read that does not fill the buffer nothing is there, and what comes later is reported; except that an end may
 * have come before the read. */
void epoll_read_bytes(struct epoll_transport *self, uint32_t slot, uint32_t events) {
  struct epoll_connection *connection = &self->connections[slot];
  bool may_have_ended = connection->kind == TCP_STREAM && (events & (EPOLLRDHUP | EPOLLHUP));
  for (int reads = 0; reads < READS_PER_EVENT; reads++) {
    ssize_t length = read_stream(self, connection);
    if (length > 0) {
      self->settings.events->on_bytes(self->settings.owner, slot, self->buffer, (size_t)length);
      if (((size_t)length < READ_BYTES && !may_have_ended) || connection->state != OPEN) return;
    } else if (length == 0) {
      epoll_end_connection(self, slot, IO_EOF);
      return;
    } else if (errno != EINTR) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) epoll_end_connection(self, slot, -errno);
      return;
    }
  }
  if (connection->kind == TCP_STREAM) read_later(self, slot);
}

void epoll_read_rest(struct epoll_transport *self, uint32_t slot) {
  const struct epoll_connection *connection = &self->connections[slot];
  while (connection->state == BROKEN) {
    ssize_t length = read_stream(self, connection);
    if (length > 0) {
      self->settings.events->on_bytes(self->settings.owner, slot, self->buffer, (size_t)length);
    } else if (length == 0 || errno != EINTR) {
      return;
    }
  }
}

void epoll_read_datagrams(struct epoll_transport *self, uint32_t slot) {
  struct epoll_connection *connection = &self->connections[slot];
  for (int reads = 0; reads < READS_PER_EVENT && connection->state == OPEN; reads++) {
    const uint8_t *content;
    ssize_t length = udp_socket_receive(connection->fd, self->buffer, READ_BYTES, &self->requests[slot], &content);
    if (length > 0) {
      self->settings.events->on_bytes(self->settings.owner, slot, content, (size_t)length);
    } else if (length == UDP_SOCKET_STRAY) {
      self->transport.strays++;
    } else if (length != UDP_SOCKET_NOTHING && length != -EINTR) {
      if (length != -EAGAIN && length != -EWOULDBLOCK) epoll_end_connection(self, slot, (int)length);
      return;
    }
  }
}

void epoll_read_messages(struct epoll_transport *self, uint32_t slot) {
  struct epoll_connection *connection = &self->connections[slot];
  for (int reads = 0; reads < READS_PER_EVENT; reads++) {
    ssize_t length = sctp_socket_receive(connection->fd, self->buffer, READ_BYTES, &self->associations[slot]);
    if (length == SCTP_SOCKET_UP && connection->state == CONNECTING) {
      connection->state = OPEN;
      self->settings.events->on_connect(self->settings.owner, slot);
    } else if (length > 0) {
      self->settings.events->on_bytes(self->settings.owner, slot, self->buffer, (size_t)length);
    } else if (length == SCTP_SOCKET_EOF) {
      epoll_end_connection(self, slot, IO_EOF);
    } else if (length == -EAGAIN || length == -EWOULDBLOCK) {
      return;
    } else if (length != SCTP_SOCKET_NOTHING && length != SCTP_SOCKET_UP && length != -EINTR) {
      epoll_end_connection(self, slot, (int)length);
    }
    if (connection->state != CONNECTING && connection->state != OPEN) return;
  }
}
