/*
 * test_pipeline_http.c: HTTP requests in flight at once, on the fake transport and clock, to a server that closes after
 * some replies of a connection: what it has answered are transfers, what it has not are failures.
 */
#include <string.h>

#include "check.h"
#include "http_texts.h"
#include "leg.h"

#define SLOTS 5u
#define REQUEST "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define REQUEST_BYTES (sizeof REQUEST - 1)

#define OK_LENGTH "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
#define OK_CHUNKS "HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n"
#define LAST_LENGTH "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
#define LAST_TO_END "HTTP/1.1 200 OK\r\n\r\nhello"

/* Answers each request 1 ms after it came; the last one as it says. */
struct server {
  uint32_t most; /* requests of a connection that are answered */
  const char *last;
  bool ends;       /* the stream ends with the last */
  bool goes_on;    /* it answers what comes behind the last, too */
  uint64_t beyond; /* requests behind the last */
  uint32_t seen[SLOTS];
};

static struct fate attempt(struct fake_world *world, uint32_t slot) {
  struct server *server = world->context;
  server->seen[slot] = 0;
  return (struct fate){FATE_OK, 1 * MS, 0};
}

static bool serve(struct fake_world *world, uint32_t slot, const uint8_t *bytes, size_t length) {
  struct server *server = world->context;
  CHECK_EQUAL(length % REQUEST_BYTES, 0);
  for (size_t at = 0; at < length; at += REQUEST_BYTES) {
    world->requests++;
    CHECK(memcmp(bytes + at, REQUEST, REQUEST_BYTES) == 0);
    uint32_t number = ++server->seen[slot];
    const char *reply = number % 3 == 0 ? OK_CHUNKS : OK_LENGTH;
    if (number == server->most) reply = server->last;
    if (number > server->most) server->beyond++;
    if (number <= server->most || server->goes_on) fake_say(world, slot, 1 * MS, reply, strlen(reply));
    if (number == server->most && server->ends) fake_end(world, slot, 1 * MS, IO_EOF);
  }
  return true;
}

static struct leg *piped(struct server *server, uint32_t depth) {
  static struct http_texts list; /* each request has figures of its own, which the books of the leg are held to */
  http_texts_make(&list, (const char *const[]){REQUEST, REQUEST}, 2, 0, false);
  struct leg *leg = leg_new(SLOTS);
  leg->settings.protocol = &protocol_http;
  leg->settings.protocol_bytes = list.bytes;
  leg->settings.protocol_bytes_count = list.count;
  protocol_set_parameter(&protocol_http, &leg->settings.protocol_parameters, "requests", 2);
  protocol_set_parameter(&protocol_http, &leg->settings.protocol_parameters, "keepsAlive", 1);
  leg->settings.pipeline = depth;
  leg->world.context = server;
  leg->world.attempt = attempt;
  leg->world.takes = serve;
  leg->world.joins = true;
  return leg;
}

/* Every connection had MOST answered and LEFT unanswered, but the last of each slot, which may have had less. */
static void check_left(const struct leg *leg, const struct server *server, uint64_t left) {
  uint64_t lost = leg->counters[COUNT_LOST], opened = leg->counters[COUNT_OPENED];
  CHECK(lost > 10 * SLOTS && opened - lost <= SLOTS);
  CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_CLOSED], lost);
  CHECK_EQUAL(leg_errors(leg), lost);
  CHECK(leg->counters[COUNT_FAILED] <= left * lost && leg->counters[COUNT_FAILED] >= left * (lost - SLOTS));
  CHECK_EQUAL(leg->counters[COUNT_FAILED], server->beyond);
  CHECK(leg->counters[COUNT_TRANSFERS] >= server->most * lost);
  CHECK(leg->counters[COUNT_TRANSFERS] <= server->most * opened);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].min, 1 * MS);
  CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 1 * MS);
}

TEST(all_are_answered) {
  for (size_t pieces = 0; pieces < 30; pieces++) {
    struct server server = {.most = UINT32_MAX};
    struct leg *leg = piped(&server, 16);
    leg->world.pieces = pieces;
    leg->settings.steady_from_ns = 1 * MS;
    leg->settings.transfers = 10000;
    leg_run(leg);
    CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 10000);
    CHECK_EQUAL(leg->counters[COUNT_CODES + CODE_2XX] + leg->counters[COUNT_CODES + CODE_4XX], 10000);
    CHECK(leg->counters[COUNT_CODES + CODE_4XX] > 3000 && leg->counters[COUNT_CODES + CODE_4XX] <= 3334);
    CHECK_EQUAL(leg_errors(leg), 0);
    CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].min, 1 * MS);
    CHECK_EQUAL(leg->histograms[HISTOGRAM_RESPONSE_TIME].max, 1 * MS);
    leg_end(leg);
  }
}

/* Ten are answered, four at a time. What was asked beyond them depends on when the client knows that the tenth is the
 * last: with the tenth two more were asked; when the stream ends, three, or a fourth with the tenth. */
TEST(what_it_leaves_has_failed) {
  static const struct {
    const char *last;
    bool ends;
    uint64_t left;
  } servers[] = {{LAST_LENGTH, false, 2}, {LAST_LENGTH, true, 2}, {LAST_TO_END, true, 3}, {OK_LENGTH, true, 4}};
  for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++) {
    struct server server = {.most = 10, .last = servers[i].last, .ends = servers[i].ends};
    struct leg *leg = piped(&server, 4);
    leg_run(leg);
    check_left(leg, &server, servers[i].left);
    leg_end(leg);
  }
}

TEST(nothing_has_failed_where_none_is_left) {
  struct server server = {.most = 8, .last = LAST_LENGTH, .ends = true};
  struct leg *leg = piped(&server, 4);
  leg->settings.lifetime = (struct lifetime){.transfers = 8};
  leg_run(leg);
  CHECK_EQUAL(server.beyond, 0);
  CHECK(leg->counters[COUNT_REOPENED] > 100);
  CHECK_EQUAL(leg_errors(leg) + leg->counters[COUNT_LOST] + leg->counters[COUNT_FAILED], 0);
  CHECK(leg->counters[COUNT_TRANSFERS] >= 8 * (leg->counters[COUNT_OPENED] - SLOTS));
  leg_end(leg);
}

TEST(replies_behind_the_last_are_an_error) {
  struct server server = {.most = 10, .last = LAST_LENGTH, .goes_on = true};
  struct leg *leg = piped(&server, 4);
  leg_run(leg);
  CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_PROTOCOL], leg_errors(leg));
  CHECK_EQUAL(leg->counters[COUNT_FAILED], 2 * leg_errors(leg));
  CHECK_EQUAL(leg->counters[COUNT_FAILED], server.beyond);
  leg_end(leg);
}

/* The server ends each connection, where its last transfer ends or before; the leg is over when all have ended. */
TEST(what_a_server_ends_is_final) {
  const char *const lasts[] = {LAST_LENGTH, LAST_TO_END};
  for (int i = 0; i < 2; i++) {
    for (uint32_t transfers = 8; transfers <= 20; transfers += 12) {
      struct server server = {.most = 8, .last = lasts[i], .ends = true};
      struct leg *leg = piped(&server, 1);
      leg->settings.lifetime = (struct lifetime){.transfers = transfers, .is_final = true};
      leg_run(leg);
      CHECK_EQUAL(leg->counters[COUNT_OPENED], SLOTS);
      CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], 8 * SLOTS);
      CHECK_EQUAL(leg_errors(leg) + leg->counters[COUNT_LOST] + leg->counters[COUNT_FAILED], 0);
      CHECK(leg->world.now_ns < LEG_START_NS + 5 * SECOND);
      leg_end(leg);
    }
  }
}
