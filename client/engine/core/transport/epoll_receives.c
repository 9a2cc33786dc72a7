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
static ssize_t read_stream(struct epoll_transport *self, struct epoll_connection *connection) {
  ssize_t length = connection->stamps == STAMPS_ALL ? timestamps_receive(&self->timestamps, &self->transport,
                                                                         connection->fd, self->buffer, READ_BYTES)
                                                    : receive_bytes(connection->fd, self->buffer, READ_BYTES);
  connection->is_long = length > (ssize_t)RING_READ_BYTES;
  if (length >= LONG_COPY_BYTES) self->transport.seen_ns = clock_now(self->settings.clock);
  return length;
}

/* Continues in the next turn: EPOLL_CTL_MOD reports again what is still readable. */
static void read_later(struct epoll_transport *self, uint32_t slot) {
  int error = epoll_watch(self, EPOLL_CTL_MOD, slot, EPOLL_EDGES);
  if (error) epoll_end_connection(self, slot, error);
}

/* A read that does not fill the buffer has emptied the socket; later bytes raise a new event. Only an end of the stream
 * may have been reported already: one more read finds it. */
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

/* Whether bytes of an open stream have come, few as far as is known, and nothing else. */
static bool has_only_bytes(const struct epoll_transport *self, const struct epoll_event *event) {
  if (event->data.u64 >= self->settings.slots) return false; /* a wake-up */
  const struct epoll_connection *connection = &self->connections[event->data.u64];
  return (event->events & (EPOLLIN | EPOLLERR | EPOLLHUP | EPOLLRDHUP)) == EPOLLIN && connection->state == OPEN &&
         connection->kind == TCP_STREAM && connection->stamps != STAMPS_ALL && connection->unsent == 0 &&
         !connection->is_long;
}

/* Delivers what the ring has read of a stream: LENGTH BYTES; 0: its end; or -errno. */
static void deliver_read(struct epoll_transport *self, const struct epoll_event *event, const uint8_t *bytes,
                         int32_t length) {
  uint32_t slot = (uint32_t)event->data.u64;
  const struct epoll_connection *connection = &self->connections[slot];
  if (connection->state != OPEN) return;
  if (length == -EAGAIN || length == -EINTR) {
    epoll_read_bytes(self, slot, event->events);
  } else if (length <= 0) {
    epoll_end_connection(self, slot, length == 0 ? IO_EOF : length);
  } else {
    self->settings.events->on_bytes(self->settings.owner, slot, bytes, (size_t)length);
    if (length == (int32_t)RING_READ_BYTES && connection->state == OPEN) epoll_read_bytes(self, slot, event->events);
  }
}

unsigned epoll_read_together(struct epoll_transport *self, unsigned count) {
  struct ring_reads *reads = &self->reads;
  unsigned chosen = 0;
  if (!reads->buffers || count < RING_MIN) return 0;
  for (unsigned i = 0; i < count; i++) {
    if (!has_only_bytes(self, &self->events[i])) continue;
    reads->fds[chosen] = self->connections[self->events[i].data.u64].fd;
    reads->events[chosen++] = (uint16_t)i;
  }
  if (chosen < RING_MIN) return 0;
  uint64_t from_ns = clock_now(self->settings.clock);
  bool works = socket_ring_receive(self->ring, reads->fds, chosen, reads->buffers, RING_READ_BYTES, reads->results);
  uint64_t took_ns = clock_now(self->settings.clock) - from_ns;
  for (unsigned k = 0; k < chosen; k++) {
    struct epoll_event *event = &self->events[reads->events[k]];
    self->transport.seen_ns = from_ns + took_ns * (k + 1) / chosen;
    deliver_read(self, event, reads->buffers + (size_t)k * RING_READ_BYTES, reads->results[k]);
    event->events = 0;
  }
  if (!works) epoll_destroy_ring(self);
  return chosen;
}

void epoll_read_rest(struct epoll_transport *self, uint32_t slot) {
  struct epoll_connection *connection = &self->connections[slot];
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
