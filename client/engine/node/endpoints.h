/*
 * node/endpoints: where connections go, read from the records that endpoints.js makes. Any thread.
 */
#ifndef BROADSIDE_NODE_ENDPOINTS_H
#define BROADSIDE_NODE_ENDPOINTS_H

#include <stddef.h>
#include <stdint.h>

#include "../core/transport/transport.h"

#define ENDPOINT_BYTES 159u /* of a record: family, port, address, source */

/* What index.js hands over of a socket's options, in this order. */
enum socket_number {
  SOCKET_NODELAY,
  SOCKET_KEEPALIVE_S,
  SOCKET_RESET_ON_CLOSE,
  SOCKET_SEND_BYTES,
  SOCKET_RECEIVE_BYTES,
  SOCKET_TOS,
  SOCKET_NUMBERS
};

/* NUMBERS, each from 0 to INT32_MAX, and a name into *OPTIONS. 0, or -EINVAL: the name is too long. */
int socket_read(const double *numbers, const char *congestion, struct socket_options *options);

/* What runs over IP, as index.js numbers it: a record's endpoint becomes one of it. */
enum endpoint_transport { ENDPOINT_TCP, ENDPOINT_SCTP, ENDPOINT_SCTP_SEQPACKET, ENDPOINT_UDP };

/* Makes ENDPOINT one of TRANSPORT. 0, or -EINVAL: a unix socket has none but the usual. */
int endpoint_set_transport(struct endpoint *endpoint, enum endpoint_transport transport);

/* One record into *ENDPOINT, the socket's options of which are left alone. 0, or -EINVAL: it is none. */
int endpoint_read(const uint8_t *record, struct endpoint *endpoint);

#endif
