/*
 * sctp_notification: reads what SCTP says of an association (RFC 6458, section 6). Both stacks have the same names for
 * the same types: include this after the header of one of them, <linux/sctp.h> or <usrsctp.h>.
 */
#ifndef BROADSIDE_SCTP_NOTIFICATION_H
#define BROADSIDE_SCTP_NOTIFICATION_H

#include <errno.h>
#include <string.h>

#include "sctp_socket.h"

/* Why an association ended that was not shut down: -errno. */
typedef ssize_t (*sctp_end_reason)(const struct sctp_assoc_change *change);

static inline ssize_t sctp_read_change(const struct sctp_assoc_change *change, sctp_assoc_t *association,
                                       sctp_end_reason reason_of) {
  if (change->sac_state == SCTP_SHUTDOWN_COMP) return SCTP_SOCKET_EOF;
  if (change->sac_state != SCTP_COMM_UP) return reason_of(change);
  *association = change->sac_assoc_id;
  return SCTP_SOCKET_UP;
}

/* A notification of LENGTH bytes; returns what sctp_socket_receive() does. */
static inline ssize_t sctp_read_notification(const uint8_t *bytes, size_t length, sctp_assoc_t *association,
                                             sctp_end_reason reason_of) {
  union sctp_notification notification;
  memset(&notification, 0, sizeof notification);
  memcpy(&notification, bytes, length < sizeof notification ? length : sizeof notification);
  switch (notification.sn_header.sn_type) {
  case SCTP_ASSOC_CHANGE: return sctp_read_change(&notification.sn_assoc_change, association, reason_of);
  case SCTP_SHUTDOWN_EVENT: return SCTP_SOCKET_EOF;
  case SCTP_PARTIAL_DELIVERY_EVENT: return -ECONNRESET;
  default: return SCTP_SOCKET_NOTHING;
  }
}

#endif
