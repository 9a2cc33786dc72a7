/*
 * test_control_messages.c: hellos and answers, cut anywhere and mixed with transfers, whose times they do not change;
 * on the fake transport.
 */
#include <errno.h>
#include <string.h>

#include "chatty_protocol.h"
#include "check.h"
#include "leg.h"

static const char ASK[] = "\x05\x03"
                          "abc";
#define ASK_BYTES 5u

/* A server of the chatty protocol: its settings, and what it received. */
struct server {
  struct fate greeting;
  uint64_t greetings, asked, answered;
  bool asks_with_greeting, asks_in_reply, asks_after_reply, wrong_answer;
};

static bool serve(struct fake_world *world, uint32_t slot, const uint8_t *bytes, size_t length) {
  struct server *server = world->context;
  if (length == strlen(CHATTY_GREETING) && memcmp(bytes, CHATTY_GREETING, length) == 0) {
    server->greetings++;
    if (server->greeting.kind == FATE_OK) {
      if (server->asks_with_greeting) fake_say(world, slot, server->greeting.after_ns, ASK, ASK_BYTES);
      fake_say(world, slot, server->greeting.after_ns, CHATTY_GREETED, strlen(CHATTY_GREETED));
      if (server->asks_with_greeting) fake_say(world, slot, server->greeting.after_ns, ASK, ASK_BYTES);
      server->asked += server->asks_with_greeting ? 2 : 0;
    }
    if (server->greeting.kind == FATE_WRONG) fake_say(world, slot, server->greeting.after_ns, "welcomE", 7);
    if (server->greeting.kind == FATE_CLOSE) {
      fake_say(world, slot, server->greeting.after_ns, "wel", 3);
      fake_end(world, slot, server->greeting.after_ns, server->greeting.reason);
    }
    return true;
  }
  if (bytes[0] == CHATTY_ANSWER) { /* some, each of its own */
    for (size_t at = 0; at < length; at += ASK_BYTES) {
      server->wrong_answer |= length - at < ASK_BYTES || memcmp(bytes + at + 1, ASK + 1, ASK_BYTES - 1) != 0;
      server->answered++;
    }
    return true;
  }
  if (server->asks_in_reply) { /* the whole exchange is said here: 1 ms, and the ask in its middle */
    size_t half = world->request_bytes / 2;
    for (size_t at = 0; at < length; at += 2 * half) {
      world->requests++;
      fake_say(world, slot, 1 * MS, bytes + at, half);
      fake_say(world, slot, 1 * MS, ASK, ASK_BYTES);
      fake_say(world, slot, 1 * MS, bytes + at + half, half);
      server->asked++;
    }
    return true;
  }
  if (server->asks_after_reply) {
    fake_say(world, slot, 1 * MS + 1000, ASK, ASK_BYTES);
    server->asked++;
  }
  return false;
}

/* Printable, as chatty wants it. */
static const uint8_t payload[] = "0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ.";
_Static_assert(sizeof payload > 64, "64 bytes of it are sent");

static struct leg *chatty(uint32_t slots, struct server *server) {
  struct leg *leg = leg_new(slots);
  leg->settings.protocol = &protocol_chatty;
  leg->settings.payload = payload;
  leg->settings.payload_bytes = 64;
  leg->world.takes = serve;
  leg->world.context = server;
  leg->world.request_bytes = 64;
  return leg;
}

static void check_times(const struct leg *leg) {
  CHECK(leg->counters[COUNT_TRANSFERS] > leg->settings.slots);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].min, 1 * MS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 1 * MS);
  CHECK_EQUAL(leg_errors(leg) + leg_rejects(leg), 0);
}

TEST(greeted_connections_are_open) {
  for (size_t pieces = 0; pieces < 3; pieces++) {
    struct server server = {.greeting = {FATE_OK, 3 * MS, 0}};
    struct leg *leg = chatty(20, &server);
    leg->settings.steady_to_ns = 5 * SECOND;
    leg->world.pieces = pieces;
    leg_run(leg);
    check_times(leg);
    CHECK_EQUAL(server.greetings, 20);
    CHECK_EQUAL(leg->counters[COUNT_OPENED], 20);
    CHECK_EQUAL(leg->histograms[HISTOGRAM_CONNECT_TIME].max, 1 * MS); /* of TCP alone */
    CHECK_EQUAL(leg->interval[4].transfers, 20 * 1000);
    CHECK_EQUAL(leg->counters[COUNT_BYTES_SENT], 20 * 6 + 64 * leg->counters[COUNT_TRANSFERS]);
    leg_end(leg);
  }
}

TEST(a_greeting_fails) {
  static const struct fate fates[] = {
      {FATE_WRONG, 1 * MS, 0}, {FATE_CLOSE, 1 * MS, -ECONNRESET}, {FATE_CLOSE, 1 * MS, IO_EOF}, {FATE_NOTHING, 0, 0}};
  for (size_t i = 0; i < sizeof fates / sizeof fates[0]; i++) {
    struct server server = {.greeting = fates[i]};
    struct leg *leg = chatty(20, &server);
    leg->settings.connect_timeout_ns = 1 * SECOND;
    leg_run(leg);
    CHECK(leg->counters[COUNT_REJECTS + REJECT_GREETING] >= 20 * 3);
    CHECK_EQUAL(leg->counters[COUNT_REJECTS + REJECT_GREETING], leg_rejects(leg));
    CHECK_EQUAL(leg->counters[COUNT_OPENED], 0);
    CHECK_EQUAL(leg->peaks[GAUGE_OPEN], 0);
    CHECK_EQUAL(leg->world.requests, 0);
    leg_end(leg);
  }
}

/* The first connection takes no greeting, and is reset. */
static bool reset_the_first(struct fake_world *world, uint32_t slot, const uint8_t *bytes, size_t length) {
  bool first = world->attempts == 1;
  world->sends_take_ns = first ? 100 * SECOND : 0;
  if (first) fake_end(world, slot, 1 * MS, -ECONNRESET);
  return first || serve(world, slot, bytes, length);
}

TEST(an_unsent_greeting_is_not_held_against_the_next) {
  struct server server = {.greeting = {FATE_OK, 3 * MS, 0}};
  struct leg *leg = chatty(1, &server);
  leg->settings.workload = &workload_hold;
  leg->world.takes = reset_the_first;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_REJECTS + REJECT_GREETING], 1);
  CHECK_EQUAL(leg->counters[COUNT_OPENED], 1);
  CHECK_EQUAL(leg->counters[COUNT_ATTEMPTS], 2);
  leg_end(leg);
}

TEST(a_greeting_cut_short_by_the_end_is_abandoned) {
  struct server server = {.greeting = {FATE_NOTHING, 0, 0}};
  struct leg *leg = chatty(20, &server);
  leg->settings.connect_timeout_ns = 60 * SECOND;
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_ABANDONED], 20);
  CHECK_EQUAL(leg->peaks[GAUGE_CONNECTING], 20);
  leg_end(leg);
}

/* Asks before and behind the greeting's reply, within replies and after them; whole, in pieces, joined with others. */
static void run_asking(uint32_t depth, double rate, size_t pieces, bool joins, uint64_t sends_take_ns) {
  for (unsigned where = 1; where < 8; where++) {
    struct server server = {.greeting = {FATE_OK, 3 * MS, 0},
                            .asks_with_greeting = where & 1,
                            .asks_in_reply = where & 2,
                            .asks_after_reply = where & 4};
    struct leg *leg = chatty(5, &server);
    leg->settings.pipeline = depth;
    if (rate > 0) leg_at_rate(leg, rate);
    leg->settings.workload_settings.pause_ns = depth == 1 && rate == 0 ? 3 * MS : 0;
    leg->settings.steady_to_ns = depth == 1 ? 4 * SECOND : 2500 * MS;
    leg->world.pieces = pieces;
    leg->world.joins = joins;
    leg->world.sends_take_ns = sends_take_ns;
    leg_run(leg);
    CHECK_EQUAL(leg_errors(leg) + leg_rejects(leg), 0);
    CHECK(leg->counters[COUNT_TRANSFERS] > 900);
    CHECK_EQUAL(leg->counters[COUNT_FAILED], 0);
    if (rate == 0) CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].min, 1 * MS);
    if (rate == 0) CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 1 * MS);
    if (rate > 0) CHECK_EQUAL(leg->histograms[HISTOGRAM_SERVICE_TIME].max, 1 * MS);
    CHECK(server.asked > 0);
    CHECK(server.answered <= server.asked);
    CHECK(server.answered + 5 * depth >= server.asked); /* except those that come when all is closed */
    CHECK(!server.wrong_answer);
    leg_end(leg);
  }
}

TEST(asks_are_answered) { run_asking(1, 0, 0, false, 0); }
TEST(asks_are_answered_cut_anywhere) {
  for (size_t pieces = 1; pieces < 7; pieces += 3) run_asking(1, 0, pieces, true, 0);
}
TEST(answers_and_requests_wait_for_each_other) { run_asking(1, 0, 0, false, 600 * 1000); }
TEST(asks_are_answered_in_open_loop) {
  run_asking(1, 500, 0, false, 0);
  run_asking(1, 500, 1, true, 300 * 1000);
}
TEST(asks_are_answered_in_a_pipeline) {
  run_asking(4, 0, 0, false, 0);
  run_asking(4, 0, 3, true, 300 * 1000);
}

/* Half of a control message comes while no request is in flight, the rest during a request, 0.5 ms before its reply or
 * together with it. */
static bool ask_around_requests(struct fake_world *world, uint32_t slot, const uint8_t *bytes, size_t length) {
  struct server *server = world->context;
  if (bytes[0] == 'h' || bytes[0] == CHATTY_ANSWER) return serve(world, slot, bytes, length);
  fake_say(world, slot, 1 * MS + 1000, ASK, 3);
  fake_say(world, slot, world->joins ? 5 * MS : 4 * MS + 500 * 1000, ASK + 3, ASK_BYTES - 3);
  server->asked++;
  return false;
}

TEST(an_ask_may_begin_before_a_request) {
  for (unsigned i = 0; i < 4; i++) {
    const bool open = i % 2 == 1;
    struct server server = {.greeting = {FATE_OK, 3 * MS, 0}};
    struct leg *leg = chatty(1, &server);
    if (open) leg_at_rate(leg, 250);
    leg->settings.pipeline = open ? 3 : 1;
    leg->settings.workload_settings.pause_ns = open ? 0 : 3 * MS;
    leg->world.takes = ask_around_requests;
    leg->world.joins = i >= 2;
    leg_run(leg);
    check_times(leg);
    CHECK(server.asked > 1900 && server.answered + 2 >= server.asked && server.answered <= server.asked);
    CHECK(!server.wrong_answer);
    leg_end(leg);
  }
}

TEST(an_idle_connection_answers) {
  struct server server = {.greeting = {FATE_OK, 3 * MS, 0}, .asks_with_greeting = true};
  struct leg *leg = chatty(7, &server);
  leg->settings.workload = &workload_hold;
  leg->world.pieces = 1;
  leg_run(leg);
  CHECK_EQUAL(server.answered, 14);
  CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 0);
  CHECK_EQUAL(leg_errors(leg), 0);
  leg_end(leg);
}

/* What an idle connection hears after its greeting. */
struct news {
  const char *bytes;
  size_t length;
  uint32_t times;
};

static bool say_news(struct fake_world *world, uint32_t slot, const uint8_t *bytes, size_t length) {
  const struct news *news = world->context;
  (void)length;
  if (bytes[0] != 'h') return true;
  fake_say(world, slot, 1 * MS, CHATTY_GREETED, strlen(CHATTY_GREETED));
  for (uint32_t i = 0; i < news->times; i++) fake_say(world, slot, 2 * MS + i, news->bytes, news->length);
  return true;
}

static struct leg *idle_that_hears(struct news *news) {
  struct leg *leg = leg_new(3);
  leg->settings.protocol = &protocol_chatty;
  leg->settings.workload = &workload_hold;
  leg->settings.transfer_timeout_ns = 1 * SECOND;
  leg->world.takes = say_news;
  leg->world.context = news;
  return leg;
}

TEST(news_need_no_answer) {
  struct news news = {"\x16\x02hi\x16\x00", 6, 1000};
  struct leg *leg = idle_that_hears(&news);
  leg_run(leg);
  CHECK_EQUAL(leg_errors(leg), 0);
  CHECK_EQUAL(leg->world.sends, 3);
  leg_end(leg);
}

/* Unexpected bytes; and 200 requests from the server within 200 ns, where the client can queue about 100 answers. */
TEST(who_says_too_much_is_let_go) {
  struct news all_news[] = {{"x", 1, 1}, {ASK, ASK_BYTES, 200}};
  for (size_t i = 0; i < 2; i++) {
    struct leg *leg = idle_that_hears(&all_news[i]);
    leg->world.sends_take_ns = i * 900 * 1000;
    leg_run(leg);
    CHECK(leg->counters[COUNT_ERRORS + ERROR_PROTOCOL] >= 3);
    CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_PROTOCOL], leg_errors(leg));
    leg_end(leg);
  }
}

TEST(a_greeting_that_is_never_sent_rejects) {
  struct news news = {ASK, ASK_BYTES, 1};
  struct leg *leg = idle_that_hears(&news);
  leg->world.sends_take_ns = 2 * SECOND; /* it is answered before it is sent */
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_REJECTS + REJECT_GREETING], leg_rejects(leg));
  CHECK(leg_rejects(leg) >= 3);
  leg_end(leg);
}

static bool greet_then_stall(struct fake_world *world, uint32_t slot, const uint8_t *bytes, size_t length) {
  world->sends_take_ns = bytes[0] == 'h' ? 0 : 100 * SECOND;
  return say_news(world, slot, bytes, length);
}

TEST(an_answer_has_a_deadline) {
  struct news news = {ASK, ASK_BYTES, 1};
  struct leg *leg = idle_that_hears(&news);
  leg->world.takes = greet_then_stall;
  leg_run(leg);
  CHECK(leg->counters[COUNT_ERRORS + ERROR_TIMEOUT] >= 3 * 4);
  CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_TIMEOUT], leg_errors(leg));
  leg_end(leg);
}

/* The first request's reply comes in the drain, and an ask just before it, whose answer is never taken. */
static bool ask_in_the_drain(struct fake_world *world, uint32_t slot, const uint8_t *bytes, size_t length) {
  if (bytes[0] == 'h') return serve(world, slot, bytes, length);
  world->sends_take_ns = bytes[0] == CHATTY_ANSWER ? 100 * SECOND : 0;
  if (bytes[0] == CHATTY_ANSWER) return true;
  for (size_t at = 0; at < length; at += world->request_bytes) world->requests++;
  fake_say(world, slot, 11 * SECOND, ASK, ASK_BYTES);
  fake_say(world, slot, 11 * SECOND + 1, bytes, length);
  return true;
}

TEST(an_answer_does_not_outlast_the_drain) {
  for (int open = 0; open < 2; open++) {
    struct server server = {.greeting = {FATE_OK, 3 * MS, 0}};
    struct leg *leg = chatty(1, &server);
    if (open) leg_at_rate(leg, 1);
    leg->settings.pipeline = open ? 1 : 4;
    leg->settings.transfer_timeout_ns = 60 * SECOND;
    leg->settings.drain_timeout_ns = 6 * SECOND;
    leg->world.takes = ask_in_the_drain;
    leg->world.look_ns = 1 * MS;
    leg_run(leg);
    CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], open ? 1 : 4);
    CHECK_EQUAL(leg_errors(leg), 0);
    CHECK_EQUAL(leg->world.resets, 1);
    CHECK(leg->interval[leg->intervals - 1].to_ns < 17 * SECOND);
    CHECK(leg->world.looks < 100);
    leg_end(leg);
  }
}

/* ---- replies that end by silence, which is no part of their response time ---- */

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
    CHECK_EQUAL(open ? leg->histograms[HISTOGRAM_SERVICE_TIME].min : leg->histograms[HISTOGRAM_RESPONSE_TIME].min,
                1 * MS);
    CHECK_EQUAL(open ? leg->histograms[HISTOGRAM_SERVICE_TIME].max : leg->histograms[HISTOGRAM_RESPONSE_TIME].max,
                1 * MS);
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
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 1 * MS);
  leg_end(leg);
}

TEST(silence_cannot_be_pipelined) {
  struct leg *leg = hush(1);
  leg->settings.pipeline = 2;
  leg_refused(leg);
}
