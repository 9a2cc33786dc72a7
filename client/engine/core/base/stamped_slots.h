/*
 * stamped_slots: the slots whose connections get kernel timestamps: one of each block of 2^shift slots, at a
 * pseudo-random place in its block, so that the sample does not follow a pattern of the slots, such as their targets.
 */
#ifndef BROADSIDE_STAMPED_SLOTS_H
#define BROADSIDE_STAMPED_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

struct stamped_slots {
  bool any;      /* false: no slot is stamped */
  uint8_t shift; /* 0: every slot is */
};

/* Where the place of a stamped slot is kept: its block. */
static inline uint32_t stamped_slots_index(const struct stamped_slots *stamped, uint32_t slot) {
  return slot >> stamped->shift;
}

static inline bool stamped_slots_has(const struct stamped_slots *stamped, uint32_t slot) {
  if (!stamped->any) return false;
  uint32_t place = stamped_slots_index(stamped, slot) * UINT32_C(2654435769) >> 16; /* Knuth's multiplicative hash */
  return ((slot ^ place) & ((UINT32_C(1) << stamped->shift) - 1)) == 0;
}

/* How many blocks SLOTS slots are. */
static inline uint32_t stamped_slots_count(const struct stamped_slots *stamped, uint32_t slots) {
  return stamped->any ? stamped_slots_index(stamped, slots - 1) + 1 : 0;
}

#endif
