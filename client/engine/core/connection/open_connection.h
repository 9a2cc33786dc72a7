/*
 * open_connection: what an open connection does next. The workload decides; an exchange (exchange.h) returns what
 * became of it, which is acted on here.
 */
#ifndef BROADSIDE_OPEN_CONNECTION_H
#define BROADSIDE_OPEN_CONNECTION_H

#include "connections.h"
#include "exchange.h"

/* Asks the workload for the next step after EVENT, repeatedly while transfers are over at once. */
void open_connection_step(struct connections *self, uint32_t slot, enum workload_event event, uint64_t at_ns);

/* Acts on RESULT without asking the workload; returns whether that is due. */
bool open_connection_apply(struct connections *self, uint32_t slot, struct exchange_result result, uint64_t at_ns);

/* Acts on RESULT, then asks the workload where that is due. */
void open_connection_apply_and_step(struct connections *self, uint32_t slot, struct exchange_result result,
                                    uint64_t at_ns);

#endif
