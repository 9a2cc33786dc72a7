/*
 * phase: the phases of a leg and when each begins. Pure; times are relative to the leg's start.
 */
#ifndef BROADSIDE_PHASE_H
#define BROADSIDE_PHASE_H

#include <stdint.h>

#include "../base/clock.h"

enum phase { PHASE_RAMP, PHASE_WARMUP, PHASE_STEADY, PHASE_DRAIN };

/* When the phases after the ramp begin; ascending, except drain_at_ns, which may cut any of them short. */
struct phase_plan {
  uint64_t warmup_from_ns, steady_from_ns, drain_at_ns;
};

/* The phase that AT_NS lies in. */
static inline enum phase phase_at(const struct phase_plan *plan, uint64_t at_ns) {
  if (at_ns >= plan->drain_at_ns) return PHASE_DRAIN;
  if (at_ns >= plan->steady_from_ns) return PHASE_STEADY;
  return at_ns >= plan->warmup_from_ns ? PHASE_WARMUP : PHASE_RAMP;
}

/* When PHASE ends; NS_NEVER for the drain. */
static inline uint64_t phase_end_ns(const struct phase_plan *plan, enum phase phase) {
  switch (phase) {
  case PHASE_RAMP: return earlier_ns(plan->warmup_from_ns, plan->drain_at_ns);
  case PHASE_WARMUP: return earlier_ns(plan->steady_from_ns, plan->drain_at_ns);
  case PHASE_STEADY: return plan->drain_at_ns;
  case PHASE_DRAIN: break;
  }
  return NS_NEVER;
}

#endif
