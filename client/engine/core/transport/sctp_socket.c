/*
 * sctp_socket.c: socket options, messages and notifications of the kernel's SCTP (RFC 6458).
 */
#include "sctp_socket.h"

#include <errno.h>
#include <linux/sctp.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#define MESSAGE_BYTES 65536u
#define PACKET_MESSAGE_BYTES 1200u /* fits into a packet of every path */

int sctp_socket_probe(void) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_SCTP);
  if (fd < 0) return -errno;
  close(fd);
  return 0;
}

int sctp_socket_prepare(int fd, const struct endpoint *endpoint) {
  const struct sctp_event_subscribe events = {
      .sctp_association_event = 1, .sctp_shutdown_event = 1, .sctp_partial_delivery_event = 1};
  int nodelay = endpoint->socket.nodelay;
  if (setsockopt(fd, IPPROTO_SCTP, SCTP_NODELAY, &nodelay, sizeof nodelay) != 0) return -errno;
  if (endpoint->transport != SOCK_SEQPACKET) return 0;
  return setsockopt(fd, IPPROTO_SCTP, SCTP_EVENTS, &events, sizeof events) == 0 ? 0 : -errno;
}

/* The first bytes of COUNT iovecs, at most MOST. Returns how many iovecs they take. */
static unsigned first_bytes(const struct iovec *iovecs, unsigned count, struct iovec *message, size_t most) {
  size_t left = most;
  unsigned used = 0;
  for (; used < count && left > 0; used++) {
    message[used] = iovecs[used];
    if (message[used].iov_len > left) message[used].iov_len = left;
    left -= message[used].iov_len;
  }
  return used;
}

/* One of an association that is named by its id, not its address: an address without an association would open another
 * one. All associations of the peer's one-to-many socket share its receive buffer, which could fill up with the
 * beginnings of messages, of which none could be completed; a message of one packet has no beginning. */
ssize_t sctp_socket_send(int fd, const struct iovec *iovecs, unsigned count, int32_t association) {
  struct iovec parts[IO_IOVECS_MAX];
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(struct sctp_sndinfo))];
  } control = {.bytes = {0}};
  const struct sctp_sndinfo where = {.snd_assoc_id = association};
  size_t most = association != 0 ? PACKET_MESSAGE_BYTES : MESSAGE_BYTES;
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = first_bytes(iovecs, count, parts, most)};
  if (association != 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    control.header =
        (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof where), .cmsg_level = IPPROTO_SCTP, .cmsg_type = SCTP_SNDINFO};
    memcpy(CMSG_DATA(&control.header), &where, sizeof where);
  }
  ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
  /* The association has ended; the notification that says why is waiting to be received. */
  if (sent < 0 && association != 0 && errno == EPIPE) return -EAGAIN;
  return sent < 0 ? -errno : sent;
}

/* Why an association ended that was not shut down. The peer's ABORT comes with the notification, if there was one,
 * except while it was being set up: there the kernel gives no reason, and SCTP's own patience (minutes) is longer than
 * any other, so the peer has refused. */
static ssize_t reason_of(const struct sctp_assoc_change *change) {
  if (change->sac_state == SCTP_CANT_STR_ASSOC) return -ECONNREFUSED;
  return change->sac_length > sizeof *change || change->sac_state == SCTP_RESTART ? -ECONNRESET : -ETIMEDOUT;
}

static ssize_t read_change(const struct sctp_assoc_change *change, sctp_assoc_t *association) {
  if (change->sac_state == SCTP_SHUTDOWN_COMP) return SCTP_SOCKET_EOF;
  if (change->sac_state != SCTP_COMM_UP) return reason_of(change);
  *association = change->sac_assoc_id;
  return SCTP_SOCKET_UP;
}

/* A notification of LENGTH bytes; returns what sctp_socket_receive() does. */
static ssize_t read_notification(const uint8_t *bytes, size_t length, sctp_assoc_t *association) {
  union sctp_notification notification;
  memset(&notification, 0, sizeof notification);
  memcpy(&notification, bytes, length < sizeof notification ? length : sizeof notification);
  switch (notification.sn_header.sn_type) {
  case SCTP_ASSOC_CHANGE: return read_change(&notification.sn_assoc_change, association);
  case SCTP_SHUTDOWN_EVENT: return SCTP_SOCKET_EOF;
  case SCTP_PARTIAL_DELIVERY_EVENT: return -ECONNRESET;
  default: return SCTP_SOCKET_NOTHING;
  }
}

ssize_t sctp_socket_receive(int fd, uint8_t *buffer, size_t size, int32_t *association) {
  struct iovec part = {buffer, size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  ssize_t length = recvmsg(fd, &message, 0);
  if (length < 0) return -errno;
  if (length > 0 && (message.msg_flags & MSG_NOTIFICATION)) {
    return read_notification(buffer, (size_t)length, association);
  }
  return length; /* 0: SCTP has no empty messages */
}

/* The id of the association; 0 where a one-to-one socket has none to tell. */
static sctp_assoc_t only_association(int fd) {
  union {
    struct sctp_assoc_ids ids;
    uint32_t words[8];
  } answer = {.words = {0}};
  socklen_t length = sizeof answer;
  if (getsockopt(fd, IPPROTO_SCTP, SCTP_GET_ASSOC_ID_LIST, &answer, &length) != 0) return 0;
  return answer.ids.gaids_number_of_ids == 0 ? 0 : (sctp_assoc_t)answer.words[1];
}

/* The kernel packs the addresses one behind the other, each as long as its family's. */
static int read_addresses(int fd, int option, sctp_assoc_t association, struct sctp_addresses *addresses) {
  union {
    struct sctp_getaddrs header;
    uint8_t bytes[sizeof(struct sctp_getaddrs) + SCTP_ADDRESSES_MAX * sizeof(struct sockaddr_in6)];
  } answer;
  memset(&answer, 0, sizeof answer);
  answer.header.assoc_id = association;
  socklen_t length = sizeof answer;
  if (getsockopt(fd, IPPROTO_SCTP, option, &answer, &length) != 0) return -errno;
  size_t at = sizeof answer.header;
  for (addresses->count = 0; addresses->count < answer.header.addr_num && addresses->count < SCTP_ADDRESSES_MAX;) {
    sa_family_t family;
    memcpy(&family, &answer.bytes[at], sizeof family);
    size_t size = family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    memcpy(&addresses->list[addresses->count++], &answer.bytes[at], size);
    at += size;
  }
  return 0;
}

int sctp_socket_addresses(int fd, struct sctp_association *association) {
  sctp_assoc_t id = only_association(fd);
  int error = read_addresses(fd, SCTP_GET_LOCAL_ADDRS, id, &association->local);
  return error ? error : read_addresses(fd, SCTP_GET_PEER_ADDRS, id, &association->peer);
}
