/*
 * histogram.c: the parts of the histogram that are not on the hot path. Clearing touches only what was counted.
 */
#include "histogram.h"

#include <string.h>

void histogram_clear(struct histogram *histogram) {
  if (histogram->count > 0) {
    size_t touched = histogram->last - histogram->first + 1u;
    memset(&histogram->counts[histogram->first], 0, touched * sizeof histogram->counts[0]);
  }
  histogram->count = 0;
  histogram->min = UINT64_MAX;
  histogram->max = 0;
  histogram->sum = 0;
  histogram->first = UINT32_MAX;
  histogram->last = 0;
}

uint64_t histogram_value(uint32_t index) {
  uint32_t row = index >> (HISTOGRAM_SUB_BITS - 1);
  uint64_t sub = index & (HISTOGRAM_HALF - 1u);
  if (row == 0) return sub;
  return (sub + HISTOGRAM_HALF) << (row - 1u);
}
