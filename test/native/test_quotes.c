/*
 * test_quotes.c: what the server sent where that ended a connection or was an error: its kind, the state of the
 * connection, and its first bytes, however it was cut.
 */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "leg.h"
#include "one_request.h"

#define OK_REPLY "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
#define MOVED(headers) "HTTP/1.1 302 Found\r\n" headers "\r\nContent-Length: 15\r\n\r\nLocation: /body"
#define LOCATION                                                           \
  "https://shop.example/a/path/of/more/than/128/bytes/with/a/query?next=/" \
  "x&a=0123456789012345678901234567890123456789012345678901234567890123456789"
#define WHY "{\"error\": \"database is locked\"}"
#define LONG_FIELD "X-Request-Id: 0123456789012345678901234567890123456789012345678901234567890123456789\r\n"
#define BAD(headers, body) "HTTP/1.1 500 Oops\r\n" LONG_FIELD headers "\r\n" body
#define LOCKED BAD("Content-Length: 31\r\n", WHY)
#define CHUNKED_LOCKED BAD("Transfer-Encoding: chunked\r\n", "1f\r\n" WHY "\r\n0\r\n\r\n")
#define LOCKED_QUOTE "HTTP/1.1 500 Oops\r\n" WHY
#define BUSY_REPLY "HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\nno"

/* Hello before and after the number, request before it, one variant. */
static const uint8_t publish[] = "SUB s"
                                 "1\r\n"
                                 "PUB s"
                                 " 0\r\n\r\n";

struct speech {
  const struct protocol *protocol;
  const char *greeting; /* of a server that speaks first; NULL: it does not */
  const char *reply;    /* to a request; NULL: none */
  size_t piece;         /* bytes of the first of two pieces of the reply; 0: it comes whole */
  const char *later;    /* half a second after it; NULL: nothing */
  int end;              /* how the connection ends then; 0: it does not */
  unsigned kind;        /* enum quote_kind of what is quoted; QUOTE_KINDS: nothing is */
  enum quote_state state;
  const char *quoted; /* as far as it is kept */
};

static const struct speech speeches[] = {
    /* whole replies */
    {&protocol_http, NULL, OK_REPLY, 0, NULL, 0, QUOTE_KINDS, QUOTE_BUSY, NULL},
    {&protocol_http, NULL, LOCKED, 0, NULL, 0, QUOTE_5XX, QUOTE_BUSY, LOCKED_QUOTE},
    {&protocol_http, NULL, LOCKED, 9, NULL, 0, QUOTE_5XX, QUOTE_BUSY, LOCKED_QUOTE},
    {&protocol_http, NULL, LOCKED, sizeof LOCKED - sizeof WHY - 30, NULL, 0, QUOTE_5XX, QUOTE_BUSY, LOCKED_QUOTE},
    {&protocol_http, NULL, LOCKED, sizeof LOCKED - sizeof WHY, NULL, 0, QUOTE_5XX, QUOTE_BUSY, LOCKED_QUOTE},
    {&protocol_http, NULL, LOCKED, sizeof LOCKED - 9, NULL, 0, QUOTE_5XX, QUOTE_BUSY, LOCKED_QUOTE},
    {&protocol_http, NULL, CHUNKED_LOCKED, 0, NULL, 0, QUOTE_5XX, QUOTE_BUSY, LOCKED_QUOTE "\r\n0\r\n\r\n"},
    {&protocol_http, NULL, BAD("Content-Length: 0\r\n", ""), 0, NULL, 0, QUOTE_5XX, QUOTE_BUSY,
     "HTTP/1.1 500 Oops\r\n"},
    {&protocol_http, NULL, MOVED("A: Location: /no\r\nLOCATION: \t/login "), 0, NULL, 0, QUOTE_REDIRECT, QUOTE_BUSY,
     "/login"},
    {&protocol_http, NULL, MOVED("Location:" LOCATION), 0, NULL, 0, QUOTE_REDIRECT, QUOTE_BUSY, LOCATION},
    {&protocol_http, NULL, MOVED("Location: "), 0, NULL, 0, QUOTE_KINDS, QUOTE_BUSY, NULL},
    {&protocol_http, NULL, MOVED("Locations: /no"), 0, NULL, 0, QUOTE_KINDS, QUOTE_BUSY, NULL},
    {&protocol_http, NULL, MOVED("Location: /in-parts"), 5, NULL, 0, QUOTE_KINDS, QUOTE_BUSY, NULL},
    {&protocol_redis, NULL, "-LOADING dump\r\n", 0, NULL, 0, QUOTE_ERROR_REPLY, QUOTE_BUSY, "-LOADING dump\r\n"},
    /* what is no reply */
    {&protocol_http, NULL, "SSH-2.0-x\r\n", 0, NULL, 0, ERROR_PROTOCOL, QUOTE_BUSY, "SSH-2.0-x\r\n"},
    {&protocol_http, NULL, "HTTP/2.0 200\r\n", 5, NULL, 0, ERROR_PROTOCOL, QUOTE_BUSY, "HTTP/2.0 200\r\n"},
    {&protocol_redis, NULL, "+WRONG\r\n", 0, NULL, 0, ERROR_CORRUPT, QUOTE_BUSY, "+WRONG\r\n"},
    /* part of a reply */
    {&protocol_http, NULL, "HTTP/1.1 2", 0, NULL, IO_EOF, ERROR_CLOSED, QUOTE_BUSY, "HTTP/1.1 2"},
    {&protocol_http, NULL, "HTTP/1.1 2", 0, NULL, -ECONNRESET, ERROR_RESET, QUOTE_BUSY, "HTTP/1.1 2"},
    {&protocol_http, NULL, "HTTP/1.1 2", 4, NULL, 0, ERROR_TIMEOUT, QUOTE_BUSY, "HTTP/1.1 2"},
    /* on a connection that awaits nothing: a goodbye, or too much */
    {&protocol_http, NULL, OK_REPLY, 0, "HTTP/1.1 408 Request Timeout\r\n\r\n", IO_EOF, ERROR_CLOSED, QUOTE_IDLE,
     "HTTP/1.1 408 Request Timeout\r\n\r\n"},
    {&protocol_http, NULL, OK_REPLY, 0, BUSY_REPLY, IO_EOF, ERROR_CLOSED, QUOTE_IDLE, BUSY_REPLY},
    {&protocol_http, NULL, OK_REPLY, 0, BUSY_REPLY, 0, ERROR_PROTOCOL, QUOTE_IDLE, BUSY_REPLY},
    {&protocol_http, NULL, OK_REPLY BUSY_REPLY, 0, NULL, 0, ERROR_PROTOCOL, QUOTE_IDLE, BUSY_REPLY},
    {&protocol_http, NULL, OK_REPLY OK_REPLY, 0, NULL, 0, ERROR_PROTOCOL, QUOTE_IDLE, OK_REPLY},
    {&protocol_http, NULL, OK_REPLY, 0, OK_REPLY, 0, ERROR_PROTOCOL, QUOTE_IDLE, OK_REPLY},
    {&protocol_http, NULL, OK_REPLY, 0, "HTTP/1.1 4", IO_EOF, ERROR_CLOSED, QUOTE_IDLE, "HTTP/1.1 4"},
    {&protocol_http, NULL, OK_REPLY, 0, "HTTP/1.1 ", IO_EOF, ERROR_PROTOCOL, QUOTE_IDLE, "HTTP/1.1 "},
    {&protocol_http, NULL, OK_REPLY, 0, "H", IO_EOF, ERROR_PROTOCOL, QUOTE_IDLE, "H"},
    {&protocol_http, NULL, OK_REPLY, 0, "HTTP/1.1 200 OK\r\n", IO_EOF, ERROR_PROTOCOL, QUOTE_IDLE,
     "HTTP/1.1 200 OK\r\n"},
    {&protocol_http, NULL, OK_REPLY, 0, "H", -ECONNRESET, ERROR_RESET, QUOTE_IDLE, "H"},
    {&protocol_redis, "-ERR max number of clients reached\r\n", NULL, 0, NULL, IO_EOF, ERROR_CLOSED, QUOTE_IDLE,
     "-ERR max number of clients reached\r\n"},
    {&protocol_redis, NULL, PING_REPLY, 0, PING_REPLY, 0, ERROR_PROTOCOL, QUOTE_IDLE, PING_REPLY},
    {&protocol_nats, "INFO {}\r\nPONG\r\n", NULL, 0, "-ERR 'Stale Connection'\r\n", IO_EOF, ERROR_CLOSED, QUOTE_IDLE,
     "-ERR 'Stale Connection'\r\n"},
    {&protocol_nats, "INFO {}\r\nPONG\r\n", NULL, 0, "-ERROR\r\n", IO_EOF, ERROR_PROTOCOL, QUOTE_IDLE, "-ERROR\r\n"},
    /* before it is open */
    {&protocol_nats, "INFO {}\r\n-ERR 'Authorization Violation'\r\n", NULL, 0, NULL, IO_EOF, QUOTE_GREETING,
     QUOTE_OPENING, "-ERR 'Authorization Violation'\r\n"},
    {&protocol_nats, "HTTP/1.1 400 Bad Request\r\n", NULL, 0, NULL, IO_EOF, QUOTE_GREETING, QUOTE_OPENING,
     "HTTP/1.1 400 Bad Request\r\n"},
    {&protocol_nats, "INFO {}", NULL, 0, NULL, IO_EOF, QUOTE_GREETING, QUOTE_OPENING, "INFO {}"},
};

/* Bytes of the first of two pieces of the next replies; 0: they come whole. */
static size_t later_piece;

static void say_later(struct fake_world *world, uint32_t slot, const struct speech *speech) {
  if (later_piece > 0) fake_say(world, slot, 499 * MS, speech->later, later_piece);
  if (speech->later) fake_say(world, slot, 500 * MS, speech->later + later_piece, strlen(speech->later) - later_piece);
  if (speech->end) fake_end(world, slot, 501 * MS, speech->end);
}

static struct fate speaks(struct fake_world *world, uint32_t slot) {
  const struct speech *speech = world->context;
  if (!speech->greeting) return (struct fate){FATE_OK, 1 * MS, 0};
  say_later(world, slot, speech);
  return (struct fate){FATE_SPOKEN, 1 * MS, 0};
}

static struct fate replies(struct fake_world *world, uint32_t slot) {
  const struct speech *speech = world->context;
  if (!speech->reply) return (struct fate){FATE_NOTHING, 0, 0};
  size_t length = strlen(speech->reply);
  if (speech->piece > 0) fake_say(world, slot, 1 * MS, speech->reply, speech->piece);
  fake_say(world, slot, 2 * MS, speech->reply + speech->piece, length - speech->piece);
  say_later(world, slot, speech);
  return (struct fate){FATE_NOTHING, 0, 0};
}

/* A hello is no request, and has the greeting for an answer. */
static bool takes_hello(struct fake_world *world, uint32_t slot, const uint8_t *bytes, size_t length) {
  (void)world;
  (void)slot;
  return length > 3 && memcmp(bytes, "SUB", 3) == 0;
}

static struct leg *leg_of(const struct protocol *protocol) {
  struct leg *leg = leg_new(5);
  leg->settings.workload_settings.pause_ns = 1 * SECOND;
  if (protocol == &protocol_nats) {
    leg->settings.protocol = protocol;
    leg->settings.protocol_bytes = publish;
    leg->settings.protocol_bytes_count = sizeof publish - 1;
    leg->settings.workload = &workload_hold;
    leg_set(leg, "helloHeadBytes", 5);
    leg_set(leg, "helloTailBytes", 3);
    leg_set(leg, "requestHeadBytes", 5);
    leg_set(leg, "subjectBytes", 1);
    leg_set(leg, "variantBytes", 6);
  } else {
    leg_sends_one_request(leg, protocol);
  }
  return leg;
}

static struct leg *leg_that_hears(const struct speech *speech) {
  struct leg *leg = leg_of(speech->protocol);
  leg->world.context = (void *)(uintptr_t)speech;
  leg->world.attempt = speaks;
  leg->world.request = replies;
  leg->world.takes = takes_hello;
  leg->world.greeting = speech->greeting;
  leg_run(leg);
  return leg;
}

#define LONGEST_GOODBYE 13u /* a cut behind it tells nothing */

TEST(causes_of_ends_however_the_last_message_is_cut) {
  for (size_t i = 0; i < sizeof speeches / sizeof speeches[0]; i++) {
    const struct speech *speech = &speeches[i];
    if (!speech->later) continue;
    for (later_piece = 1; later_piece < strlen(speech->later) && later_piece <= LONGEST_GOODBYE; later_piece++) {
      struct leg *leg = leg_that_hears(speech);
      CHECK(leg_errors(leg) >= 5);
      CHECK_EQUAL(leg->counters[COUNT_ERRORS + speech->kind], leg_errors(leg));
      leg_end(leg);
    }
    later_piece = 0;
  }
}

TEST(quotes_by_kind_and_state) {
  for (size_t i = 0; i < sizeof speeches / sizeof speeches[0]; i++) {
    const struct speech *speech = &speeches[i];
    struct leg *leg = leg_that_hears(speech);
    CHECK_EQUAL(leg->quote_count, speech->kind != QUOTE_KINDS);
    if (leg->quote_count == 1 && speech->kind != QUOTE_KINDS) {
      const struct quote *quote = &leg->quotes[0];
      size_t length = strlen(speech->quoted) < QUOTE_BYTES ? strlen(speech->quoted) : QUOTE_BYTES;
      CHECK_EQUAL(quote->kind, speech->kind);
      CHECK_EQUAL(quote->state, speech->state);
      CHECK_EQUAL(quote->length, length);
      CHECK(memcmp(quote->bytes, speech->quoted, length) == 0);
    }
    if (speech->kind < ERROR_CAUSES) {
      CHECK(leg_errors(leg) >= 5);
      CHECK_EQUAL(leg->counters[COUNT_ERRORS + speech->kind], leg_errors(leg));
    } else {
      CHECK_EQUAL(leg_errors(leg), 0);
    }
    CHECK_EQUAL(leg->counters[COUNT_REJECTS + REJECT_GREETING] > 0, speech->kind == QUOTE_GREETING);
    leg_end(leg);
  }
}

/* Of 1,000 bytes and more the first ones are kept; of many quotes of a kind the first one. */
static struct fate one_after_another(struct fake_world *world, uint32_t slot) {
  char reply[1200];
  memset(reply, 'x', sizeof reply);
  size_t digits = (size_t)snprintf(reply, sizeof reply, "number %u ", (unsigned)world->requests);
  reply[digits] = 'x';
  fake_say(world, slot, 1 * MS, reply, sizeof reply);
  return (struct fate){FATE_NOTHING, 0, 0};
}

TEST(the_first_is_kept) {
  struct leg *leg = leg_of(&protocol_http);
  leg->world.request = one_after_another;
  leg_run(leg);
  CHECK(leg_errors(leg) > 5);
  CHECK_EQUAL(leg->quote_count, 1);
  CHECK_EQUAL(leg->quotes[0].length, QUOTE_BYTES);
  CHECK(memcmp(leg->quotes[0].bytes, "number 1 xxx", 12) == 0);
  CHECK_EQUAL(leg->quotes[0].bytes[QUOTE_BYTES - 1], 'x');
  CHECK_EQUAL(leg->quotes[0].at_ns, 2 * MS);
  leg_end(leg);
}

/* The server replies before it has read the request, and then ends the connection: END, or not at all. */
static int end_of_early;
static struct fate replies_early(struct fake_world *world, uint32_t slot) {
  const char *reply = world->context;
  fake_say(world, slot, 1 * MS, reply, strlen(reply));
  if (end_of_early) fake_end(world, slot, 1 * MS, end_of_early);
  return (struct fate){FATE_NOTHING, 0, 0};
}

/* A reply to a request that was not sent to its end is whole, and the last of its connection. */
TEST(a_reply_may_be_early) {
  static const struct {
    const struct protocol *protocol;
    const char *reply;
    enum code code; /* CODES: such a reply is an error of the protocol */
  } early[] = {
      {&protocol_http, OK_REPLY, CODE_2XX},
      {&protocol_http, "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", CODE_4XX},
      {&protocol_redis, "-ERR max number of clients reached\r\n", CODE_ERROR},
      {&protocol_redis, PING_REPLY, CODES},
  };
  static const int ends[] = {0, -EPIPE, -ECONNRESET};
  for (size_t i = 0; i < 3 * sizeof early / sizeof early[0]; i++) {
    struct leg *leg = leg_of(early[i / 3].protocol);
    end_of_early = ends[i % 3];
    leg->world.context = (void *)(uintptr_t)early[i / 3].reply;
    leg->world.request = replies_early;
    leg->world.sends_take_ns = 60 * SECOND;
    leg->settings.workload_settings.pause_ns = 100 * MS;
    leg_run(leg);
    bool is_right = early[i / 3].code != CODES;
    CHECK(leg->counters[COUNT_OPENED] > 5);
    CHECK_EQUAL(leg->counters[COUNT_BYTES_SENT], 0);
    CHECK_EQUAL(leg->counters[COUNT_TRANSFERS], is_right ? leg->counters[COUNT_OPENED] : 0);
    CHECK_EQUAL(leg_errors(leg), is_right ? 0 : leg->counters[COUNT_OPENED]);
    CHECK_EQUAL(leg->counters[COUNT_ERRORS + ERROR_PROTOCOL], leg_errors(leg));
    if (is_right) CHECK_EQUAL(leg->counters[COUNT_CODES + early[i / 3].code], leg->counters[COUNT_TRANSFERS]);
    leg_end(leg);
  }
}
