/*
 * transfers: record that a transfer has begun, succeeded or failed, in the recorder and in its slot.
 */
#ifndef BROADSIDE_TRANSFERS_H
#define BROADSIDE_TRANSFERS_H

#include "connections.h"

/* A request of SLOT begins. */
void transfer_begin(struct connections *self, uint32_t slot);

/* The oldest transfer has succeeded at AT_NS: its reply was whole, and kept where it is quoted, or it needs none.
 * ARRIVED_NS: as in stamps.h. */
void transfer_succeed(struct connections *self, uint32_t slot, uint64_t at_ns, uint64_t arrived_ns, enum code code);

/* All transfers in flight have failed with STATUS. */
void transfers_fail(struct connections *self, uint32_t slot, uint64_t at_ns, uint8_t status);

/* Whether the oldest is the last request, and the kernel has not taken all of it: it cannot have a reply yet. */
bool transfer_is_being_sent(const struct connections *self, uint32_t slot);

#endif
