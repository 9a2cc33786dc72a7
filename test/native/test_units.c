/*
 * test_units.c: parts of the core on their own: histogram, deadlines, schedule, back-off, exemplars, recorder,
 * intervals.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../client/engine/core/base/clock.h"
#include "../../client/engine/core/base/deadlines.h"
#include "../../client/engine/core/base/splitmix64.h"
#include "../../client/engine/core/load/backoff.h"
#include "../../client/engine/core/load/ramp.h"
#include "../../client/engine/core/load/slices.h"
#include "../../client/engine/core/metrics/recorder.h"
#include "../../client/engine/core/protocol/protocol.h"
#include "../../client/engine/core/transport/socket.h"
#include "check.h"

TEST(histogram_buckets) {
  CHECK_EQUAL(histogram_index(0), 0);
  CHECK_EQUAL(histogram_index(2047), 2047);
  CHECK_EQUAL(histogram_value(histogram_index(2047)), 2047);
  CHECK_EQUAL(histogram_index(2048), histogram_index(2049));
  CHECK(histogram_index(HISTOGRAM_HIGHEST) < HISTOGRAM_COUNTS);
  CHECK_EQUAL(histogram_index(UINT64_MAX), histogram_index(HISTOGRAM_HIGHEST));
  uint64_t random = 7;
  for (int i = 0; i < 200000; i++) {
    uint64_t value = splitmix64_next(&random) >> (23 + splitmix64_below(&random, 40));
    if (value > HISTOGRAM_HIGHEST) continue;
    uint32_t index = histogram_index(value);
    uint64_t lowest = histogram_value(index), next = histogram_value(index + 1);
    if (value < lowest || value >= next || (double)(next - lowest) > 1 + (double)value / 1000) {
      CHECK_EQUAL(value, lowest);
      return;
    }
  }
}

TEST(a_histogram_is_cleared) {
  struct histogram *histogram = calloc(1, sizeof *histogram);
  uint64_t left = 0;
  histogram_clear(histogram);
  for (uint64_t value = 1; value <= 1000; value++) histogram_record(histogram, value * 1000);
  histogram_clear(histogram);
  for (uint32_t i = 0; i < HISTOGRAM_COUNTS; i++) left += histogram->counts[i];
  CHECK(left == 0 && histogram->count == 0 && histogram->sum == 0 && histogram->max == 0);
  CHECK_EQUAL(histogram->min, UINT64_MAX);
  free(histogram);
}

/* Against a plain array of due times. */
TEST(timers_in_order) {
  enum { SLOTS = 200 };
  uint64_t due[SLOTS], random = 3, now = 0;
  struct deadlines *deadlines;
  CHECK_EQUAL(deadlines_create(SLOTS, &deadlines), 0);
  CHECK(deadlines_next_ns(deadlines) == NS_NEVER);
  for (int i = 0; i < SLOTS; i++) due[i] = NS_NEVER;
  for (int round = 0; round < 20000; round++) {
    uint32_t slot = (uint32_t)splitmix64_below(&random, SLOTS);
    if (splitmix64_below(&random, 5) == 0) {
      deadlines_clear(deadlines, slot);
      due[slot] = NS_NEVER;
    } else {
      due[slot] = now + splitmix64_below(&random, 1000);
      deadlines_set(deadlines, slot, due[slot]);
    }
    now += splitmix64_below(&random, 10);
    uint32_t taken;
    unsigned budget = UINT_MAX;
    while (deadlines_take(deadlines, now, &budget, &taken)) {
      CHECK(due[taken] <= now);
      due[taken] = NS_NEVER;
    }
    for (int i = 0; i < SLOTS; i++) {
      CHECK(due[i] > now);
      if (due[i] != NS_NEVER) CHECK(deadlines_next_ns(deadlines) <= due[i]);
    }
  }
  deadlines_destroy(deadlines);
}

/* Of deadlines that were set to a later time or cleared, the heap has the earlier one still. */
TEST(a_look_at_the_deadlines_is_bounded) {
  enum { SLOTS = 1000, BUDGET = 10 };
  struct deadlines *deadlines;
  uint32_t taken;
  CHECK_EQUAL(deadlines_create(SLOTS, &deadlines), 0);
  for (uint32_t slot = 0; slot < SLOTS; slot++) deadlines_set(deadlines, slot, 100);
  for (uint32_t slot = 1; slot < SLOTS; slot++) {
    if (slot % 2 == 0) {
      deadlines_set(deadlines, slot, 10000);
    } else {
      deadlines_clear(deadlines, slot);
    }
  }
  unsigned calls = 0, found = 0;
  for (; deadlines_next_ns(deadlines) <= 100; calls++) {
    unsigned budget = BUDGET;
    while (deadlines_take(deadlines, 100, &budget, &taken)) found += taken == 0;
  }
  CHECK_EQUAL(calls, SLOTS / BUDGET);
  CHECK_EQUAL(found, 1);
  CHECK_EQUAL(deadlines_next_ns(deadlines), 10000);
  deadlines_destroy(deadlines);
}

TEST(schedule_points) {
  const struct schedule_point points[] = {{100, 10, false}, {200, 20, false}, {300, 40, true}};
  const struct schedule schedule = {points, 3};
  CHECK_EQUAL(schedule_check(&schedule), 0);
  CHECK_EQUAL(schedule_slots(&schedule, 99), 0);
  CHECK_EQUAL(schedule_slots(&schedule, 100), 10);
  CHECK_EQUAL(schedule_slots(&schedule, 199), 10);
  CHECK_EQUAL(schedule_slots(&schedule, 200), 20);
  CHECK_EQUAL(schedule_slots(&schedule, 250), 30);
  CHECK_EQUAL(schedule_slots(&schedule, 1000), 40);
  CHECK_EQUAL(schedule_change_ns(&schedule, 0), 100);
  CHECK_EQUAL(schedule_change_ns(&schedule, 100), 200);
  CHECK_EQUAL(schedule_change_ns(&schedule, 200), 205);
  CHECK(schedule_change_ns(&schedule, 300) == NS_NEVER);
  const struct schedule_point backwards[] = {{100, 10, false}, {50, 20, false}};
  CHECK_EQUAL(schedule_check(&(struct schedule){backwards, 2}), -EINVAL);
}

TEST(schedules_that_rise_and_fall) {
  uint64_t random = 3;
  for (unsigned round = 0; round < 2000; round++) {
    struct schedule_point points[6];
    uint64_t at_ns = 0;
    for (unsigned i = 0; i < 6; i++) {
      at_ns += splitmix64_below(&random, 4) ? splitmix64_below(&random, 50) : 0;
      points[i] =
          (struct schedule_point){at_ns, (uint32_t)splitmix64_below(&random, 30), splitmix64_below(&random, 2) == 0};
    }
    const struct schedule schedule = {points, 6};
    CHECK_EQUAL(schedule_check(&schedule), 0);
    /* from change to change it is seen in every nanosecond that nothing else changes */
    for (uint64_t t = 0; t != NS_NEVER;) {
      uint64_t next = schedule_change_ns(&schedule, t);
      CHECK(next > t && (next <= at_ns || next == NS_NEVER));
      for (uint64_t u = t; u < next && u <= at_ns + 2; u++) {
        CHECK_EQUAL(schedule_slots(&schedule, u), schedule_slots(&schedule, t));
      }
      t = next;
    }
    CHECK_EQUAL(schedule_slots(&schedule, at_ns), points[5].slots);
  }
}

TEST(lines_of_a_schedule) {
  const struct schedule_point points[] = {{0, 10, false}, {100, 0, true}, {100, 7, false}, {200, 8, true}};
  const struct schedule schedule = {points, 4};
  CHECK_EQUAL(schedule_slots(&schedule, 9), 10); /* the first leaves when its time has come */
  CHECK_EQUAL(schedule_slots(&schedule, 10), 9);
  CHECK_EQUAL(schedule_slots(&schedule, 99), 1);
  CHECK_EQUAL(schedule_slots(&schedule, 100), 7);
  CHECK_EQUAL(schedule_slots(&schedule, 199), 7);
  CHECK_EQUAL(schedule_slots(&schedule, 200), 8);
  CHECK_EQUAL(schedule_change_ns(&schedule, 95), 100);
  CHECK_EQUAL(schedule_change_ns(&schedule, 100), 200);
}

TEST(backoff_waits) {
  const struct backoff backoff = {100000000, UINT64_C(10000000000), 2.0};
  uint64_t random = 1;
  double sum = 0;
  for (unsigned failures = 1; failures <= 255; failures++) {
    double whole = failures > 8 ? 1e10 : 1e8 * (double)(1u << (failures - 1));
    if (whole > 1e10) whole = 1e10;
    for (int i = 0; i < 100; i++) {
      double wait = (double)backoff_wait_ns(&backoff, failures, &random);
      CHECK(wait > whole / 2 - 1 && wait <= whole);
      if (failures == 1) sum += wait;
    }
  }
  CHECK(sum / 100 > 0.70e8 && sum / 100 < 0.80e8); /* uniform in the upper half: mean 3/4 */
  const struct backoff flat = {5, 10, 1.0};
  CHECK(backoff_wait_ns(&flat, 1000000000u, &random) <= 5);
}

/* Every transfer is equally likely to stay: means of many samples. */
TEST(reservoir_is_fair) {
  struct exemplars exemplars;
  uint64_t random = 9;
  double sum = 0;
  for (int round = 0; round < 2000; round++) {
    exemplars_clear(&exemplars);
    for (uint32_t i = 0; i < 1000; i++) {
      struct exemplar exemplar = {
          .key = splitmix64_next(&random) >> 11, .response_ns = (i * 7919u) % 1000u, .connection = i};
      exemplars_offer(&exemplars, &exemplar);
    }
    CHECK_EQUAL(exemplars.random_count, EXEMPLARS_RANDOM);
    CHECK_EQUAL(exemplars.slowest_count, EXEMPLARS_SLOWEST);
    uint64_t slow = 0;
    for (uint32_t i = 0; i < EXEMPLARS_SLOWEST; i++) slow += exemplars.slowest[i].response_ns;
    CHECK_EQUAL(slow, 999 + 998 + 997 + 996 + 995);
    for (uint32_t i = 0; i < EXEMPLARS_RANDOM; i++) sum += exemplars.random[i].connection;
  }
  double mean = sum / (2000.0 * EXEMPLARS_RANDOM);
  CHECK(mean > 496 && mean < 503); /* 499.5, standard error 0.9 */
}

TEST(the_longest_quiet_time) {
  struct recorder recorder = {0};
  CHECK_EQUAL(recorder_create(&recorder, &(struct recorder_settings){.interval_ns = NS_PER_SECOND}), 0);
  recorder.plan = (struct phase_plan){NS_NEVER, NS_NEVER, NS_NEVER};
  recorder_begin(&recorder, 5000, 5000);
  struct interval *first = recorder.interval;
  recorder_request_started(&recorder, 5100);
  recorder_request_started(&recorder, 5200); /* replies have been awaited since 5100 */
  recorder_request_succeeded(&recorder, 0, 5100, 50, 0, (struct transfer_labels){0}, true);
  CHECK_EQUAL(first->quiet_from_ns, 100);
  CHECK_EQUAL(first->quiet_to_ns, 150);
  recorder_request_succeeded(&recorder, 0, 5200, 10, 0, (struct transfer_labels){0},
                             true); /* at 5210: 60 after the one before */
  CHECK_EQUAL(first->quiet_from_ns, 150);
  CHECK_EQUAL(first->quiet_to_ns, 210);
  recorder_request_started(&recorder, 9000); /* none was awaited in between */
  recorder_request_succeeded(&recorder, 0, 9000, 20, 0, (struct transfer_labels){0}, true);
  CHECK_EQUAL(first->quiet_to_ns, 210);
  recorder_request_started(&recorder, 10000);
  recorder_cross(&recorder, 5000 + NS_PER_SECOND); /* it has lasted up to the boundary, and it goes on */
  CHECK_EQUAL(first->quiet_from_ns, 5000);
  CHECK_EQUAL(first->quiet_to_ns, NS_PER_SECOND);
  recorder_request_failed(&recorder, 0, 10000, 5000 + NS_PER_SECOND + 7, TRANSFER_TIMEOUT, (struct transfer_labels){0});
  CHECK_EQUAL(recorder.interval->quiet_from_ns, 5000);
  CHECK_EQUAL(recorder.interval->quiet_to_ns, NS_PER_SECOND + 7);
  recorder_destroy(&recorder);
}

TEST(quiet_times_are_of_the_slices) {
  struct slice list[] = {{0, 100, 1000, 1500}, {20000, 20100, 21000, 21500}};
  struct slice_cursor slice;
  struct recorder recorder = {0};
  slice_cursor_begin(&slice, &(struct slices){list, 2}, 5000);
  struct recorder_settings settings = {.interval_ns = NS_PER_SECOND, .loaded = &slice.loaded};
  CHECK_EQUAL(recorder_create(&recorder, &settings), 0);
  recorder.plan = (struct phase_plan){NS_NEVER, NS_NEVER, NS_NEVER};
  recorder_begin(&recorder, 5000, 5000);
  const struct interval *first = recorder.interval;
  CHECK(slice_is_loaded(&slice, 5000));
  recorder_request_started(&recorder, 5700); /* has no reply for as long as others have their turn */
  recorder_request_started(&recorder, 5800);
  recorder_request_succeeded(&recorder, 0, 5800, 9000, 0, (struct transfer_labels){0}, true);
  CHECK_EQUAL(first->quiet_from_ns, 700);
  CHECK_EQUAL(first->quiet_to_ns, 1000);
  CHECK(slice_is_loaded(&slice, 25000));
  recorder_request_started(&recorder, 25000);
  recorder_request_succeeded(&recorder, 0, 25000, 400, 0, (struct transfer_labels){0}, true);
  CHECK_EQUAL(first->quiet_from_ns, 20000);
  CHECK_EQUAL(first->quiet_to_ns, 20400);
  recorder_destroy(&recorder);
}

TEST(a_gauge_below_zero_is_counted) {
  struct recorder recorder = {0};
  CHECK_EQUAL(recorder_create(&recorder, &(struct recorder_settings){.interval_ns = NS_PER_SECOND}), 0);
  recorder_begin(&recorder, 0, 0);
  recorder_slot_queued(&recorder);
  recorder_slot_unqueued(&recorder);
  CHECK_EQUAL(recorder.interval->counters[COUNT_GAUGES_BELOW_ZERO], 0);
  recorder_slot_unqueued(&recorder);
  CHECK_EQUAL(recorder.interval->counters[COUNT_GAUGES_BELOW_ZERO], 1);
  CHECK_EQUAL(recorder.gauges[GAUGE_QUEUED], 0);
  recorder_destroy(&recorder);
}

TEST(times_between_sends) {
  struct recorder recorder = {0};
  CHECK_EQUAL(recorder_create(&recorder, &(struct recorder_settings){.interval_ns = NS_PER_SECOND}), 0);
  recorder_begin(&recorder, 0, 0);
  recorder_request_sent(&recorder, 100);
  CHECK_EQUAL(recorder.interval->histograms[HISTOGRAM_SEND_GAP].count, 0);
  recorder_request_sent(&recorder, 130);
  recorder_request_sent(&recorder, 130); /* two at once */
  CHECK_EQUAL(recorder.interval->histograms[HISTOGRAM_SEND_GAP].count, 2);
  CHECK_EQUAL(recorder.interval->histograms[HISTOGRAM_SEND_GAP].max, 30);
  CHECK_EQUAL(recorder.interval->histograms[HISTOGRAM_SEND_GAP].min, 0);
  recorder_request_sent(&recorder, 120); /* reported late */
  recorder_request_sent(&recorder, 140);
  CHECK_EQUAL(recorder.interval->histograms[HISTOGRAM_SEND_GAP].count, 3);
  CHECK_EQUAL(recorder.interval->histograms[HISTOGRAM_SEND_GAP].sum, 40);
  recorder_destroy(&recorder);
}

/* The other cases of this codec are in servers/conformance/vectors/client-ace.json. */
TEST(ace_sends_its_header_once) {
  static const uint8_t twice[] = "abcabc", header[8] = {1, 0, 0, 0, 255, 255, 255, 255};
  const struct protocol_settings settings = {
      .payload = twice, .payload_bytes = 3, .bytes = header, .bytes_count = sizeof header};
  uint64_t state[PROTOCOL_STATE_BYTES / 8] = {0};
  struct iovec parts[3];
  for (unsigned round = 0; round < 3; round++) {
    unsigned count = protocol_ace.request(state, &settings, &(struct request_inputs){.random = 0}, parts);
    CHECK_EQUAL(count, round == 0 ? 3 : 2);
    CHECK_EQUAL(parts[0].iov_len, round == 0 ? sizeof header : 4);
    CHECK(protocol_ace.reply(state, &settings, (const uint8_t *)"xy", 2).verdict == PARSE_COMPLETE);
  }
}

/* Whether a connect from SOURCE_PORT or, where that is 0, from an endpoint with BOUND_PORT, to TARGET_PORT may find
 * itself. */
static bool may_find_itself(uint16_t target_port, uint16_t source_port, uint16_t bound_port) {
  const struct port_range ephemeral = {32768, 60999};
  struct endpoint endpoint = {.family = AF_INET6, .transport = SOCK_STREAM};
  struct sockaddr_in6 target = {.sin6_family = AF_INET6, .sin6_port = htons(target_port)}, source = target;
  source.sin6_port = htons(bound_port);
  memcpy(&endpoint.address, &target, sizeof target);
  memcpy(&endpoint.source, &source, sizeof source);
  endpoint.source_length = sizeof source;
  return socket_may_be_self_connected(&ephemeral, &endpoint, source_port);
}

/* Without the memory: the text of an error is not looked at. */
TEST(an_error_of_memcached_may_be_as_long_as_its_header_can_say) {
  enum { GET_HEAD_BYTES = 24, SET_HEAD_BYTES = 32, SIZE = 5 };
  const uint8_t head[] = {0x81, 0x0c, 0, 0, 0, 0, 0, 0x81, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  uint8_t bytes[8 + GET_HEAD_BYTES + SET_HEAD_BYTES] = {SIZE}, payload[2 * SIZE] = {0};
  struct protocol_settings settings = {
      .payload = payload, .payload_bytes = SIZE, .bytes = bytes, .bytes_count = sizeof bytes};
  static const char *const ones[] = {"getWeight", "keys", "keysPerGet", "sizes"};
  for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++) {
    CHECK(protocol_set_parameter(&protocol_memcached_binary, &settings.parameters, ones[i], 1));
  }
  CHECK(protocol_validate(&protocol_memcached_binary, &settings));
  uint64_t state[PROTOCOL_STATE_BYTES / 8] = {0};
  struct iovec parts[3];
  protocol_memcached_binary.request(state, &settings, &(struct request_inputs){0}, parts);
  uint8_t *text = mmap(NULL, UINT32_MAX, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(text != MAP_FAILED);
  CHECK_EQUAL(protocol_memcached_binary.reply(state, &settings, head, sizeof head).verdict, PARSE_INCOMPLETE);
  struct parse_result result = protocol_memcached_binary.reply(state, &settings, text, UINT32_MAX - 1);
  CHECK_EQUAL(result.verdict, PARSE_INCOMPLETE);
  CHECK_EQUAL(result.consumed, UINT32_MAX - 1);
  result = protocol_memcached_binary.reply(state, &settings, payload, 1);
  CHECK_EQUAL(result.verdict, PARSE_COMPLETE);
  CHECK_EQUAL(result.code, CODE_ERROR);
  munmap(text, UINT32_MAX);
}

TEST(sockets_that_may_find_themselves) {
  struct port_range range = socket_ephemeral_ports();
  CHECK(range.first < range.last);
  CHECK(!may_find_itself(32767, 0, 0));
  CHECK(may_find_itself(32768, 0, 0));
  CHECK(may_find_itself(60999, 0, 0));
  CHECK(!may_find_itself(61000, 0, 0));
  CHECK(may_find_itself(7000, 0, 7000));
  CHECK(!may_find_itself(40000, 0, 7000));
  CHECK(may_find_itself(7000, 7000, 9));
  CHECK(!may_find_itself(40000, 7000, 40000));
  struct endpoint local = {.family = AF_UNIX, .transport = SOCK_STREAM};
  CHECK(!socket_may_be_self_connected(&(struct port_range){0, UINT16_MAX}, &local, 0));
}

/* ---- the ring of intervals ---- */

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
    histogram_record(&interval->histograms[HISTOGRAM_RESPONSE_TIME], value);
    histogram_record(&interval->histograms[HISTOGRAM_NETWORK_AND_SERVER], value);
  }
  CHECK(resident_pages(interval) >= fresh + 50);
  intervals_advance(intervals);
  interval_publish(intervals);
  CHECK(interval_take(intervals) == interval);
  interval_release(intervals);
  CHECK_EQUAL(resident_pages(interval), fresh);
  CHECK_EQUAL(interval->histograms[HISTOGRAM_RESPONSE_TIME].count, 0);
  CHECK_EQUAL(interval->histograms[HISTOGRAM_RESPONSE_TIME].min, UINT64_MAX);
  CHECK_EQUAL(interval->histograms[HISTOGRAM_RESPONSE_TIME].counts[histogram_index(1000000)], 0);
  intervals_destroy(intervals);
}
