/*
 * epoll.c: the transport over epoll, level-triggered. An idle connection costs a descriptor and 12 bytes; all
 * connections read into one buffer. EPOLLOUT is requested only while a send is blocked, so that the usual transfer
 * costs one send and one recv.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "closing_queue.h"
#include "epoll_wait.h"
#include "sctp_socket.h"
#include "socket.h"
#include "timestamps.h"
#include "udp_socket.h"

#define EVENTS_PER_TURN 256
#define EVENTS_PER_CLOCK 32 /* events that share one reading of the clock */
#define READ_BYTES (256u * 1024u)
#define READS_PER_EVENT 4     /* full buffers read from one connection before the next has its turn */
#define LONG_COPY_BYTES 16384 /* reads of this size take long enough to read the clock again */
#define WAKE UINT64_MAX       /* marks the events of wake() */

enum epoll_slot_state { FREE, CONNECTING, OPEN, CLOSED };
enum epoll_socket_kind { BYTE_STREAM, SCTP_ONE_TO_ONE, SCTP_ONE_TO_MANY, DATAGRAMS };

struct epoll_connection {
  int fd;         /* -1: none */
  int reason;     /* CLOSED: for on_close */
  uint8_t state;  /* enum epoll_slot_state */
  uint8_t unsent; /* iovecs of a blocked send that are left, also after it broke off; 0: none */
  uint8_t kind;   /* enum epoll_socket_kind */
  uint8_t stamps; /* enum stamping */
};

/* The iovecs of a blocked send. In an array apart, whose memory is touched only once a send has blocked. */
struct blocked_send {
  struct iovec iovecs[IO_IOVECS_MAX];
};

struct epoll_transport {
  struct transport transport;
  struct transport_settings settings;
  int epoll, wake; /* descriptors */
  struct epoll_connection *connections;
  struct blocked_send *blocked;
  int32_t *associations;        /* of the one-to-many sockets; NULL until there is one */
  struct udp_request *requests; /* of the sockets of UDP; NULL until there is one */
  struct closing_queue closing;
  struct timestamps timestamps;
  uint8_t *buffer;
  struct epoll_event events[EVENTS_PER_TURN];
};

static struct epoll_transport *self_of(struct transport *transport) {
  return (struct epoll_transport *)(void *)transport;
}

/* send(2) and recv(2) as bare system calls: in a process with threads glibc makes them cancellation points, which costs
 * some 25 ns a call and is of no use here. */
static ssize_t send_bytes(int fd, const void *bytes, size_t length) {
  return syscall(SYS_sendto, fd, bytes, length, MSG_NOSIGNAL, NULL, 0);
}

static ssize_t receive_bytes(int fd, void *bytes, size_t length) {
  return syscall(SYS_recvfrom, fd, bytes, length, 0, NULL, NULL);
}

/* Closes the descriptor at once; turn() delivers the on_close. */
static void close_slot(struct epoll_transport *self, uint32_t slot, int reason) {
  struct epoll_connection *connection = &self->connections[slot];
  if (connection->fd >= 0) close(connection->fd);
  connection->fd = -1;
  connection->state = CLOSED;
  connection->reason = reason;
  closing_queue_add(&self->closing, slot);
}

static int watch(struct epoll_transport *self, int operation, uint32_t slot, uint32_t events) {
  struct epoll_event event = {.events = events, .data = {.u64 = slot}};
  return epoll_ctl(self->epoll, operation, self->connections[slot].fd, &event) == 0 ? 0 : -errno;
}

static enum epoll_socket_kind kind_of(const struct endpoint *endpoint) {
  if (endpoint->transport == SOCK_DGRAM) return DATAGRAMS;
  if (endpoint->protocol != IPPROTO_SCTP) return BYTE_STREAM;
  return endpoint->transport == SOCK_SEQPACKET ? SCTP_ONE_TO_MANY : SCTP_ONE_TO_ONE;
}

/* Memory for what sockets of KIND need, once there is one. 0 or -ENOMEM. */
static int prepare_kind(struct epoll_transport *self, uint8_t kind) {
  if (kind == SCTP_ONE_TO_MANY && !self->associations) {
    self->associations = calloc(self->settings.slots, sizeof *self->associations);
    return self->associations ? 0 : -ENOMEM;
  }
  if (kind == DATAGRAMS && !self->requests) {
    self->requests = calloc(self->settings.slots, sizeof *self->requests);
    return self->requests ? 0 : -ENOMEM;
  }
  return 0;
}

static void epoll_connect(struct transport *transport, uint32_t slot, const struct endpoint *endpoint,
                          uint16_t source_port, uint64_t *started_ns) {
  struct epoll_transport *self = self_of(transport);
  struct epoll_connection *connection = &self->connections[slot];
  connection->unsent = 0;
  connection->state = CONNECTING;
  connection->fd = -1;
  connection->kind = (uint8_t)kind_of(endpoint);
  connection->stamps = STAMPS_NONE;
  *started_ns = clock_now(self->settings.clock);
  bool is_one_to_many = connection->kind == SCTP_ONE_TO_MANY;
  int fd = prepare_kind(self, connection->kind);
  if (fd == 0) fd = socket_open(endpoint, source_port, SOCK_NONBLOCK);
  if (fd < 0) {
    close_slot(self, slot, fd);
    return;
  }
  connection->fd = fd;
  *started_ns = clock_now(self->settings.clock);
  if (connect(fd, (const struct sockaddr *)&endpoint->address, endpoint->address_length) != 0 && errno != EINPROGRESS) {
    close_slot(self, slot, -errno);
    return;
  }
  /* a one-to-many socket is writable at once; a notification says when its association is up */
  int error = watch(self, EPOLL_CTL_ADD, slot, is_one_to_many ? EPOLLIN : EPOLLIN | EPOLLOUT);
  if (error) close_slot(self, slot, error);
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
    if (sent < 0 && sent != -EAGAIN && sent != -EWOULDBLOCK) close_slot(self, slot, (int)sent);
    if (sent < 0 || connection->kind == BYTE_STREAM) return false;
    iovecs = self->blocked[slot].iovecs; /* it was one message of SCTP; the next one follows */
  }
}

static void count_bytes(struct epoll_transport *self, uint32_t slot, const struct iovec *iovecs, unsigned count) {
  for (unsigned i = 0; i < count; i++) timestamps_count(&self->timestamps, slot, iovecs[i].iov_len);
}

static enum transport_send epoll_send(struct transport *transport, uint32_t slot, const struct iovec *iovecs,
                                      unsigned count, uint64_t *started_ns) {
  struct epoll_transport *self = self_of(transport);
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
    int error = watch(self, EPOLL_CTL_MOD, slot, EPOLLIN | EPOLLOUT);
    if (error) close_slot(self, slot, error);
  }
  return IO_PENDING;
}

static void epoll_stamp_sends(struct transport *transport, uint32_t slot, bool stamped) {
  struct epoll_connection *connection = &self_of(transport)->connections[slot];
  bool is_stamped = connection->stamps == STAMPS_ALL;
  if (connection->state != OPEN || connection->stamps == STAMPS_NONE || is_stamped == stamped) return;
  connection->stamps = (uint8_t)timestamps_of_sends(connection->fd, stamped);
}

static bool epoll_sent_bytes(struct transport *transport, uint32_t slot, uint32_t *bytes) {
  struct epoll_transport *self = self_of(transport);
  *bytes = timestamps_sent_bytes(&self->timestamps, slot);
  return true;
}

static bool epoll_take_stamp(struct transport *transport, uint32_t slot, struct sent_stamp *stamp) {
  struct epoll_transport *self = self_of(transport);
  const struct epoll_connection *connection = &self->connections[slot];
  if (connection->state != OPEN || connection->stamps == STAMPS_NONE) return false;
  return timestamps_take(&self->timestamps, transport, connection->fd, stamp);
}

static size_t epoll_unsent_bytes(struct transport *transport, uint32_t slot) {
  const struct epoll_transport *self = self_of(transport);
  size_t bytes = 0;
  for (unsigned i = 0; i < self->connections[slot].unsent; i++) bytes += self->blocked[slot].iovecs[i].iov_len;
  return bytes;
}

static void epoll_shutdown_write(struct transport *transport, uint32_t slot) {
  struct epoll_connection *connection = &self_of(transport)->connections[slot];
  if (connection->state == OPEN) shutdown(connection->fd, SHUT_WR);
}

static int epoll_inspect(struct transport *transport, uint32_t slot, struct tcp_info *info) {
  return socket_inspect(self_of(transport)->connections[slot].fd, info);
}

int epoll_descriptor(struct transport *transport, uint32_t slot) { return self_of(transport)->connections[slot].fd; }

static void epoll_close(struct transport *transport, uint32_t slot, enum transport_close_mode mode) {
  struct epoll_transport *self = self_of(transport);
  struct epoll_connection *connection = &self->connections[slot];
  if (connection->state == FREE || connection->state == CLOSED) return;
  if (mode == IO_RST) socket_reset_on_close(connection->fd);
  close_slot(self, slot, 0);
}

/* FIONREAD leaves a pending error in place, which a receive would clear. */
static bool has_bytes(int fd) {
  int bytes = 0;
  return ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

static void finish_connect(struct epoll_transport *self, uint32_t slot, uint32_t events) {
  struct epoll_connection *connection = &self->connections[slot];
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
  if (error) {
    close_slot(self, slot, -error);
  } else if (events & EPOLLOUT) {
    if (socket_is_self_connected(connection->fd)) {
      socket_reset_on_close(connection->fd);
      close_slot(self, slot, IO_SELF_CONNECTED);
      return;
    }
    error = watch(self, EPOLL_CTL_MOD, slot, EPOLLIN);
    if (error) {
      close_slot(self, slot, error);
      return;
    }
    connection->state = OPEN;
    if (connection->kind == BYTE_STREAM) {
      connection->stamps = (uint8_t)timestamps_begin(&self->timestamps, slot, connection->fd);
    }
    self->transport.has_early_data =
        (events & EPOLLIN) && has_bytes(connection->fd); /* EPOLLIN may also mean that it has ended */
    self->settings.events->on_connect(self->settings.owner, slot);
    self->transport.has_early_data = false;
  }
}

/* A receive that says when its last bytes arrived. */
static ssize_t receive_stamped(struct epoll_transport *self, int fd) {
  _Alignas(struct cmsghdr) uint8_t control[TIMESTAMPS_CONTROL_BYTES];
  struct iovec iovec = {self->buffer, READ_BYTES};
  struct msghdr message = {
      .msg_iov = &iovec, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t length = syscall(SYS_recvmsg, fd, &message, 0);
  bool is_full = length == (ssize_t)READ_BYTES; /* the time may be that of bytes after them */
  bool says = length > 0 && !is_full;
  self->transport.arrived_ns = says ? timestamps_arrived_ns(&self->timestamps, &self->transport, &message) : 0;
  return length;
}

static void read_bytes(struct epoll_transport *self, uint32_t slot) {
  struct epoll_connection *connection = &self->connections[slot];
  for (int reads = 0; reads < READS_PER_EVENT; reads++) {
    ssize_t length = connection->stamps == STAMPS_ALL ? receive_stamped(self, connection->fd)
                                                      : receive_bytes(connection->fd, self->buffer, READ_BYTES);
    if (length > 0) {
      if (length >= LONG_COPY_BYTES) self->transport.seen_ns = clock_now(self->settings.clock);
      self->settings.events->on_bytes(self->settings.owner, slot, self->buffer, (size_t)length);
      if ((size_t)length < READ_BYTES || connection->state != OPEN) return;
    } else if (length == 0) {
      close_slot(self, slot, IO_EOF);
      return;
    } else if (errno != EINTR) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) close_slot(self, slot, -errno);
      return;
    }
  }
}

/* A socket of UDP has datagrams. */
static void read_datagrams(struct epoll_transport *self, uint32_t slot) {
  struct epoll_connection *connection = &self->connections[slot];
  for (int reads = 0; reads < READS_PER_EVENT && connection->state == OPEN; reads++) {
    const uint8_t *content;
    ssize_t length = udp_socket_receive(connection->fd, self->buffer, READ_BYTES, &self->requests[slot], &content);
    if (length > 0) {
      self->settings.events->on_bytes(self->settings.owner, slot, content, (size_t)length);
    } else if (length == UDP_SOCKET_STRAY) {
      self->transport.strays++;
    } else if (length != -EINTR) {
      if (length != -EAGAIN && length != -EWOULDBLOCK) close_slot(self, slot, (int)length);
      return;
    }
  }
}

/* A one-to-many socket has news: its association is up or has ended, or there are bytes. */
static void read_messages(struct epoll_transport *self, uint32_t slot) {
  struct epoll_connection *connection = &self->connections[slot];
  for (int reads = 0; reads < READS_PER_EVENT; reads++) {
    ssize_t length = sctp_socket_receive(connection->fd, self->buffer, READ_BYTES, &self->associations[slot]);
    if (length == SCTP_SOCKET_UP && connection->state == CONNECTING) {
      connection->state = OPEN;
      self->settings.events->on_connect(self->settings.owner, slot);
    } else if (length > 0) {
      self->settings.events->on_bytes(self->settings.owner, slot, self->buffer, (size_t)length);
    } else if (length == SCTP_SOCKET_EOF) {
      close_slot(self, slot, IO_EOF);
    } else if (length == -EAGAIN || length == -EWOULDBLOCK) {
      return;
    } else if (length != SCTP_SOCKET_NOTHING && length != SCTP_SOCKET_UP && length != -EINTR) {
      close_slot(self, slot, (int)length);
    }
    if (connection->state != CONNECTING && connection->state != OPEN) return;
  }
}

static void write_bytes(struct epoll_transport *self, uint32_t slot) {
  if (!send_iovecs(self, slot, self->blocked[slot].iovecs, self->connections[slot].unsent)) return;
  int error = watch(self, EPOLL_CTL_MOD, slot, EPOLLIN);
  if (error) {
    close_slot(self, slot, error);
    return;
  }
  self->settings.events->on_sent(self->settings.owner, slot);
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
    if (!has_ended && (event->events & ~(uint32_t)EPOLLOUT)) read_messages(self, slot);
  } else {
    if (connection->state == CONNECTING) finish_connect(self, slot, event->events);
    if ((event->events & EPOLLERR) && connection->state == OPEN && connection->stamps != STAMPS_NONE) {
      self->settings.events->on_stamps(self->settings.owner, slot);
    }
    bool has_news = connection->state == OPEN && (event->events & (EPOLLIN | EPOLLERR | EPOLLHUP));
    if (has_news && connection->kind == DATAGRAMS) {
      read_datagrams(self, slot);
    } else if (has_news) {
      read_bytes(self, slot);
    }
  }
  if (connection->state == OPEN && (event->events & EPOLLOUT) && connection->unsent > 0) write_bytes(self, slot);
}

static int wait_events(struct epoll_transport *self, uint64_t deadline_ns) {
  uint64_t now_ns = clock_now(self->settings.clock);
  uint64_t wait_ns = deadline_ns > now_ns && self->closing.count == 0 ? deadline_ns - now_ns : 0;
  return epoll_wait_ns(self->epoll, self->events, EVENTS_PER_TURN, wait_ns);
}

static int epoll_turn(struct transport *transport, uint64_t deadline_ns) {
  struct epoll_transport *self = self_of(transport);
  int count = wait_events(self, deadline_ns);
  transport->seen_ns = clock_now(self->settings.clock);
  if (count < 0 && count != -EINTR) return count;
  for (int i = 0; i < count; i++) {
    if (i > 0 && i % EVENTS_PER_CLOCK == 0) transport->seen_ns = clock_now(self->settings.clock);
    deliver(self, &self->events[i]);
  }
  for (uint32_t due = self->closing.count; due > 0; due--) {
    uint32_t slot = closing_queue_take(&self->closing);
    self->connections[slot].state = FREE;
    self->settings.events->on_close(self->settings.owner, slot, self->connections[slot].reason);
  }
  return count < 0 ? 0 : count;
}

static void epoll_wake(struct transport *transport) {
  uint64_t one = 1;
  if (write(self_of(transport)->wake, &one, sizeof one) < 0) return; /* full: a wake is pending already */
}

static void epoll_destroy(struct transport *transport) {
  struct epoll_transport *self = self_of(transport);
  for (uint32_t slot = 0; self->connections && slot < self->settings.slots; slot++) {
    if (self->connections[slot].fd >= 0) close(self->connections[slot].fd);
  }
  if (self->epoll >= 0) close(self->epoll);
  if (self->wake >= 0) close(self->wake);
  free(self->connections);
  free(self->blocked);
  free(self->associations);
  free(self->requests);
  closing_queue_destroy(&self->closing);
  timestamps_destroy(&self->timestamps);
  free(self->buffer);
  free(self);
}

static int epoll_probe(void) {
  int fd = epoll_create1(EPOLL_CLOEXEC);
  if (fd < 0) return -errno;
  close(fd);
  return 0;
}

static int epoll_create_io(const struct transport_settings *settings, struct transport **transport) {
  struct epoll_transport *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  self->transport.table = &transport_epoll;
  self->settings = *settings;
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
  *transport = &self->transport;
  return 0;
}

const struct transport_table transport_epoll = {
    .name = "epoll",
    .probe = epoll_probe,
    .create = epoll_create_io,
    .connect = epoll_connect,
    .send = epoll_send,
    .unsent_bytes = epoll_unsent_bytes,
    .shutdown_write = epoll_shutdown_write,
    .inspect = epoll_inspect,
    .stamp_sends = epoll_stamp_sends,
    .sent_bytes = epoll_sent_bytes,
    .take_stamp = epoll_take_stamp,
    .close = epoll_close,
    .turn = epoll_turn,
    .wake = epoll_wake,
    .destroy = epoll_destroy,
};
