/*
 * test_slices_loop.c: what a server does in slices is what it does in a leg by itself: simulated servers of a known
 * rate, of a known latency, and one that serves few connections over and over, on the fake transport and clock.
 */
#include "../../client/engine/core/base/splitmix64.h"
#include "check.h"
#include "leg.h"

/* As client/plan/slices.js has them: cycles of a slice. */
#define SETTLE_IN 2u
#define MEASURED 8u
#define SETTLE_OUT 2u
#define MOST_SLICES 64u
#define FEW 16u
/* By which a figure in slices may differ. */
#define TOLERANCE 0.05

/* A server: one request after another, each of which takes SERVICE_NS on average, and one in 50 ten times as long;
 * every reply comes LATENCY_NS later. Only the first SERVED connections have any. */
struct server {
  uint64_t service_ns, latency_ns;
  uint32_t served;
  uint64_t free_ns, random;
};

static struct fate serve(struct fake_world *world, uint32_t slot) {
  struct server *server = world->context;
  if (slot >= server->served) return (struct fate){FATE_NOTHING, 0, 0};
  uint64_t draw = splitmix64_below(&server->random, 1000);
  uint64_t service_ns = server->service_ns * (500 + draw) / 1180 * (draw % 50 == 0 ? 10 : 1);
  if (server->free_ns < world->now_ns) server->free_ns = world->now_ns;
  server->free_ns += service_ns;
  return (struct fate){FATE_OK, server->free_ns + server->latency_ns * (900 + draw / 5) / 1000 - world->now_ns, 0};
}

/* More where a slice has few transfers. */
static uint64_t slices_of(uint32_t slots) { return 3 + 6000 / slots; }

struct figures {
  double per_second, mean_ns, p50_ns, p99_ns;
};

static double percentile_of(const struct histogram *histogram, double share) {
  uint64_t below = 0;
  for (uint32_t i = histogram->first; i <= histogram->last; i++) {
    below += histogram->counts[i];
    if ((double)below >= share * (double)histogram->count) return (double)histogram_value(i);
  }
  return 0;
}

static struct figures figures_of(const struct histogram *times, uint64_t transfers, uint64_t ns) {
  return (struct figures){(double)transfers * 1e9 / (double)ns, times->sum / (double)times->count,
                          percentile_of(times, 0.5), percentile_of(times, 0.99)};
}

static struct leg *leg_to(const struct server *server, struct server *own, uint32_t slots) {
  struct leg *leg = leg_new(slots);
  *own = *server;
  leg->world.context = own;
  leg->world.request = serve;
  leg->world.end_ns = UINT64_MAX;
  leg->settings.transfer_timeout_ns = 1000 * SECOND;
  leg->settings.interval_ns = 10 * SECOND;
  leg->points[0] = (struct schedule_point){0, slots, false};
  return leg;
}

/* In the steady state of a leg by itself, which begins when it loops. */
static struct figures alone(const struct server *server, uint32_t slots, uint64_t cycle_ns) {
  struct server own;
  struct leg *leg = leg_to(server, &own, slots);
  leg->settings.steady_from_ns = SETTLE_IN * cycle_ns;
  leg->settings.steady_to_ns = leg->settings.steady_from_ns + slices_of(slots) * MEASURED * cycle_ns;
  leg_run(leg);
  uint64_t transfers = 0;
  for (uint32_t i = 0; i < leg->intervals; i++) {
    if (leg->interval[i].phase == PHASE_STEADY) transfers += leg->interval[i].transfers;
  }
  struct figures figures =
      figures_of(&leg->steady, transfers, leg->settings.steady_to_ns - leg->settings.steady_from_ns);
  leg_end(leg);
  return figures;
}

/* In slices, each followed by one of another leg. */
static struct figures in_slices(const struct server *server, uint32_t slots, uint64_t cycle_ns) {
  struct server own;
  struct leg *leg = leg_to(server, &own, slots);
  struct slice list[MOST_SLICES];
  uint64_t count = slices_of(slots);
  uint64_t length_ns = (SETTLE_IN + MEASURED + SETTLE_OUT) * cycle_ns;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t from_ns = 2 * i * length_ns, measured_ns = from_ns + SETTLE_IN * cycle_ns;
    list[i] = (struct slice){from_ns, measured_ns, measured_ns + MEASURED * cycle_ns, from_ns + length_ns};
  }
  leg->settings.slices = (struct slices){list, count};
  leg->settings.steady_to_ns = 2 * count * length_ns;
  leg_run(leg);
  struct figures figures =
      figures_of(&leg->histograms[HISTOGRAM_RESPONSE_TIME], leg->counters[COUNT_MEASURED], count * MEASURED * cycle_ns);
  leg_end(leg);
  return figures;
}

static bool is_near(double value, double expected) {
  return value >= expected * (1 - TOLERANCE) && value <= expected * (1 + TOLERANCE);
}

/* CYCLE_NS: connections / throughput, or the least time in which a connection has a reply. */
static void compare(const struct server *server, uint32_t slots) {
  uint32_t served = slots < server->served ? slots : server->served;
  uint64_t cycle_ns = slots * server->service_ns;
  if (cycle_ns < server->latency_ns + server->service_ns) cycle_ns = server->latency_ns + server->service_ns;
  struct server own = *server;
  own.served = served;
  struct figures whole = alone(&own, slots, cycle_ns), slices = in_slices(&own, slots, cycle_ns);
  CHECK(is_near(slices.per_second, whole.per_second));
  CHECK(is_near(slices.p50_ns, whole.p50_ns));
  CHECK(is_near(slices.p99_ns, whole.p99_ns));
  CHECK(is_near(slices.per_second * slices.mean_ns / 1e9, served)); /* Little's law */
}

TEST(a_server_of_a_known_rate_does_the_same_in_slices) {
  struct server server = {.service_ns = 20000, .served = UINT32_MAX, .random = 1};
  compare(&server, 100);
  compare(&server, 2000);
  compare(&server, 10000);
}

TEST(a_server_of_a_known_latency_does_the_same_in_slices) {
  struct server server = {.service_ns = 1000, .latency_ns = 5 * MS, .served = UINT32_MAX, .random = 2};
  compare(&server, 100);
  compare(&server, 2000);
  compare(&server, 10000);
  server.latency_ns = 300 * MS;
  compare(&server, 100);
  compare(&server, 2000);
  compare(&server, 10000);
}

TEST(a_server_that_serves_few_connections_does_the_same_in_slices) {
  struct server server = {.service_ns = 20000, .served = FEW, .random = 3};
  compare(&server, 100);
  compare(&server, 2000);
  compare(&server, 10000);
}
