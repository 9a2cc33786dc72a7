/*
 * pipeline: the transfers of a connection that are under way at once, each with its own times and its own state of the
 * protocol; replies come in the order of the requests. Side arrays, there only when a connection may have more than one
 * transfer, or in open loop: otherwise a slot holds its only one itself.
 */
#ifndef BROADSIDE_PIPELINE_H
#define BROADSIDE_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;
struct flights;

/* For SLOTS connections with up to DEPTH transfers each, whose requests are of about REQUEST_BYTES: small ones that go
 * out at once are sent as one piece. Returns 0 or -ENOMEM. */
int flights_create(uint32_t slots, uint32_t depth, size_t request_bytes, struct flights **flights);
void flights_destroy(struct flights *flights);

/* The rest is of one slot and called by slot.c. */
void flights_opened(struct engine *engine, uint32_t slot); /* a new connection: none is under way */

/* Whether one more may begin now. */
bool flights_have_room(const struct engine *engine, uint32_t slot);

/* Begins as many as may: in closed loop up to the depth, in open loop those that wait, and offers the rest.
 * True when one was begun that goes one way, and is over already: the workload says what next. */
bool flights_begin(struct engine *engine, uint32_t slot);

/* Completes what LENGTH bytes answer, and goes on: with more requests, or with the end of the connection. */
void flights_reply(struct engine *engine, uint32_t slot, const uint8_t *bytes, size_t length, uint64_t at_ns);

/* The kernel has all that was begun: there may be room for more. */
void flights_sent(struct engine *engine, uint32_t slot);

/* The peer ended the stream: true when that is the end of the only reply under way, which is complete then. */
bool flights_end(struct engine *engine, uint32_t slot, uint64_t at_ns);

/* The reply to the oldest is whole, and ended at AT_NS. */
void flights_complete(struct engine *engine, uint32_t slot, uint64_t at_ns, uint8_t code);

/* Books all that are under way as ended with STATUS. */
void flights_fail(struct engine *engine, uint32_t slot, uint64_t at_ns, uint8_t status);

/* When the oldest was sent; for slots in SLOT_BUSY. */
uint64_t flights_oldest_ns(const struct engine *engine, uint32_t slot);

#endif
