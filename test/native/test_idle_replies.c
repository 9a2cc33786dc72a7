/*
 * test_idle_replies.c: replies that end by a time without bytes, which is not part of their response time; on the fake
 * transport and clock.
 */

#include "chatty_protocol.h"
#include "check.h"
#include "leg.h"

static void check_times(const struct leg *leg) {
  CHECK(leg->counters[COUNT_TRANSFERS] > leg->settings.slots);
  CHECK_EQUAL(leg->response.min, 1 * MS);
  CHECK_EQUAL(leg->response.max, 1 * MS);
  CHECK_EQUAL(leg_errors(leg) + leg_rejects(leg), 0);
}

static struct leg *hush(uint32_t slots) {
  struct leg *leg = leg_new(slots);
  leg->settings.protocol = &protocol_hush;
  return leg;
}

TEST(silence_ends_a_reply) {
  for (int open = 0; open < 2; open++) {
    struct leg *leg = hush(20);
    if (open) leg_at_rate(leg, 100);
    leg->world.request_fate = (struct fate){open ? FATE_OK : FATE_BYTES, 1 * MS, 0};
    leg_run(leg);
    check_times(leg);
    if (!open)
      CHECK(leg->interval[4].transfers >= 20 * 19 && leg->interval[4].transfers <= 20 * 20); /* one each 51 ms */
    if (open) CHECK_EQUAL(leg->interval[4].transfers, 100);
    CHECK_EQUAL(leg->counters[COUNT_CODES + CODE_OK], leg->counters[COUNT_TRANSFERS]);
    leg_end(leg);
  }
}

TEST(a_reply_may_be_there_before_all_is_sent) {
  struct leg *leg = hush(5);
  leg->world.request_fate = (struct fate){FATE_OK, 1 * MS, 0};
  leg->world.sends_take_ns = 2 * MS;
  leg_run(leg);
  CHECK_EQUAL(leg_errors(leg), 0);
  CHECK(leg->counters[COUNT_TRANSFERS] > 5);
  leg_end(leg);
}

static bool reply_and_end(struct fake_world *world, uint32_t slot, const uint8_t *bytes, size_t length) {
  world->requests++;
  fake_say(world, slot, 1 * MS, bytes, length);
  fake_end(world, slot, 3 * MS, IO_EOF);
  return true;
}

/* The reply's last byte comes after 1 ms, the end 2 ms later. */
TEST(the_end_ends_a_reply_before_silence_does) {
  for (int open = 0; open < 2; open++) {
    struct leg *leg = hush(5);
    if (open) leg_at_rate(leg, 100);
    leg->world.takes = reply_and_end;
    leg_run(leg);
    CHECK_EQUAL(leg_errors(leg), 0);
    CHECK_EQUAL(open ? leg->service.min : leg->response.min, 1 * MS);
    CHECK_EQUAL(open ? leg->service.max : leg->response.max, 1 * MS);
    CHECK(leg->counters[COUNT_REOPENED] > 100);
    leg_end(leg);
  }
}

TEST(no_silence_is_a_timeout) {
  struct leg *leg = hush(4);
  leg->world.request = fate_odd_only;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_TIMEOUT], leg_errors(leg));
  CHECK(leg_errors(leg) >= 2);
  CHECK_EQUAL(leg->response.max, 1 * MS);
  leg_end(leg);
}

TEST(silence_cannot_be_pipelined) {
  struct leg *leg = hush(1);
  leg->settings.pipeline = 2;
  leg_refused(leg);
}
