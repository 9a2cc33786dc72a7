/*
 * deadlines: at most one deadline for each slot, in a binary heap. Setting a later one costs a single store: the heap's
 * entry stays where it is and is corrected when it comes to the top. One thread; times are absolute.
 */
#ifndef BROADSIDE_DEADLINES_H
#define BROADSIDE_DEADLINES_H

#include <stdbool.h>
#include <stdint.h>

struct deadlines;

/* For slots 0 .. SLOTS - 1, without deadlines. Returns 0 or -ENOMEM. */
int deadlines_create(uint32_t slots, struct deadlines **deadlines);
void deadlines_destroy(struct deadlines *deadlines);

/* Sets the slot's deadline, in place of the one it may have. */
void deadlines_set(struct deadlines *deadlines, uint32_t slot, uint64_t due_ns);

/* Moves every deadline from FROM_NS to UNTIL_NS (included) so that FROM_NS becomes TO_NS. Looks at every slot. */
void deadlines_move(struct deadlines *deadlines, uint64_t from_ns, uint64_t until_ns, uint64_t to_ns);

void deadlines_clear(struct deadlines *deadlines, uint32_t slot);

/* No deadline is due before the time returned, which may be earlier than all of them; NS_NEVER: none is set. */
uint64_t deadlines_next_ns(const struct deadlines *deadlines);

/* Takes a slot whose deadline is at or before NOW_NS, and clears that. BUDGET: how many entries of the heap may be
 * looked at; counts down. False: there is none, or the budget is spent. */
bool deadlines_take(struct deadlines *deadlines, uint64_t now_ns, unsigned *budget, uint32_t *slot);

#endif
