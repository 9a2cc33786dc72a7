/*
 * test_units.c: parts of the core on their own: histogram, deadlines, schedule, back-off, exemplars, recorder, echo.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../client/engine/core/base/clock.h"
#include "../../client/engine/core/base/deadlines.h"
#include "../../client/engine/core/base/splitmix64.h"
#include "../../client/engine/core/load/backoff.h"
#include "../../client/engine/core/load/ramp.h"
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

TEST(histogram_sums) {
  struct histogram *histogram = calloc(1, sizeof *histogram);
  histogram_clear(histogram);
  for (uint64_t value = 1; value <= 1000; value++) histogram_record(histogram, value * 1000);
  CHECK_EQUAL(histogram->count, 1000);
  CHECK_EQUAL(histogram->min, 1000);
  CHECK_EQUAL(histogram->max, 1000000);
  CHECK_EQUAL((int64_t)histogram->sum, 500500000);
  histogram_clear(histogram);
  uint64_t left = 0;
  for (uint32_t i = 0; i < HISTOGRAM_COUNTS; i++) left += histogram->counts[i];
  CHECK_EQUAL(left, 0);
  CHECK_EQUAL(histogram->count, 0);
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
    while (deadlines_take(deadlines, now, &taken)) {
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

TEST(timers_moved_later_cost_nothing) {
  struct deadlines *deadlines;
  uint32_t slot;
  CHECK_EQUAL(deadlines_create(2, &deadlines), 0);
  deadlines_set(deadlines, 0, 100);
  deadlines_set(deadlines, 0, 200);
  deadlines_set(deadlines, 1, 150);
  CHECK_EQUAL(deadlines_next_ns(deadlines), 100);
  CHECK(!deadlines_take(deadlines, 149, &slot));
  CHECK(deadlines_take(deadlines, 150, &slot) && slot == 1);
  CHECK(!deadlines_take(deadlines, 199, &slot));
  CHECK(deadlines_take(deadlines, 200, &slot) && slot == 0);
  CHECK(!deadlines_take(deadlines, 10000, &slot));
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

TEST(gauges_stay_above_zero) {
  struct recorder recorder = {0};
  CHECK_EQUAL(recorder_create(&recorder, &(struct recorder_settings){.interval_ns = NS_PER_SECOND}), 0);
  recorder_begin(&recorder, 0, 0);
  recorder_connection_closed(&recorder, true, 0);
  recorder_request_failed(&recorder, 0, 0, 0, TRANSFER_RESET);
  recorder_attempt_abandoned(&recorder, true);
  recorder_backoff_ended(&recorder, true);
  recorder_answered_ended(&recorder);
  for (unsigned i = 0; i < GAUGES; i++) CHECK_EQUAL(recorder.gauges[i], 0);
  recorder_destroy(&recorder);
}

TEST(the_longest_quiet_time) {
  struct recorder recorder = {0};
  CHECK_EQUAL(recorder_create(&recorder, &(struct recorder_settings){.interval_ns = NS_PER_SECOND}), 0);
  recorder.plan = (struct phase_plan){NS_NEVER, NS_NEVER, NS_NEVER};
  recorder_begin(&recorder, 5000, 5000);
  struct interval *first = recorder.interval;
  recorder_request_started(&recorder, 5100);
  recorder_request_started(&recorder, 5200); /* replies have been awaited since 5100 */
  recorder_request_succeeded(&recorder, 0, 5100, 50, 0);
  CHECK_EQUAL(first->quiet_from_ns, 100);
  CHECK_EQUAL(first->quiet_to_ns, 150);
  recorder_request_succeeded(&recorder, 0, 5200, 10, 0); /* at 5210: 60 after the one before */
  CHECK_EQUAL(first->quiet_from_ns, 150);
  CHECK_EQUAL(first->quiet_to_ns, 210);
  recorder_request_started(&recorder, 9000); /* none was awaited in between */
  recorder_request_succeeded(&recorder, 0, 9000, 20, 0);
  CHECK_EQUAL(first->quiet_to_ns, 210);
  recorder_request_started(&recorder, 10000);
  recorder_cross(&recorder, 5000 + NS_PER_SECOND); /* it has lasted up to the boundary, and it goes on */
  CHECK_EQUAL(first->quiet_from_ns, 5000);
  CHECK_EQUAL(first->quiet_to_ns, NS_PER_SECOND);
  recorder_request_failed(&recorder, 0, 10000, 5000 + NS_PER_SECOND + 7, TRANSFER_TIMEOUT);
  CHECK_EQUAL(recorder.interval->quiet_from_ns, 5000);
  CHECK_EQUAL(recorder.interval->quiet_to_ns, NS_PER_SECOND + 7);
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
  CHECK_EQUAL(recorder.interval->send_gap.count, 0);
  recorder_request_sent(&recorder, 130);
  recorder_request_sent(&recorder, 130); /* two at once */
  CHECK_EQUAL(recorder.interval->send_gap.count, 2);
  CHECK_EQUAL(recorder.interval->send_gap.max, 30);
  CHECK_EQUAL(recorder.interval->send_gap.min, 0);
  recorder_request_sent(&recorder, 120); /* reported late */
  recorder_request_sent(&recorder, 140);
  CHECK_EQUAL(recorder.interval->send_gap.count, 3);
  CHECK_EQUAL(recorder.interval->send_gap.sum, 40);
  recorder_destroy(&recorder);
}

/* A reply cut in two at every byte, and a wrong byte at every place. */
TEST(echo_split_anywhere) {
  uint8_t once[37], twice[74], reply[38];
  uint64_t random = 5;
  for (size_t i = 0; i < sizeof once; i++) once[i] = (uint8_t)splitmix64_next(&random);
  memcpy(twice, once, sizeof once);
  memcpy(twice + sizeof once, once, sizeof once);
  const struct protocol_settings settings = {.payload = twice, .payload_bytes = sizeof once};
  const struct protocol *echo = protocol_find("echo");
  CHECK(echo != NULL && protocol_find("telepathy") == NULL);
  for (size_t split = 1; split < sizeof once; split++) {
    uint64_t state[PROTOCOL_STATE_BYTES / 8];
    struct iovec parts[3];
    CHECK_EQUAL(echo->request(state, &settings, &(struct request_inputs){.random = splitmix64_next(&random)}, parts),
                1);
    CHECK_EQUAL(parts[0].iov_len, sizeof once);
    memcpy(reply, parts[0].iov_base, sizeof once);
    struct parse_result first = echo->reply(state, &settings, reply, split);
    CHECK(first.verdict == PARSE_INCOMPLETE && first.consumed == split);
    struct parse_result rest = echo->reply(state, &settings, reply + split, sizeof once - split + 1);
    CHECK(rest.verdict == PARSE_COMPLETE && rest.consumed == sizeof once - split);
    echo->request(state, &settings, &(struct request_inputs){.random = splitmix64_next(&random)}, parts);
    memcpy(reply, parts[0].iov_base, sizeof once);
    reply[split] ^= 0x80;
    CHECK(echo->reply(state, &settings, reply, sizeof once).verdict == PARSE_MISMATCH);
  }
}

TEST(echo_tells_requests_apart) {
  uint8_t twice[2048];
  uint64_t random = 11, state[PROTOCOL_STATE_BYTES / 8];
  for (size_t i = 0; i < 1024; i++) twice[i] = twice[i + 1024] = (uint8_t)splitmix64_next(&random);
  const struct protocol_settings settings = {.payload = twice, .payload_bytes = 1024};
  struct iovec first[3], second[3];
  int same = 0;
  for (int i = 0; i < 1000; i++) {
    protocol_echo.request(state, &settings, &(struct request_inputs){.random = splitmix64_next(&random)}, first);
    protocol_echo.request(state, &settings, &(struct request_inputs){.random = splitmix64_next(&random)}, second);
    same += memcmp(first[0].iov_base, second[0].iov_base, 1024) == 0;
  }
  CHECK(same < 10);
}

TEST(volley_split_anywhere) {
  uint64_t random = 5, state[PROTOCOL_STATE_BYTES / 8] = {0};
  const struct protocol_settings settings = {.payload = (const uint8_t *)"", .payload_bytes = 4};
  for (int round = 0; round < 1000; round++) {
    struct iovec parts[3];
    CHECK_EQUAL(
        protocol_volley.request(state, &settings, &(struct request_inputs){.random = splitmix64_next(&random)}, parts),
        1);
    CHECK_EQUAL(parts[0].iov_len, 4);
    const uint8_t *sent = parts[0].iov_base;
    uint32_t word = (uint32_t)sent[0] << 24 | (uint32_t)sent[1] << 16 | (uint32_t)sent[2] << 8 | sent[3];
    CHECK(word != 0);
    uint32_t next = word + 1;
    const uint8_t reply[5] = {(uint8_t)(next >> 24), (uint8_t)(next >> 16), (uint8_t)(next >> 8), (uint8_t)next, 0};
    size_t split = 1 + (size_t)round % 3;
    struct parse_result first = protocol_volley.reply(state, &settings, reply, split);
    CHECK(first.verdict == PARSE_INCOMPLETE && first.consumed == split);
    struct parse_result rest = protocol_volley.reply(state, &settings, reply + split, sizeof reply - split);
    CHECK(rest.verdict == PARSE_COMPLETE && rest.consumed == 4 - split);
    protocol_volley.request(state, &settings, &(struct request_inputs){.random = splitmix64_next(&random)}, parts);
    CHECK(protocol_volley.reply(state, &settings, parts[0].iov_base, 4).verdict == PARSE_MISMATCH);
  }
}

static void volley_asks_and_expects(uint64_t random, const char *word, const char *reply) {
  uint64_t state[PROTOCOL_STATE_BYTES / 8] = {0};
  const struct protocol_settings settings = {.payload = (const uint8_t *)"", .payload_bytes = 4};
  struct iovec parts[3];
  protocol_volley.request(state, &settings, &(struct request_inputs){.random = random}, parts);
  CHECK(memcmp(parts[0].iov_base, word, 4) == 0);
  CHECK(protocol_volley.reply(state, &settings, (const uint8_t *)reply, 4).verdict == PARSE_COMPLETE);
}

/* As in servers/conformance/vectors/volley.json; and never zero, which ends servers. */
TEST(volley_vectors) {
  volley_asks_and_expects(0x0000000100000000u, "\0\0\0\1", "\0\0\0\2");
  volley_asks_and_expects(0xffffffff00000000u, "\377\377\377\377", "\0\0\0\0");
  volley_asks_and_expects(0x0000ffff00000000u, "\0\0\377\377", "\0\1\0\0");
  volley_asks_and_expects(0x00000000ffffffffu, "\0\0\0\1", "\0\0\0\2");
}

static size_t gather(const struct iovec *parts, unsigned count, uint8_t *bytes) {
  size_t total = 0;
  for (unsigned i = 0; i < count; i++) {
    memcpy(bytes + total, parts[i].iov_base, parts[i].iov_len);
    total += parts[i].iov_len;
  }
  return total;
}

TEST(ace_greets_once) {
  static const uint8_t twice[] = "abcabc", header[8] = {1, 0, 0, 0, 255, 255, 255, 255}, length[4] = {0, 0, 0, 3};
  struct protocol_settings settings = {
      .payload = twice, .payload_bytes = 3, .bytes = header, .bytes_count = sizeof header};
  uint64_t state[PROTOCOL_STATE_BYTES / 8] = {0};
  uint8_t sent[64];
  struct iovec parts[3];
  CHECK(protocol_validate(&protocol_ace, &settings));
  unsigned count = protocol_ace.request(state, &settings, &(struct request_inputs){.random = 0}, parts);
  CHECK_EQUAL(gather(parts, count, sent), sizeof header + sizeof length + 3);
  CHECK(memcmp(sent, header, sizeof header) == 0 && memcmp(sent + 8, length, 4) == 0);
  CHECK(memcmp(sent + 12, "abc", 3) == 0);
  for (int round = 0; round < 10; round++) { /* any 2 bytes, in one piece or two, are a reply; a third is another's */
    uint8_t any[3] = {(uint8_t)round, 0xff, 0};
    struct parse_result result = protocol_ace.reply(state, &settings, any, 1 + (size_t)round % 3);
    if (round % 3 == 0) {
      CHECK(result.verdict == PARSE_INCOMPLETE && result.consumed == 1);
      result = protocol_ace.reply(state, &settings, any, 2);
      CHECK(result.verdict == PARSE_COMPLETE && result.consumed == 1);
    } else {
      CHECK(result.verdict == PARSE_COMPLETE && result.consumed == 2);
    }
    count = protocol_ace.request(state, &settings, &(struct request_inputs){.random = 0}, parts);
    CHECK_EQUAL(gather(parts, count, sent), sizeof length + 3);
    CHECK(memcmp(sent, length, 4) == 0);
  }
  settings.payload_bytes = 0; /* an empty message is its length alone */
  count = protocol_ace.request(state, &settings, &(struct request_inputs){.random = 0}, parts);
  CHECK_EQUAL(gather(parts, count, sent), sizeof length);
  CHECK(memcmp(sent, "\0\0\0", 4) == 0);
  settings.bytes_count = 0;
  CHECK(!protocol_validate(&protocol_ace, &settings));
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
