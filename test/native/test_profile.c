/*
 * test_profile.c: rates that change along steps and lines, on the fake transport and clock. What is due when is held
 * against the integral of the rate, computed here for each piece by hand.
 */
#include <errno.h>
#include <math.h>

#include "../../client/engine/core/base/splitmix64.h"
#include "../../client/engine/core/load/arrival_times.h"
#include "check.h"
#include "leg.h"

/* ---- the rates themselves ---- */

/* 1,000 a second for 1 s; up to 3,000 within 2 s; none for 1 s; 500 for 1 s; down to none within 2 s. */
static const struct rate_point mountain[] = {
    {0, 1000, false},         {1 * SECOND, 1000, false}, {3 * SECOND, 3000, true}, {3 * SECOND, 0, false},
    {4 * SECOND, 500, false}, {5 * SECOND, 500, false},  {7 * SECOND, 0, true},
};
static const struct rates of_mountain = {mountain, sizeof mountain / sizeof mountain[0]};

/* The number of requests due after SECONDS of the rising and falling profile: the area below it. */
static double area(double seconds) {
  double s = seconds;
  if (s < 1) return 1000 * s;
  if (s < 3) return 1000 + 1000 * (s - 1) + 500 * (s - 1) * (s - 1);
  if (s < 4) return 5000;
  if (s < 5) return 5000 + 500 * (s - 4);
  if (s < 7) return 5500 + 500 * (s - 5) - 125 * (s - 5) * (s - 5);
  return 6000;
}

TEST(evenly_spaced_arrivals_follow_the_rate) {
  struct arrivals arrivals;
  uint64_t count = 0, before_ns = 0;
  arrivals_begin(&arrivals, &of_mountain, 7, 0, 0, false, 1);
  for (; arrivals.next_ns != NS_NEVER; arrivals_advance(&arrivals), count++) {
    double seconds = (double)(arrivals.next_ns - 7) / 1e9, off = area(seconds) - (double)count;
    CHECK(arrivals.next_ns >= before_ns);
    CHECK(fabs(off) < 1e-5); /* a nanosecond at 3,000 a second is 3e-6 of a request */
    CHECK(seconds < 3 || seconds >= 4);
    before_ns = arrivals.next_ns;
  }
  CHECK_EQUAL(count, 6000);
  arrivals_advance(&arrivals);
  CHECK(arrivals.next_ns == NS_NEVER);
}

TEST(engines_that_share_a_rate_take_turns) {
  /* three with a third of the mountain each, in turn, are one with all of it */
  struct rate_point third[sizeof mountain / sizeof mountain[0]];
  struct arrivals all, parts[3];
  const struct rates rates = {third, of_mountain.count};
  for (size_t i = 0; i < of_mountain.count; i++) {
    third[i] = mountain[i];
    third[i].rate /= 3;
  }
  arrivals_begin(&all, &of_mountain, 0, 0, 0, false, 1);
  for (unsigned i = 0; i < 3; i++) arrivals_begin(&parts[i], &rates, 0, 0, i / 3.0, false, 1);
  for (unsigned n = 0; n < 6000; n++) {
    uint64_t own_ns = parts[n % 3].next_ns;
    CHECK(own_ns + 1000 >= all.next_ns && all.next_ns + 1000 >= own_ns);
    arrivals_advance(&all);
    arrivals_advance(&parts[n % 3]);
  }
  for (unsigned i = 0; i < 3; i++) CHECK(parts[i].next_ns == NS_NEVER);
}

TEST(one_that_begins_later_leaves_out_what_was_due) {
  for (uint64_t later_ns = 0; later_ns < 8 * SECOND; later_ns += 250 * MS) {
    struct arrivals whole, later;
    double share = (double)(later_ns % (3 * SECOND)) / (double)(3 * SECOND);
    uint64_t count = 0;
    arrivals_begin(&whole, &of_mountain, 0, 0, share, false, 1);
    for (; whole.next_ns < later_ns; count++) arrivals_advance(&whole);
    arrivals_begin(&later, &of_mountain, 0, later_ns, share, false, 1);
    for (; later.next_ns != NS_NEVER; count++) { /* those that are left are due when they would have been */
      CHECK(later.next_ns <= whole.next_ns + 1 && whole.next_ns <= later.next_ns + 1);
      arrivals_advance(&later);
      arrivals_advance(&whole);
    }
    CHECK_EQUAL(whole.next_ns, NS_NEVER);
    CHECK_EQUAL(count, 6000);
  }
}

TEST(poisson_arrivals_follow_the_rate) {
  /* in 1,000 mountains, of each second: the mean of the counts is the area, and so is their variance */
  double sums[7] = {0}, squares[7] = {0};
  uint64_t seeds = 11;
  for (unsigned i = 0; i < 1000; i++) {
    struct arrivals arrivals;
    double counts[7] = {0};
    arrivals_begin(&arrivals, &of_mountain, 0, 0, 0, true, splitmix64_next(&seeds));
    for (; arrivals.next_ns != NS_NEVER; arrivals_advance(&arrivals)) counts[arrivals.next_ns / SECOND]++;
    for (unsigned s = 0; s < 7; s++) {
      sums[s] += counts[s];
      squares[s] += counts[s] * counts[s];
    }
  }
  for (unsigned s = 0; s < 7; s++) {
    double mean = sums[s] / 1000, variance = squares[s] / 1000 - mean * mean, right = area(s + 1) - area(s);
    CHECK(fabs(mean - right) <= 5 * sqrt(right / 1000)); /* five standard errors */
    CHECK(fabs(variance - right) <= 0.25 * right);
  }
  CHECK_EQUAL(sums[3], 0);
}

TEST(rates_that_cannot_be) {
  const struct rate_point backwards[] = {{0, 1, false}, {2, 1, false}, {1, 1, false}};
  const struct rate_point late[] = {{1, 1, false}}, below[] = {{0, 1, false}, {1, -1, true}}, none[] = {{0, 0, false}};
  const struct rate_point endless[] = {{0, INFINITY, false}}, no_number[] = {{0, NAN, false}};
  CHECK_EQUAL(rates_check(&of_mountain), 0);
  CHECK_EQUAL(rates_check(&(struct rates){backwards, 0}), -EINVAL);
  CHECK_EQUAL(rates_check(&(struct rates){backwards, 2}), 0);
  CHECK_EQUAL(rates_check(&(struct rates){backwards, 3}), -EINVAL);
  CHECK_EQUAL(rates_check(&(struct rates){late, 1}), -EINVAL);
  CHECK_EQUAL(rates_check(&(struct rates){below, 2}), -EINVAL);
  CHECK_EQUAL(rates_check(&(struct rates){none, 1}), -EINVAL);
  CHECK_EQUAL(rates_check(&(struct rates){endless, 1}), -EINVAL);
  CHECK_EQUAL(rates_check(&(struct rates){no_number, 1}), -EINVAL);
}

/* ---- whole legs ---- */

struct times {
  uint64_t count;
  double most_off;
};

/* Each request is sent when it is due: there are connections enough. */
static struct fate compared(struct fake_world *world, uint32_t slot) {
  struct times *times = world->context;
  (void)slot;
  double seconds = (double)(world->now_ns - LEG_START_NS - 2 * SECOND) / 1e9;
  times->most_off = fmax(times->most_off, fabs(area(seconds) - (double)times->count++));
  return (struct fate){FATE_OK, 1 * MS, 0};
}

TEST(requests_are_due_along_the_profile) {
  struct leg *leg = leg_new(100);
  struct times times = {0};
  for (size_t i = 0; i < of_mountain.count; i++) leg->rates[i] = mountain[i];
  leg_open_loop(leg, of_mountain.count);
  leg->world.request = compared;
  leg->world.context = &times;
  leg_run(leg);
  CHECK(times.most_off < 1e-5);
  CHECK_EQUAL(leg->counters[COUNT_DUE], 6000);
  CHECK_EQUAL(leg->counters[COUNT_LATE], 0);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 1 * MS);
  /* 1 s to a cut, from 2 s on; the last request of the first second is answered in the second */
  for (uint32_t i = 0; i < 7; i++) {
    double right = area(i + 1.0) - area(i);
    CHECK(fabs((double)leg->interval[2 + i].transfers - right) <= 4);
  }
  leg_end(leg);
}

TEST(a_profile_that_goes_on_is_cut_where_the_leg_ends) {
  struct leg *leg = leg_new(100);
  for (size_t i = 0; i < of_mountain.count; i++) leg->rates[i] = mountain[i];
  leg_open_loop(leg, of_mountain.count);
  leg->settings.steady_to_ns = 4 * SECOND;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_DUE], area(2));
  CHECK_EQUAL(leg->counters[COUNT_UNSENT], 0);
  leg_end(leg);
}
