/*
 * test_storm.c: the arithmetic of back-off, by whole legs on the fake transport and clock. A shadow keeps each slot's
 * failures as the rules say and holds every single wait to them; attempts are counted in bins of time.
 */
#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "leg.h"

#define OUTAGES 2u
#define BINS 20u /* of the upper half of a wait's interval */
#define TIMES 20000u
#define TIME_NS (10 * MS) /* of a bin of time */

static const uint64_t seeds[] = {1, 42, 20261121, UINT64_C(0x9e3779b97f4a7c15)};
#define SEEDS (sizeof seeds / sizeof seeds[0])

/* What the rules say of one slot. */
struct shadow {
  unsigned failures;
  bool open;
  uint64_t opened_ns, ended_ns; /* relative to the leg's start; ended_ns: of the last attempt or connection */
  uint64_t back_ns;             /* its first opening after the last outage */
};

struct storm {
  struct leg *leg;
  struct {
    uint64_t from_ns, to_ns; /* relative; the server is dead: it drops all at from_ns and refuses until to_ns */
  } outages[OUTAGES];
  uint64_t life_ns, reply_ns; /* how long a connection lives at most; how long a reply takes. 0: for ever */
  struct shadow *slots;
  /* what was seen */
  uint64_t waits, spread[BINS], wrong, most_failures;
  uint32_t attempts[TIMES];
};

/* ---- the shadow ---- */

static uint64_t interval_ns(const struct backoff *backoff, unsigned failures) {
  double whole = (double)backoff->base_ns;
  for (unsigned i = 1; i < failures; i++) whole *= backoff->factor;
  return whole < (double)backoff->cap_ns ? (uint64_t)whole : backoff->cap_ns;
}

/* An attempt NOW_NS: whether it waited as the rules say since the slot's last end. */
static void check_wait(struct storm *storm, struct shadow *slot, uint64_t now_ns) {
  const struct engine_settings *settings = &storm->leg->settings;
  if (slot->open) {
    bool old = now_ns > slot->ended_ns && slot->ended_ns - slot->opened_ns >= settings->backoff.cap_ns;
    if (settings->workload->backoff_resets_by_age && old) slot->failures = 0;
    slot->failures++;
    slot->open = false;
  }
  if (slot->failures == 0) return;
  uint64_t whole = interval_ns(&settings->backoff, slot->failures), wait_ns = now_ns - slot->ended_ns;
  uint64_t half = whole - whole / 2;
  storm->waits++;
  if (slot->failures > storm->most_failures) storm->most_failures = slot->failures;
  if (wait_ns <= whole - half || wait_ns > whole) {
    storm->wrong++;
  } else {
    storm->spread[(whole - wait_ns) * BINS / half]++;
  }
}

static struct fate storm_attempt(struct fake_world *world, uint32_t index) {
  struct storm *storm = world->context;
  struct shadow *slot = &storm->slots[index];
  uint64_t now_ns = world->now_ns - LEG_START_NS, end_ns = NS_NEVER;
  if (now_ns / TIME_NS < TIMES) storm->attempts[now_ns / TIME_NS]++;
  check_wait(storm, slot, now_ns);
  for (unsigned i = 0; i < OUTAGES; i++) {
    if (now_ns >= storm->outages[i].from_ns && now_ns < storm->outages[i].to_ns) {
      slot->failures++;
      slot->ended_ns = now_ns;
      return (struct fate){FATE_CLOSE, 0, -ECONNREFUSED};
    }
    if (now_ns < storm->outages[i].from_ns && storm->outages[i].from_ns < end_ns) end_ns = storm->outages[i].from_ns;
  }
  if (storm->life_ns && now_ns + storm->life_ns < end_ns) end_ns = now_ns + storm->life_ns;
  slot->open = true;
  slot->opened_ns = slot->back_ns = now_ns;
  slot->ended_ns = end_ns;
  if (end_ns == NS_NEVER) return (struct fate){FATE_OK, 0, 0};
  return (struct fate){FATE_BRIEF, end_ns - now_ns, -ECONNRESET};
}

static struct fate storm_request(struct fake_world *world, uint32_t index) {
  struct storm *storm = world->context;
  struct shadow *slot = &storm->slots[index];
  if (!storm->reply_ns) return (struct fate){FATE_NOTHING, 0, 0};
  if (world->now_ns - LEG_START_NS + storm->reply_ns < slot->ended_ns &&
      !storm->leg->settings.workload->backoff_resets_by_age) {
    slot->failures = 0; /* it will be answered */
  }
  return (struct fate){FATE_OK, storm->reply_ns, 0};
}

/* ---- a storm ---- */

static struct storm *storm_new(uint32_t slots, uint64_t seed) {
  struct storm *storm = calloc(1, sizeof *storm);
  storm->leg = leg_new(slots);
  storm->slots = calloc(slots, sizeof *storm->slots);
  storm->reply_ns = 900 * MS;
  storm->leg->world.context = storm;
  storm->leg->world.attempt = storm_attempt;
  storm->leg->world.request = storm_request;
  storm->leg->settings.seed = seed;
  return storm;
}

static void storm_run(struct storm *storm) {
  uint64_t counted = 0;
  leg_run(storm->leg);
  for (uint32_t i = 0; i < TIMES; i++) counted += storm->attempts[i];
  CHECK_EQUAL(counted, storm->leg->counters[COUNT_ATTEMPTS]);
  CHECK_EQUAL(storm->wrong, 0);
}

static void storm_end(struct storm *storm) {
  leg_end(storm->leg);
  free(storm->slots);
  free(storm);
}

/* Attempts in the stretch of time, and in its busiest stretch of WIDTH_NS. */
struct rate {
  uint64_t total, peak;
};

static struct rate rate_between(const struct storm *storm, uint64_t from_ns, uint64_t to_ns, uint64_t width_ns) {
  struct rate rate = {0, 0};
  uint64_t window = 0, width = width_ns / TIME_NS, first = from_ns / TIME_NS;
  for (uint64_t at = first; at < to_ns / TIME_NS && at < TIMES; at++) {
    rate.total += storm->attempts[at];
    window += storm->attempts[at];
    if (at >= first + width) window -= storm->attempts[at - width];
    if (window > rate.peak) rate.peak = window;
  }
  return rate;
}

/* When the last slot is open again after the last outage. */
static uint64_t all_back_ns(const struct storm *storm) {
  uint64_t last_ns = 0;
  for (uint32_t i = 0; i < storm->leg->settings.slots; i++) {
    CHECK(storm->slots[i].open);
    if (storm->slots[i].back_ns > last_ns) last_ns = storm->slots[i].back_ns;
  }
  return last_ns;
}

static void check_spread(const struct storm *storm) {
  double mean = (double)storm->waits / BINS;
  for (unsigned i = 0; i < BINS; i++)
    CHECK((double)storm->spread[i] > 0.9 * mean && (double)storm->spread[i] < 1.1 * mean);
}

/* ---- tests ---- */

TEST(waits_grow_to_the_cap) {
  for (size_t i = 0; i < SEEDS; i++) {
    struct storm *storm = storm_new(4000, seeds[i]);
    storm->outages[0].from_ns = 3 * SECOND;
    storm->outages[0].to_ns = 43 * SECOND;
    storm->leg->settings.steady_to_ns = 55 * SECOND;
    storm_run(storm);
    CHECK(storm->most_failures >= 10);
    CHECK(storm->waits >= 40000);
    check_spread(storm);
    CHECK_EQUAL(storm->leg->counters[COUNT_LOST], 4000);
    CHECK_EQUAL(storm->leg->counters[COUNT_REOPENED], 4000);
    CHECK_EQUAL(storm->leg->counters[COUNT_REJECTS + REJECT_REFUSED], storm->waits - 4000);
    storm_end(storm);
  }
}

/* Any window of a second, and of a tenth of the cap, while and after the server was dead for 4 x cap. */
static void check_storm(const struct backoff *backoff, uint64_t seed, uint64_t more_ns) {
  uint32_t slots = 4000;
  uint64_t from_ns = 3 * SECOND, to_ns = from_ns + 4 * backoff->cap_ns + more_ns;
  struct storm *storm = storm_new(slots, seed);
  storm->leg->settings.backoff = *backoff;
  storm->outages[0].from_ns = from_ns;
  storm->outages[0].to_ns = to_ns;
  storm->leg->settings.steady_to_ns = to_ns + backoff->cap_ns + 2 * SECOND;
  storm_run(storm);
  uint64_t back_ns = all_back_ns(storm);
  CHECK(back_ns <= to_ns + backoff->cap_ns);
  uint64_t widths[] = {SECOND, backoff->cap_ns / 10};
  for (int i = 0; i < 2; i++) {
    struct rate after = rate_between(storm, to_ns, back_ns + TIME_NS, widths[i]);
    CHECK_EQUAL(after.total, slots); /* one attempt each, and it opens */
    double mean = (double)slots * (double)widths[i] / (double)(back_ns - to_ns);
    CHECK((double)after.peak <= 2.5 * mean);
    struct rate late = rate_between(storm, to_ns - backoff->cap_ns, to_ns, widths[i]);
    CHECK((double)late.peak <= 2.5 * (double)late.total * (double)widths[i] / (double)backoff->cap_ns);
    CHECK(late.total <= 2u * slots); /* each at most once in half a cap */
  }
  storm_end(storm);
}

TEST(no_second_after_an_outage_is_a_storm) {
  static const struct backoff backoffs[] = {
      {100 * MS, 10 * SECOND, 2.0}, /* the defaults */
      {50 * MS, 2 * SECOND, 2.0},   {1 * SECOND, 20 * SECOND, 3.0},
      {10 * MS, 10 * SECOND, 1.5},  {10 * SECOND, 10 * SECOND, 1.0}, /* always the cap: all in step at first */
  };
  for (size_t i = 0; i < sizeof backoffs / sizeof backoffs[0]; i++) {
    for (size_t j = 0; j < SEEDS; j++) check_storm(&backoffs[i], seeds[j], j * backoffs[i].cap_ns / SEEDS);
  }
}

/* The first seconds of an outage: all are lost at once, so all come back at once; how often is bounded all the same. */
TEST(an_outage_begins_within_bounds) {
  struct storm *storm = storm_new(4000, 7);
  storm->outages[0].from_ns = 3 * SECOND;
  storm->outages[0].to_ns = 60 * SECOND;
  storm->leg->settings.steady_to_ns = 55 * SECOND;
  storm_run(storm);
  /* waits of more than 0.05 0.1 0.2 0.4 s and then 0.8 s: four attempts a slot at most; at least 0.1 0.2 0.4 s: three
   */
  struct rate first = rate_between(storm, 3 * SECOND, 4 * SECOND, SECOND);
  CHECK(first.total >= 4000u * 3 && first.total <= 4000u * 4);
  CHECK_EQUAL(rate_between(storm, 3 * SECOND, 3050 * MS, TIME_NS).total, 0); /* none within half the base */
  CHECK_EQUAL(storm->leg->ends[GAUGE_NEVER_ANSWERED], 0);
  storm_end(storm);
}

TEST(a_completed_transfer_settles) {
  for (size_t i = 0; i < SEEDS; i++) {
    struct storm *storm = storm_new(1000, seeds[i]);
    storm->outages[0].from_ns = 3 * SECOND;
    storm->outages[0].to_ns = 43 * SECOND;
    storm->outages[1].from_ns = 56 * SECOND;
    storm->outages[1].to_ns = 57 * SECOND;
    storm->leg->settings.steady_to_ns = 75 * SECOND;
    storm_run(storm);
    CHECK_EQUAL(storm->leg->counters[COUNT_LOST], 2000);
    /* by the base again: within the second at most 4 waits, and a fifth, of at most 1.6 s, that opens */
    CHECK(all_back_ns(storm) <= 57 * SECOND + 1600 * MS);
    storm_end(storm);
  }
}

/* The first reply would take longer than the connection lives: nothing has settled when it is lost again. */
TEST(an_opening_alone_settles_nothing) {
  struct storm *storm = storm_new(1000, 3);
  storm->life_ns = 500 * MS;
  storm->leg->settings.steady_to_ns = 60 * SECOND;
  storm_run(storm);
  CHECK_EQUAL(storm->leg->counters[COUNT_TRANSFERS], 0);
  CHECK(storm->most_failures >= 10);
  check_spread(storm);
  storm_end(storm);
}

TEST(hold_settles_by_being_open) {
  for (int old = 0; old < 2; old++) {
    struct storm *storm = storm_new(1000, 11);
    storm->leg->settings.workload = &workload_hold;
    storm->leg->settings.workload_settings.heartbeat_ns = 500 * MS; /* answered or not, age alone counts */
    storm->reply_ns = 10 * MS;
    storm->leg->settings.backoff.cap_ns = 2 * SECOND;
    storm->life_ns = 2 * SECOND - (old ? 0 : 1);
    storm->leg->settings.steady_to_ns = 40 * SECOND;
    storm_run(storm);
    CHECK(storm->leg->counters[COUNT_TRANSFERS] > 0);
    CHECK(old ? storm->most_failures == 1 : storm->most_failures >= 8);
    storm_end(storm);
  }
}

/* Accepted, then reset: at once, or before anything was answered. Each slot waits half a cap at least, for good. */
TEST(accept_then_reset_is_bounded) {
  static const uint64_t lives_ns[] = {1, 1 * MS, 100 * MS};
  const struct workload *const workloads[] = {&workload_continuous, &workload_hold, &workload_reconnect};
  for (size_t i = 0; i < 9; i++) {
    uint32_t slots = 500;
    struct storm *storm = storm_new(slots, seeds[i % SEEDS]);
    storm->leg->settings.workload = workloads[i / 3];
    storm->life_ns = lives_ns[i % 3];
    storm->reply_ns = 0;
    storm->leg->settings.backoff.cap_ns = 2 * SECOND;
    storm->leg->settings.steady_to_ns = 60 * SECOND;
    storm_run(storm);
    struct rate late = rate_between(storm, 20 * SECOND, 60 * SECOND, 2 * SECOND);
    double most = (double)slots * 40 / (1.5 + (double)lives_ns[i % 3] / (double)SECOND);
    CHECK((double)late.total > 0.95 * most && (double)late.total < 1.05 * most);
    CHECK(late.peak <= 2u * slots);
    uint64_t interval = storm->leg->world.fins + storm->leg->world.resets; /* open when the leg ended */
    CHECK_EQUAL(storm->leg->counters[COUNT_LOST] + interval, storm->leg->counters[COUNT_OPENED]);
    storm_end(storm);
  }
}

/* Turns of the loop in a minute of silence, once all that was set before has come up. */
static uint64_t quiet_turns(uint64_t outage_ns) {
  struct storm *storm = storm_new(1000, 5);
  storm->leg->settings.workload = &workload_hold;
  storm->leg->settings.connect_timeout_ns = 5 * SECOND;
  storm->outages[0].from_ns = outage_ns ? 3 * SECOND : 0;
  storm->outages[0].to_ns = storm->outages[0].from_ns + outage_ns;
  storm->leg->settings.steady_to_ns = 140 * SECOND;
  storm_run(storm);
  struct leg *leg = storm->leg;
  CHECK_EQUAL(leg->interval[70].to_ns, 71 * SECOND);
  CHECK_EQUAL(leg->interval[130].to_ns, 131 * SECOND);
  CHECK_EQUAL(leg->interval[70].open, 1000);
  CHECK_EQUAL(leg->peaks[GAUGE_BACKING_OFF] > 0, outage_ns > 0);
  uint64_t turns = leg->interval[130].turns - leg->interval[70].turns;
  storm_end(storm);
  return turns;
}

TEST(a_storm_leaves_no_timer_behind) {
  uint64_t calm = quiet_turns(0);
  CHECK(calm >= 60 && calm < 200);
  CHECK_EQUAL(quiet_turns(40 * SECOND), calm);
}
