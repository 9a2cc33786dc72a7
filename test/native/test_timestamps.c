/*
 * test_timestamps.c: response times split by kernel timestamps, on the fake transport and clock: each transfer finds
 * its own stamps, the parts are exact, and what has no stamp of its own is left out and counted by cause.
 */
#include <stdlib.h>

#include "../../client/engine/core/base/realtime.h"
#include "../../client/engine/core/base/stamped_slots.h"
#include "check.h"
#include "leg.h"

#define LEAVES_NS (MS / 10)
#define WAITS_NS (3 * MS / 10)
#define EVERY 1u /* transfer */

static uint64_t omitted(const struct leg *leg, enum split_omission omission) {
  return leg->counters[COUNT_OMITTED + omission];
}

/* Of each transfer LEAVES_NS before its request leaves, and WAITS_NS before its reply is read. */
static struct leg *stamped(uint32_t slots, uint32_t one_in) {
  struct leg *leg = leg_new(slots);
  leg->settings.timestamps_one_in = one_in;
  leg->world.leaves_after_ns = LEAVES_NS;
  leg->world.waits_ns = WAITS_NS;
  return leg;
}

static void check_delays(const struct leg *leg) {
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SEND_DELAY].min, LEAVES_NS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SEND_DELAY].max, LEAVES_NS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RECEIVE_DELAY].min, WAITS_NS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RECEIVE_DELAY].max, WAITS_NS);
}

TEST(every_transfer_is_split) {
  struct leg *leg = stamped(10, EVERY);
  leg_run(leg);
  CHECK(leg->counters[COUNT_TRANSFERS] > 90000);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count, leg->counters[COUNT_TRANSFERS]);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].max, 1 * MS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_NETWORK_AND_SERVER].min, 1 * MS - LEAVES_NS - WAITS_NS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_NETWORK_AND_SERVER].max, 1 * MS - LEAVES_NS - WAITS_NS);
  check_delays(leg);
  leg_end(leg);
}

TEST(without_timestamps_none_is) {
  struct leg *leg = stamped(10, 0);
  leg_run(leg);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count + leg_omitted(leg) + leg->world.stamps, 0);
  leg_end(leg);
}

/* One in 64, and no more sends are stamped than are split. */
TEST(a_sample_is_bounded) {
  struct leg *leg = stamped(2000, TIMESTAMPS_SAMPLE);
  leg->world.request_fate = (struct fate){FATE_OK, 100 * MS, 0};
  leg_run(leg);
  uint64_t expected = leg->counters[COUNT_TRANSFERS] / TIMESTAMPS_SAMPLE;
  CHECK(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count > expected * 8 / 10 &&
        leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count < expected * 12 / 10);
  CHECK(leg->world.stamps <= leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count + leg->settings.slots);
  check_delays(leg);
  leg_end(leg);
}

/* From 32,000 a second on, about 500 a second are. */
TEST(a_sample_of_many_has_a_ceiling) {
  struct leg *leg = stamped(2000, TIMESTAMPS_SAMPLE);
  leg->world.request_fate = (struct fate){FATE_OK, 10 * MS, 0};
  leg_run(leg); /* 200,000 a second for 10 s; the first second is not adapted yet */
  CHECK(leg->counters[COUNT_TRANSFERS] > 1900000);
  CHECK(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count > 400 * 9 &&
        leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count < 600 * 9 + 200000 / TIMESTAMPS_SAMPLE);
  check_delays(leg);
  leg_end(leg);
}

/* Of a few connections all are sampled, a transfer now and then; where there are few transfers, each. */
TEST(a_sample_of_few_is_large_enough) {
  struct leg *leg = stamped(3, TIMESTAMPS_SAMPLE);
  leg_run(leg); /* 3,000 a second: 47 of them, or 200 */
  CHECK(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count > 150 * 9 &&
        leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count < 260 * 10);
  CHECK(leg->world.stamps <= leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count + 3);
  check_delays(leg);
  leg_end(leg);
  leg = stamped(1, TIMESTAMPS_SAMPLE);
  leg->world.request_fate = (struct fate){FATE_OK, 100 * MS, 0};
  leg_run(leg);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count, leg->counters[COUNT_TRANSFERS]);
  leg_end(leg);
}

/* 1 ms to 8 ms, one after another. */
static struct fate in_turn(struct fake_world *world, uint32_t slot) {
  return (struct fate){FATE_OK, (1 + (world->requests + slot) % 8) * MS, 0};
}

static struct leg *pipelined(uint32_t depth) {
  struct leg *leg = stamped(5, EVERY);
  leg->settings.pipeline = depth;
  leg->world.request_bytes = leg->settings.payload_bytes;
  leg->world.request = in_turn;
  return leg;
}

TEST(pipelined_requests_find_their_own) {
  struct leg *leg = pipelined(8);
  leg_run(leg);
  /* a reply that comes alone frees one place, whose request goes out alone */
  CHECK(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count > leg->counters[COUNT_TRANSFERS] / 2);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count + leg_omitted(leg), leg->counters[COUNT_TRANSFERS]);
  CHECK_EQUAL(leg_omitted(leg), omitted(leg, OMITTED_SENT_TOGETHER));
  CHECK_EQUAL(omitted(leg, OMITTED_SENT_TOGETHER), leg->world.requests - leg->world.sends);
  check_delays(leg);
  leg_end(leg);
}

TEST(replies_that_come_together_are_left_out) {
  struct leg *leg = pipelined(8);
  leg->world.joins = true;
  leg_run(leg);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count + leg_omitted(leg), leg->counters[COUNT_TRANSFERS]);
  CHECK(omitted(leg, OMITTED_READ_TOGETHER) + omitted(leg, OMITTED_SENT_TOGETHER) == leg_omitted(leg));
  CHECK(omitted(leg, OMITTED_READ_TOGETHER) > 0);
  CHECK(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count > 0);
  check_delays(leg);
  leg_end(leg);
}

TEST(replies_in_pieces_end_with_the_last) {
  struct leg *leg = stamped(5, EVERY);
  leg->world.pieces = 5;
  leg_run(leg);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count, leg->counters[COUNT_TRANSFERS]);
  check_delays(leg);
  leg_end(leg);
}

TEST(lost_stamps_are_counted) {
  for (uint32_t depth = 1; depth <= 4; depth += 3) {
    struct leg *leg = pipelined(depth);
    leg->world.loses_stamps = 10;
    leg_run(leg);
    CHECK(leg->world.lost_stamps > 100);
    CHECK_EQUAL(omitted(leg, OMITTED_NO_SEND_STAMP), leg->world.lost_stamps);
    CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count + leg_omitted(leg), leg->counters[COUNT_TRANSFERS]);
    check_delays(leg);
    leg_end(leg);
  }
}

/* Arrivals that are not known, sends that block, requests that are too large, a reply that arrives before its request
 * has left, and one that has waited for longer than the transfer took. */
TEST(omissions_are_counted_by_cause) {
  static uint8_t large[70000];
  static const struct {
    enum split_omission omission;
    bool hides_arrivals;
    uint64_t sends_take_ns, leaves_after_ns, waits_ns;
    size_t payload_bytes;
  } worlds[] = {{OMITTED_NO_REPLY_STAMP, true, 0, LEAVES_NS, WAITS_NS, 64},
                {OMITTED_SEND_BLOCKED, false, MS / 2, LEAVES_NS, WAITS_NS, 64},
                {OMITTED_LARGE_REQUEST, false, 0, LEAVES_NS, WAITS_NS, sizeof large},
                {OMITTED_OUT_OF_ORDER, false, 0, 2 * MS, WAITS_NS, 64},
                {OMITTED_OUT_OF_ORDER, false, 0, LEAVES_NS, 2 * MS, 64}};
  for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
    struct leg *leg = stamped(5, EVERY);
    leg->settings.steady_to_ns = 3 * SECOND;
    leg->settings.payload = large;
    leg->settings.payload_bytes = worlds[i].payload_bytes;
    leg->world.hides_arrivals = worlds[i].hides_arrivals;
    leg->world.sends_take_ns = worlds[i].sends_take_ns;
    leg->world.leaves_after_ns = worlds[i].leaves_after_ns;
    leg->world.waits_ns = worlds[i].waits_ns;
    leg_run(leg);
    CHECK(leg->counters[COUNT_TRANSFERS] > 0);
    CHECK_EQUAL(omitted(leg, worlds[i].omission), leg->counters[COUNT_TRANSFERS]);
    if (worlds[i].omission == OMITTED_LARGE_REQUEST) CHECK_EQUAL(leg->world.stamps, 0);
    leg_end(leg);
  }
}

TEST(sends_that_start_late_are_not_blocked) {
  struct leg *leg = stamped(5, EVERY);
  leg->world.sends_take_ns = MS / 2;
  leg->world.sends_start_late = true;
  leg->world.leaves_after_ns += MS / 2;
  leg_run(leg);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count, leg->counters[COUNT_TRANSFERS]);
  leg_end(leg);
}

/* Half a millisecond after every hundredth request the clock of the stamps was found to have been set. */
static struct fate steps_now_and_then(struct fake_world *world, uint32_t slot) {
  (void)slot;
  if (world->requests % 100 == 50) world->transport->clock_stepped_ns = world->now_ns + MS / 2;
  return (struct fate){FATE_OK, 1 * MS, 0};
}

TEST(a_step_of_the_clock_leaves_out_what_it_met) {
  struct leg *leg = stamped(1, EVERY);
  leg->world.request = steps_now_and_then;
  leg_run(leg);
  CHECK(leg->counters[COUNT_TRANSFERS] > 9000);
  CHECK_EQUAL(omitted(leg, OMITTED_CLOCK_STEPPED), (leg->world.requests + 50) / 100);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count + leg_omitted(leg), leg->counters[COUNT_TRANSFERS]);
  leg_end(leg);
}

TEST(connections_that_fail_leave_nothing_behind) {
  struct leg *leg = stamped(20, EVERY);
  leg->settings.pipeline = 4;
  leg->world.request_bytes = leg->settings.payload_bytes;
  leg->world.request = fate_odd_only;
  leg->settings.transfer_timeout_ns = SECOND;
  leg_run(leg);
  CHECK(leg->counters[COUNT_LOST] > 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count + leg_omitted(leg), leg->counters[COUNT_TRANSFERS]);
  check_delays(leg);
  leg_end(leg);
}

/* ---- open loop ---- */

TEST(a_wait_for_a_connection_is_a_part_of_its_own) {
  struct leg *leg = stamped(2, EVERY);
  leg_at_rate(leg, 1000);
  leg->world.request_fate = (struct fate){FATE_OK, 10 * MS, 0};
  leg_run(leg); /* two connections answer 200 of the 1,000 a second */
  CHECK(leg->counters[COUNT_LATE] > 1000);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].count, leg->counters[COUNT_TRANSFERS]);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SPLIT_RESPONSE].max, leg->histograms[HISTOGRAM_RESPONSE_TIME].max);
  CHECK(leg->histograms[HISTOGRAM_CONNECTION_WAIT].max > 4 * SECOND);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_CONNECTION_WAIT].min, 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_NETWORK_AND_SERVER].max, 10 * MS - LEAVES_NS - WAITS_NS);
  check_delays(leg);
  leg_end(leg);
}

/* ---- the slots ---- */

TEST(one_slot_of_each_block_is_stamped) {
  uint32_t odd = 0;
  for (uint8_t shift = 0; shift <= 6; shift++) {
    struct stamped_slots slots = {.any = true, .shift = shift};
    uint32_t block = UINT32_C(1) << shift;
    for (uint32_t first = 0; first < 100 * block; first += block) {
      uint32_t stamped_count = 0;
      for (uint32_t slot = first; slot < first + block; slot++) {
        stamped_count += stamped_slots_has(&slots, slot);
        odd += shift > 0 && stamped_slots_has(&slots, slot) && slot % 2 == 1;
      }
      CHECK_EQUAL(stamped_count, 1);
    }
    CHECK_EQUAL(stamped_slots_count(&slots, 100 * block + 1), 101);
  }
  CHECK(odd > 240 && odd < 360); /* of 600: they follow no pattern of the slots */
  CHECK_EQUAL(stamped_slots_has(&(struct stamped_slots){0}, 0), false);
}

/* ---- the clock of the stamps ---- */

/* Two clocks: one gives now_ns and then passes by `passes_ns`, the other is ahead by `ahead_ns`. */
static struct {
  uint64_t now_ns, passes_ns, ahead_ns;
  unsigned interrupted; /* how many of the next readings take 1 ms */
} clocks;

static uint64_t read_clock(void *context) {
  (void)context;
  uint64_t now_ns = clocks.now_ns;
  clocks.now_ns += clocks.interrupted > 0 ? MS : clocks.passes_ns;
  if (clocks.interrupted > 0) clocks.interrupted--;
  return now_ns;
}

static uint64_t read_real_clock(void *context) { return read_clock(context) + clocks.ahead_ns; }

TEST(times_are_converted) {
  struct realtime realtime = {.clock = {read_clock, NULL}, .real = {read_real_clock, NULL}};
  clocks.now_ns = 5000 * SECOND;
  clocks.ahead_ns = 1700000000 * SECOND;
  clocks.passes_ns = 30;
  CHECK_EQUAL(realtime_convert(&realtime, (1700000000 + 4999) * SECOND), 4999 * SECOND);
  CHECK_EQUAL(realtime.stepped_ns, 0);
  clocks.interrupted = 2; /* one reading is of no use, and taken again */
  CHECK_EQUAL(realtime_convert(&realtime, (1700000000 + 4999) * SECOND), 4999 * SECOND);
  CHECK_EQUAL(realtime.stepped_ns, 0);
  clocks.interrupted = 100; /* none is of use */
  CHECK_EQUAL(realtime_convert(&realtime, (1700000000 + 4999) * SECOND), 0);
  CHECK_EQUAL(realtime.stepped_ns, 0);
  clocks.interrupted = 0;
  clocks.ahead_ns += MS; /* it is set */
  uint64_t before_ns = clocks.now_ns;
  CHECK_EQUAL(realtime_convert(&realtime, (1700000000 + 4999) * SECOND + MS), 4999 * SECOND);
  CHECK(realtime.stepped_ns >= before_ns && realtime.stepped_ns <= clocks.now_ns);
}
