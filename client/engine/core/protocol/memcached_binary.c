/*
 * memcached_binary.c: memcached's binary protocol: gets of one key (GETK) or of several (a GETKQ for each key, which
 * are answered where the key has a value, and a NOOP), and sets (SET), drawn by weight, on keys drawn uniformly. The
 * value of key number i is the beginning of the payload, of size number i modulo the number of sizes. Layout of
 * `bytes`:
 *
 *   sizes     8 bytes each, native byte order
 *   get head  the header of a GETK and the prefix of all keys: what precedes the digits of a key
 *   set heads for each size the header of a SET, its flags and expiry, and the prefix
 *   gets      only if a get has several keys: a whole GETKQ for each key, in random order, the opaque field of number i
 *             being i; a get takes a run of neighbours
 */
#include <string.h>

#include "memcached_draws.h"

#define HEADER_BYTES 24u
#define REPLY_EXTRAS_BYTES 4u /* flags, of a value */
#define SET_EXTRAS_BYTES 8u   /* flags and expiry */
#define MAGIC_REPLY 0x81u

enum opcode { OP_SET = 0x01, OP_NOOP = 0x0a, OP_GETK = 0x0c, OP_GETKQ = 0x0d };
enum status { STATUS_OK, STATUS_NOT_FOUND };

/* Set by client/protocols/memcached-binary.js. */
static const struct protocol_parameter parameters[] = {MEMCACHED_DRAWS_PARAMETERS};

enum flag {
  SETS = 1,       /* else it gets */
  ENDS = 2,       /* this is the reply to the NOOP */
  HAS_EXTRAS = 4, /* this reply has them */
  IN_BODY = 8,    /* its header is there */
  FAILED = 16     /* a reply was an error */
};

struct memcached_binary {
  union {
    uint8_t key[KEY_DIGITS]; /* the only one; stays put until it is sent */
    uint32_t first;          /* or the first entry of several */
  };
  uint32_t at;               /* bytes of the current reply's header that have come, or of its body */
  uint32_t body, opaque;     /* of its header */
  uint16_t status;           /* of its header */
  uint16_t candidate, found; /* keys before that one did not come, or were found */
  uint8_t key_bytes;         /* of its header */
  uint8_t flags;
};
_Static_assert(sizeof(struct memcached_binary) <= PROTOCOL_STATE_BYTES, "the state of a protocol has a limit");

static size_t key_bytes(const struct protocol_settings *settings) {
  return (size_t)memcached_draws_of(settings)->prefix_bytes + KEY_DIGITS;
}

/* ------------------------------------------------------------------------------------------------ `bytes` */

static const uint8_t *get_head(const struct protocol_settings *settings) {
  return settings->bytes + 8 * memcached_draws_of(settings)->sizes;
}

static size_t get_head_bytes(const struct protocol_settings *settings) {
  return HEADER_BYTES + (size_t)memcached_draws_of(settings)->prefix_bytes;
}

static size_t set_head_bytes(const struct protocol_settings *settings) {
  return HEADER_BYTES + SET_EXTRAS_BYTES + (size_t)memcached_draws_of(settings)->prefix_bytes;
}

static const uint8_t *set_heads(const struct protocol_settings *settings) {
  return get_head(settings) + get_head_bytes(settings);
}

static size_t entry_bytes(const struct protocol_settings *settings) { return HEADER_BYTES + key_bytes(settings); }

static const uint8_t *entry_at(const struct protocol_settings *settings, size_t index) {
  const uint8_t *entries = set_heads(settings) + memcached_draws_of(settings)->sizes * set_head_bytes(settings);
  return entries + index * entry_bytes(settings);
}

static size_t size_at(const struct protocol_settings *settings, size_t index) {
  uint64_t size;
  memcpy(&size, settings->bytes + 8 * index, sizeof size);
  return (size_t)size;
}

/* ------------------------------------------------------------------------------------------------ requests */

static bool gets_several(const struct memcached_binary *memcached, const struct protocol_settings *settings) {
  return !(memcached->flags & SETS) && memcached_draws_of(settings)->keys_per_get > 1;
}

static unsigned request(void *state, const struct protocol_settings *settings, const struct request_inputs *inputs,
                        struct iovec parts[3]) {
  static const uint8_t noop[HEADER_BYTES] = {0x80, OP_NOOP};
  const struct memcached_draws *given = memcached_draws_of(settings);
  struct memcached_binary *memcached = state;
  uint64_t key = memcached_draw_key(given, inputs->random);
  *memcached = (struct memcached_binary){.flags = memcached_draw_set(given, inputs->random) ? SETS : 0};
  if (gets_several(memcached, settings)) {
    memcached->first = (uint32_t)key;
    parts[0] = iovec_part(entry_at(settings, (size_t)key), given->keys_per_get * entry_bytes(settings));
    parts[1] = iovec_part(noop, sizeof noop);
    return 2;
  }
  write_key(memcached->key, key);
  parts[1] = (struct iovec){memcached->key, KEY_DIGITS};
  if (!(memcached->flags & SETS)) {
    parts[0] = iovec_part(get_head(settings), get_head_bytes(settings));
    return 2;
  }
  size_t size = memcached_size_index(memcached_draws_of(settings), memcached->key), bytes = size_at(settings, size);
  parts[0] = iovec_part(set_heads(settings) + size * set_head_bytes(settings), set_head_bytes(settings));
  parts[2] = iovec_part(settings->payload, bytes);
  return bytes > 0 ? 3 : 2;
}

/* ------------------------------------------------------------------------------------------------ replies */

/* The index of the key that the reply's header names, among those of the request. */
static uint32_t index_of(const struct memcached_binary *memcached, const struct protocol_settings *settings) {
  return gets_several(memcached, settings) ? memcached->opaque - memcached->first : 0;
}

/* The digits of the key that the reply must be about. */
static const uint8_t *digits_of(const struct memcached_binary *memcached, const struct protocol_settings *settings) {
  if (!gets_several(memcached, settings)) return memcached->key;
  return entry_at(settings, (size_t)memcached->opaque + 1) - KEY_DIGITS;
}

static bool is_opcode(const struct memcached_binary *memcached, const struct protocol_settings *settings,
                      uint8_t byte) {
  if (memcached->flags & SETS) return byte == OP_SET;
  return gets_several(memcached, settings) ? byte == OP_GETKQ || byte == OP_NOOP : byte == OP_GETK;
}

/* One byte of the header. False: it cannot be one. */
static bool in_header(struct memcached_binary *memcached, const struct protocol_settings *settings, uint8_t byte) {
  switch (memcached->at++) {
  case 0: return byte == MAGIC_REPLY;
  case 1:
    if (byte == OP_NOOP) memcached->flags |= ENDS;
    return is_opcode(memcached, settings, byte);
  case 3: memcached->key_bytes = byte; return true;
  case 4:
    if (byte > 0) memcached->flags |= HAS_EXTRAS;
    return byte == 0 || byte == REPLY_EXTRAS_BYTES;
  case 6:
  case 7: memcached->status = (uint16_t)(memcached->status << 8 | byte); return true;
  case 8:
  case 9:
  case 10:
  case 11: memcached->body = memcached->body << 8 | byte; return true;
  case 12:
  case 13:
  case 14:
  case 15: memcached->opaque = memcached->opaque << 8 | byte; return true;
  case 2:
  case 5: return byte == 0; /* the upper half of the key's length; the type of the data */
  default: return true;     /* the version of the value, which is not looked at */
  }
}

static bool is_hit(const struct memcached_binary *memcached) {
  return memcached->status == STATUS_OK && !(memcached->flags & (SETS | ENDS));
}

/* The header is there: PARSE_INCOMPLETE where it may be one of this request's replies. */
static enum verdict check_header(const struct memcached_binary *memcached, const struct protocol_settings *settings) {
  uint32_t extras = memcached->flags & HAS_EXTRAS ? REPLY_EXTRAS_BYTES : 0;
  if (extras + memcached->key_bytes > memcached->body) return PARSE_MALFORMED;
  if (memcached->flags & ENDS) {
    return memcached->opaque == 0 && memcached->status == STATUS_OK && memcached->body == 0 ? PARSE_INCOMPLETE
                                                                                            : PARSE_MALFORMED;
  }
  if (!gets_several(memcached, settings)) {
    if (memcached->opaque != 0) return PARSE_MISMATCH;
  } else {
    uint32_t index = index_of(memcached, settings);
    if (index < memcached->candidate || index >= memcached_draws_of(settings)->keys_per_get) return PARSE_MISMATCH;
  }
  if (memcached->status != STATUS_OK) return PARSE_INCOMPLETE;
  if (memcached->flags & SETS) return memcached->body == 0 ? PARSE_INCOMPLETE : PARSE_MALFORMED;
  if (extras == 0) return PARSE_MALFORMED;
  size_t value = size_at(settings, memcached_size_index(memcached_draws_of(settings), digits_of(memcached, settings)));
  bool right = memcached->key_bytes == key_bytes(settings) && memcached->body - extras - memcached->key_bytes == value;
  return right ? PARSE_INCOMPLETE : PARSE_MISMATCH;
}

/* What the body of a hit must be from the current place on, as far as it is in one piece. */
static struct iovec expected(const struct memcached_binary *memcached, const struct protocol_settings *settings) {
  static const uint8_t flags[REPLY_EXTRAS_BYTES] = {0};
  size_t at = memcached->at, prefix = (size_t)memcached_draws_of(settings)->prefix_bytes;
  if (at < REPLY_EXTRAS_BYTES) return iovec_part(flags + at, REPLY_EXTRAS_BYTES - at);
  at -= REPLY_EXTRAS_BYTES;
  if (at < prefix) return iovec_part(get_head(settings) + HEADER_BYTES + at, prefix - at);
  at -= prefix;
  if (at < KEY_DIGITS) return iovec_part(digits_of(memcached, settings) + at, KEY_DIGITS - at);
  at -= KEY_DIGITS;
  return iovec_part(settings->payload + at, memcached->body - REPLY_EXTRAS_BYTES - key_bytes(settings) - at);
}

/* Bytes of the body: how many were read; 0: they differ from what they must be. */
static size_t in_body(struct memcached_binary *memcached, const struct protocol_settings *settings,
                      const uint8_t *bytes, size_t length) {
  size_t taken = memcached->body - memcached->at;
  if (is_hit(memcached)) {
    struct iovec right = expected(memcached, settings);
    taken = right.iov_len;
    if (memcmp(right.iov_base, bytes, taken < length ? taken : length) != 0) return 0;
  }
  if (taken > length) taken = length;
  memcached->at += (uint32_t)taken;
  return taken;
}

/* A reply is there, which ends CONSUMED bytes in: so does the transfer, unless replies to other keys may follow. */
static struct parse_result end_of_reply(struct memcached_binary *memcached, const struct protocol_settings *settings,
                                        size_t consumed) {
  bool several = gets_several(memcached, settings);
  if (!(memcached->flags & ENDS)) {
    if (memcached->status == STATUS_OK) {
      memcached->found++;
    } else if (memcached->status != STATUS_NOT_FOUND || (memcached->flags & SETS)) {
      memcached->flags |= FAILED;
    }
    memcached->candidate = (uint16_t)(index_of(memcached, settings) + 1);
    if (several) {
      memcached->at = memcached->body = memcached->opaque = memcached->status = 0;
      memcached->flags &= (uint8_t) ~(HAS_EXTRAS | IN_BODY);
      return parse_result_of(PARSE_INCOMPLETE, consumed);
    }
  }
  if (memcached->flags & FAILED) return complete_reply(CODE_ERROR, consumed);
  bool all = memcached->found == (several ? memcached_draws_of(settings)->keys_per_get : 1);
  return complete_reply(all ? CODE_OK : CODE_MISS, consumed);
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  struct memcached_binary *memcached = state;
  size_t at = 0;
  while (at < length) {
    if (!(memcached->flags & IN_BODY)) {
      if (!in_header(memcached, settings, bytes[at++])) return parse_result_of(PARSE_MALFORMED, at);
      if (memcached->at < HEADER_BYTES) continue;
      enum verdict verdict = check_header(memcached, settings);
      if (verdict != PARSE_INCOMPLETE) return parse_result_of(verdict, at);
      memcached->flags |= IN_BODY;
      memcached->at = 0;
    } else {
      size_t taken = in_body(memcached, settings, bytes + at, length - at);
      if (taken == 0) return parse_result_of(PARSE_MISMATCH, at + 1);
      at += taken;
    }
    if (memcached->at < memcached->body) continue;
    struct parse_result result = end_of_reply(memcached, settings, at);
    if (result.verdict != PARSE_INCOMPLETE) return result;
  }
  return parse_result_of(PARSE_INCOMPLETE, at);
}

/* All that `bytes` must hold must be there, no value longer than the payload. */
static bool validate(const struct protocol_settings *settings) {
  const struct memcached_draws *given = memcached_draws_of(settings);
  uint64_t keys = given->keys, each = given->keys_per_get, sizes = given->sizes, count = settings->bytes_count;
  if (!memcached_draws_are_valid(given)) return false;
  uint64_t heads = sizes * (8 + set_head_bytes(settings)) + get_head_bytes(settings);
  if (heads > count) return false;
  for (size_t i = 0; i < sizes; i++) {
    if (size_at(settings, i) > settings->payload_bytes) return false;
  }
  return each == 1 || (keys <= UINT32_MAX - each && (keys + each - 1) * entry_bytes(settings) <= count - heads);
}

const struct protocol protocol_memcached_binary = {.name = "memcached-binary",
                                                   .pipelined = true,
                                                   .validate = validate,
                                                   .parameters = parameters,
                                                   .parameter_count = sizeof parameters / sizeof parameters[0],
                                                   .request = request,
                                                   .reply = reply};
