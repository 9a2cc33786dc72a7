/*
 * request_queue: open loop. Requests become due by a schedule, regardless of the outcome of earlier ones. A request
 * that becomes due goes to the connection that has been free longest; when none is free it waits, first come, first
 * served, and is late by that wait. What has not been sent when the drain begins is unsent. Requests that wait take no
 * memory; free connections take 8 bytes a slot.
 */
#ifndef BROADSIDE_REQUEST_QUEUE_H
#define BROADSIDE_REQUEST_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "arrival_times.h"

struct request_queue;

/* For SLOTS connections. Returns 0 or -ENOMEM. */
int request_queue_create(uint32_t slots, struct request_queue **queue);
void request_queue_destroy(struct request_queue *queue);

struct request_queue_begin {
  const struct rates *rates; /* must outlive the queue */
  uint64_t from_ns;          /* absolute: where the rates begin */
  uint64_t later_ns;         /* the first request is the first due from later_ns after that on */
  double share;              /* as in arrivals_begin() */
  bool poisson;
  uint64_t seed;
};

void request_queue_begin(struct request_queue *queue, const struct request_queue_begin *begin);

enum request_queue_step {
  QUEUE_NONE,    /* no further request is due */
  QUEUE_WAITS,   /* a request became due and waits: no connection is free */
  QUEUE_ASSIGNED /* a request became due, and *slot, now taken from the free connections, should send it */
};

/* The next request that is due by NOW_NS (absolute). */
enum request_queue_step request_queue_next(struct request_queue *queue, uint64_t now_ns, uint32_t *slot);

/* When the next request becomes due; absolute; NS_NEVER: none does. */
uint64_t request_queue_next_ns(const struct request_queue *queue);

/* Whether a request is due and has not been taken. */
bool request_queue_waits(const struct request_queue *queue);

/* Takes the one that has waited longest, which was due at *DUE_NS. Returns whether it is late: it had to wait for a
 * connection. */
bool request_queue_take(struct request_queue *queue, uint64_t *due_ns);

/* Marks the connection available, or unavailable, for requests. Idempotent. */
void request_queue_offer(struct request_queue *queue, uint32_t slot);
void request_queue_withdraw(struct request_queue *queue, uint32_t slot);

/* No request becomes due from UNTIL_NS (absolute) on. Returns how many are then unsent; *DUE: how many of them became
 * due only now. */
uint64_t request_queue_end(struct request_queue *queue, uint64_t until_ns, uint64_t *due);

#endif
