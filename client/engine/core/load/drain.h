/*
 * drain: the order in which a leg ends. First every slot begins to end; once the drain's deadline has passed, every
 * slot again, whose transfer is then cut off. Pure; times are absolute.
 */
#ifndef BROADSIDE_DRAIN_H
#define BROADSIDE_DRAIN_H

#include <stdint.h>

struct drain {
  uint32_t slots;
  uint32_t begun, cut;  /* slots before these have begun to end, have been cut off */
  uint64_t deadline_ns; /* NS_NEVER: not known yet */
};

enum drain_step { DRAIN_NONE, DRAIN_BEGIN, DRAIN_CUT };

/* What is to be done next at NOW_NS, and to which slot. */
static inline enum drain_step drain_next(struct drain *drain, uint64_t now_ns, uint32_t *slot) {
  if (drain->begun < drain->slots) {
    *slot = drain->begun++;
    return DRAIN_BEGIN;
  }
  if (now_ns >= drain->deadline_ns && drain->cut < drain->slots) {
    *slot = drain->cut++;
    return DRAIN_CUT;
  }
  return DRAIN_NONE;
}

#endif
