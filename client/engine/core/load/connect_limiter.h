/*
 * connect_limiter: the queue in which slots wait under a limit of attempts per second. First come, first served; a due
 * time that was missed is made up for, but only for CONNECT_SLACK_NS: the rate holds over a turn of the loop and
 * over a second. One thread; times are absolute.
 */
#ifndef BROADSIDE_CONNECT_LIMITER_H
#define BROADSIDE_CONNECT_LIMITER_H

#include <stdbool.h>
#include <stdint.h>

/* Attempts that are overdue by up to this much are made up for. */
#define CONNECT_SLACK_NS UINT64_C(10000000)

struct connect_limiter;

/* A queue for SLOTS slots, each in it at most once. RATE: slots released a second, > 0. Returns 0 or -ENOMEM. */
int connect_limiter_create(uint32_t slots, double rate, struct connect_limiter **limiter);
void connect_limiter_destroy(struct connect_limiter *limiter);

/* The first slot may be released at FIRST_NS. */
void connect_limiter_begin(struct connect_limiter *limiter, uint64_t first_ns);

/* The time between two releases. */
double connect_limiter_interval_ns(const struct connect_limiter *limiter);

/* Appends a slot to the queue. */
void connect_limiter_add(struct connect_limiter *limiter, uint32_t slot);

/* Removes the slot that has waited longest if it may be released at NOW_NS. False: none waits, or it is too early. */
bool connect_limiter_take(struct connect_limiter *limiter, uint64_t now_ns, uint32_t *slot);

/* The slot that has waited longest, whenever it may be released. False: none waits. */
bool connect_limiter_first(const struct connect_limiter *limiter, uint32_t *slot);

/* Removes that slot without counting it against the rate. */
void connect_limiter_drop_first(struct connect_limiter *limiter);

/* When the next slot may be released; NS_NEVER: none waits. */
uint64_t connect_limiter_next_ns(const struct connect_limiter *limiter);

#endif
