/*
 * fuzz_framing.c: a libFuzzer target for protocols whose reply says itself where it ends. The input is a protocol, its
 * parameters, a seed and the stream, the replies to some requests in flight; whatever it is, the parser stays inside
 * its input, keeps count, and finds the same in it however it is cut.
 */
#include <stdlib.h>
#include <string.h>

#include "../../client/engine/core/base/splitmix64.h"
#include "../../client/engine/core/protocol/protocol.h"
#include "http_texts.h"

#define MUST(condition)        \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

#define REQUESTS 3u /* in flight, where several may be */

#define MEMCACHED_VALUES                                                                                           \
  " 0 0 5\r\nhello\r\n 0 0 0\r\n\r\nget value:set value: value:000000000002 value:000000000000 value:000000000001" \
  " value:000000000002 value:000000000000"
#define MEMCACHED_BYTES (24 + sizeof MEMCACHED_VALUES - 1)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct found {
  size_t bytes, answer_bytes;
  unsigned replies, codes; /* whole ones before the last; their codes as digits */
};

/* Reads the stream in random pieces, or in one if SEED is 0. Returns what came of the last reply. */
static struct parse_result read_stream(const struct protocol *protocol, const struct protocol_settings *settings,
                                       uint64_t seed, const uint8_t *data, size_t size, struct found *found) {
  uint64_t states[REQUESTS][PROTOCOL_STATE_BYTES / 8] = {0}, random = seed;
  struct iovec parts[3];
  for (unsigned i = 0; i < REQUESTS; i++) {
    if (i > 0) memcpy(states[i], states[i - 1], sizeof states[i]);
    const struct request_inputs inputs = {.random = UINT64_C(0x123456789abcdef0) * (i + 1)};
    unsigned count = protocol->request(states[i], settings, &inputs, parts);
    MUST(count >= 1 && count <= 3);
  }
  unsigned most = protocol->pipelined ? REQUESTS : 1;
  size_t at = 0;
  *found = (struct found){0};
  while (at < size) {
    void *state = states[found->replies];
    size_t piece = seed == 0 ? size - at : 1 + splitmix64_below(&random, size - at);
    uint8_t *exact = malloc(piece); /* so that AddressSanitizer sees a byte too far */
    memcpy(exact, data + at, piece);
    struct parse_result result = protocol->reply(state, settings, exact, piece);
    MUST(result.consumed > 0 && result.consumed <= piece);
    if (result.verdict == PARSE_RESPOND) {
      uint8_t answer[4096];
      size_t bytes = protocol->answer(state, settings, exact, result.consumed, answer);
      MUST(bytes <= ANSWER_PART_BYTES);
      found->answer_bytes += bytes;
    }
    free(exact);
    MUST(result.code < CODES);
    bool more = result.verdict == PARSE_INCOMPLETE || result.verdict == PARSE_COMPLETE_IF_IDLE;
    MUST(!more || result.consumed == piece);
    at += result.consumed;
    found->bytes = at;
    if (result.verdict == PARSE_MISMATCH || result.verdict == PARSE_MALFORMED) return result;
    if (result.verdict != PARSE_COMPLETE) continue;
    if (result.closes || found->replies + 1 == most) return result;
    found->replies++;
    found->codes = found->codes * CODES + result.code;
  }
  found->bytes = at;
  return protocol->end ? protocol->end(states[found->replies], settings)
                       : (struct parse_result){.verdict = PARSE_INCOMPLETE};
}

/* Sets a parameter that the protocol must have. */
static void set(const struct protocol *protocol, struct protocol_settings *settings, const char *name, uint64_t value) {
  MUST(protocol_set_parameter(protocol, &settings->parameters, name, value));
}

/* Values of two sizes, and three keys in some order, of which a get has CHOICE & 3, one at least. */
static void set_memcached_draws(const struct protocol *protocol, struct protocol_settings *settings, uint8_t choice) {
  uint64_t each = choice & 3;
  set(protocol, settings, "getWeight", choice >> 7 & 1);
  set(protocol, settings, "setWeight", (choice >> 7 & 1) ^ 1);
  set(protocol, settings, "keys", 3);
  set(protocol, settings, "keysPerGet", each > 0 ? each : 1);
  set(protocol, settings, "sizes", 2);
  set(protocol, settings, "prefixBytes", 6);
}

/* Values of 5 bytes and of none. */
static void set_memcached(struct protocol_settings *settings, uint8_t values[MEMCACHED_BYTES], uint8_t choice) {
  static const uint64_t places[] = {24, 39, 49};
  memcpy(values, places, 24);
  memcpy(values + 24, MEMCACHED_VALUES, sizeof MEMCACHED_VALUES - 1);
  settings->bytes = values;
  settings->bytes_count = MEMCACHED_BYTES;
  set_memcached_draws(&protocol_memcached, settings, choice);
  set(&protocol_memcached, settings, "headsAt", 49);
  set(&protocol_memcached, settings, "shuffledKeysAt", 69);
  MUST(protocol_validate(&protocol_memcached, settings));
}

/* Values of 3 bytes and of none. */
#define BINARY_HEAD_BYTES 30u
#define BINARY_BYTES (2 * (8 + BINARY_HEAD_BYTES + 8) + BINARY_HEAD_BYTES + 5 * (24 + 18))

static void set_memcached_binary(struct protocol_settings *settings, uint8_t bytes[BINARY_BYTES], uint8_t choice) {
  static const uint64_t sizes[] = {3, 0};
  static const uint8_t order[] = {2, 0, 1, 2, 0};
  memset(bytes, 0, BINARY_BYTES);
  memcpy(bytes, sizes, sizeof sizes);
  memcpy(bytes + sizeof sizes + BINARY_HEAD_BYTES - 6, "value:", 6);
  for (size_t i = 0; i < sizeof order; i++) {
    uint8_t *key = bytes + BINARY_BYTES - (sizeof order - i) * 42 + 24;
    memcpy(key, "value:000000000000", 18);
    key[17] = (uint8_t)('0' + order[i]);
  }
  settings->bytes = bytes;
  settings->bytes_count = BINARY_BYTES;
  set_memcached_draws(&protocol_memcached_binary, settings, choice);
  MUST(protocol_validate(&protocol_memcached_binary, settings));
}

#define REDIS_TABLE 120u
#define REDIS_TEXTS "GET+OK\r\n$5\r\nhello\r\n$-1\r\n*1\r\n$1element:000000000000\r\n*0\r\n"
#define REDIS_BYTES (REDIS_TABLE + sizeof REDIS_TEXTS - 1)

/* One command: a fixed text, a value or none, an element or none, an integer, or up to three values. */
static void set_redis(struct protocol_settings *settings, uint8_t bytes[REDIS_BYTES], uint8_t choice) {
  /* reply_type, reply_at, reply_bytes, number_at, least, most, miss_at, miss_bytes */
  static const uint64_t replies[][8] = {{0, 123, 5, 5, 0, 0, 0, 0},
                                        {0, 128, 11, 11, 0, 0, 139, 5},
                                        {0, 144, 28, 14, 0, 700, 172, 4},
                                        {1, 0, 0, 0, (uint64_t)-3, 1000, 0, 0},
                                        {2, 128, 11, 0, 0, 3, 0, 0}};
  uint64_t table[REDIS_TABLE / 8] = {1, 120, 3, 1, 1000, 120, 2};
  memcpy(table + 7, replies[choice % (sizeof replies / sizeof replies[0])], sizeof replies[0]);
  memcpy(bytes, table, sizeof table);
  memcpy(bytes + REDIS_TABLE, REDIS_TEXTS, sizeof REDIS_TEXTS - 1);
  settings->bytes = bytes;
  settings->bytes_count = REDIS_BYTES;
  set(&protocol_redis, settings, "commands", 1);
  set(&protocol_redis, settings, "weights", 1);
  MUST(protocol_validate(&protocol_redis, settings));
}

/* One request or two, which may be of HEAD; the reply to the first must perhaps have a text in it. */
static void set_http(struct protocol_settings *settings, struct http_texts *list, uint8_t choice) {
  static const char *const texts[] = {"GET / HTTP/1.1\r\n\r\n", "GET /a HTTP/1.1\r\n\r\n"};
  unsigned count = 1 + (choice >> 4 & 1u);
  http_texts_make(list, texts, count, (choice & 1u) | (choice >> 4 & 2u), choice >> 1 & 1u);
  if (choice >> 3 & 1u) http_texts_expect(list, "abab", "\0\0\1\2");
  settings->bytes = list->bytes;
  settings->bytes_count = list->count;
  set(&protocol_http, settings, "requests", count);
  set(&protocol_http, settings, "keepsAlive", choice >> 2 & 1u);
  MUST(protocol_validate(&protocol_http, settings));
}

/* Messages of three bytes, of two or three, or of one; what is sent is all zeros. */
static void set_websocket(struct protocol_settings *settings, const uint8_t zeros[256], uint8_t choice) {
  settings->bytes = zeros;
  settings->payload_bytes = choice & 1 ? 3 : 1;
  settings->payload_spread = choice >> 1 & settings->payload_bytes >> 1;
  settings->bytes_count = 1 + 28 + 4 + 2 * settings->payload_bytes;
  set(&protocol_websocket, settings, "upgradeBytes", 1);
  MUST(protocol_validate(&protocol_websocket, settings));
}

/* Two variants of a message, or a request to a service. */
static void set_nats(struct protocol_settings *settings, uint8_t choice) {
  settings->bytes = (const uint8_t *)"SUB broadside. 1 PUB broadside. 5\r\nhello\r\n 5\r\nohell\r\n";
  settings->bytes_count = 53;
  set(&protocol_nats, settings, "helloHeadBytes", 14);
  set(&protocol_nats, settings, "helloTailBytes", 3);
  set(&protocol_nats, settings, "requestHeadBytes", 14);
  set(&protocol_nats, settings, "subjectBytes", 10);
  set(&protocol_nats, settings, "variantBytes", choice & 2 ? 22 : 11);
  set(&protocol_nats, settings, "anyReply", choice & 1);
  MUST(protocol_validate(&protocol_nats, settings));
}

/* A length, a silence, or a delimiter that repeats itself. */
static void set_raw(struct protocol_settings *settings, uint8_t choice) {
  settings->bytes = (const uint8_t *)"GETaabaaa\0\1\0\1\2\2";
  unsigned way = choice % 3;
  settings->bytes_count = way == 2 ? 15 : 3;
  set(&protocol_raw, settings, "requestBytes", 3);
  set(&protocol_raw, settings, "replyBytes", way == 0 ? 1u + choice : 0);
  set(&protocol_raw, settings, "delimiterBytes", way == 2 ? 6 : 0);
  set(&protocol_raw, settings, "silenceNs", way == 1);
  MUST(protocol_validate(&protocol_raw, settings));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct protocol *const protocols[] = {
      &protocol_http,      &protocol_memcached,       &protocol_nats, &protocol_raw, &protocol_redis,
      &protocol_websocket, &protocol_memcached_binary};
  if (size < 4) return 0;
  const struct protocol *protocol = protocols[data[0] % (sizeof protocols / sizeof protocols[0])];
  struct protocol_settings settings = {.payload = (const uint8_t *)"abcabc", .payload_bytes = 3};
  struct http_texts list;
  if (protocol == &protocol_http) set_http(&settings, &list, data[1]);
  uint8_t commands[REDIS_BYTES];
  if (protocol == &protocol_redis) set_redis(&settings, commands, data[1]);
  uint8_t zeros[256] = {0};
  if (protocol == &protocol_websocket) set_websocket(&settings, zeros, data[1]);
  if (protocol == &protocol_nats) set_nats(&settings, data[1]);
  if (protocol == &protocol_raw) set_raw(&settings, data[1]);
  uint8_t values[MEMCACHED_BYTES];
  if (protocol == &protocol_memcached) set_memcached(&settings, values, data[1]);
  uint8_t binary[BINARY_BYTES];
  if (protocol == &protocol_memcached_binary) set_memcached_binary(&settings, binary, data[1]);
  uint64_t seed = 1 + data[2];
  struct found in_whole, in_cut;
  data += 3;
  size -= 3;
  struct parse_result whole = read_stream(protocol, &settings, 0, data, size, &in_whole);
  struct parse_result cut = read_stream(protocol, &settings, seed, data, size, &in_cut);
  MUST(whole.verdict == cut.verdict);
  MUST(in_whole.replies == in_cut.replies && in_whole.codes == in_cut.codes);
  MUST(whole.verdict == PARSE_MISMATCH ||
       (in_whole.bytes == in_cut.bytes && in_whole.answer_bytes == in_cut.answer_bytes));
  if (whole.verdict == PARSE_COMPLETE) MUST(whole.code == cut.code && whole.closes == cut.closes);
  return 0;
}
