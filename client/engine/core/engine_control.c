/*
 * engine_control.c: a phase may begin earlier than planned, but not before now.
 */
#include "engine_control.h"

static uint64_t later_ns(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void poll_steady(struct engine_control *control, struct recorder *recorder, uint64_t now_ns, uint64_t leg_ns) {
  struct phase_plan plan = recorder->plan;
  uint64_t from_ns = atomic_load_explicit(&control->steady_from_ns, memory_order_acquire);
  if (from_ns >= plan.steady_from_ns || recorder->phase > PHASE_WARMUP) return;
  uint64_t to_ns = atomic_load_explicit(&control->steady_to_ns, memory_order_relaxed);
  plan.steady_from_ns = later_ns(from_ns, leg_ns);
  plan.drain_at_ns = earlier_ns(plan.drain_at_ns, later_ns(to_ns, plan.steady_from_ns));
  recorder_replan(recorder, &plan, now_ns);
}

void engine_control_apply(struct engine_control *control, struct recorder *recorder, uint64_t now_ns) {
  uint64_t leg_ns = now_ns > recorder->start_ns ? now_ns - recorder->start_ns : 0;
  poll_steady(control, recorder, now_ns, leg_ns);
  uint64_t at_ns = atomic_load_explicit(&control->drain_at_ns, memory_order_relaxed);
  if (engine_control_stops(control)) at_ns = 0;
  if (at_ns >= recorder->plan.drain_at_ns || recorder->phase == PHASE_DRAIN) return;
  struct phase_plan plan = recorder->plan;
  plan.drain_at_ns = later_ns(at_ns, leg_ns);
  recorder_replan(recorder, &plan, now_ns);
}
