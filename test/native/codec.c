/*
 * codec.c: runs protocols' codecs over vectors that codec.test.js hands in, one a line of stdin:
 *   PROTOCOL PAYLOAD SPREAD BYTES PARAMETERS RANDOM IDENTITY REPLY ENDED WELCOME UNASKED REQUESTS
 * (hexadecimal, - for nothing; SPREAD: of the payload's size; PARAMETERS as name=value, with commas; ENDED 1: the
 * stream ends after REPLY; WELCOME: the reply to the greeting; UNASKED: bytes that come before the request; REQUESTS:
 * the number in flight). Each stream is read whole, cut in two at every byte, and byte by byte, which must all come out
 * alike. Says of each line: the request, then the verdict, the codes with a comma between, closes and the bytes
 * consumed of all replies, the greeting and all answers, or how a cut came out otherwise.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../client/engine/core/protocol/protocol.h"

#define MOST_REQUESTS 8u
#define WORDS 12u    /* of a line */
#define SEQUENCE 41u /* the number of each request */

static const char *const verdicts[] = {"more", "reply", "wrong", "bad", "answer", "quiet"};

struct bytes {
  uint8_t *at;
  size_t length;
};

/* Of its own length exactly, so that AddressSanitizer sees a byte too far. */
static struct bytes parse(const char *text) {
  size_t length = strcmp(text, "-") == 0 ? 0 : strlen(text) / 2;
  struct bytes bytes = {malloc(length), length};
  for (size_t i = 0; i < length; i++) {
    const char pair[3] = {text[2 * i], text[2 * i + 1], '\0'};
    bytes.at[i] = (uint8_t)strtoul(pair, NULL, 16);
  }
  return bytes;
}

typedef struct parse_result (*parser)(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                      size_t length);

struct vector {
  const struct protocol *protocol;
  struct protocol_settings settings;
  struct request_inputs inputs;
  struct bytes welcome, unsolicited, reply;
  bool ended;
  unsigned requests;
};

/* What came of one. */
struct result {
  struct parse_result parsed;    /* of the last reply; consumed: of all */
  uint8_t before[MOST_REQUESTS]; /* codes of the replies before it */
  unsigned replies;              /* before it */
  uint8_t answers[2048];
  size_t answer_bytes;
};

/* A stream in pieces: the first of FIRST bytes, the others of REST; as far as it takes, or all that it hears. */
static struct parse_result feed(const struct vector *vector, parser parse_bytes, void *state, struct bytes stream,
                                size_t first, size_t rest, bool all, struct result *result) {
  struct parse_result parsed = {.verdict = PARSE_INCOMPLETE};
  size_t at = 0, end = first; /* of the piece */
  while (at < stream.length) {
    if (end > stream.length) end = stream.length;
    uint8_t *exact = malloc(end - at);
    memcpy(exact, stream.at + at, end - at);
    parsed = parse_bytes(state, &vector->settings, exact, end - at);
    if (parsed.verdict == PARSE_RESPOND && result->answer_bytes < sizeof result->answers / 2) {
      result->answer_bytes += vector->protocol->answer(state, &vector->settings, exact, parsed.consumed,
                                                       result->answers + result->answer_bytes);
      parsed.verdict = PARSE_INCOMPLETE;
    }
    free(exact);
    at += parsed.consumed;
    if (at == end) end += rest;
    if (parsed.verdict != PARSE_INCOMPLETE && parsed.verdict != PARSE_COMPLETE_IF_IDLE &&
        !(all && parsed.verdict == PARSE_COMPLETE))
      break;
  }
  parsed.consumed = at;
  return parsed;
}

/* Each request has a state of its own, as the engine gives it one; the replies come in one stream. */
static void read_replies(const struct vector *vector, const uint64_t state[PROTOCOL_STATE_BYTES / 8], size_t first,
                         size_t rest, struct result *result) {
  const struct protocol *protocol = vector->protocol;
  uint64_t states[MOST_REQUESTS][PROTOCOL_STATE_BYTES / 8];
  struct iovec parts[3];
  for (unsigned i = 0; i < vector->requests; i++) {
    memcpy(states[i], i == 0 ? state : states[i - 1], sizeof states[i]);
    protocol->request(states[i], &vector->settings, &vector->inputs, parts);
  }
  size_t at = 0;
  for (unsigned i = 0;; i++) {
    struct bytes stream = {vector->reply.at + at, vector->reply.length - at};
    result->parsed =
        feed(vector, protocol->reply, states[i], stream, first > at ? first - at : rest, rest, false, result);
    bool more = result->parsed.verdict == PARSE_INCOMPLETE || result->parsed.verdict == PARSE_COMPLETE_IF_IDLE;
    at += result->parsed.consumed;
    if (more && vector->ended && protocol->end) result->parsed = protocol->end(states[i], &vector->settings);
    result->parsed.consumed = at;
    if (result->parsed.verdict != PARSE_COMPLETE || result->parsed.closes || i + 1 == vector->requests) return;
    result->before[result->replies++] = result->parsed.code;
  }
}

static void read_vector(const struct vector *vector, size_t first, size_t rest, struct result *result) {
  const struct protocol *protocol = vector->protocol;
  uint64_t state[PROTOCOL_STATE_BYTES / 8] = {0};
  struct iovec parts[3];
  memset(result, 0, sizeof *result);
  if (protocol_has_hello(protocol, &vector->settings)) {
    protocol->hello(state, &vector->settings, vector->inputs.identity, parts);
    result->parsed = feed(vector, protocol->hello_reply, state, vector->welcome, first, rest, false, result);
    result->parsed.code = result->parsed.closes = 0;
    bool hello_reply = result->parsed.verdict == PARSE_COMPLETE && result->parsed.consumed == vector->welcome.length;
    result->parsed.consumed = 0;
    if (!hello_reply) return;
    result->parsed = feed(vector, protocol->unsolicited, state, vector->unsolicited, first, rest, true, result);
    if (result->parsed.verdict != PARSE_COMPLETE && result->parsed.verdict != PARSE_INCOMPLETE) return;
  }
  read_replies(vector, state, first, rest, result);
}

static bool same(const struct result *a, const struct result *b) {
  if (a->parsed.verdict != b->parsed.verdict || a->replies != b->replies) return false;
  if (memcmp(a->before, b->before, a->replies) != 0) return false;
  if (a->parsed.verdict == PARSE_MISMATCH) return true; /* where it is found depends on the cut */
  return a->parsed.consumed == b->parsed.consumed && a->parsed.code == b->parsed.code &&
         a->parsed.closes == b->parsed.closes && a->answer_bytes == b->answer_bytes &&
         memcmp(a->answers, b->answers, a->answer_bytes) == 0;
}

static void print_bytes(const void *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) printf("%02x", ((const uint8_t *)bytes)[i]);
}

static void print_asked(const struct vector *vector, bool greeting) {
  uint64_t state[PROTOCOL_STATE_BYTES / 8] = {0};
  struct iovec parts[3];
  unsigned count = 0;
  const struct protocol *protocol = vector->protocol;
  if (protocol_has_hello(protocol, &vector->settings))
    count = protocol->hello(state, &vector->settings, vector->inputs.identity, parts);
  if (!greeting) count = protocol->request(state, &vector->settings, &vector->inputs, parts);
  for (unsigned i = 0; i < count; i++) print_bytes(parts[i].iov_base, parts[i].iov_len);
  if (count == 0) printf("-");
}

static void run(char *words[WORDS]) {
  struct bytes payload = parse(words[1]), bytes = parse(words[3]);
  struct vector vector = {
      .protocol = protocol_find(words[0]),
      .inputs = {.random = strtoull(words[5], NULL, 16), .identity = strtoull(words[6], NULL, 16), .number = SEQUENCE},
      .reply = parse(words[7]),
      .ended = words[8][0] == '1',
      .welcome = parse(words[9]),
      .unsolicited = parse(words[10]),
      .requests = (unsigned)strtoul(words[11], NULL, 10)};
  uint8_t *twice = malloc(2 * payload.length + 1);
  memcpy(twice, payload.at, payload.length);
  memcpy(twice + payload.length, payload.at, payload.length);
  vector.settings = (struct protocol_settings){.payload = twice,
                                               .payload_bytes = payload.length,
                                               .payload_spread = strtoull(words[2], NULL, 10),
                                               .bytes = bytes.at,
                                               .bytes_count = bytes.length};
  bool fits = vector.protocol && vector.requests > 0 && vector.requests <= MOST_REQUESTS;
  for (char *name = strtok(words[4], ","); fits && name && *name != '-'; name = strtok(NULL, ",")) {
    char *value = strchr(name, '=');
    *value++ = '\0';
    fits = protocol_set_parameter(vector.protocol, &vector.settings.parameters, name, strtoull(value, NULL, 10));
  }
  if (!fits || !protocol_validate(vector.protocol, &vector.settings)) {
    puts("unfit");
  } else {
    struct result whole, cut;
    size_t room_bytes = protocol_room_bytes(vector.protocol, &vector.settings);
    vector.inputs.room = room_bytes > 0 ? malloc(room_bytes) : NULL; /* so that AddressSanitizer sees a byte too far */
    size_t most = vector.reply.length + vector.welcome.length + vector.unsolicited.length;
    read_vector(&vector, most, most, &whole);
    print_asked(&vector, false);
    printf(" %s ", verdicts[whole.parsed.verdict]);
    for (unsigned i = 0; i < whole.replies; i++) printf("%u,", whole.before[i]);
    printf("%u %u %zu ", whole.parsed.code, whole.parsed.closes, whole.parsed.consumed);
    print_asked(&vector, true);
    printf(" ");
    print_bytes(whole.answers, whole.answer_bytes);
    if (whole.answer_bytes == 0) printf("-");
    read_vector(&vector, 1, 1, &cut);
    if (!same(&whole, &cut)) printf(" byte by byte otherwise");
    for (size_t split = 1; split < most; split++) {
      read_vector(&vector, split, most, &cut);
      if (!same(&whole, &cut)) {
        printf(" cut at %zu: %s %u %zu", split, verdicts[cut.parsed.verdict], cut.parsed.code, cut.parsed.consumed);
      }
    }
    puts("");
    free(vector.inputs.room);
  }
  free(twice);
  free(payload.at);
  free(bytes.at);
  free(vector.reply.at);
  free(vector.welcome.at);
  free(vector.unsolicited.at);
}

int main(void) {
  char *line = NULL, *words[WORDS];
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) {
    unsigned count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \n", &rest); word && count < WORDS; word = strtok_r(NULL, " \n", &rest)) {
      words[count++] = word;
    }
    if (count == WORDS) run(words);
  }
  free(line);
  return 0;
}
