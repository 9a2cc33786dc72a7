/*
 * request_queue: requests that are due by a schedule, whatever becomes of the ones before. One that is due goes to the
 * connection that has been free longest; when none is, it waits, first come, first served, and is late by that wait.
 * What has not been sent when the drain begins is unsent. The queue of those that wait takes no memory; that of the
 * free connections is 8 bytes a slot.
 */
#ifndef BROADSIDE_REQUEST_QUEUE_H
#define BROADSIDE_REQUEST_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct open_loop;

/* For SLOTS connections. Returns 0 or -ENOMEM. */
int open_loop_create(uint32_t slots, struct open_loop **open_loop);
void open_loop_destroy(struct open_loop *open_loop);

/* The first request is the first that is due from LATER_NS after the rates began on. */
void open_loop_begin(struct engine *engine, uint64_t later_ns);

/* Counts what is due by NOW_NS and begins it where a connection is free; true while there is more to do at once. */
bool open_loop_serve(struct engine *engine, uint64_t now_ns);

/* When the next is due; absolute. */
uint64_t open_loop_next_ns(const struct open_loop *open_loop);

/* Whether a request waits for a connection; takes the one that has waited longest, which was due at the time returned.
 */
bool open_loop_waits(const struct open_loop *open_loop);
uint64_t open_loop_take(struct engine *engine);

/* The slot's connection may take a request, or may not any more. Each may be said again. */
void open_loop_offer(struct engine *engine, uint32_t slot);
void open_loop_withdraw(struct engine *engine, uint32_t slot);

/* No request is due from UNTIL_NS (absolute) on; those that still wait are unsent. */
void open_loop_end(struct engine *engine, uint64_t until_ns);

#endif
