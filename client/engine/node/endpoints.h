/*
 * node/endpoints: where connections go, read from the records that endpoints.js makes. Any thread.
 */
#ifndef BROADSIDE_NODE_ENDPOINTS_H
#define BROADSIDE_NODE_ENDPOINTS_H

#include <stddef.h>
#include <stdint.h>

#include "../core/transport/transport.h"

#define ENDPOINT_BYTES 159u /* of a record: family, port, address, source */

/* What runs over IP. */
enum endpoint_transport { ENDPOINT_TCP, ENDPOINT_SCTP, ENDPOINT_SCTP_SEQPACKET, ENDPOINT_UDP };

/* Their names, and NULL. */
extern const char *const endpoint_transports[];

/* Makes ENDPOINT one of TRANSPORT. 0, or -EINVAL: a unix socket has none but the usual. */
int endpoint_set_transport(struct endpoint *endpoint, enum endpoint_transport transport);

/* Reads one RECORD into *ENDPOINT, without the options of its socket. 0, or -EINVAL: it is no endpoint. */
int endpoint_read(const uint8_t *record, struct endpoint *endpoint);

#endif
