/*
 * connecting: one attempt to open a connection: TCP, TLS, the protocol's hello. Each attempt ends in exactly one of
 * opened, rejected, abandoned. What handles an event returns how far the attempt is and leaves it to
 * transport_events.c to act on that.
 */
#ifndef BROADSIDE_CONNECTING_H
#define BROADSIDE_CONNECTING_H

#include "connections.h"

enum connecting_result {
  CONNECTING_PENDING, /* the attempt is still in flight */
  CONNECTING_OPENED,  /* the connection is ready for requests: connecting_open() is due */
  CONNECTING_REJECTED /* the hello failed */
};

/* Starts an attempt. */
void connecting_begin(struct connections *self, uint32_t slot);

/* TCP is connected at AT_NS, and the TLS handshake begins. */
void connecting_secure(struct connections *self, uint32_t slot, uint64_t at_ns);

/* TCP, or TLS, is connected at AT_NS. PENDING: the hello has been sent. */
enum connecting_result connecting_connected(struct connections *self, uint32_t slot, uint64_t at_ns);

/* LENGTH bytes came during the hello; *CONSUMED of them belong to it. */
enum connecting_result connecting_receive(struct connections *self, uint32_t slot, const uint8_t *bytes, size_t length,
                                          size_t *consumed);

/* Records the connection as open from AT_NS on. */
void connecting_open(struct connections *self, uint32_t slot, uint64_t at_ns);

#endif
