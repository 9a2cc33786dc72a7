/*
 * redis.c: one RESP2 command per request, on a key drawn uniformly. `bytes` holds the command up to the key's number,
 * then the value as a bulk string, with which a reply that must be the value is compared. Error replies (-ERR) are
 * whole replies, counted under CODE_ERROR.
 */
#include <string.h>

#include "../base/splitmix64.h"
#include "iovec_parts.h"

/* Set by client/protocols/redis.js. */
struct redis_parameters {
  uint64_t head_bytes; /* of the command, up to the key's number */
  uint64_t keys;       /* how many; 0: the command has none */
  uint64_t reply_type; /* the first byte of a reply that is not the value */
  bool sends_value;    /* the value is part of the command */
  bool returns_value;  /* the reply is the value, or none ($-1) */
};
_Static_assert(sizeof(struct redis_parameters) <= PROTOCOL_PARAMETERS_BYTES,
               "the parameters of a protocol have a limit");

static const struct protocol_parameter parameters[] = {
    {"headBytes", PARAMETER_NUMBER, offsetof(struct redis_parameters, head_bytes)},
    {"keys", PARAMETER_NUMBER, offsetof(struct redis_parameters, keys)},
    {"replyType", PARAMETER_NUMBER, offsetof(struct redis_parameters, reply_type)},
    {"sendsValue", PARAMETER_FLAG, offsetof(struct redis_parameters, sends_value)},
    {"returnsValue", PARAMETER_FLAG, offsetof(struct redis_parameters, returns_value)},
};

static const struct redis_parameters *parameters_of(const struct protocol_settings *settings) {
  return (const void *)settings->parameters.bytes;
}

enum phase { AT_START, IN_LINE, IN_ERROR, IN_VALUE, IN_MISS };

struct redis {
  uint64_t received;            /* of the value */
  uint8_t key[KEY_DIGITS + 2u]; /* its number and what ends it; stays put until it is sent */
  uint8_t phase;
};
_Static_assert(sizeof(struct redis) <= PROTOCOL_STATE_BYTES, "the state of a protocol has a limit");

static unsigned request(void *state, const struct protocol_settings *settings, uint64_t random, struct iovec parts[3]) {
  struct redis *redis = state;
  uint64_t key = splitmix64_scaled(random, parameters_of(settings)->keys);
  size_t head = (size_t)parameters_of(settings)->head_bytes;
  unsigned used = 1;
  redis->received = 0;
  redis->phase = AT_START;
  parts[0] = iovec_part(settings->bytes, head);
  if (parameters_of(settings)->keys > 0) {
    write_key(redis->key, key);
    memcpy(redis->key + KEY_DIGITS, "\r\n", 2);
    parts[used++] = (struct iovec){redis->key, sizeof redis->key};
  }
  if (parameters_of(settings)->sends_value) {
    parts[used++] = iovec_part(settings->bytes + head, settings->bytes_count - head);
  }
  return used;
}

/* Bytes that must be the value's, AT of them before. */
static struct parse_result in_value(struct redis *redis, const struct protocol_settings *settings, const uint8_t *bytes,
                                    size_t length, size_t at) {
  size_t head = (size_t)parameters_of(settings)->head_bytes, all = settings->bytes_count - head;
  size_t missing = all - redis->received;
  size_t taken = length < missing ? length : missing;
  if (memcmp(settings->bytes + head + redis->received, bytes, taken) != 0) {
    return parse_result_of(PARSE_MISMATCH, at + taken);
  }
  redis->received += taken;
  if (taken == missing) return complete_reply(CODE_OK, at + taken);
  return parse_result_of(PARSE_INCOMPLETE, at + taken);
}

static bool begin(struct redis *redis, const struct protocol_settings *settings, uint8_t type) {
  if (type == '-') {
    redis->phase = IN_ERROR;
  } else if (parameters_of(settings)->returns_value) {
    redis->phase = IN_VALUE;
    redis->received = 1;
    return type == '$';
  } else {
    redis->phase = IN_LINE;
    return type == parameters_of(settings)->reply_type;
  }
  return true;
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  struct redis *redis = state;
  size_t at = 0;
  if (redis->phase == AT_START) {
    if (!begin(redis, settings, bytes[at++])) return parse_result_of(PARSE_MALFORMED, at);
  }
  if (at == length) return parse_result_of(PARSE_INCOMPLETE, at);
  if (redis->phase == IN_VALUE && redis->received == 1 && bytes[at] == '-') redis->phase = IN_MISS;
  if (redis->phase == IN_VALUE) return in_value(redis, settings, bytes + at, length - at, at);
  const uint8_t *end = memchr(bytes + at, '\n', length - at);
  if (!end) return parse_result_of(PARSE_INCOMPLETE, length);
  enum code code = redis->phase == IN_ERROR ? CODE_ERROR : redis->phase == IN_MISS ? CODE_MISS : CODE_OK;
  return complete_reply(code, (size_t)(end - bytes) + 1);
}

/* KEY_DIGITS must hold every key; a value has at least its two line ends. */
static bool validate(const struct protocol_settings *settings) {
  uint64_t head = parameters_of(settings)->head_bytes;
  bool value = parameters_of(settings)->sends_value || parameters_of(settings)->returns_value;
  return head > 0 && head <= settings->bytes_count && parameters_of(settings)->keys <= KEYS_MAX &&
         (!value || settings->bytes_count - head > 4);
}

const struct protocol protocol_redis = {.name = "redis",
                                        .pipelined = true,
                                        .validate = validate,
                                        .parameters = parameters,
                                        .parameter_count = sizeof parameters / sizeof parameters[0],
                                        .request = request,
                                        .reply = reply};
