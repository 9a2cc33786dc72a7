/*
 * test_intervals.c: the ring of intervals: without a reader, and what it keeps of memory.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "../../client/engine/core/metrics/interval.h"
#include "check.h"

TEST(intervals_without_a_reader) {
  struct intervals *intervals;
  CHECK_EQUAL(intervals_create(0, &intervals), 0);
  CHECK(interval_ended(intervals) == NULL);
  for (uint32_t i = 0; i < INTERVALS - 1; i++) {
    CHECK_EQUAL(intervals_empty(intervals), INTERVALS - 1 - i);
    intervals_filling(intervals)->counters[COUNT_ATTEMPTS] = i + 1;
    intervals_advance(intervals);
    CHECK_EQUAL(interval_ended(intervals)->counters[COUNT_ATTEMPTS], 1);
  }
  CHECK_EQUAL(intervals_empty(intervals), 0);
  intervals_filling(intervals)->counters[COUNT_ATTEMPTS] = INTERVALS;
  CHECK(interval_take(intervals) == NULL);
  for (uint32_t i = 0; i < INTERVALS - 1; i++) {
    interval_publish(intervals);
    CHECK_EQUAL(interval_take(intervals)->counters[COUNT_ATTEMPTS], i + 1);
    interval_release(intervals);
    CHECK_EQUAL(intervals_empty(intervals), i + 1);
  }
  CHECK(interval_ended(intervals) == NULL && interval_take(intervals) == NULL);
  intervals_advance(intervals);
  interval_publish(intervals);
  CHECK_EQUAL(interval_take(intervals)->counters[COUNT_ATTEMPTS], INTERVALS);
  CHECK_EQUAL(intervals_filling(intervals)->counters[COUNT_ATTEMPTS], 0);
  intervals_destroy(intervals);
}

/* The pages that an interval has in memory. */
static size_t resident_pages(const struct interval *interval) {
  static unsigned char resident[4096];
  size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (sizeof *interval + page - 1) / page, count = 0;
  CHECK(pages <= sizeof resident);
  CHECK_EQUAL(mincore((void *)(uintptr_t)interval, sizeof *interval, resident), 0);
  for (size_t i = 0; i < pages; i++) count += resident[i] & 1u;
  return count;
}

TEST(a_released_interval_keeps_no_memory) {
  struct intervals *intervals;
  CHECK_EQUAL(intervals_create(0, &intervals), 0);
  struct interval *interval = intervals_filling(intervals);
  size_t fresh = resident_pages(interval);
  for (uint64_t value = 1; value < HISTOGRAM_HIGHEST; value += value / 1000 + 1) {
    histogram_record(&interval->response, value);
    histogram_record(&interval->network_and_server, value);
  }
  CHECK(resident_pages(interval) >= fresh + 50);
  intervals_advance(intervals);
  interval_publish(intervals);
  CHECK(interval_take(intervals) == interval);
  interval_release(intervals);
  CHECK_EQUAL(resident_pages(interval), fresh);
  CHECK_EQUAL(interval->response.count, 0);
  CHECK_EQUAL(interval->response.min, UINT64_MAX);
  CHECK_EQUAL(interval->response.counts[histogram_index(1000000)], 0);
  intervals_destroy(intervals);
}
