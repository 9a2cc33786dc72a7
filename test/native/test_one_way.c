/*
 * test_one_way.c: protocol stream on the fake transport and clock: a transfer is whole once the kernel has it, at once
 * or when on_sent comes, in either loop; what comes back is counted.
 */
#include <errno.h>

#include "../../client/engine/core/load/workload.h"
#include "check.h"
#include "leg.h"

#define BURST 16u
#define PAYLOAD_BYTES 64u

static struct leg *stream_leg(uint32_t slots) {
  struct leg *leg = leg_new(slots);
  leg->settings.protocol = &protocol_stream;
  return leg;
}

/* The system call itself takes 1 ms, and nothing comes back. */
static struct fate blocking(struct fake_world *world, uint32_t slot) {
  (void)slot;
  world->now_ns += 1 * MS;
  return (struct fate){FATE_NOTHING, 0, 0};
}

static struct fate silent(struct fake_world *world, uint32_t slot) {
  (void)world;
  (void)slot;
  return (struct fate){FATE_NOTHING, 0, 0};
}

static void check_clean(const struct leg *leg) {
  CHECK_EQUAL(leg_errors(leg) + leg->counters[COUNT_FAILED] + leg->counters[COUNT_UNFINISHED], 0);
  CHECK_EQUAL(leg->counters[COUNT_BYTES_SENT], leg->counters[COUNT_TRANSFERS] * PAYLOAD_BYTES);
}

TEST(what_is_taken_at_once_is_timed) {
  struct leg *leg = stream_leg(4);
  leg->world.request = blocking;
  leg_run(leg);
  check_clean(leg);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].min, 1 * MS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 1 * MS);
  CHECK_EQUAL(leg->counters[COUNT_BYTES_RECEIVED], 0);
  CHECK(leg->counters[COUNT_TRANSFERS] >= 9990 && leg->counters[COUNT_TRANSFERS] <= 10001);
  for (uint32_t i = 1; i < 10; i++) CHECK(leg->interval[i].transfers >= 999 && leg->interval[i].transfers <= 1001);
  CHECK(leg->histograms[HISTOGRAM_PER_CONNECTION].max <=
        leg->histograms[HISTOGRAM_PER_CONNECTION].min + 2 * BURST); /* each has its turn */
  leg_end(leg);
}

TEST(what_is_taken_later_is_timed) {
  struct leg *leg = stream_leg(3);
  leg->world.request = silent;
  leg->world.sends_take_ns = 5 * MS;
  leg_run(leg);
  check_clean(leg);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].min, 5 * MS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 5 * MS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_PER_CONNECTION].min, 1600);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_PER_CONNECTION].max, 1600);
  leg_end(leg);
}

TEST(what_is_never_taken_times_out) {
  struct leg *leg = stream_leg(2);
  leg->world.request_fate = (struct fate){FATE_EARLY, 1 * MS, 0};
  leg->settings.transfer_timeout_ns = 1 * SECOND;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 0);
  CHECK(leg->counters[COUNT_FAILED] >= 2 * 4);
  CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_TIMEOUT], leg->counters[COUNT_FAILED]);
  CHECK_EQUAL(leg_errors(leg), leg->counters[COUNT_FAILED]);
  leg_end(leg);
}

/* Some bytes of each send are taken, the others never: they count when the transfer has timed out. */
TEST(a_part_that_is_taken_counts) {
  struct leg *leg = stream_leg(2);
  leg->world.request_fate = (struct fate){FATE_EARLY, 1 * MS, 0};
  leg->world.taken_bytes = 20;
  leg->settings.transfer_timeout_ns = 1 * SECOND;
  leg_run(leg);
  CHECK(leg->counters[COUNT_FAILED] + leg->counters[COUNT_UNFINISHED] >= 2 * 4);
  CHECK_EQUAL(leg->counters[COUNT_BYTES_SENT], 20 * leg->world.sends);
  leg_end(leg);
  leg = leg_new(2); /* and of several requests that are sent together */
  leg->world.request_fate = (struct fate){FATE_EARLY, 1 * MS, 0};
  leg->world.request_bytes = PAYLOAD_BYTES;
  leg->world.taken_bytes = PAYLOAD_BYTES + 20;
  leg->settings.pipeline = 4;
  leg->settings.transfer_timeout_ns = 1 * SECOND;
  leg_run(leg);
  CHECK(leg->world.sends >= 2 * 4);
  CHECK_EQUAL(leg->counters[COUNT_BYTES_SENT], (PAYLOAD_BYTES + 20) * leg->world.sends);
  leg_end(leg);
}

TEST(what_comes_back_is_counted) {
  struct leg *leg = stream_leg(2);
  leg->settings.workload_settings.pause_ns = 10 * MS; /* it comes 1 ms after each, between two */
  leg_run(leg);
  check_clean(leg);
  CHECK(leg->counters[COUNT_TRANSFERS] > 2 * 900);
  CHECK_EQUAL(leg->counters[COUNT_BYTES_RECEIVED], leg->counters[COUNT_BYTES_SENT]);
  leg_end(leg);
  leg = stream_leg(2);
  leg->world.sends_take_ns = 3 * MS; /* or meanwhile */
  leg_run(leg);
  check_clean(leg);
  CHECK_EQUAL(leg->counters[COUNT_BYTES_RECEIVED], leg->counters[COUNT_BYTES_SENT]);
  leg_end(leg);
}

static struct fate ends_at_the_tenth(struct fake_world *world, uint32_t slot) {
  (void)slot;
  return (struct fate){world->requests % 10 == 0 ? FATE_CLOSE : FATE_NOTHING, 1, -ECONNRESET};
}

TEST(a_connection_that_ends_is_lost) {
  struct leg *leg = stream_leg(2);
  leg->world.sends_take_ns = 3 * MS;
  leg->world.request = ends_at_the_tenth;
  leg_run(leg);
  CHECK(leg_errors(leg) > 10);
  CHECK_EQUAL(leg->counters[COUNT_FAILED], leg_errors(leg));
  CHECK(leg->counters[COUNT_TRANSFERS] > 100);
  leg_end(leg);
}

static struct fate opens_and_ends(struct fake_world *world, uint32_t slot) {
  (void)slot;
  return (struct fate){FATE_BRIEF, *(const uint64_t *)world->context, -ECONNRESET};
}

/* Each connection has sent something before it is reset: that the kernel took it says nothing of the server. */
static struct leg *reset_after(uint64_t after_ns) {
  struct leg *leg = stream_leg(2);
  leg->settings.backoff.cap_ns = 1 * SECOND;
  leg->settings.workload_settings.pause_ns = 10 * MS;
  leg->world.request = silent;
  leg->world.attempt = opens_and_ends;
  leg->world.context = &after_ns;
  leg_run(leg);
  CHECK(leg->counters[COUNT_TRANSFERS] >= leg->counters[COUNT_OPENED]);
  CHECK_EQUAL(leg->counters[COUNT_LOST], leg->counters[COUNT_OPENED] - (leg->world.fins + leg->world.resets));
  return leg;
}

TEST(it_backs_off_from_who_resets) {
  struct leg *leg = reset_after(1 * MS);
  CHECK(leg->counters[COUNT_OPENED] <= 2 * 22); /* of 10 s: 0.1, 0.2, 0.4, 0.8 s, then 1 s each; or half of it */
  CHECK(leg->histograms[HISTOGRAM_RECOVERY_TIME].max > 500 * MS);
  leg_end(leg);
  leg = reset_after(1 * SECOND); /* as long as the largest back-off: it begins at its base again */
  CHECK(leg->counters[COUNT_OPENED] >= 2 * 9);
  CHECK(leg->histograms[HISTOGRAM_RECOVERY_TIME].max <= 100 * MS);
  leg_end(leg);
}

/* Every second connection ends as planned, after which the next loss is the first again. */
static struct fate every_second(struct fake_world *world, uint32_t slot) {
  (void)slot;
  return (struct fate){world->attempts % 2 ? FATE_BRIEF : FATE_OK, 1, -ECONNRESET};
}

TEST(a_planned_end_ends_the_backing_off) {
  struct leg *leg = stream_leg(1);
  leg->settings.workload = &workload_reconnect;
  leg->world.request = silent;
  leg->world.sends_take_ns = 1 * MS;
  leg->world.attempt = every_second;
  leg_run(leg);
  CHECK(leg->counters[COUNT_LOST] >= 90);
  CHECK(leg->histograms[HISTOGRAM_RECOVERY_TIME].max <= 105 * MS);
  leg_end(leg);
}

TEST(a_rate_taken_at_once_or_later) {
  for (uint64_t takes_ns = 0; takes_ns <= 3 * MS; takes_ns += 3 * MS) {
    struct leg *leg = stream_leg(10);
    leg_at_rate(leg, 500);
    leg->world.request = takes_ns > 0 ? silent : blocking;
    leg->world.sends_take_ns = takes_ns;
    leg_run(leg);
    check_clean(leg);
    CHECK_EQUAL(leg->counters[COUNT_DUE], 8 * 500);
    CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 8 * 500);
    CHECK_EQUAL(leg->counters[COUNT_LATE] + leg->counters[COUNT_UNSENT], 0);
    CHECK_EQUAL(leg->histograms[HISTOGRAM_SERVICE_TIME].min, takes_ns > 0 ? takes_ns : 1 * MS);
    CHECK_EQUAL(leg->histograms[HISTOGRAM_SERVICE_TIME].max, takes_ns > 0 ? takes_ns : 1 * MS);
    CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, leg->histograms[HISTOGRAM_SERVICE_TIME].max);
    CHECK(leg->histograms[HISTOGRAM_PER_CONNECTION].max <= leg->histograms[HISTOGRAM_PER_CONNECTION].min + 1);
    leg_end(leg);
  }
}

TEST(other_workloads) {
  static const struct {
    const struct workload *workload;
    uint64_t least, most;
  } workloads[] = {{&workload_once, 5, 5}, {&workload_reconnect, 1001, UINT64_MAX}, {&workload_hold, 5 * 9, 5 * 11}};
  for (unsigned i = 0; i < 6; i++) {
    struct leg *leg = stream_leg(5);
    leg->settings.workload = workloads[i / 2].workload;
    leg->settings.workload_settings.heartbeat_ns = leg->settings.workload == &workload_hold ? 1 * SECOND : 0;
    leg->world.sends_take_ns = i % 2 * MS;
    leg_run(leg);
    check_clean(leg);
    CHECK(leg->counters[COUNT_TRANSFERS] >= workloads[i / 2].least);
    CHECK(leg->counters[COUNT_TRANSFERS] <= workloads[i / 2].most);
    CHECK(leg->settings.workload == &workload_hold ||
          leg->counters[COUNT_OPENED] - leg->counters[COUNT_TRANSFERS] <= 5);
    leg_end(leg);
  }
}

/* Of ten transfers, or until no more may begin. */
TEST(a_lifetime_and_an_end) {
  for (uint64_t takes_ns = 0; takes_ns <= 1 * MS; takes_ns += MS) {
    struct leg *leg = stream_leg(3);
    leg->settings.lifetime.transfers = 10;
    leg->settings.transfers = 500;
    leg->world.request = takes_ns > 0 ? silent : blocking;
    leg->world.sends_take_ns = takes_ns;
    leg_run(leg);
    check_clean(leg);
    CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 500);
    CHECK(leg->counters[COUNT_OPENED] >= 50 && leg->counters[COUNT_OPENED] <= 53);
    CHECK_EQUAL(leg->counters[COUNT_LOST], 0);
    leg_end(leg);
  }
}

TEST(it_is_not_pipelined) {
  struct leg *leg = leg_new(1);
  leg->settings.protocol = &protocol_stream;
  leg->settings.pipeline = 2;
  leg_refused(leg);
}

static struct fate greets(struct fake_world *world, uint32_t slot) {
  (void)world;
  (void)slot;
  return (struct fate){FATE_SPOKEN, 1 * MS, 0};
}

/* A server that sends first, such as SMTP: its bytes may be there when the connect is reported. Each connection begins
 * at once all the same, in either loop, and is not idle until its connect's deadline. */
TEST(a_server_that_greets) {
  for (int open_loop = 0; open_loop <= 1; open_loop++) {
    struct leg *leg = stream_leg(4);
    leg->world.attempt = greets;
    leg->world.greeting = "220 ready\r\n";
    leg->world.request = silent;
    leg->world.sends_take_ns = 1 * MS;
    if (open_loop) leg_at_rate(leg, 100);
    leg_run(leg);
    check_clean(leg);
    CHECK_EQUAL(leg->counters[COUNT_OPENED], 4);
    CHECK_EQUAL(leg->counters[COUNT_BYTES_RECEIVED], 4 * 11);
    if (open_loop) {
      CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 800);
      CHECK_EQUAL(leg->counters[COUNT_LATE], 0);
    } else {
      CHECK(leg->counters[COUNT_TRANSFERS] >= 4 * 9990);
      CHECK(leg->histograms[HISTOGRAM_PER_CONNECTION].min >= 7990);
    }
    leg_end(leg);
  }
}
