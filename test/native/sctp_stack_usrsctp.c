/*
 * sctp_stack_usrsctp.c: usrsctp's sockets, over the UDP port of the same number, which usrsctp's own threads read.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <usrsctp.h>

#include "sctp_stack.h"

static void *usrsctp_stack_listen(uint16_t port, bool is_one_to_many, bool accepts) {
  static const uint16_t types[] = {SCTP_ASSOC_CHANGE, SCTP_SHUTDOWN_EVENT};
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int on = 1;
  usrsctp_init(port, NULL, NULL);
  struct socket *socket =
      usrsctp_socket(AF_INET, is_one_to_many ? SOCK_SEQPACKET : SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
  if (!socket) return NULL;
  usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof on);
  usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_RECVRCVINFO, &on, sizeof on);
  for (size_t i = 0; i < 2; i++) {
    struct sctp_event event = {.se_assoc_id = SCTP_FUTURE_ASSOC, .se_type = types[i], .se_on = 1};
    usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_EVENT, &event, sizeof event);
  }
  if (usrsctp_bind(socket, (struct sockaddr *)&address, sizeof address) != 0) return NULL;
  if (accepts && usrsctp_listen(socket, 128) != 0) return NULL;
  return socket;
}

static void *usrsctp_stack_accept(void *listener) { return usrsctp_accept(listener, NULL, NULL); }

static ssize_t read_notification(const void *bytes, uint32_t *association) {
  const union sctp_notification *notification = bytes;
  if (notification->sn_header.sn_type == SCTP_SHUTDOWN_EVENT) {
    *association = notification->sn_shutdown_event.sse_assoc_id;
    return SCTP_STACK_ENDED;
  }
  if (notification->sn_header.sn_type != SCTP_ASSOC_CHANGE) return SCTP_STACK_NOTHING;
  *association = notification->sn_assoc_change.sac_assoc_id;
  return notification->sn_assoc_change.sac_state == SCTP_COMM_LOST ? SCTP_STACK_ABORTED : SCTP_STACK_NOTHING;
}

static ssize_t usrsctp_stack_receive(void *socket, void *buffer, size_t size, uint32_t *association) {
  struct sctp_rcvinfo info = {0};
  socklen_t length_of_info = sizeof info;
  unsigned type = SCTP_RECVV_NOINFO;
  int flags = 0;
  ssize_t length = usrsctp_recvv(socket, buffer, size, NULL, NULL, &info, &length_of_info, &type, &flags);
  if (length < 0) return SCTP_STACK_ABORTED;
  if (length == 0) return SCTP_STACK_ENDED;
  if (flags & MSG_NOTIFICATION) return read_notification(buffer, association);
  if (type == SCTP_RECVV_RCVINFO) *association = info.rcv_assoc_id;
  return length;
}

static void usrsctp_stack_send(void *socket, const void *bytes, size_t length, uint32_t association,
                               enum sctp_stack_kind kind) {
  static const uint16_t flags[] = {0, SCTP_ABORT, SCTP_EOF};
  struct sctp_sndinfo where = {.snd_assoc_id = association, .snd_flags = flags[kind]};
  usrsctp_sendv(socket, length > 0 ? bytes : "", length, NULL, 0, &where, sizeof where, SCTP_SENDV_SNDINFO, 0);
}

static void usrsctp_stack_close(void *socket) { usrsctp_close(socket); }

const struct sctp_stack sctp_stack_usrsctp = {usrsctp_stack_listen, usrsctp_stack_accept, usrsctp_stack_receive,
                                              usrsctp_stack_send, usrsctp_stack_close};
