/*
 * node/endpoints: where connections go, read from the records that endpoints.js makes. Any thread.
 */
#ifndef BROADSIDE_NODE_ENDPOINTS_H
#define BROADSIDE_NODE_ENDPOINTS_H

#include <stddef.h>
#include <stdint.h>

#include "../core/io/io.h"

#define ENDPOINT_BYTES 159u /* of a record: family, port, address, source */

/* One record into *ENDPOINT, the socket's options of which are left alone. 0, or -EINVAL: it is none. */
int endpoint_read(const uint8_t *record, struct io_endpoint *endpoint);

#endif
