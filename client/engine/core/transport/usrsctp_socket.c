/*
 * usrsctp_socket.c: options, messages and notifications of usrsctp (RFC 6458).
 */
#include "usrsctp_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <usrsctp.h>

#include "sctp_notification.h"

static int set_number(struct socket *socket, int level, int option, int number) {
  return usrsctp_setsockopt(socket, level, option, &number, sizeof number) == 0 ? 0 : -errno;
}

static int subscribe(struct socket *socket) {
  static const uint16_t types[] = {SCTP_ASSOC_CHANGE, SCTP_SHUTDOWN_EVENT, SCTP_PARTIAL_DELIVERY_EVENT};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    struct sctp_event event = {.se_assoc_id = SCTP_FUTURE_ASSOC, .se_type = types[i], .se_on = 1};
    if (usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_EVENT, &event, sizeof event) != 0) return -errno;
  }
  return 0;
}

static int set_options(struct socket *socket, const struct socket_options *options) {
  int error = usrsctp_set_non_blocking(socket, 1) == 0 ? 0 : -errno;
  if (!error) error = subscribe(socket);
  if (!error) error = set_number(socket, IPPROTO_SCTP, SCTP_NODELAY, options->nodelay);
  if (!error && options->send_bytes) error = set_number(socket, SOL_SOCKET, SO_SNDBUF, options->send_bytes);
  if (!error && options->receive_bytes) error = set_number(socket, SOL_SOCKET, SO_RCVBUF, options->receive_bytes);
  return error;
}

int usrsctp_socket_open(const struct endpoint *endpoint, struct socket **socket) {
  *socket = usrsctp_socket(AF_CONN, endpoint->transport, IPPROTO_SCTP, NULL, NULL, 0, NULL);
  return *socket ? set_options(*socket, &endpoint->socket) : -errno;
}

/* SCTP's port of the endpoint, in the order of the network; IPv6's is at the same place. */
static uint16_t port_of(const struct endpoint *endpoint) {
  return ((const struct sockaddr_in *)(const void *)&endpoint->address)->sin_port;
}

int usrsctp_socket_connect(struct socket *socket, const struct endpoint *endpoint, void *address,
                           uint16_t source_port) {
  struct sockaddr_conn peer = {.sconn_family = AF_CONN, .sconn_port = port_of(endpoint), .sconn_addr = address};
  struct sockaddr_conn own = {.sconn_family = AF_CONN, .sconn_port = htons(source_port), .sconn_addr = address};
  if (source_port > 0 && usrsctp_bind(socket, (struct sockaddr *)&own, sizeof own) != 0) return -errno;
  if (usrsctp_connect(socket, (struct sockaddr *)&peer, sizeof peer) == 0 || errno == EINPROGRESS) return 0;
  return errno == EAGAIN ? -EADDRNOTAVAIL : -errno; /* EAGAIN: it has no port left */
}

ssize_t usrsctp_socket_send(struct socket *socket, uint32_t association, const uint8_t *bytes, size_t length) {
  struct sctp_sndinfo where = {.snd_assoc_id = association};
  ssize_t sent = usrsctp_sendv(socket, bytes, length, NULL, 0, &where, sizeof where, SCTP_SENDV_SNDINFO, 0);
  return sent < 0 ? -errno : sent;
}

void usrsctp_socket_close(struct socket *socket, bool reset) {
  const struct linger linger = {.l_onoff = 1, .l_linger = 0};
  if (reset) usrsctp_setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  usrsctp_set_upcall(socket, NULL, NULL);
  usrsctp_close(socket);
}

/* Why an association ended that was not shut down. The peer's ABORT comes with the notification, if there was one. */
static ssize_t reason_of(const struct sctp_assoc_change *change) {
  bool is_aborted = change->sac_length > sizeof *change;
  if (change->sac_state == SCTP_CANT_STR_ASSOC) return is_aborted ? -ECONNREFUSED : -ETIMEDOUT;
  return is_aborted || change->sac_state == SCTP_RESTART ? -ECONNRESET : -ETIMEDOUT;
}

ssize_t usrsctp_socket_receive(struct socket *socket, uint8_t *buffer, size_t size, uint32_t *association) {
  struct sctp_rcvinfo info;
  socklen_t info_length = sizeof info;
  unsigned info_type = 0;
  int flags = 0;
  /* asked before: a read from a socket that is still connecting makes it forget that it is */
  if (!(usrsctp_get_events(socket) & (SCTP_EVENT_READ | SCTP_EVENT_ERROR))) return -EAGAIN;
  ssize_t length = usrsctp_recvv(socket, buffer, size, NULL, NULL, &info, &info_length, &info_type, &flags);
  if (length < 0) return -errno;
  return length > 0 && (flags & MSG_NOTIFICATION)
             ? sctp_read_notification(buffer, (size_t)length, association, reason_of)
             : length;
}
