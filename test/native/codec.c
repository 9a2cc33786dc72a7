/*
 * codec.c: runs protocols' codecs over vectors that codec.test.js hands in, one a line of stdin:
 *   PROTOCOL PAYLOAD BYTES NUMBERS RANDOM REPLY ENDED
 * (hexadecimal, - for nothing; NUMBERS with commas; ENDED 1: the stream ends after REPLY). Each reply is read whole,
 * cut in two at every byte, and byte by byte, which must all come out alike. Says of each line: the request, then the
 * verdict, code, closes and the bytes consumed, or how a cut came out otherwise.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../client/engine/core/protocol/protocol.h"

static const char *const verdicts[] = {"more", "reply", "wrong", "bad"};

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

static struct outcome feed(const struct protocol *protocol, void *state, const struct protocol_settings *settings,
                           const uint8_t *bytes, size_t length) {
  uint8_t *exact = malloc(length);
  memcpy(exact, bytes, length);
  struct outcome outcome = protocol->reply(state, settings, exact, length);
  free(exact);
  return outcome;
}

/* REPLY in pieces: the first of FIRST bytes, the others of REST. Consumed: of all. */
static struct outcome read_reply(const struct protocol *protocol, const struct protocol_settings *settings,
                                 uint64_t random, struct bytes reply, bool ended, size_t first, size_t rest) {
  uint64_t state[PROTOCOL_STATE_BYTES / 8] = {0};
  struct iovec parts[3];
  protocol->request(state, settings, random, parts);
  struct outcome outcome = {.verdict = VERDICT_MORE};
  size_t at = 0, piece = first;
  while (at < reply.length && outcome.verdict == VERDICT_MORE) {
    if (piece > reply.length - at) piece = reply.length - at;
    outcome = feed(protocol, state, settings, reply.at + at, piece);
    at += outcome.consumed;
    piece = rest;
  }
  if (outcome.verdict == VERDICT_MORE && ended && protocol->end) outcome = protocol->end(state, settings);
  outcome.consumed = at;
  return outcome;
}

static bool same(struct outcome a, struct outcome b) {
  if (a.verdict != b.verdict) return false;
  if (a.verdict == VERDICT_WRONG) return true; /* where it is found depends on the cut */
  return a.consumed == b.consumed && a.code == b.code && a.closes == b.closes;
}

static void print_request(const struct protocol *protocol, const struct protocol_settings *settings, uint64_t random) {
  uint64_t state[PROTOCOL_STATE_BYTES / 8] = {0};
  struct iovec parts[3];
  unsigned count = protocol->request(state, settings, random, parts);
  for (unsigned i = 0; i < count; i++) {
    for (size_t k = 0; k < parts[i].iov_len; k++) printf("%02x", ((const uint8_t *)parts[i].iov_base)[k]);
  }
}

static void run(char *words[7]) {
  const struct protocol *protocol = protocol_find(words[0]);
  struct bytes payload = parse(words[1]), bytes = parse(words[2]), reply = parse(words[5]);
  uint8_t *twice = malloc(2 * payload.length + 1);
  memcpy(twice, payload.at, payload.length);
  memcpy(twice + payload.length, payload.at, payload.length);
  struct protocol_settings settings = {twice, payload.length, bytes.at, bytes.length, {0}};
  char *number = strtok(words[3], ",");
  for (unsigned i = 0; number && i < PROTOCOL_NUMBERS && *number != '-'; i++, number = strtok(NULL, ",")) {
    settings.numbers[i] = strtoull(number, NULL, 10);
  }
  uint64_t random = strtoull(words[4], NULL, 16);
  bool ended = words[6][0] == '1';
  if (!protocol || !protocol_fits(protocol, &settings)) {
    puts("unfit");
  } else {
    struct outcome whole = read_reply(protocol, &settings, random, reply, ended, reply.length, 1);
    print_request(protocol, &settings, random);
    printf(" %s %u %u %zu", verdicts[whole.verdict], whole.code, whole.closes, whole.consumed);
    if (!same(whole, read_reply(protocol, &settings, random, reply, ended, 1, 1))) printf(" byte by byte otherwise");
    for (size_t split = 1; split < reply.length; split++) {
      struct outcome cut = read_reply(protocol, &settings, random, reply, ended, split, reply.length);
      if (!same(whole, cut)) printf(" cut at %zu: %s %u %zu", split, verdicts[cut.verdict], cut.code, cut.consumed);
    }
    puts("");
  }
  free(twice);
  free(payload.at);
  free(bytes.at);
  free(reply.at);
}

int main(void) {
  char *line = NULL, *words[7];
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) {
    unsigned count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \n", &rest); word && count < 7; word = strtok_r(NULL, " \n", &rest)) {
      words[count++] = word;
    }
    if (count == 7) run(words);
  }
  free(line);
  return 0;
}
