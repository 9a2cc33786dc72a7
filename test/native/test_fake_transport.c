/*
 * test_fake_transport.c: the fake transport keeps the rules of transport.h that no test of the engine would notice.
 */
#include "check.h"
#include "fake_transport.h"

#define MS UINT64_C(1000000)

static struct test {
  struct fake_world world;
  struct transport *transport;
  struct clock clock;
  uint64_t started_ns, closed_ns;
  size_t bytes, unsent;
  int connects, sents, closes, reason;
} test;

static void on_connect(void *owner, uint32_t slot) {
  CHECK(owner == &test && slot == 0);
  test.connects++;
}

static void on_bytes(void *owner, uint32_t slot, const uint8_t *bytes, size_t length) {
  CHECK(owner == &test && slot == 0 && bytes);
  test.bytes += length;
}

static void on_sent(void *owner, uint32_t slot) {
  CHECK(owner == &test && slot == 0);
  test.sents++;
}

static void on_close(void *owner, uint32_t slot, int reason) {
  CHECK(owner == &test);
  test.closes++;
  test.reason = reason;
  test.closed_ns = test.world.now_ns;
  test.unsent = transport_fake.unsent_bytes(test.transport, slot);
}

static const struct transport_events events = {
    .on_connect = on_connect, .on_bytes = on_bytes, .on_sent = on_sent, .on_close = on_close};

static struct fate after_5_ms(struct fake_world *world, uint32_t slot) {
  (void)world, (void)slot;
  return (struct fate){FATE_OK, 5 * MS, 0};
}

/* One open connection, at 5 ms. */
static void begin(void) {
  static const struct endpoint nowhere;
  test = (struct test){.clock = {fake_now_ns, &test.world}};
  test.world = (struct fake_world){.end_ns = 1000 * MS, .attempt = after_5_ms, .request = after_5_ms};
  const struct transport_settings settings = {
      .slots = 1, .events = &events, .owner = &test, .clock = &test.clock, .context = &test.world};
  CHECK_EQUAL(transport_fake.create(&settings, &test.transport), 0);
  transport_fake.connect(test.transport, 0, &nowhere, 0, &test.started_ns);
  CHECK_EQUAL(transport_fake.turn(test.transport, 5 * MS), 1);
  CHECK_EQUAL(test.connects, 1);
}

static void end(void) { transport_fake.destroy(test.transport); }

static enum transport_send say(const char *text, size_t length) {
  const struct iovec part = {(void *)(uintptr_t)text, length};
  return transport_fake.send(test.transport, 0, &part, 1, &test.started_ns);
}

static void unsent_bytes(void) {
  begin();
  test.world.sends_take_ns = 10 * MS;
  test.world.taken_bytes = 3;
  CHECK_EQUAL(say("request", 7), IO_PENDING);
  transport_fake.close(test.transport, 0, IO_RST);
  transport_fake.turn(test.transport, 100 * MS);
  CHECK_EQUAL(test.sents, 0);
  CHECK_EQUAL(test.unsent, 4);
  end();
  begin();
  test.world.sends_take_ns = 10 * MS;
  CHECK_EQUAL(say("request", 7), IO_PENDING);
  while (test.sents == 0 && transport_fake.turn(test.transport, 100 * MS) >= 0) continue;
  transport_fake.close(test.transport, 0, IO_RST);
  transport_fake.turn(test.transport, 100 * MS);
  CHECK_EQUAL(test.unsent, 0);
  end();
}

static const struct check_test tests[] = {
    {"unsent bytes", unsent_bytes},
};

CHECK_TABLE(tests)
