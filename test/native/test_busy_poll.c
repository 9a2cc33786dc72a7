/*
 * test_busy_poll.c: polling instead of sleeping, on the fake transport and clock: when the engine polls, when it
 * sleeps, and that the time of polls that found nothing is counted apart. Such a poll takes a microsecond here.
 */
#include <stdlib.h>

#include "check.h"
#include "leg.h"

#define LOOK_NS UINT64_C(1000)
#define STEADY_FROM 2u /* the cuts of the steady state, by the second in which they begin */
#define STEADY_TO 10u
#define STEADY_SECONDS (STEADY_TO - STEADY_FROM)

static struct leg *spinning_leg(uint32_t slots, uint64_t busy_poll_ns) {
  struct leg *leg = leg_new(slots);
  leg->settings.busy_poll_ns = busy_poll_ns;
  leg->world.look_ns = LOOK_NS;
  return leg;
}

static struct leg *open_leg(uint64_t busy_poll_ns, double rate, struct fate *fate) {
  struct leg *leg = spinning_leg(1, busy_poll_ns);
  leg->rates[0] = (struct rate_point){0, rate, false};
  leg_open_loop(leg, 1);
  leg->world.request = fate_constant;
  leg->world.context = fate;
  return leg;
}

static uint64_t idle_poll_in_steady(const struct leg *leg) {
  return leg->interval[STEADY_TO - 1].idle_poll_ns - leg->interval[STEADY_FROM - 1].idle_poll_ns;
}

static uint64_t sleeps_in_steady(const struct leg *leg) {
  return leg->interval[STEADY_TO - 1].sleeps - leg->interval[STEADY_FROM - 1].sleeps;
}

static void without_it_none_looks(void) {
  struct leg *leg = spinning_leg(4, 0);
  leg_run(leg);
  CHECK_EQUAL(leg->idle_poll_ns, 0);
  CHECK_EQUAL(leg->world.looks, 0);
  leg_end(leg);
}

/* Replies take 1 ms: they come while it looks. */
static void with_enough_of_it_none_sleeps(void) {
  struct leg *leg = spinning_leg(1, 2 * MS);
  leg_run(leg);
  CHECK_EQUAL(sleeps_in_steady(leg), 0);
  CHECK(idle_poll_in_steady(leg) > STEADY_SECONDS * SECOND * 99 / 100);
  CHECK(idle_poll_in_steady(leg) <= STEADY_SECONDS * SECOND);
  CHECK(leg->response.min >= 1 * MS && leg->response.max <= 1 * MS + LOOK_NS);
  CHECK(leg->counters[COUNT_TRANSFERS] > 9900);
  leg_end(leg);
}

/* ... or after it went to sleep: once for each transfer, after the set time. */
static void it_sleeps_after_a_while(void) {
  struct leg *leg = spinning_leg(1, MS / 4);
  leg_run(leg);
  uint64_t transfers = leg->counters[COUNT_TRANSFERS], whole_ns = transfers * MS / 4;
  CHECK(leg->world.sleeps >= transfers && leg->world.sleeps <= transfers + 30);
  CHECK(leg->idle_poll_ns >= whole_ns - transfers * 3 * LOOK_NS && leg->idle_poll_ns <= whole_ns + 30 * MS / 4);
  CHECK_EQUAL(leg->response.max, 1 * MS);
  leg_end(leg);
}

/* 10 requests a second, replies after 20 ms: it looks 1 ms before each request, 1 ms after it, 1 ms after its reply. */
static void it_looks_before_a_request_is_due(void) {
  struct fate fate = {FATE_OK, 20 * MS, 0};
  struct leg *leg = open_leg(1 * MS, 10, &fate);
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_DUE], STEADY_SECONDS * 10);
  CHECK_EQUAL(leg->counters[COUNT_LATE], 0);
  uint64_t whole_ns = STEADY_SECONDS * 10 * 3 * MS, slack_ns = STEADY_SECONDS * 10 * 9 * LOOK_NS;
  CHECK(idle_poll_in_steady(leg) >= whole_ns - slack_ns);
  CHECK(idle_poll_in_steady(leg) <= whole_ns + STEADY_SECONDS * MS); /* and after the end of each cut */
  CHECK(leg->response.min >= 20 * MS && leg->response.max <= 20 * MS + 2 * LOOK_NS);
  leg_end(leg);
}

static void it_looks_all_the_time_between_requests(void) {
  struct fate fate = {FATE_OK, 20 * MS, 0};
  struct leg *leg = open_leg(100 * MS, 10, &fate);
  leg_run(leg);
  CHECK_EQUAL(sleeps_in_steady(leg), 0);
  CHECK(idle_poll_in_steady(leg) > STEADY_SECONDS * SECOND * 99 / 100);
  leg_end(leg);
}

/* Nothing is asked and nothing comes: it sleeps from one second to the next. */
static void an_idle_one_sleeps(void) {
  struct leg *leg = spinning_leg(1, 1 * MS);
  leg->settings.workload = &workload_hold;
  leg_run(leg);
  CHECK(sleeps_in_steady(leg) >= STEADY_SECONDS && sleeps_in_steady(leg) <= 2 * STEADY_SECONDS);
  CHECK(idle_poll_in_steady(leg) <= STEADY_SECONDS * MS);
  leg_end(leg);
}

/* A poll that takes a millisecond models a thread whose core was taken by another. */
static void time_without_a_core_is_not_counted(void) {
  struct leg *leg = spinning_leg(1, 100 * MS);
  leg->world.look_ns = 1 * MS;
  leg->settings.workload_settings.pause_ns = 10 * MS;
  leg_run(leg);
  CHECK(leg->world.looks > 1000);
  CHECK(leg->idle_poll_ns > leg->world.looks / 4 * 50000);
  CHECK(leg->idle_poll_ns <= leg->world.looks * 50000);
  leg_end(leg);
}

/* The end comes when it is planned, and nothing is begun after it. */
static void the_drain_is_as_without_it(void) {
  struct fate never = {FATE_NOTHING, 0, 0};
  struct leg *leg = open_leg(SECOND, 10, &never);
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_UNFINISHED] + leg->counters[COUNT_FAILED] + leg->counters[COUNT_UNSENT],
              leg->counters[COUNT_DUE]);
  CHECK(leg->interval[leg->intervals - 1].to_ns <= 13 * SECOND + LOOK_NS);
  leg_end(leg);
}

static const struct check_test tests[] = {
    {"without it none looks", without_it_none_looks},
    {"with enough of it none sleeps", with_enough_of_it_none_sleeps},
    {"it sleeps after a while", it_sleeps_after_a_while},
    {"it looks before a request is due", it_looks_before_a_request_is_due},
    {"it looks all the time between requests", it_looks_all_the_time_between_requests},
    {"an idle one sleeps", an_idle_one_sleeps},
    {"time without a core is not counted", time_without_a_core_is_not_counted},
    {"the drain is as without it", the_drain_is_as_without_it},
};

CHECK_MAIN(tests)
