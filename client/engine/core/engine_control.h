/*
 * engine_control: requests from other threads to a running engine. They set a request and wake the transport; the
 * engine's thread reads it between two turns.
 */
#ifndef BROADSIDE_ENGINE_CONTROL_H
#define BROADSIDE_ENGINE_CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "load/slices.h"
#include "metrics/recorder.h"

/* Slices that replace those before; one block of malloc(). */
struct ordered_slices {
  size_t count;
  struct slice list[];
};

struct engine_control {
  _Atomic uint64_t steady_from_ns, steady_to_ns; /* NS_NEVER: not requested */
  _Atomic uint64_t drain_at_ns;                  /* NS_NEVER: not requested */
  struct ordered_slices *_Atomic slices;         /* NULL: none are requested; who takes them frees them */
  _Atomic bool stop;
};

static inline void engine_control_init(struct engine_control *control) {
  atomic_init(&control->steady_from_ns, NS_NEVER);
  atomic_init(&control->steady_to_ns, NS_NEVER);
  atomic_init(&control->drain_at_ns, NS_NEVER);
  atomic_init(&control->slices, NULL);
  atomic_init(&control->stop, false);
}

static inline bool engine_control_stops(const struct engine_control *control) {
  return atomic_load_explicit(&control->stop, memory_order_relaxed);
}

/* Takes the slices that are requested, which are then the caller's to free; NULL: none. */
static inline struct ordered_slices *engine_control_take_slices(struct engine_control *control) {
  if (!atomic_load_explicit(&control->slices, memory_order_relaxed)) return NULL;
  return atomic_exchange(&control->slices, NULL);
}

/* Changes the recorder's plan to the requested one, at NOW_NS. */
void engine_control_apply(struct engine_control *control, struct recorder *recorder, uint64_t now_ns);

/* Applies the requested plan, if there is one that is not in effect already. */
static inline void engine_control_poll(struct engine_control *control, struct recorder *recorder, uint64_t now_ns) {
  uint64_t steady_from_ns = atomic_load_explicit(&control->steady_from_ns, memory_order_relaxed);
  uint64_t drain_at_ns = atomic_load_explicit(&control->drain_at_ns, memory_order_relaxed);
  bool steady = recorder->phase <= PHASE_WARMUP && steady_from_ns < recorder->plan.steady_from_ns;
  bool drain =
      recorder->phase != PHASE_DRAIN && (drain_at_ns < recorder->plan.drain_at_ns || engine_control_stops(control));
  if (steady || drain) engine_control_apply(control, recorder, now_ns);
}

#endif
