/*
 * memcached.c: memcached's text protocol: gets of one or several keys, and sets, drawn by weight, on keys drawn
 * uniformly. Key number i has a value of size number i modulo the number of sizes. Layout of `bytes`:
 *
 *   offsets        one for each size and one for the end: 8 bytes each, native byte order, from the start of `bytes`
 *   values         for each size what follows the key in a set, " 0 0 LENGTH\r\nVALUE\r\n"; without its first two
 *                  bytes it is what follows the key in a reply
 *   heads          "get PREFIX" and "set PREFIX", of the same length: what precedes the digits of a key
 *   shuffled keys  only if a get has several keys: all keys in random order, each after a space; a get takes a run of
 *                  neighbours
 */
#include <string.h>

#include "memcached_draws.h"

#define VERB_BYTES 4u /* "get " */
#define REPLY_AT 2u   /* in what follows the key */

/* Set by client/protocols/memcached.js. */
struct memcached_parameters {
  struct memcached_draws draws; /* must be the first member */
  uint64_t heads_at;            /* offset of the heads in `bytes` */
  uint64_t shuffled_keys_at;    /* where in `bytes` the keys in random order begin, unless keys_per_get is 1 */
};
_Static_assert(sizeof(struct memcached_parameters) <= PROTOCOL_PARAMETERS_BYTES,
               "the parameters of a protocol have a limit");

static const struct protocol_parameter parameters[] = {
    MEMCACHED_DRAWS_PARAMETERS,
    {"headsAt", PARAMETER_NUMBER, offsetof(struct memcached_parameters, heads_at)},
    {"shuffledKeysAt", PARAMETER_NUMBER, offsetof(struct memcached_parameters, shuffled_keys_at)},
};

static const struct memcached_parameters *parameters_of(const struct protocol_settings *settings) {
  return (const void *)settings->parameters.bytes;
}

enum memcached_phase { IN_WORD, IN_PREFIX, IN_KEY, IN_VALUE, IN_ERROR };
enum word { WORD_VALUE, WORD_END, WORD_STORED, WORD_ERROR, WORD_CLIENT_ERROR, WORD_SERVER_ERROR, WORDS };

static const char *const words[WORDS] = {"VALUE ", "END\r\n", "STORED\r\n", "ERROR", "CLIENT_ERROR ", "SERVER_ERROR "};

struct memcached {
  uint64_t received; /* of what follows the key */
  union {
    uint8_t key[KEY_DIGITS]; /* the only one; stays put until it is sent */
    uint32_t first;          /* or the first entry of several */
  };
  uint16_t candidate, found; /* keys before that one did not come, or were found */
  uint8_t sets, phase, word, at;
};
_Static_assert(sizeof(struct memcached) <= PROTOCOL_STATE_BYTES, "the state of a protocol has a limit");

/* What follows the key DIGITS in a set. */
static struct iovec rest_of(const struct protocol_settings *settings, const uint8_t *digits) {
  uint64_t places[2];
  memcpy(places, settings->bytes + 8 * memcached_size_index(memcached_draws_of(settings), digits), sizeof places);
  return iovec_part(settings->bytes + places[0], places[1] - places[0]);
}

/* Of the keys in random order. */
static size_t entry_bytes(const struct protocol_settings *settings) {
  return 1 + (size_t)memcached_draws_of(settings)->prefix_bytes + KEY_DIGITS;
}

/* The digits of a key that was asked for. */
static const uint8_t *digits_of(const struct memcached *memcached, const struct protocol_settings *settings,
                                unsigned index) {
  if (memcached_draws_of(settings)->keys_per_get == 1 || memcached->sets) return memcached->key;
  const uint8_t *entries = settings->bytes + parameters_of(settings)->shuffled_keys_at;
  return entries + ((size_t)memcached->first + index + 1) * entry_bytes(settings) - KEY_DIGITS;
}

static struct iovec text(const char *words_of_it) { return iovec_part(words_of_it, strlen(words_of_it)); }

static unsigned request(void *state, const struct protocol_settings *settings, const struct request_inputs *inputs,
                        struct iovec parts[3]) {
  const struct memcached_parameters *given = parameters_of(settings);
  struct memcached *memcached = state;
  uint64_t key = memcached_draw_key(&given->draws, inputs->random);
  *memcached = (struct memcached){.sets = memcached_draw_set(&given->draws, inputs->random)};
  if (!memcached->sets && given->draws.keys_per_get > 1) {
    memcached->first = (uint32_t)key;
    const uint8_t *entry = settings->bytes + given->shuffled_keys_at + (size_t)key * entry_bytes(settings);
    parts[0] = text("get");
    parts[1] = iovec_part(entry, given->draws.keys_per_get * entry_bytes(settings));
    parts[2] = text("\r\n");
    return 3;
  }
  size_t head = VERB_BYTES + (size_t)given->draws.prefix_bytes;
  write_key(memcached->key, key);
  parts[0] = iovec_part(settings->bytes + given->heads_at + (memcached->sets ? head : 0), head);
  parts[1] = (struct iovec){memcached->key, KEY_DIGITS};
  parts[2] = memcached->sets ? rest_of(settings, memcached->key) : text("\r\n");
  return 3;
}

static bool may_come(const struct memcached *memcached, unsigned word) {
  return word >= WORD_ERROR || (word == WORD_STORED) == memcached->sets;
}

/* Whether BYTE continues a word that is possible here. The first such word becomes the state's. */
static bool continues_word(struct memcached *memcached, uint8_t byte) {
  const char *begun = words[memcached->word];
  for (unsigned word = memcached->word; word < WORDS; word++) {
    if (!may_come(memcached, word) || strncmp(words[word], begun, memcached->at) != 0) continue;
    if ((uint8_t)words[word][memcached->at] != byte) continue;
    memcached->word = (uint8_t)word;
    memcached->at++;
    return true;
  }
  return false;
}

/* Whether BYTE continues a requested key that has not been received. Keys are received in the order of the get. */
static bool continues_key(struct memcached *memcached, const struct protocol_settings *settings, uint8_t byte) {
  unsigned each = (unsigned)memcached_draws_of(settings)->keys_per_get;
  if (memcached->candidate == each) return false;
  const uint8_t *begun = digits_of(memcached, settings, memcached->candidate);
  for (unsigned index = memcached->candidate; index < each; index++) {
    const uint8_t *digits = digits_of(memcached, settings, index);
    if (memcmp(digits, begun, memcached->at) != 0 || digits[memcached->at] != byte) continue;
    memcached->candidate = (uint16_t)index;
    memcached->at++;
    return true;
  }
  return false;
}

/* Whether BYTE continues the prefix of all keys. */
static bool continues_prefix(struct memcached *memcached, const struct protocol_settings *settings, uint8_t byte) {
  const struct memcached_parameters *given = parameters_of(settings);
  if (settings->bytes[given->heads_at + VERB_BYTES + memcached->at] != byte) return false;
  if (++memcached->at < given->draws.prefix_bytes) return true;
  memcached->at = 0;
  memcached->phase = IN_KEY;
  return true;
}

/* One byte of the word that a line begins with, AT bytes before its end. */
static struct parse_result in_word(struct memcached *memcached, const struct protocol_settings *settings, uint8_t byte,
                                   size_t at) {
  if (!continues_word(memcached, byte)) return parse_result_of(PARSE_MALFORMED, at);
  if (words[memcached->word][memcached->at] != '\0') return reply_goes_on(at);
  bool all = memcached->found == memcached_draws_of(settings)->keys_per_get;
  switch (memcached->word) {
  case WORD_END: return complete_reply(all ? CODE_OK : CODE_MISS, at);
  case WORD_STORED: return complete_reply(CODE_OK, at);
  case WORD_VALUE: memcached->phase = memcached_draws_of(settings)->prefix_bytes > 0 ? IN_PREFIX : IN_KEY; break;
  default: memcached->phase = IN_ERROR; break;
  }
  memcached->at = 0;
  return reply_goes_on(at);
}

/* Compares bytes with what must follow the key. Returns how many belong to it; 0: they differ. */
static size_t in_value(struct memcached *memcached, const struct protocol_settings *settings, const uint8_t *bytes,
                       size_t length) {
  struct iovec rest = rest_of(settings, digits_of(memcached, settings, memcached->candidate));
  size_t missing = rest.iov_len - REPLY_AT - memcached->received;
  size_t taken = length < missing ? length : missing;
  const uint8_t *expected = (const uint8_t *)rest.iov_base + REPLY_AT + memcached->received;
  if (memcmp(expected, bytes, taken) != 0) return 0;
  memcached->received += taken;
  if (taken == missing) {
    memcached->received = 0;
    memcached->candidate++;
    memcached->found++;
    memcached->phase = IN_WORD;
    memcached->word = 0;
    memcached->at = 0;
  }
  return taken;
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  struct memcached *memcached = state;
  struct parse_result result;
  const uint8_t *end;
  size_t taken;
  for (size_t at = 0; at < length; at += taken) {
    taken = 1;
    switch (memcached->phase) {
    case IN_WORD:
      result = in_word(memcached, settings, bytes[at], at + 1);
      if (result.verdict != PARSE_INCOMPLETE) return result;
      break;
    case IN_PREFIX:
      if (!continues_prefix(memcached, settings, bytes[at])) return parse_result_of(PARSE_MISMATCH, at + 1);
      break;
    case IN_KEY:
      if (!continues_key(memcached, settings, bytes[at])) return parse_result_of(PARSE_MISMATCH, at + 1);
      if (memcached->at == KEY_DIGITS) memcached->phase = IN_VALUE;
      break;
    case IN_VALUE:
      taken = in_value(memcached, settings, bytes + at, length - at);
      if (taken == 0) return parse_result_of(PARSE_MISMATCH, at + 1);
      break;
    default:
      end = memchr(bytes + at, '\n', length - at);
      return end ? complete_reply(CODE_ERROR, (size_t)(end - bytes) + 1) : reply_goes_on(length);
    }
  }
  return reply_goes_on(length);
}

/* All offsets must lie within `bytes`. */
static bool validate(const struct protocol_settings *settings) {
  const struct memcached_parameters *given = parameters_of(settings);
  uint64_t keys = given->draws.keys, each = given->draws.keys_per_get, sizes = given->draws.sizes;
  uint64_t count = settings->bytes_count;
  if (!memcached_draws_are_valid(&given->draws) || count < 8 * (sizes + 1)) return false;
  uint64_t last = 8 * (sizes + 1);
  for (uint64_t i = 0; i <= sizes; i++) {
    uint64_t place;
    memcpy(&place, settings->bytes + 8 * i, sizeof place);
    if (place > count || place < (i == 0 ? last : last + REPLY_AT + 1)) return false;
    last = place;
  }
  if (given->heads_at > count) return false;
  if (2 * (VERB_BYTES + given->draws.prefix_bytes) > count - given->heads_at) return false;
  if (each == 1) return true;
  uint64_t entries = given->shuffled_keys_at;
  return keys <= UINT32_MAX && entries <= count && (keys + each - 1) * entry_bytes(settings) <= count - entries;
}

static const char *const goodbyes[] = {"ERROR", "SERVER_ERROR ", "CLIENT_ERROR ", NULL};

const struct protocol protocol_memcached = {
    .name = "memcached",
    .pipelined = true,
    .validate = validate,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .request = request,
    .reply = reply,
    .goodbyes = goodbyes,
};
