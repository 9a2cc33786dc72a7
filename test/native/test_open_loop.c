/*
 * test_open_loop.c: the open loop on the fake transport and clock: requests are due by the schedule whatever the server
 * does, and both times are exact to the histogram's bucket. For each stall the closed loop is run, too: it does not
 * show the stall.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../client/engine/core/base/splitmix64.h"
#include "../../client/engine/core/load/request_queue.h"
#include "check.h"
#include "leg.h"

#define STEADY_SECONDS 8u

static struct leg *open_leg(uint32_t slots, double rate) {
  struct leg *leg = leg_new(slots);
  leg_at_rate(leg, rate);
  return leg;
}

static uint64_t relative(const struct fake_world *world) { return world->now_ns - LEG_START_NS; }

/* ---- the schedule itself ---- */

TEST(evenly_spaced_arrivals_do_not_drift) {
  struct arrivals arrivals;
  struct rate_point point = {0, 3, false};
  struct rates rates = {&point, 1};
  arrivals_begin(&arrivals, &rates, 1000, 0, 0, false, 1);
  for (uint64_t i = 0; i < 3000000; i++) arrivals_advance(&arrivals);
  CHECK_EQUAL(arrivals.next_ns, 1000 + 1000000 * SECOND);
  point.rate = 1000;
  arrivals_begin(&arrivals, &rates, 0, 0, 0.5, false, 1);
  CHECK_EQUAL(arrivals.next_ns, MS / 2);
}

TEST(poisson_arrivals_are_exponential) {
  struct arrivals arrivals, again;
  uint64_t before_ns = 0, longer = 0, count = 200000;
  double sum = 0, squares = 0;
  struct rate_point point = {0, 1000, false};
  struct rates rates = {&point, 1};
  arrivals_begin(&arrivals, &rates, 0, 0, 0, true, 7);
  again = arrivals;
  for (uint64_t i = 0; i < count; i++) {
    double wait = (double)(arrivals.next_ns - before_ns) / (double)MS;
    CHECK_EQUAL(again.next_ns, arrivals.next_ns);
    sum += wait;
    squares += wait * wait;
    longer += wait > 2;
    before_ns = arrivals.next_ns;
    arrivals_advance(&arrivals);
    arrivals_advance(&again);
  }
  double mean = sum / (double)count, deviation = sqrt(squares / (double)count - mean * mean);
  CHECK(fabs(mean - 1) < 0.02); /* nine standard errors */
  CHECK(fabs(deviation - 1) < 0.03);
  CHECK(fabs((double)longer / (double)count - exp(-2)) < 0.01);
}

/* ---- whole legs ---- */

/* How many of the queue become due until UNTIL_NS, when none has been taken. */
static uint64_t due_until(const struct rates *rates, uint64_t until_ns, bool poisson) {
  struct request_queue *queue;
  uint64_t due;
  CHECK_EQUAL(request_queue_create(1, &queue), 0);
  request_queue_begin(queue, &(struct request_queue_begin){.rates = rates, .share = 0.5, .poisson = poisson});
  CHECK_EQUAL(request_queue_end(queue, until_ns, &due), due);
  CHECK_EQUAL(request_queue_next_ns(queue), NS_NEVER);
  request_queue_destroy(queue);
  return due;
}

TEST(an_engine_far_behind_counts_at_once_what_is_due) {
  struct rate_point points[] = {
      {0, 1e5, false}, {2 * SECOND, 3e5, true}, {3 * SECOND, 0, false}, {4 * SECOND, 7e4, false}};
  struct rates rates = {points, 4};
  for (uint64_t until_ns = SECOND / 3; until_ns < 6 * SECOND; until_ns += 123456789) {
    struct arrivals arrivals;
    uint64_t due = 0;
    arrivals_begin(&arrivals, &rates, 0, 0, 0.5, false, 0);
    for (; arrivals.next_ns < until_ns; due++) arrivals_advance(&arrivals);
    CHECK_EQUAL(due_until(&rates, until_ns, false), due);
  }
  points[0].rate = 1e9;
  rates.count = 1;
  CHECK_EQUAL(due_until(&rates, 1000000 * SECOND, false), 1000000 * SECOND);
  int64_t more = (int64_t)(due_until(&rates, 1000000 * SECOND, true) - 1000000 * SECOND);
  CHECK(more != 0 && (double)llabs(more) < 6 * sqrt(1e15));
}

TEST(requests_are_due_by_the_schedule) {
  struct leg *leg = open_leg(10, 1000);
  leg_run(leg);
  for (uint32_t i = 0; i < 2; i++) CHECK_EQUAL(leg->interval[i].transfers, 0); /* the ramp opens, and asks nothing */
  CHECK_EQUAL(leg->peaks[GAUGE_OPEN], 10);
  CHECK_EQUAL(leg->counters[COUNT_DUE], STEADY_SECONDS * 1000);
  CHECK_EQUAL(leg->counters[COUNT_LATE], 0);
  CHECK_EQUAL(leg->counters[COUNT_UNSENT], 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].min, 1 * MS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 1 * MS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SERVICE_TIME].max, 1 * MS);
  CHECK(leg->histograms[HISTOGRAM_PER_CONNECTION].max <=
        leg->histograms[HISTOGRAM_PER_CONNECTION].min + 1); /* in turn: the one that was free longest */
  leg_end(leg);
}

struct record {
  struct histogram response, service;
  uint64_t random, slots, rate, index;
  uint64_t free_ns[10000]; /* of each connection */
};

static struct fate random_latency(struct fake_world *world, uint32_t slot) {
  struct record *record = world->context;
  (void)slot;
  uint64_t after_ns = 1 + splitmix64_below(&record->random, 2 * SECOND) / (1 + splitmix64_below(&record->random, 50));
  uint64_t due_ns = 2 * SECOND + record->index++ * SECOND / record->rate;
  histogram_record(&record->service, after_ns);
  histogram_record(&record->response, relative(world) + after_ns - due_ns);
  CHECK(relative(world) >= due_ns);
  return (struct fate){FATE_OK, after_ns, 0};
}

static bool same(const struct histogram *a, const struct histogram *b) {
  return a->count == b->count && a->min == b->min && a->max == b->max &&
         memcmp(a->counts, b->counts, sizeof a->counts) == 0;
}

/* First come, first served: the n-th request sent is the n-th that was due. */
static void times_are_exact(uint32_t slots, uint64_t rate, bool overloaded) {
  struct leg *leg = open_leg(slots, (double)rate);
  struct record *record = calloc(1, sizeof *record);
  record->rate = rate;
  histogram_clear(&record->response);
  histogram_clear(&record->service);
  leg->world.request = random_latency;
  leg->world.context = record;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_DUE], STEADY_SECONDS * rate);
  CHECK(same(&leg->histograms[HISTOGRAM_RESPONSE_TIME], &record->response));
  CHECK(same(&leg->histograms[HISTOGRAM_SERVICE_TIME], &record->service));
  CHECK_EQUAL(leg->counters[COUNT_LATE] > 0, overloaded);
  CHECK_EQUAL(leg->counters[COUNT_UNSENT] > 0, overloaded);
  free(record);
  leg_end(leg);
}

TEST(times_with_connections_to_spare) { times_are_exact(1000, 1000, false); }
TEST(times_with_too_few_connections) { times_are_exact(10, 1000, true); }
/* ---- a server that stalls ---- */

#define STALL_FROM (4 * SECOND)
#define STALL_TO (5 * SECOND)

/* 1 ms each, but none is answered from 4 s to 5 s. */
static struct fate stalls(struct fake_world *world, uint32_t slot) {
  (void)slot;
  uint64_t answered_ns = relative(world) + 1 * MS;
  if (answered_ns >= STALL_FROM && answered_ns < STALL_TO) answered_ns = STALL_TO;
  return (struct fate){FATE_OK, answered_ns - relative(world), 0};
}

static uint64_t slower_than(const struct histogram *histogram, uint64_t ns) {
  uint64_t count = 0;
  for (uint32_t i = histogram_index(ns); i < HISTOGRAM_COUNTS; i++) count += histogram->counts[i];
  return count;
}

TEST(a_stall_has_its_true_weight) {
  struct leg *leg = open_leg(10, 1000), *closed = leg_new(10);
  leg->world.request = closed->world.request = stalls;
  leg_run(leg);
  leg_run(closed);
  /* 1,000 requests were due in the stall and waited for its end, and then for those ahead of them: ten connections make
   * up for 10 of them a millisecond. Of the one due x s after the stall began that is 1 - 0.9 x s. */
  CHECK_EQUAL(leg->counters[COUNT_DUE], STEADY_SECONDS * 1000);
  CHECK(slower_than(&leg->histograms[HISTOGRAM_RESPONSE_TIME], 500 * MS) >= 550 &&
        slower_than(&leg->histograms[HISTOGRAM_RESPONSE_TIME], 500 * MS) <= 560);
  CHECK(slower_than(&leg->histograms[HISTOGRAM_RESPONSE_TIME], 100 * MS) >= 990 &&
        slower_than(&leg->histograms[HISTOGRAM_RESPONSE_TIME], 100 * MS) <= 1010);
  CHECK(leg->histograms[HISTOGRAM_RESPONSE_TIME].max >= 1 * SECOND &&
        leg->histograms[HISTOGRAM_RESPONSE_TIME].max <= 1001 * MS);
  /* ten of them had been sent; the others were late, and so were those due until that was made up for */
  CHECK_EQUAL(slower_than(&leg->histograms[HISTOGRAM_SERVICE_TIME], 100 * MS), 10);
  CHECK(leg->counters[COUNT_LATE] >= 990 && leg->counters[COUNT_LATE] <= 1200);
  CHECK_EQUAL(leg->counters[COUNT_UNSENT], 0);
  /* the closed loop has ten slow ones in ten thousands: it asked no more while it waited */
  CHECK_EQUAL(slower_than(&closed->histograms[HISTOGRAM_RESPONSE_TIME], 100 * MS), 10);
  leg_end(leg);
  leg_end(closed);
}

TEST(what_waits_at_the_end_is_unsent) {
  struct leg *leg = open_leg(2, 1000);
  leg->world.request_fate = (struct fate){FATE_OK, 100 * MS, 0};
  leg_run(leg);
  /* two connections answer 20 a second; each of the 160 was sent in steady state, the last two are answered in the
   * drain */
  CHECK_EQUAL(leg->counters[COUNT_DUE], 8000);
  CHECK_EQUAL(leg->world.requests, 160);
  CHECK_EQUAL(leg->counters[COUNT_UNSENT], 7840);
  CHECK_EQUAL(leg->counters[COUNT_LATE], 158);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SERVICE_TIME].max, 100 * MS);
  CHECK(leg->histograms[HISTOGRAM_RESPONSE_TIME].max >= 7800 * MS &&
        leg->histograms[HISTOGRAM_RESPONSE_TIME].max <= 8100 * MS);
  CHECK_EQUAL(leg->interval[leg->intervals - 2].to_ns, 10 * SECOND);
  leg_end(leg);
}

TEST(without_a_connection_all_is_unsent) {
  struct leg *leg = open_leg(5, 200);
  leg->world.attempt_fate = (struct fate){FATE_CLOSE, 0, -ECONNREFUSED};
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_DUE], 1600);
  CHECK_EQUAL(leg->counters[COUNT_UNSENT], 1600);
  CHECK(leg->peaks[GAUGE_WAITING] >= 1400);
  leg_end(leg);
}

/* ---- with losses, pipelines, and connections that live for one request ---- */

static struct fate resets_often(struct fake_world *world, uint32_t slot) {
  (void)slot;
  struct record *record = world->context;
  if (splitmix64_below(&record->random, 20) == 0) return (struct fate){FATE_CLOSE, 2 * MS, -ECONNRESET};
  return (struct fate){FATE_OK, 1 + splitmix64_below(&record->random, 20 * MS), 0};
}

TEST(lost_connections_are_not_asked) {
  for (uint32_t depth = 1; depth <= 3; depth += 2) {
    struct leg *leg = open_leg(20, 500);
    struct record *record = calloc(1, sizeof *record);
    leg->settings.pipeline = depth;
    leg->world.joins = true;
    leg->world.request = resets_often;
    leg->world.context = record;
    leg_run(leg);
    CHECK(leg->counters[COUNT_ERRORS + ERROR_RESET] > 50);
    CHECK(leg->counters[COUNT_FAILED] >= leg->counters[COUNT_ERRORS + ERROR_RESET]);
    CHECK(leg->counters[COUNT_REOPENED] > 50);
    CHECK_EQUAL(leg->counters[COUNT_DUE], 4000);
    free(record);
    leg_end(leg);
  }
}

TEST(with_a_pipeline_fewer_connections_do) {
  struct leg *leg = open_leg(2, 1000);
  leg->world.request_fate = (struct fate){FATE_OK, 10 * MS, 0};
  leg->settings.pipeline = 8;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_DUE], 8000);
  CHECK_EQUAL(leg->counters[COUNT_LATE], 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].min, 10 * MS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 10 * MS);
  CHECK_EQUAL(leg->peaks[GAUGE_IN_FLIGHT] <= 11, 1);
  leg_end(leg);
}

TEST(connections_of_one_request_each) {
  struct leg *leg = open_leg(20, 1000);
  leg->settings.workload = &workload_reconnect;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_DUE], 8000);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 8000);
  CHECK_EQUAL(leg->counters[COUNT_LATE], 0);
  CHECK_EQUAL(leg->counters[COUNT_REOPENED] >= 7980, 1);
  leg_end(leg);
}

TEST(a_replacement_asks_what_is_due_from_then_on) {
  struct leg *leg = open_leg(10, 1000);
  leg->world.now_ns = LEG_START_NS + 6 * SECOND;
  leg_run(leg);
  CHECK(leg->counters[COUNT_DUE] >= 3999 && leg->counters[COUNT_DUE] <= 4000);
  leg_end(leg);
}

TEST(rates_that_cannot_be) {
  struct leg *leg = open_leg(1, -1);
  leg_refused(leg);
  leg = leg_new(1);
  leg_at_rate(leg, 1);
  leg->settings.workload = &workload_hold;
  leg_refused(leg);
  leg = leg_new(1);
  leg_at_rate(leg, 1);
  leg->settings.workload_settings.pause_ns = 1;
  leg_refused(leg);
}

/* The drain began at 10 s; one request is due at 12 s. */
TEST(a_replacement_in_the_drain_has_nothing_due) {
  struct leg *leg = open_leg(300, 1000);
  leg->world.now_ns = LEG_START_NS + 12 * SECOND;
  leg_run(leg);
  CHECK_EQUAL(leg->interval[0].phase, PHASE_DRAIN);
  CHECK_EQUAL(leg->counters[COUNT_DUE], 0);
  CHECK_EQUAL(leg->counters[COUNT_UNSENT], 0);
  leg_end(leg);
}

/* Every other request is submitted later than it was queued. */
static struct fate queued_now_and_then(struct fake_world *world, uint32_t slot) {
  (void)slot;
  world->sends_take_ns = world->requests % 2 == 0 ? MS / 10 : MS / 2;
  return (struct fate){FATE_OK, 1 * MS, 0};
}

TEST(gaps_are_those_of_the_sends) {
  struct leg *leg = open_leg(10, 1000);
  leg->world.request = queued_now_and_then;
  leg->world.sends_start_late = true;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], STEADY_SECONDS * 1000);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SEND_GAP].count, STEADY_SECONDS * 1000 - 1);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SEND_GAP].min, MS * 6 / 10);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_SEND_GAP].max, MS * 14 / 10);
  leg_end(leg);
}
