/*
 * interval.c: a ring of intervals between the engine (producer) and a reader (consumer). The reader empties an interval
 * when it releases it, so that the engine never does.
 */
#include "interval.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Positions only grow; each names the interval at that position modulo INTERVALS. released <= published <=
 * filling.
 */
struct intervals {
  _Atomic uint32_t published, released;
  uint32_t filling;  /* the engine's own */
  uint32_t requests; /* of a list */
  size_t stride;     /* bytes from one interval to the next, whole pages */
  uint8_t *ring;     /* the intervals */
};

static struct interval *interval_at(const struct intervals *self, uint32_t position) {
  return (struct interval *)(void *)(self->ring + position % INTERVALS * self->stride);
}

static void clear(struct interval *interval) {
  memset(interval->counters, 0, sizeof interval->counters);
  memset(interval->status_codes, 0, sizeof interval->status_codes);
  memset(interval->gauges, 0, sizeof interval->gauges);
  for (unsigned i = 0; i < HISTOGRAMS; i++) histogram_clear(&interval->histograms[i]);
  memset(interval->tenths, 0, sizeof interval->tenths);
  exemplars_clear(&interval->exemplars);
  interval->rtts = interval->quote_count = 0;
  interval->quiet_from_ns = interval->quiet_to_ns = 0;
  interval->tls_failure = (struct tls_failure){0};
  interval->last = interval->merged = false;
  for (uint32_t i = 0; i < interval->request_count; i++) {
    struct request_figures *figures = &interval->requests[i];
    histogram_clear(&figures->response);
    figures->failed = figures->unfinished = 0;
    memset(figures->codes, 0, sizeof figures->codes);
  }
}

/* Gives the interval's pages back to the kernel, too. In the course of a long leg rare values touch more and more of an
 * interval's 2 MB, and each of the intervals would keep what was ever touched of it. */
static void empty(const struct intervals *self, uint32_t position) {
  struct interval *interval = interval_at(self, position);
  /* the kernel refuses it for locked pages; then clear() does it all */
  madvise(interval, self->stride, MADV_DONTNEED);
  interval->request_count = self->requests;
  clear(interval);
}

int intervals_create(uint32_t requests, struct intervals **intervals) {
  struct intervals *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t interval_bytes = sizeof(struct interval) + requests * sizeof(struct request_figures);
  self->requests = requests;
  self->stride = (interval_bytes + page - 1) / page * page;
  size_t bytes = INTERVALS * self->stride;
  void *ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (ring == MAP_FAILED) {
    free(self);
    return -ENOMEM;
  }
  madvise(ring, bytes, MADV_NOHUGEPAGE); /* one rare value would take 2 MB */
  self->ring = ring;
  for (uint32_t i = 0; i < INTERVALS; i++) {
    interval_at(self, i)->request_count = requests;
    clear(interval_at(self, i));
  }
  *intervals = self;
  return 0;
}

void intervals_destroy(struct intervals *intervals) {
  if (!intervals) return;
  munmap(intervals->ring, INTERVALS * intervals->stride);
  free(intervals);
}

struct interval *intervals_filling(struct intervals *intervals) {
  return interval_at(intervals, intervals->filling);
}

uint32_t intervals_empty(const struct intervals *intervals) {
  uint32_t used = intervals->filling - atomic_load_explicit(&intervals->released, memory_order_acquire);
  return INTERVALS - 1 - used;
}

void intervals_advance(struct intervals *intervals) { intervals->filling++; }

struct interval *interval_ended(struct intervals *intervals) {
  uint32_t oldest = atomic_load_explicit(&intervals->published, memory_order_relaxed);
  return oldest == intervals->filling ? NULL : interval_at(intervals, oldest);
}

void interval_publish(struct intervals *intervals) {
  uint32_t oldest = atomic_load_explicit(&intervals->published, memory_order_relaxed);
  atomic_store_explicit(&intervals->published, oldest + 1, memory_order_release);
}

struct interval *interval_take(struct intervals *intervals) {
  uint32_t oldest = atomic_load_explicit(&intervals->released, memory_order_relaxed);
  if (oldest == atomic_load_explicit(&intervals->published, memory_order_acquire)) return NULL;
  return interval_at(intervals, oldest);
}

void interval_release(struct intervals *intervals) {
  uint32_t oldest = atomic_load_explicit(&intervals->released, memory_order_relaxed);
  empty(intervals, oldest);
  atomic_store_explicit(&intervals->released, oldest + 1, memory_order_release);
}
