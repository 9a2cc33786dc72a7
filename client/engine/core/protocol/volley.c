/*
 * volley.c: a 4-byte big-endian word is answered by the word one higher (servers/PROTOCOLS.md). A request is any word
 * except 0, which ends a volley server. So each reply shows which request it answers. With
 * `verify`, a connection opens once the word 1 was answered by 2.
 */
#include <string.h>

#include "codec.h"

#define WORD_BYTES 4u
#define HELLO_WORD 1u

/* Set by client/protocols/volley.js. */
struct volley_parameters {
  bool verify;
};

static const struct protocol_parameter parameters[] = {
    {"verify", PARAMETER_FLAG, offsetof(struct volley_parameters, verify)},
};

struct volley {
  uint8_t word[WORD_BYTES]; /* the request; stays put until it is sent */
  uint8_t expected[WORD_BYTES];
  uint32_t received;
};
_Static_assert(sizeof(struct volley) <= PROTOCOL_STATE_BYTES, "the state of a protocol has a limit");

static void put(uint8_t *bytes, uint32_t word) {
  for (unsigned i = 0; i < WORD_BYTES; i++) bytes[i] = (uint8_t)(word >> (24 - 8 * i));
}

static unsigned ask(struct volley *volley, uint32_t word, struct iovec parts[3]) {
  put(volley->word, word);
  put(volley->expected, word + 1);
  volley->received = 0;
  parts[0] = (struct iovec){volley->word, WORD_BYTES};
  return 1;
}

static unsigned request(void *state, const struct protocol_settings *settings, const struct request_inputs *inputs,
                        struct iovec parts[3]) {
  (void)settings;
  uint32_t word = (uint32_t)(inputs->random >> 32);
  return ask(state, word == 0 ? 1 : word, parts);
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  struct volley *volley = state;
  (void)settings;
  size_t missing = WORD_BYTES - volley->received;
  size_t taken = length < missing ? length : missing;
  if (memcmp(volley->expected + volley->received, bytes, taken) != 0) return parse_result_of(PARSE_MISMATCH, taken);
  volley->received += (uint32_t)taken;
  return parse_result_of(taken == missing ? PARSE_COMPLETE : PARSE_INCOMPLETE, taken);
}

static bool wants_hello(const struct protocol_settings *settings) {
  return ((const struct volley_parameters *)(const void *)settings->parameters.bytes)->verify;
}

static unsigned hello(void *state, const struct protocol_settings *settings, uint64_t identity, struct iovec parts[3]) {
  (void)settings;
  (void)identity;
  return ask(state, HELLO_WORD, parts);
}

const struct protocol protocol_volley = {
    .name = "volley",
    .pipelined = true,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .request = request,
    .reply = reply,
    .hello = hello,
    .wants_hello = wants_hello,
    .hello_reply = reply,
};
