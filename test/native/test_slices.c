/*
 * test_slices.c: a leg that takes turns with others, on the fake transport and clock: requests begin in its slices
 * only, connections stay open between them, and each reply is counted in whose turn it came.
 */
#include <errno.h>

#include "../../client/engine/core/load/slices.h"
#include "check.h"
#include "leg.h"

#define LOADED (80 * MS)
#define SETTLE (20 * MS)
#define PERIOD (200 * MS)
#define STEADY_END (10 * SECOND)
#define TURNS (STEADY_END / PERIOD)

/* What the server sees: when requests and attempts come, and how long it takes for a reply. */
struct seen {
  struct slice slices[TURNS];
  uint64_t reply_after_ns;
  uint64_t requests, outside; /* requests outside of the loaded parts */
  uint64_t attempts_outside;
};

static bool is_loaded(const struct seen *seen, uint64_t leg_ns) {
  for (size_t i = 0; i < TURNS; i++) {
    if (leg_ns >= seen->slices[i].from_ns && leg_ns < seen->slices[i].loaded_to_ns) return true;
  }
  return false;
}

static struct fate reply(struct fake_world *world, uint32_t slot) {
  struct seen *seen = world->context;
  (void)slot;
  seen->requests++;
  seen->outside += !is_loaded(seen, world->now_ns - LEG_START_NS);
  return (struct fate){FATE_OK, seen->reply_after_ns, 0};
}

static struct fate accept_at_once(struct fake_world *world, uint32_t slot) {
  struct seen *seen = world->context;
  (void)slot;
  seen->attempts_outside += !is_loaded(seen, world->now_ns - LEG_START_NS);
  return (struct fate){FATE_OK, 0, 0};
}

static struct slice slice_at(uint64_t from_ns) {
  return (struct slice){from_ns, from_ns, from_ns + LOADED, from_ns + LOADED + SETTLE};
}

/* Slices of LOADED + SETTLE, the first 100 ms after the start, one every PERIOD. */
static struct leg *turns_leg(uint32_t slots, struct seen *seen, uint64_t reply_after_ns) {
  struct leg *leg = leg_new(slots);
  *seen = (struct seen){.reply_after_ns = reply_after_ns};
  for (size_t i = 0; i < TURNS; i++) seen->slices[i] = slice_at(100 * MS + i * PERIOD);
  leg->settings.slices = (struct slices){seen->slices, TURNS};
  leg->world.context = seen;
  leg->world.request = reply;
  leg->world.attempt = accept_at_once;
  return leg;
}

TEST(requests_begin_in_slices_only) {
  struct seen seen;
  struct leg *leg = turns_leg(10, &seen, 2 * MS);
  leg_run(leg);
  CHECK_EQUAL(seen.outside, 0);
  /* one every 2 ms, the last of them just before the end of the loaded part */
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 10 * TURNS * LOADED / (2 * MS));
  CHECK_EQUAL(leg->counters[COUNT_MEASURED], 10 * TURNS * (LOADED / (2 * MS) - 1));
  CHECK_EQUAL(leg->counters[COUNT_AFTER_SLICES], 0);
  CHECK_EQUAL(leg->counters[COUNT_OPENED], 10);
  CHECK_EQUAL(leg->peaks[GAUGE_OPEN], 10);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 2 * MS);
  leg_end(leg);
}

TEST(replies_are_counted_where_they_come) {
  struct seen seen;
  struct leg *leg = turns_leg(10, &seen, 90 * MS); /* while replies are awaited */
  leg_run(leg);
  CHECK_EQUAL(seen.outside, 0);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 10 * TURNS);
  CHECK_EQUAL(leg->counters[COUNT_MEASURED], 0);
  CHECK_EQUAL(leg->counters[COUNT_AFTER_SLICES], 0);
  leg_end(leg);
  leg = turns_leg(10, &seen, 150 * MS); /* in the turn of another leg */
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], leg->counters[COUNT_AFTER_SLICES]);
  leg_end(leg);
  leg = turns_leg(10, &seen, 250 * MS); /* in its own next turn, in which it goes on at once */
  leg_run(leg);
  CHECK_EQUAL(seen.outside, 0);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], leg->counters[COUNT_MEASURED] + leg->counters[COUNT_AFTER_SLICES]);
  CHECK(leg->counters[COUNT_MEASURED] >= 10 * (TURNS / 4));
  leg_end(leg);
}

TEST(pipelines_keep_to_the_slices) {
  struct seen seen;
  struct leg *leg = turns_leg(4, &seen, 3 * MS);
  leg->settings.pipeline = 8;
  leg->world.request_bytes = 64;
  leg_run(leg);
  CHECK_EQUAL(seen.outside, 0);
  CHECK(leg->counters[COUNT_TRANSFERS] >= 4 * 8 * TURNS * (LOADED / (3 * MS)));
  CHECK_EQUAL(leg_errors(leg), 0);
  leg_end(leg);
}

TEST(a_heartbeat_waits_for_its_slice) {
  struct seen seen;
  struct leg *leg = turns_leg(10, &seen, 1 * MS);
  leg->settings.workload = &workload_hold;
  leg->settings.workload_settings.heartbeat_ns = 130 * MS; /* due outside of every slice after the first */
  leg_run(leg);
  CHECK_EQUAL(seen.outside, 0);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 10 * TURNS);
  leg_end(leg);
}

TEST(connections_are_renewed_in_slices_only) {
  struct seen seen;
  struct leg *leg = turns_leg(10, &seen, 2 * MS);
  leg->settings.workload = &workload_reconnect;
  leg_run(leg);
  CHECK_EQUAL(seen.outside, 0);
  CHECK_EQUAL(seen.attempts_outside, 10); /* those of the ramp */
  CHECK(leg->counters[COUNT_TRANSFERS] > 10 * TURNS * 20);
  leg_end(leg);
  leg = turns_leg(10, &seen, 2 * MS);
  leg->settings.lifetime.transfers = 5;
  leg_run(leg);
  CHECK_EQUAL(seen.outside, 0);
  CHECK_EQUAL(seen.attempts_outside, 10);
  CHECK(leg->counters[COUNT_OPENED] > 10 * TURNS);
  leg_end(leg);
}

TEST(a_lost_connection_comes_back_between_slices) {
  struct seen seen;
  struct leg *leg = turns_leg(10, &seen, 200 * SECOND);
  leg->settings.transfer_timeout_ns = 30 * MS;
  leg->settings.backoff = (struct backoff){.base_ns = 10 * MS, .factor = 1, .cap_ns = 10 * MS};
  leg_run(leg);
  CHECK_EQUAL(seen.outside, 0);
  CHECK(leg->counters[COUNT_REOPENED] >= 10 * TURNS);
  leg_end(leg);
}

TEST(rates_with_gaps_are_exact) {
  struct seen seen;
  struct leg *leg = turns_leg(20, &seen, 1 * MS);
  struct rate_point points[2 * TURNS + 1] = {{0, 0, false}};
  uint64_t ramp_ns = 2 * SECOND;
  size_t count = 1;
  for (size_t i = 0; i < TURNS; i++) {
    if (seen.slices[i].from_ns < ramp_ns) continue;
    points[count++] = (struct rate_point){seen.slices[i].from_ns - ramp_ns, 500, false};
    points[count++] = (struct rate_point){seen.slices[i].loaded_to_ns - ramp_ns, 0, false};
  }
  leg_open_loop(leg, 1);
  leg->settings.rates = (struct rates){points, count};
  leg_run(leg);
  CHECK_EQUAL(seen.outside, 0);
  CHECK_EQUAL(leg->counters[COUNT_DUE], (STEADY_END - ramp_ns) / PERIOD * 40); /* 500 a second for 80 ms */
  CHECK_EQUAL(leg->counters[COUNT_UNSENT], 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 1 * MS);
  leg_end(leg);
}

#define MANY 200u

/* A client that takes 1 ms for each request: a slice has room for some 80 of them. */
struct slow_client {
  struct seen seen;
  unsigned requests[MANY];
};

static struct fate send_slowly(struct fake_world *world, uint32_t slot) {
  struct slow_client *slow = world->context;
  slow->requests[slot]++;
  world->now_ns += 1 * MS;
  return (struct fate){FATE_OK, 1 * MS, 0};
}

TEST(a_slow_client_starves_no_connection) {
  static struct slow_client slow;
  struct leg *leg = turns_leg(MANY, &slow.seen, 0);
  leg->world.context = &slow;
  leg->world.request = send_slowly;
  leg_run(leg);
  uint64_t mean = leg->counters[COUNT_TRANSFERS] / MANY;
  CHECK(mean > 5);
  for (uint32_t slot = 0; slot < MANY; slot++) CHECK(slow.requests[slot] >= mean / 2);
  leg_end(leg);
}

/* A server that closes a connection 100 ms after its first reply of a slice: in the pause. */
struct closing {
  struct seen seen;
  uint64_t closed_for_ns[10]; /* of each slot: the slice, by its beginning */
};

static struct fate reply_and_close_when_idle(struct fake_world *world, uint32_t slot) {
  struct closing *closing = world->context;
  uint64_t leg_ns = world->now_ns - LEG_START_NS;
  uint64_t slice_ns = (leg_ns - 100 * MS) / PERIOD * PERIOD + 100 * MS;
  closing->seen.outside += !is_loaded(&closing->seen, leg_ns);
  if (closing->closed_for_ns[slot] != slice_ns) {
    closing->closed_for_ns[slot] = slice_ns;
    fake_end(world, slot, slice_ns + 150 * MS - leg_ns, IO_EOF);
  }
  return (struct fate){FATE_OK, 2 * MS, 0};
}

TEST(slices_that_cannot_be) {
  struct slice good[] = {slice_at(0), slice_at(100 * MS)}, overlapping[] = {slice_at(0), slice_at(50 * MS)};
  struct slice never_loaded = {10, 10, 10, 20}, backwards = {10, 10, 20, 15};
  struct slice measured_before = {10, 9, 20, 20}, measured_after = {10, 21, 20, 20}, never_measured = {10, 20, 20, 20};
  CHECK_EQUAL(slices_check(&(struct slices){good, 2}), 0);
  CHECK_EQUAL(slices_check(&(struct slices){overlapping, 2}), -EINVAL);
  CHECK_EQUAL(slices_check(&(struct slices){&never_loaded, 1}), -EINVAL);
  CHECK_EQUAL(slices_check(&(struct slices){&backwards, 1}), -EINVAL);
  CHECK_EQUAL(slices_check(&(struct slices){&measured_before, 1}), -EINVAL);
  CHECK_EQUAL(slices_check(&(struct slices){&measured_after, 1}), -EINVAL);
  CHECK_EQUAL(slices_check(&(struct slices){&never_measured, 1}), 0);
  CHECK_EQUAL(slices_check(&(struct slices){NULL, 0}), 0);
}

TEST(a_cursor_tells_whose_turn_it_is) {
  struct slice list[] = {{10, 20, 40, 60}, {110, 120, 140, 160}};
  struct slices slices = {list, 2}, none = {NULL, 0};
  struct slice_cursor cursor;
  slice_cursor_begin(&cursor, &slices, 1000);
  CHECK(slice_cursor_takes_turns(&cursor));
  CHECK(!slice_is_loaded(&cursor, 1009));
  CHECK(slice_is_loaded(&cursor, 1010) && slice_is_loaded(&cursor, 1039));
  CHECK(!slice_is_measured(&cursor, 1019) && slice_is_measured(&cursor, 1020) && slice_is_measured(&cursor, 1039));
  CHECK(!slice_is_loaded(&cursor, 1040) && !slice_is_over(&cursor, 1059) && slice_is_over(&cursor, 1060));
  CHECK_EQUAL(cursor.next_ns, 1110);
  CHECK(!slice_is_over(&cursor, 1110) && slice_is_over(&cursor, 5000)); /* a late call skips what is past */
  CHECK(!slice_is_measured(&cursor, 5000));
  /* in the second slice or after it, also of a request that began in the first */
  for (uint64_t at_ns = 990; at_ns < 1200; at_ns++) {
    bool measured = (at_ns >= 1020 && at_ns < 1040) || (at_ns >= 1120 && at_ns < 1140);
    CHECK_EQUAL(slice_began_measured(&cursor, at_ns), measured);
  }
  CHECK_EQUAL(cursor.next_ns, SLICE_NOT_PLANNED_NS);
  slice_cursor_begin(&cursor, &none, 1000);
  CHECK(!slice_cursor_takes_turns(&cursor));
  CHECK(slice_is_loaded(&cursor, 0) && slice_is_loaded(&cursor, UINT64_MAX - 1) && !slice_is_over(&cursor, 5));
  CHECK(slice_is_measured(&cursor, 5) && slice_began_measured(&cursor, 5));
}

/* Asks for other slices while the leg runs: those of OTHER, from the first request after CHANGE_NS on. */
struct change {
  struct seen seen, other;
  struct leg *leg;
  uint64_t change_ns;
  bool is_changed;
};

static struct fate reply_and_change(struct fake_world *world, uint32_t slot) {
  struct change *change = world->context;
  uint64_t leg_ns = world->now_ns - LEG_START_NS;
  (void)slot;
  change->seen.requests++;
  change->seen.outside += !is_loaded(change->is_changed ? &change->other : &change->seen, leg_ns);
  if (!change->is_changed && leg_ns >= change->change_ns) {
    change->is_changed = true;
    CHECK_EQUAL(engine_change_slices(change->leg->engine, &(struct slices){change->other.slices, TURNS}), 0);
  }
  return (struct fate){FATE_OK, 2 * MS, 0};
}

TEST(slices_change_while_the_leg_runs) {
  struct change change = {.change_ns = 1120 * MS};
  struct leg *leg = turns_leg(10, &change.seen, 2 * MS);
  /* the same until 1.2 s, then shifted: what waits for 1.3 s has to be woken at 1.22 s */
  for (size_t i = 0; i < TURNS; i++) {
    change.other.slices[i] = slice_at(i < 6 ? 100 * MS + i * PERIOD : 20 * MS + i * PERIOD);
  }
  change.leg = leg;
  leg->world.context = &change;
  leg->world.request = reply_and_change;
  leg_run(leg);
  CHECK(change.is_changed);
  CHECK_EQUAL(change.seen.outside, 0);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 10 * TURNS * LOADED / (2 * MS));
  CHECK_EQUAL(leg->counters[COUNT_AFTER_SLICES], 0);
  leg_end(leg);
}

/* Slices that are changed when an interval is published, whether a connection is loaded or not. */
struct late_change {
  struct leg *leg;
  struct slices first, second;
  uint64_t change_ns;
  bool is_changed, reconnects;
  uint64_t requests_after;
};

static struct fate reply_and_count(struct fake_world *world, uint32_t slot) {
  struct late_change *change = world->context;
  (void)slot;
  change->requests_after += change->is_changed;
  return (struct fate){FATE_OK, 2 * MS, 0};
}

static void change_at_boundary(void *context) {
  struct late_change *change = context;
  leg_read(change->leg);
  if (change->is_changed || change->leg->world.now_ns - LEG_START_NS < change->change_ns) return;
  change->is_changed = true;
  CHECK_EQUAL(engine_change_slices(change->leg->engine, &change->second), 0);
}

/* Ten connections; how many requests begin in the SECOND slices. */
static uint64_t requests_after(struct late_change change) {
  struct leg *leg = leg_new(10);
  change.leg = leg;
  leg->settings.slices = change.first;
  if (change.reconnects) leg->settings.workload = &workload_reconnect;
  leg->world.context = &change;
  leg->world.request = reply_and_count;
  leg->settings.on_interval = change_at_boundary;
  leg->settings.on_interval_context = &change;
  leg_run(leg);
  CHECK(change.is_changed);
  leg_end(leg);
  return change.requests_after;
}

TEST(slices_may_come_after_the_last_slice) {
  struct slice first[] = {slice_at(100 * MS)}, second[] = {slice_at(4 * SECOND), slice_at(6 * SECOND)};
  struct late_change change = {.first = {first, 1}, .second = {second, 2}, .change_ns = 3 * SECOND};
  CHECK_EQUAL(requests_after(change), 10 * 2 * LOADED / (2 * MS));
  change.reconnects = true; /* connections that are closed while they wait, and take 1 ms to open */
  CHECK_EQUAL(requests_after(change), 10 * 2 * (LOADED / (3 * MS) + 1));
}

TEST(a_slice_may_be_loaded_already) {
  struct slice first[] = {slice_at(100 * MS), slice_at(9 * SECOND)};
  struct slice second[] = {{2 * SECOND, 2 * SECOND, 5 * SECOND, 5 * SECOND}, slice_at(9 * SECOND)};
  struct late_change change = {.first = {first, 2}, .second = {second, 2}, .change_ns = 3 * SECOND};
  CHECK_EQUAL(requests_after(change), 10 * (2 * SECOND + LOADED) / (2 * MS));
  change.first.count = 1;
  CHECK_EQUAL(requests_after(change), 10 * (2 * SECOND + LOADED) / (2 * MS));
  change.second.count = 1;
  CHECK_EQUAL(requests_after(change), 10 * 2 * SECOND / (2 * MS));
}

TEST(times_are_of_what_began_in_the_measured_part) {
  struct seen seen;
  struct leg *leg = turns_leg(10, &seen, 7 * MS);
  for (size_t i = 0; i < TURNS; i++) seen.slices[i].measured_from_ns += 30 * MS;
  leg_run(leg);
  /* of those that begin 0, 7 ... 77 ms after the start of a slice */
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 10 * TURNS * 12);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].count, 10 * TURNS * 7); /* from 35 ms on */
  CHECK_EQUAL(leg->counters[COUNT_MEASURED], 10 * TURNS * 7);                  /* those that end at 35 ... 77 ms */
  leg_end(leg);
}

TEST(a_connection_may_be_closed_while_another_leg_has_its_turn) {
  struct seen seen;
  struct leg *leg = turns_leg(10, &seen, 2 * MS);
  struct closing closing = {.seen = seen};
  leg->settings.slices.list = closing.seen.slices;
  leg->world.context = &closing;
  leg->world.request = reply_and_close_when_idle;
  leg_run(leg);
  CHECK_EQUAL(closing.seen.outside, 0);
  CHECK_EQUAL(leg_errors(leg), 0);
  CHECK_EQUAL(leg->counters[COUNT_LOST], 0);
  CHECK_EQUAL(leg->counters[COUNT_CLOSED_IN_PAUSE], 10 * (TURNS - 1)); /* the leg ends before the last of these */
  CHECK_EQUAL(leg->counters[COUNT_OPENED], 10 * TURNS);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 10 * TURNS * LOADED / (2 * MS));
  leg_end(leg);
}
