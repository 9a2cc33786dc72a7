/*
 * interval.c: a ring of intervals between the engine (producer) and a reader (consumer). The reader empties an interval
 * when it releases it, so that the engine never does.
 */
#include "interval.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Positions only grow; each names the interval at that position modulo INTERVALS. released <= published <=
 * filling.
 */
struct intervals {
  _Atomic uint32_t published, released;
  uint32_t filling; /* the engine's own */
  struct interval ring[INTERVALS];
};

static void clear(struct interval *interval) {
  memset(interval->counters, 0, sizeof interval->counters);
  memset(interval->gauges, 0, sizeof interval->gauges);
  histogram_clear(&interval->response);
  histogram_clear(&interval->service);
  histogram_clear(&interval->connect);
  histogram_clear(&interval->recovery);
  histogram_clear(&interval->handshake);
  histogram_clear(&interval->resumption);
  histogram_clear(&interval->send_gap);
  histogram_clear(&interval->split_response);
  histogram_clear(&interval->send_delay);
  histogram_clear(&interval->network_and_server);
  histogram_clear(&interval->receive_delay);
  histogram_clear(&interval->connection_wait);
  histogram_clear(&interval->without_client);
  histogram_clear(&interval->per_connection);
  exemplars_clear(&interval->exemplars);
  interval->rtts = 0;
  interval->quiet_from_ns = interval->quiet_to_ns = 0;
  interval->tls_failure = (struct tls_failure){0};
  interval->last = interval->merged = false;
}

int intervals_create(struct intervals **intervals) {
  struct intervals *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  for (uint32_t i = 0; i < INTERVALS; i++) clear(&self->ring[i]);
  *intervals = self;
  return 0;
}

void intervals_destroy(struct intervals *intervals) { free(intervals); }

struct interval *intervals_filling(struct intervals *intervals) {
  return &intervals->ring[intervals->filling % INTERVALS];
}

uint32_t intervals_empty(const struct intervals *intervals) {
  uint32_t used = intervals->filling - atomic_load_explicit(&intervals->released, memory_order_acquire);
  return INTERVALS - 1 - used;
}

void intervals_advance(struct intervals *intervals) { intervals->filling++; }

struct interval *interval_ended(struct intervals *intervals) {
  uint32_t oldest = atomic_load_explicit(&intervals->published, memory_order_relaxed);
  return oldest == intervals->filling ? NULL : &intervals->ring[oldest % INTERVALS];
}

void interval_publish(struct intervals *intervals) {
  uint32_t oldest = atomic_load_explicit(&intervals->published, memory_order_relaxed);
  atomic_store_explicit(&intervals->published, oldest + 1, memory_order_release);
}

struct interval *interval_take(struct intervals *intervals) {
  uint32_t oldest = atomic_load_explicit(&intervals->released, memory_order_relaxed);
  if (oldest == atomic_load_explicit(&intervals->published, memory_order_acquire)) return NULL;
  return &intervals->ring[oldest % INTERVALS];
}

void interval_release(struct intervals *intervals) {
  uint32_t oldest = atomic_load_explicit(&intervals->released, memory_order_relaxed);
  clear(&intervals->ring[oldest % INTERVALS]);
  atomic_store_explicit(&intervals->released, oldest + 1, memory_order_release);
}
