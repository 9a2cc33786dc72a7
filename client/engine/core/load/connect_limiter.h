/*
 * connect_limiter: the queue in which connects wait when there may be only so many a second. First come, first served;
 * a due time that was missed is made up for, but only for PACE_SLACK_NS: the rate holds over a turn of the loop and
 * over a second. One thread; times are absolute.
 */
#ifndef BROADSIDE_CONNECT_LIMITER_H
#define BROADSIDE_CONNECT_LIMITER_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_SLACK_NS UINT64_C(10000000)

struct pace;

/* A queue for SLOTS slots, each in it at most once. RATE: slots released a second, > 0. Returns 0 or -ENOMEM. */
int pace_create(uint32_t slots, double rate, struct pace **pace);

/* The first may go at FIRST_NS. */
void pace_begin(struct pace *pace, uint64_t first_ns);

/* Between two of them, ns. */
double pace_interval_ns(const struct pace *pace);
void pace_destroy(struct pace *pace);

void pace_add(struct pace *pace, uint32_t slot);

/* Takes the slot that has waited longest if one may go at NOW_NS; false when none waits or it is too early. */
bool pace_take(struct pace *pace, uint64_t now_ns, uint32_t *slot);

/* The slot that has waited longest, whenever it may go, and takes it without its turn; false when none waits. */
bool pace_first(const struct pace *pace, uint32_t *slot);
void pace_drop_first(struct pace *pace);

/* When the next may go; NS_NEVER when none waits. */
uint64_t pace_next_ns(const struct pace *pace);

#endif
