/*
 * test_allocations.c: a transfer allocates no memory, over the kernel's sockets, and neither does opening a connection
 * for each transfer (over TLS: test_tls.c). This program defines its own malloc(), which counts the calls of the
 * engine's thread; the peers run in another. Only calls between two intervals of the same leg are counted, which leaves
 * out its beginning and its end.
 */
#include <stdlib.h>
#include <string.h>

#include "loopback.h"
#include "peers.h"

#define ACTIVE 8u
#define TRANSFERS 20000u
#define TRANSFERS_OF_RECONNECT 4000u /* peers.c serves no more connections than that */
#define WARM_TRANSFERS 1000u

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t members, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local uint64_t allocations;

void *malloc(size_t size) {
  allocations++;
  return __libc_malloc(size);
}

void *calloc(size_t members, size_t size) {
  allocations++;
  return __libc_calloc(members, size);
}

void *realloc(void *memory, size_t size) {
  allocations++;
  return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  allocations++;
  return __libc_memalign(alignment, size);
}

struct reading {
  uint64_t transfers, allocations;
};

static struct {
  struct engine *engine;
  struct reading now, first, last; /* first: after the first WARM_TRANSFERS, when all connections are open */
  uint64_t planned, opened, failures;
} leg;

static void take_intervals(void *context) {
  (void)context;
  for (const struct interval *interval; (interval = interval_take(engine_intervals(leg.engine)));) {
    leg.now.transfers += interval->counters[COUNT_TRANSFERS];
    leg.failures += interval->counters[COUNT_LOST] + interval->counters[COUNT_FAILED];
    leg.opened += interval->counters[COUNT_OPENED];
    bool all_answered = leg.opened >= ACTIVE && interval->gauges[GAUGE_NEVER_ANSWERED] == 0;
    bool is_over = leg.now.transfers == leg.planned;
    interval_release(engine_intervals(leg.engine));
    leg.now.allocations = allocations;
    bool is_warm = leg.now.transfers >= WARM_TRANSFERS && all_answered;
    if (leg.first.transfers == 0 && is_warm && !is_over) leg.first = leg.now;
    if (leg.first.transfers > 0 && !is_over) leg.last = leg.now;
  }
}

static void check_leg(const struct workload *workload, uint64_t transfers, uint32_t pipeline) {
  struct endpoint endpoint;
  struct peers peers = {.listener = loopback_listen(0, 128, &endpoint), .hear = peers_echo};
  static const uint8_t payload[100] = "a payload of a hundred bytes";
  const struct schedule_point points[] = {{0, ACTIVE, false}};
  struct engine_settings settings = loopback_settings(&endpoint, ACTIVE);
  settings.protocol = &protocol_echo;
  settings.payload = payload;
  settings.payload_bytes = sizeof payload;
  settings.workload = workload;
  settings.schedule = (struct schedule){points, 1};
  settings.steady_to_ns = 60 * NS_PER_SECOND;
  settings.interval_ns = 2000000;
  settings.backoff = (struct backoff){1000000, 10000000, 2.0};
  settings.transfers = transfers;
  settings.pipeline = pipeline;
  settings.timestamps_one_in = TIMESTAMPS_SAMPLE;
  settings.on_interval = take_intervals;
  memset(&leg, 0, sizeof leg);
  leg.planned = transfers;
  peers_start(&peers);
  CHECK_EQUAL(transfer_log_open("/dev/null", NULL, 0, &settings.log), 0);
  CHECK_EQUAL(engine_create(&settings, &leg.engine), 0);
  CHECK_EQUAL(engine_run(leg.engine, clock_monotonic_ns(NULL)), 0);
  engine_destroy(leg.engine);
  struct transfer_log_result result;
  transfer_log_close(settings.log, &result);
  peers_stop(&peers);
  CHECK_EQUAL(leg.now.transfers, leg.planned);
  CHECK_EQUAL(leg.failures, 0);
  CHECK(leg.first.allocations > 0); /* they are counted */
  CHECK(leg.last.transfers >= leg.first.transfers + 500);
  CHECK_EQUAL(leg.last.allocations, leg.first.allocations);
}

TEST(a_transfer) { check_leg(&workload_continuous, TRANSFERS, 1); }
TEST(a_transfer_in_a_pipeline) { check_leg(&workload_continuous, TRANSFERS, 8); }
TEST(a_connection_for_each) { check_leg(&workload_reconnect, TRANSFERS_OF_RECONNECT, 1); }
