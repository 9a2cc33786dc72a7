/*
 * test_ramp.c: the number of connections follows a profile that rises, falls and has spikes, on the fake transport and
 * clock. A slot that is deactivated finishes its transfer and closes by FIN, which is neither a loss nor an error; it
 * may be activated again.
 */
#include <errno.h>
#include <stdlib.h>

#include "../../client/engine/core/base/splitmix64.h"
#include "check.h"
#include "leg.h"

/* SLOTS at first, then more at each of the times, up to 7. */
struct step {
  uint64_t at_ms;
  uint32_t slots;
  bool line;
};

static struct leg *leg_along(uint32_t slots, const struct step *steps, size_t count) {
  struct leg *leg = leg_new(slots);
  for (size_t i = 0; i < count; i++) {
    leg->points[i] = (struct schedule_point){steps[i].at_ms * MS, steps[i].slots, steps[i].line};
  }
  leg->settings.schedule.count = count;
  return leg;
}

#define ALONG(slots, ...) \
  leg_along(slots, (const struct step[]){__VA_ARGS__}, sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step))

/* No connection was lost, nothing failed: FINS ended as planned before the drain, and came back or not. */
static void check_planned(const struct leg *leg, uint64_t ends, uint64_t reopened) {
  CHECK_EQUAL(leg_errors(leg), 0);
  CHECK_EQUAL(leg_rejects(leg), 0);
  CHECK_EQUAL(leg->counters[COUNT_LOST], 0);
  CHECK_EQUAL(leg->counters[COUNT_FAILED], 0);
  CHECK_EQUAL(leg->world.resets, leg->counters[COUNT_ABANDONED]);
  CHECK_EQUAL(leg->world.fins, leg->counters[COUNT_OPENED]);
  CHECK_EQUAL(leg->counters[COUNT_REOPENED], reopened);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RECOVERY_TIME].count, 0);
  CHECK_EQUAL(leg->counters[COUNT_OPENED] - leg->interval[9].open, ends);
}

TEST(steps_up_and_down) {
  struct leg *leg =
      ALONG(100, {0, 10, false}, {2500, 100, false}, {4500, 20, false}, {6500, 0, false}, {8500, 50, false});
  leg_run(leg);
  const uint64_t open[] = {10, 10, 100, 100, 20, 20, 0, 0, 50, 50};
  for (unsigned i = 0; i < 10; i++) {
    CHECK_EQUAL(leg->interval[i].open, open[i]);
    CHECK_EQUAL(leg->interval[i].requested, open[i]);
  }
  CHECK_EQUAL(leg->interval[7].transfers, 0);
  check_planned(leg, 100, 50);
  CHECK_EQUAL(leg->counters[COUNT_ABANDONED], 0);
  leg_end(leg);
}

TEST(lines_up_and_down) {
  struct leg *leg = ALONG(200, {0, 0, false}, {2000, 0, false}, {5000, 200, true}, {9000, 40, true});
  leg_run(leg);
  const int64_t asked[] = {0, 0, 66, 133, 199, 161, 121, 81, 41, 40}; /* just before the second is full */
  for (unsigned i = 0; i < 10; i++) {
    CHECK_EQUAL(leg->interval[i].requested, asked[i]);
    /* 1 ms to connect, and 1 ms to be answered before one is closed */
    CHECK(llabs((int64_t)leg->interval[i].open - asked[i]) <= 1);
  }
  check_planned(leg, 160, 0);
  leg_end(leg);
}

/* Answers that take 2 s: those who leave at 4.5 s get theirs. */
TEST(transfers_end_before_their_connection_is_closed) {
  for (uint32_t depth = 1; depth <= 3; depth += 2) {
    struct leg *leg = ALONG(30, {0, 30, false}, {4500, 5, false});
    leg->settings.pipeline = depth;
    leg->world.request_fate = (struct fate){FATE_OK, 2 * SECOND, 0};
    leg->world.request_bytes = 64;
    leg_run(leg);
    CHECK_EQUAL(leg->interval[4].requested, 5);
    CHECK_EQUAL(leg->interval[4].open, 30); /* at 5 s; they were asked at 4.001 s, and are answered at 6.001 s */
    CHECK_EQUAL(leg->interval[6].open, 5);
    CHECK_EQUAL(leg->interval[6].in_flight, 5 * depth);
    CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], depth * (25 * 3 + 5 * 5));
    CHECK_EQUAL(leg->counters[COUNT_UNFINISHED], 0);
    check_planned(leg, 25, 0);
    leg_end(leg);
  }
}

TEST(a_slot_requested_again_in_time_stays_open) {
  struct leg *leg = ALONG(30, {0, 30, false}, {4500, 5, false}, {5500, 30, false});
  leg->world.request_fate = (struct fate){FATE_OK, 2 * SECOND, 0};
  leg_run(leg);
  for (unsigned i = 0; i < 10; i++) CHECK_EQUAL(leg->interval[i].open, 30);
  check_planned(leg, 0, 0);
  leg_end(leg);
}

TEST(one_that_is_lost_while_it_leaves_is_lost) {
  struct leg *leg = ALONG(30, {0, 30, false}, {1500, 0, false}, {6000, 10, false});
  leg->world.request_fate = (struct fate){FATE_CLOSE, 2 * SECOND, -ECONNRESET};
  leg_run(leg);
  CHECK_EQUAL(leg->interval[2].open, 0);
  CHECK_EQUAL(leg->counters[COUNT_LOST], leg_errors(leg));
  CHECK(leg->counters[COUNT_LOST] >= 40);
  for (unsigned i = 2; i < 5; i++) CHECK_EQUAL(leg->interval[i].attempts, 0); /* no back-off: none is set */
  CHECK_EQUAL(leg->interval[6].attempts, 10);
  leg_end(leg);
}

TEST(attempts_in_flight_are_abandoned) {
  struct leg *leg = ALONG(30, {0, 30, false}, {4500, 5, false}, {6500, 30, false});
  leg->world.attempt_fate = (struct fate){FATE_NOTHING, 0, 0};
  leg->settings.connect_timeout_ns = 20 * SECOND;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_ATTEMPTS], 55);
  CHECK_EQUAL(leg->counters[COUNT_ABANDONED], 55);
  CHECK_EQUAL(leg->counters[COUNT_OPENED], 0);
  leg_end(leg);
}

TEST(who_backs_off_leaves_and_comes_back_at_once) {
  struct leg *leg = ALONG(30, {0, 30, false}, {4500, 0, false}, {7000, 30, false});
  leg->world.attempt_fate = (struct fate){FATE_CLOSE, 0, -ECONNREFUSED};
  leg_run(leg);
  CHECK_EQUAL(leg->interval[5].attempts, 0);
  CHECK_EQUAL(leg->interval[6].attempts, 0);
  CHECK(leg->interval[7].attempts >= 30);
  CHECK_EQUAL(leg->counters[COUNT_ATTEMPTS], leg_rejects(leg));
  leg_end(leg);
}

TEST(who_waits_for_its_turn_leaves_the_queue) {
  /* 10 a second: of 100 asked at once 25 have opened when 20 are left, and none is due before 3 s later */
  struct leg *leg = ALONG(100, {0, 100, false}, {2450, 20, false}, {6000, 30, false});
  leg->settings.connect_rate = 10;
  leg_run(leg);
  CHECK_EQUAL(leg->interval[1].open, 20);
  CHECK_EQUAL(leg->interval[1].queued, 80);
  CHECK_EQUAL(leg->interval[2].open, 20);
  CHECK_EQUAL(leg->interval[2].queued, 0);
  CHECK_EQUAL(leg->interval[5].open, 20);
  CHECK_EQUAL(leg->interval[6].open,
              30); /* ten, a tenth of a second apart; a slot that had left takes no other's turn */
  CHECK_EQUAL(leg->interval[6].attempts, 10);
  check_planned(leg, 5, 5);
  leg_end(leg);
}

TEST(held_and_pausing_connections_leave_at_once) {
  for (unsigned kind = 0; kind < 3; kind++) {
    struct leg *leg = ALONG(50, {0, 50, false}, {4500, 10, false}, {6500, 50, false});
    if (kind < 2) leg->settings.workload = &workload_hold;
    if (kind == 1) leg->settings.workload_settings.heartbeat_ns = 3 * SECOND;
    if (kind == 2) leg->settings.workload_settings.pause_ns = 3 * SECOND;
    leg_run(leg);
    CHECK_EQUAL(leg->interval[4].open, 10);
    CHECK_EQUAL(leg->interval[6].open, 50);
    CHECK_EQUAL(leg->counters[COUNT_TRANSFERS] > 0, kind > 0);
    check_planned(leg, 40, 40);
    leg_end(leg);
  }
}

TEST(in_open_loop_what_is_due_goes_to_the_others) {
  for (uint32_t depth = 1; depth <= 4; depth += 3) {
    struct leg *leg = ALONG(50, {0, 50, false}, {4500, 0, false}, {5500, 5, false}, {7500, 50, false});
    leg->settings.pipeline = depth;
    leg_at_rate(leg, 1000);
    leg_run(leg);
    CHECK_EQUAL(leg->counters[COUNT_DUE], 8000);
    CHECK_EQUAL(leg->counters[COUNT_UNSENT], 0);
    CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 8000);
    /* for a second there was none: a thousand waited, and then for those ahead of them */
    CHECK(leg->counters[COUNT_LATE] >= 1000 && leg->counters[COUNT_LATE] < 1400);
    CHECK(leg->histograms[HISTOGRAM_RESPONSE_TIME].max >= 1 * SECOND &&
          leg->histograms[HISTOGRAM_RESPONSE_TIME].max <= 1010 * MS);
    CHECK_EQUAL(leg->interval[4].open, 0);
    CHECK_EQUAL(leg->interval[6].open, 5);
    CHECK_EQUAL(leg->interval[8].open, 50);
    leg_end(leg);
  }
}

/* ---- anything at once ---- */

struct chance {
  uint64_t random;
};

static struct fate by_chance(struct fake_world *world, uint32_t slot) {
  struct chance *chance = world->context;
  (void)slot;
  uint64_t after_ns = splitmix64_below(&chance->random, 3) ? splitmix64_below(&chance->random, 5 * MS)
                                                           : splitmix64_below(&chance->random, SECOND);
  switch (splitmix64_below(&chance->random, 40)) {
  case 0: return (struct fate){FATE_CLOSE, after_ns, -ECONNRESET};
  case 1: return (struct fate){FATE_NOTHING, 0, 0};
  case 2: return (struct fate){FATE_CLOSE, after_ns, IO_EOF};
  default: return (struct fate){FATE_OK, after_ns, 0};
  }
}

TEST(books_balance_whatever_comes) {
  struct chance chance = {5};
  uint64_t *random = &chance.random;
  for (unsigned round = 0; round < 150; round++) {
    struct leg *leg = leg_new(40);
    uint64_t at_ns = 0;
    for (unsigned i = 0; i < 7; i++) {
      at_ns += splitmix64_below(random, 2 * SECOND);
      leg->points[i] = (struct schedule_point){at_ns, (uint32_t)splitmix64_below(random, 41),
                                               i > 0 && splitmix64_below(random, 2) == 0};
    }
    leg->settings.schedule.count = 7;
    leg->settings.seed = round;
    leg->settings.connect_timeout_ns = leg->settings.transfer_timeout_ns = SECOND / 2;
    if (splitmix64_below(random, 3) == 0) leg->settings.connect_rate = 1 + (double)splitmix64_below(random, 200);
    unsigned kind = (unsigned)splitmix64_below(random, 6);
    if (kind == 1) leg->settings.workload = &workload_hold;
    if (kind == 1) leg->settings.workload_settings.heartbeat_ns = splitmix64_below(random, 2) * SECOND / 2;
    if (kind == 2) leg->settings.workload = &workload_reconnect;
    if (kind == 3) leg->settings.workload_settings.pause_ns = SECOND / 5;
    if (kind >= 4) leg->settings.pipeline = 1 + (uint32_t)splitmix64_below(random, 4);
    leg->world.joins = splitmix64_below(random, 2) == 0;
    leg->world.request_bytes = 64;
    if (kind == 5) leg_at_rate(leg, 300);
    if (splitmix64_below(random, 2) == 0) leg->world.sends_take_ns = MS;
    if (splitmix64_below(random, 3) == 0) leg->settings.lifetime.transfers = 1 + (uint32_t)splitmix64_below(random, 9);
    if (splitmix64_below(random, 3) == 0) leg->settings.lifetime.ns = 1 + splitmix64_below(random, SECOND);
    leg->world.context = &chance;
    leg->world.attempt = leg->world.request = by_chance;
    leg_run(leg);
    for (unsigned i = 0; i < 10; i++) {
      CHECK_EQUAL(leg->interval[i].requested, schedule_slots(&leg->settings.schedule, (i + 1) * SECOND - 1));
    }
    leg_end(leg);
  }
}
