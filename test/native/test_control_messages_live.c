/*
 * test_control_messages_live.c: hellos, answers and replies that end by silence, over real sockets, with a
 * server that sends a hello, echoes, asks in the middle of replies, and counts the answers.
 */
#include <stdatomic.h>
#include <sys/socket.h>

#include "chatty_protocol.h"
#include "loopback.h"
#include "peers.h"

#define SLOTS 20u

struct server {
  bool greets, rejects;
  _Atomic uint64_t asked, answered, wrong;
};

struct peer {
  uint8_t answer[5]; /* the beginning of one, as far as it came */
  size_t answer_bytes, greeting_bytes, echoed;
};

static void say(int fd, const void *bytes, size_t length) {
  if (send(fd, bytes, length, MSG_NOSIGNAL) < 0) return; /* it has left */
}

/* What of BYTES is no greeting and no answer goes back, with an ask in it once in a while. */
static bool hear(void *context, void *of_connection, int fd, const uint8_t *bytes, size_t length) {
  struct server *server = context;
  struct peer *peer = of_connection;
  static const uint8_t ask[] = {CHATTY_ASK, 3, 'a', 0, CHATTY_ASK}; /* any bytes */
  for (size_t at = 0; at < length;) {
    if (server->greets && peer->greeting_bytes < strlen(CHATTY_GREETING)) {
      if (bytes[at++] != (uint8_t)CHATTY_GREETING[peer->greeting_bytes++]) atomic_fetch_add(&server->wrong, 1);
      if (peer->greeting_bytes < strlen(CHATTY_GREETING)) continue;
      say(fd, "wel", 3);
      say(fd, ask, sizeof ask);
      say(fd, server->rejects ? "comic" : "come", server->rejects ? 5 : 4);
      atomic_fetch_add(&server->asked, 1);
    } else if (peer->answer_bytes > 0 || bytes[at] == CHATTY_ANSWER) {
      peer->answer[peer->answer_bytes++] = bytes[at++];
      if (peer->answer_bytes < sizeof ask) continue;
      atomic_fetch_add(&server->answered, 1);
      if (memcmp(peer->answer + 1, ask + 1, sizeof ask - 1) != 0) atomic_fetch_add(&server->wrong, 1);
      peer->answer_bytes = 0;
    } else {
      size_t run = 1;
      while (at + run < length && bytes[at + run] != CHATTY_ANSWER) run++;
      if (server->greets && peer->echoed % 7 == 0) {
        say(fd, bytes + at, run / 2);
        say(fd, ask, 3);
        say(fd, ask + 3, sizeof ask - 3);
        say(fd, bytes + at + run / 2, run - run / 2);
        atomic_fetch_add(&server->asked, 1);
      } else {
        say(fd, bytes + at, run);
      }
      peer->echoed++;
      at += run;
    }
  }
  return true;
}

struct run {
  struct engine *engine;
  uint64_t *counters;
};

static void add_cuts(void *context) {
  struct run *run = context;
  for (const struct interval *interval; (interval = interval_take(engine_intervals(run->engine)));
       interval_release(engine_intervals(run->engine))) {
    for (unsigned i = 0; i < COUNTERS; i++) run->counters[i] += interval->counters[i];
  }
}

/* Half a second of it; the sums of what it handed over go into COUNTERS. */
static void run_leg(struct server *server, const struct protocol *protocol, uint32_t pipeline,
                    uint64_t counters[COUNTERS]) {
  struct endpoint endpoint;
  struct peers peers = {.peer_bytes = sizeof(struct peer), .context = server, .hear = hear};
  peers.listener = loopback_listen(0, 128, &endpoint);
  peers_start(&peers);
  static const uint8_t payload[] = "a payload of many bytes, each of which can be printed";
  const struct schedule_point points[] = {{0, SLOTS, false}};
  struct run run = {.counters = counters};
  struct engine_settings settings = loopback_settings(&endpoint, SLOTS);
  settings.protocol = protocol;
  settings.payload = payload;
  settings.payload_bytes = sizeof payload - 1;
  settings.workload = &workload_continuous;
  settings.schedule = (struct schedule){points, 1};
  settings.steady_from_ns = 100000000;
  settings.steady_to_ns = 500000000;
  settings.interval_ns = 200000000;
  settings.backoff = (struct backoff){10000000, 10000000, 2.0};
  settings.pipeline = pipeline;
  settings.on_interval = add_cuts;
  settings.on_interval_context = &run;
  memset(counters, 0, COUNTERS * sizeof *counters);
  CHECK_EQUAL(engine_create(&settings, &run.engine), 0);
  CHECK_EQUAL(engine_run(run.engine, clock_monotonic_ns(NULL)), 0);
  engine_destroy(run.engine);
  peers_stop(&peers);
}

static uint64_t sum(const uint64_t *counters, unsigned count) {
  uint64_t total = 0;
  for (unsigned i = 0; i < count; i++) total += counters[i];
  return total;
}

static void greets_and_answers(uint32_t pipeline) {
  uint64_t counters[COUNTERS];
  struct server server = {.greets = true};
  run_leg(&server, &protocol_chatty, pipeline, counters);
  CHECK_EQUAL(sum(counters + COUNT_REJECTS, REJECT_CAUSES), 0);
  CHECK_EQUAL(sum(counters + COUNT_ERRORS, ERROR_CAUSES), 0);
  CHECK_EQUAL(counters[COUNT_OPENED], SLOTS);
  CHECK(counters[COUNT_TRANSFERS] >= SLOTS);
  CHECK_EQUAL(server.wrong, 0);
  CHECK(server.answered > SLOTS && server.answered <= server.asked);
  CHECK(server.answered + SLOTS >= server.asked); /* except those that come when all is closed */
}

TEST(one_after_another) { greets_and_answers(1); }
TEST(pipelined) { greets_and_answers(5); }

TEST(a_greeting_that_is_none) {
  uint64_t counters[COUNTERS];
  struct server server = {.greets = true, .rejects = true};
  run_leg(&server, &protocol_chatty, 1, counters);
  CHECK(counters[COUNT_REJECTS + REJECT_GREETING] >= SLOTS);
  CHECK_EQUAL(counters[COUNT_REJECTS + REJECT_GREETING], sum(counters + COUNT_REJECTS, REJECT_CAUSES));
  CHECK_EQUAL(counters[COUNT_OPENED], 0);
}

TEST(silence) {
  uint64_t counters[COUNTERS];
  struct server server = {.greets = false};
  run_leg(&server, &protocol_hush, 1, counters);
  CHECK_EQUAL(sum(counters + COUNT_ERRORS, ERROR_CAUSES), 0);
  CHECK_EQUAL(counters[COUNT_CODES + CODE_OK], counters[COUNT_TRANSFERS]);
  CHECK(counters[COUNT_TRANSFERS] >= SLOTS);
  CHECK(counters[COUNT_TRANSFERS] <= SLOTS * (550000000 / HUSH_QUIET_NS + 1));
}
