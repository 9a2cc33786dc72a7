/*
 * blocking_sctp.c: the kernel's sockets of SCTP.
 */
#include "blocking_sctp.h"

#include <arpa/inet.h>
#include <linux/sctp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct blocking_socket {
  int fd;
  bool is_one_to_many;
};

static struct blocking_socket *new_socket(int fd, bool is_one_to_many) {
  struct blocking_socket *socket = fd < 0 ? NULL : malloc(sizeof *socket);
  if (socket) *socket = (struct blocking_socket){fd, is_one_to_many};
  return socket;
}

struct blocking_socket *blocking_listen(uint16_t port, bool is_one_to_many, bool accepts) {
  const struct sctp_event_subscribe events = {
      .sctp_data_io_event = 1, .sctp_association_event = 1, .sctp_shutdown_event = 1};
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, is_one_to_many ? SOCK_SEQPACKET : SOCK_STREAM, IPPROTO_SCTP), on = 1;
  setsockopt(fd, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof on);
  if (is_one_to_many) {
    /* Long messages of many associations share one buffer: parts of each are delivered, or none is ever complete. */
    int interleave = 1;
    setsockopt(fd, IPPROTO_SCTP, SCTP_EVENTS, &events, sizeof events);
    setsockopt(fd, IPPROTO_SCTP, SCTP_FRAGMENT_INTERLEAVE, &interleave, sizeof interleave);
  }
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) return NULL;
  if (accepts && listen(fd, 128) != 0) return NULL;
  return new_socket(fd, is_one_to_many);
}

struct blocking_socket *blocking_accept(struct blocking_socket *listener) {
  return new_socket(accept(listener->fd, NULL, NULL), false);
}

static ssize_t read_notification(const void *bytes, uint32_t *association) {
  const union sctp_notification *notification = bytes;
  if (notification->sn_header.sn_type == SCTP_SHUTDOWN_EVENT) {
    *association = (uint32_t)notification->sn_shutdown_event.sse_assoc_id;
    return BLOCKING_ENDED;
  }
  if (notification->sn_header.sn_type != SCTP_ASSOC_CHANGE) return BLOCKING_NOTHING;
  *association = (uint32_t)notification->sn_assoc_change.sac_assoc_id;
  return notification->sn_assoc_change.sac_state == SCTP_COMM_LOST ? BLOCKING_ABORTED : BLOCKING_NOTHING;
}

ssize_t blocking_receive(struct blocking_socket *socket, void *buffer, size_t size, uint32_t *association) {
  char control[CMSG_SPACE(sizeof(struct sctp_sndrcvinfo)) + 64];
  struct iovec part = {buffer, size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t length = recvmsg(socket->fd, &message, 0);
  if (length < 0) return socket->is_one_to_many ? BLOCKING_NOTHING : BLOCKING_ABORTED;
  if (length == 0) return socket->is_one_to_many ? BLOCKING_NOTHING : BLOCKING_ENDED;
  if (message.msg_flags & MSG_NOTIFICATION) return read_notification(buffer, association);
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    struct sctp_sndrcvinfo info;
    if (header->cmsg_level != IPPROTO_SCTP || header->cmsg_type != SCTP_SNDRCV) continue;
    memcpy(&info, CMSG_DATA(header), sizeof info);
    *association = (uint32_t)info.sinfo_assoc_id;
  }
  return length;
}

/* A one-to-one socket takes no flags for the end; its ABORT is sent when it is closed. */
static void end_one_to_one(int fd, enum blocking_kind kind) {
  const struct linger abort = {.l_onoff = 1};
  if (kind == BLOCKING_ABORT)
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
  else
    shutdown(fd, SHUT_WR);
}

void blocking_send(struct blocking_socket *socket, const void *bytes, size_t length, uint32_t association,
                   enum blocking_kind kind) {
  static const uint16_t flags[] = {0, SCTP_ABORT, SCTP_EOF};
  if (!socket->is_one_to_many && kind != BLOCKING_DATA) {
    end_one_to_one(socket->fd, kind);
    return;
  }
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(struct sctp_sndinfo))];
  } control = {.bytes = {0}};
  const struct sctp_sndinfo where = {.snd_assoc_id = (sctp_assoc_t)association, .snd_flags = flags[kind]};
  struct iovec part = {(void *)(uintptr_t)bytes, length};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = length > 0, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  control.header =
      (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof where), .cmsg_level = IPPROTO_SCTP, .cmsg_type = SCTP_SNDINFO};
  memcpy(CMSG_DATA(&control.header), &where, sizeof where);
  if (sendmsg(socket->fd, &message, MSG_NOSIGNAL) < 0) return; /* it has ended */
}

void blocking_close(struct blocking_socket *socket) {
  close(socket->fd);
  free(socket);
}
