/*
 * histogram: counts of values in HDR layout (Gil Tene's HdrHistogram): lowest 1, highest 3.6e12, 3 significant
 * digits, so every value is known to better than 0.1 %. Count, minimum, maximum and sum are kept exactly as well.
 * Histograms are merged by adding counts, never by averaging percentiles. One thread at a time.
 */
#ifndef BROADSIDE_HISTOGRAM_H
#define BROADSIDE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_HIGHEST UINT64_C(3600000000000)
#define HISTOGRAM_SUB_BITS 11u /* 2,048 sub-buckets: 3 significant digits */
#define HISTOGRAM_HALF (1u << (HISTOGRAM_SUB_BITS - 1))
#define HISTOGRAM_BUCKETS 32u /* 2,048 << 31 is the first power above the highest value */
#define HISTOGRAM_COUNTS ((HISTOGRAM_BUCKETS + 1u) * HISTOGRAM_HALF)

struct histogram {
  uint64_t count, min, max;
  double sum;
  uint32_t first, last; /* the touched part of counts; first > last while empty */
  uint32_t counts[HISTOGRAM_COUNTS];
};

/* Makes it empty; costs only the part that was touched. Call it on fresh zeroed memory before the first use. */
void histogram_clear(struct histogram *histogram);

/* The smallest value that shares the bucket INDEX (0 .. HISTOGRAM_COUNTS - 1). */
uint64_t histogram_value(uint32_t index);

/* The bucket of VALUE; values above HISTOGRAM_HIGHEST share the bucket of the highest. */
static inline uint32_t histogram_index(uint64_t value) {
  if (value > HISTOGRAM_HIGHEST) value = HISTOGRAM_HIGHEST;
  uint32_t bucket = (uint32_t)(64 - __builtin_clzll(value | (2u * HISTOGRAM_HALF - 1u))) - HISTOGRAM_SUB_BITS;
  uint32_t sub = (uint32_t)(value >> bucket);
  return ((bucket + 1u) << (HISTOGRAM_SUB_BITS - 1)) + sub - HISTOGRAM_HALF;
}

static inline void histogram_record(struct histogram *histogram, uint64_t value) {
  uint32_t index = histogram_index(value);
  histogram->counts[index]++;
  histogram->count++;
  histogram->sum += (double)value;
  if (value < histogram->min) histogram->min = value;
  if (value > histogram->max) histogram->max = value;
  if (index < histogram->first) histogram->first = index;
  if (index > histogram->last) histogram->last = index;
}

#endif
