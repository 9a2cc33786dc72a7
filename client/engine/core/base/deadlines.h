/*
 * deadlines: one due time for each slot, in a binary heap. Moving a due time later is a single store: the heap entry
 * stays where it is and is corrected when it comes up, which makes a new deadline for every transfer cheap. One thread.
 */
#ifndef BROADSIDE_DEADLINES_H
#define BROADSIDE_DEADLINES_H

#include <stdbool.h>
#include <stdint.h>

struct deadlines;

/* Timers for slots 0 .. slots - 1, none set. Returns 0 or -ENOMEM. */
int deadlines_create(uint32_t slots, struct deadlines **deadlines);
void deadlines_destroy(struct deadlines *deadlines);

/* Sets the slot's due time, replacing an earlier one. */
void deadlines_set(struct deadlines *deadlines, uint32_t slot, uint64_t due_ns);
void deadlines_clear(struct deadlines *deadlines, uint32_t slot);

/* A time before which no timer is due (it may be earlier than the earliest due time); NS_NEVER when none is set. */
uint64_t deadlines_next_ns(const struct deadlines *deadlines);

/* Takes one slot whose due time is <= NOW_NS and clears its timer. False when there is none. */
bool deadlines_take(struct deadlines *deadlines, uint64_t now_ns, uint32_t *slot);

#endif
