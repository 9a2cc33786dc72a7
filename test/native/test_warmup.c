/*
 * test_warmup.c: the warm-up on the fake transport and clock: a phase between ramp and steady state whose transfers are
 * told apart to the nanosecond, and an end of it that comes earlier than planned.
 */

#include "check.h"
#include "leg.h"

struct request {
  struct leg *leg;
  uint64_t at_ns, from_ns, to_ns; /* said at at_ns, relative like the others */
  bool said;
};

/* 2 s of ramp, warm-up until 6 s, steady until 10 s. */
static struct leg *warm_leg(uint32_t slots) {
  struct leg *leg = leg_new(slots);
  leg->settings.steady_from_ns = 6 * SECOND;
  leg->settings.warmup_ns = 4 * SECOND;
  return leg;
}

static struct fate asks_for_steady(struct fake_world *world, uint32_t slot) {
  struct request *request = world->context;
  (void)slot;
  if (!request->said && world->now_ns >= LEG_START_NS + request->at_ns) {
    engine_begin_steady(request->leg->engine, request->from_ns, request->to_ns);
    request->said = true;
  }
  return (struct fate){FATE_OK, 1 * MS, 0};
}

static struct fate asks_for_drain(struct fake_world *world, uint32_t slot) {
  struct request *request = world->context;
  (void)slot;
  if (world->now_ns >= LEG_START_NS + request->at_ns) engine_drain(request->leg->engine, request->to_ns);
  return (struct fate){FATE_OK, 1 * MS, 0};
}

static struct leg *run_with(struct request request, struct fate (*fate)(struct fake_world *world, uint32_t slot)) {
  struct leg *leg = warm_leg(10);
  request.leg = leg;
  leg->world.context = &request;
  leg->world.request = fate;
  leg_run(leg);
  leg->world.context = NULL;
  return leg;
}

/* Where the phase begins and ends, relative to the leg's start; both 0: it never was. Returns its transfers. */
static uint64_t span(const struct leg *leg, enum phase phase, uint64_t *from_ns, uint64_t *to_ns) {
  uint64_t transfers = 0;
  *from_ns = *to_ns = 0;
  for (uint32_t i = 0; i < leg->intervals; i++) {
    if (leg->interval[i].phase != phase) continue;
    if (*to_ns == 0) *from_ns = leg->interval[i].from_ns;
    *to_ns = leg->interval[i].to_ns;
    transfers += leg->interval[i].transfers;
  }
  return transfers;
}

static void check_span(const struct leg *leg, enum phase phase, uint64_t from_ns, uint64_t to_ns) {
  uint64_t from, to;
  span(leg, phase, &from, &to);
  CHECK_EQUAL(from, from_ns);
  CHECK_EQUAL(to, to_ns);
}

static void check_fairness(const struct leg *leg) {
  uint64_t from, to;
  CHECK_EQUAL((uint64_t)leg->histograms[HISTOGRAM_PER_CONNECTION].sum, span(leg, PHASE_STEADY, &from, &to));
}

TEST(it_is_a_phase_of_its_own) {
  struct leg *leg = warm_leg(10);
  leg_run(leg);
  uint64_t from, to;
  check_span(leg, PHASE_RAMP, 0, 2 * SECOND);
  check_span(leg, PHASE_WARMUP, 2 * SECOND, 6 * SECOND);
  check_span(leg, PHASE_STEADY, 6 * SECOND, 10 * SECOND);
  CHECK_EQUAL(span(leg, PHASE_WARMUP, &from, &to), 4 * 1000 * 10);
  CHECK_EQUAL(span(leg, PHASE_STEADY, &from, &to), 4 * 1000 * 10);
  CHECK_EQUAL(leg->steady.count, 4 * 1000 * 10);
  check_fairness(leg);
  leg_end(leg);
}

TEST(it_may_be_shorter_than_a_second) {
  struct leg *leg = warm_leg(10);
  leg->settings.warmup_ns = 300 * MS;
  leg_run(leg);
  check_span(leg, PHASE_RAMP, 0, 5700 * MS);
  check_span(leg, PHASE_WARMUP, 5700 * MS, 6 * SECOND);
  check_span(leg, PHASE_STEADY, 6 * SECOND, 10 * SECOND);
  leg_end(leg);
}

TEST(it_takes_the_place_of_a_ramp) {
  struct leg *leg = warm_leg(10);
  leg->settings.warmup_ns = leg->settings.steady_from_ns;
  leg_run(leg);
  CHECK_EQUAL(leg->interval[0].phase, PHASE_WARMUP);
  check_span(leg, PHASE_RAMP, 0, 0);
  check_span(leg, PHASE_WARMUP, 0, 6 * SECOND);
  leg_end(leg);
}

TEST(it_ends_when_asked) {
  struct leg *leg =
      run_with((struct request){.at_ns = 3200 * MS, .from_ns = 4500 * MS, .to_ns = 7250 * MS}, asks_for_steady);
  check_span(leg, PHASE_WARMUP, 2 * SECOND, 4500 * MS);
  check_span(leg, PHASE_STEADY, 4500 * MS, 7250 * MS);
  CHECK_EQUAL(leg->interval[leg->intervals - 1].phase, PHASE_DRAIN);
  CHECK_EQUAL(leg->steady.count, 2750 * 10);
  check_fairness(leg);
  leg_end(leg);
}

/* Also within the cut that is being filled, and for a time that is past already: then now. */
TEST(it_ends_at_once) {
  struct leg *leg =
      run_with((struct request){.at_ns = 3200 * MS, .from_ns = 3 * SECOND, .to_ns = 7 * SECOND}, asks_for_steady);
  uint64_t from, to;
  span(leg, PHASE_STEADY, &from, &to);
  CHECK(from >= 3200 * MS && from <= 3202 * MS);
  CHECK_EQUAL(to, 7 * SECOND);
  check_span(leg, PHASE_WARMUP, 2 * SECOND, from);
  check_fairness(leg);
  leg_end(leg);
}

TEST(who_is_asked_too_late_has_no_steady_state) {
  struct leg *leg =
      run_with((struct request){.at_ns = 5500 * MS, .from_ns = 3 * SECOND, .to_ns = 4 * SECOND}, asks_for_steady);
  check_span(leg, PHASE_STEADY, 0, 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_PER_CONNECTION].sum, 0);
  CHECK(leg->interval[leg->intervals - 1].to_ns < 6 * SECOND);
  leg_end(leg);
}

TEST(once_steady_nothing_is_moved) {
  struct leg *leg =
      run_with((struct request){.at_ns = 6500 * MS, .from_ns = 4 * SECOND, .to_ns = 7 * SECOND}, asks_for_steady);
  check_span(leg, PHASE_STEADY, 6 * SECOND, 10 * SECOND);
  leg_end(leg);
}

TEST(a_drain_in_it) {
  struct leg *leg = run_with((struct request){.at_ns = 3200 * MS, .to_ns = 3500 * MS}, asks_for_drain);
  check_span(leg, PHASE_WARMUP, 2 * SECOND, 3500 * MS);
  check_span(leg, PHASE_STEADY, 0, 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_PER_CONNECTION].sum, 0);
  leg_end(leg);
}

TEST(a_rate_begins_with_it) {
  struct leg *leg = warm_leg(10);
  leg_at_rate(leg, 1000);
  leg->settings.rate_from_ns = 2 * SECOND;
  leg_run(leg);
  uint64_t from, to;
  CHECK_EQUAL(span(leg, PHASE_RAMP, &from, &to), 0);
  CHECK_EQUAL(leg->counters[COUNT_DUE], 8 * 1000);
  CHECK_EQUAL(leg->counters[COUNT_LATE] + leg->counters[COUNT_UNSENT], 0);
  CHECK(leg->steady.count >= 3999 && leg->steady.count <= 4001); /* one may be in flight at either end */
  leg_end(leg);
}

TEST(longer_than_what_is_before_it_cannot_be) {
  struct leg *leg = warm_leg(10);
  leg->settings.warmup_ns = leg->settings.steady_from_ns + 1;
  leg_refused(leg);
}
