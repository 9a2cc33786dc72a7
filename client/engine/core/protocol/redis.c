/*
 * redis.c: commands of redis (RESP2), one per request, drawn by weight. Whatever a reply determines is verified: fixed
 * texts, values, ranges of numbers, the count and content of arrays. Error replies (-ERR) are whole replies, counted
 * under CODE_ERROR; that there is nothing to return, or less than requested, counts as CODE_MISS. `bytes` begins with a
 * struct redis_command for each command, whose offsets count from the start of `bytes`. With a password each connection
 * begins with AUTH, and is open once the server has answered +OK.
 */
#include <string.h>

#include "../base/splitmix64.h"
#include "codec.h"

/* Set by client/protocols/redis.js. */
struct redis_parameters {
  uint64_t commands;              /* how many `bytes` begins with */
  uint64_t weights;               /* of all of them */
  uint64_t hello_at, hello_bytes; /* AUTH with the password; 0 bytes: there is none */
};
_Static_assert(sizeof(struct redis_parameters) <= PROTOCOL_PARAMETERS_BYTES,
               "the parameters of a protocol have a limit");

static const struct protocol_parameter parameters[] = {
    {"commands", PARAMETER_NUMBER, offsetof(struct redis_parameters, commands)},
    {"weights", PARAMETER_NUMBER, offsetof(struct redis_parameters, weights)},
    {"helloAt", PARAMETER_NUMBER, offsetof(struct redis_parameters, hello_at)},
    {"helloBytes", PARAMETER_NUMBER, offsetof(struct redis_parameters, hello_bytes)},
};

static const struct redis_parameters *parameters_of(const struct protocol_settings *settings) {
  return (const void *)settings->parameters.bytes;
}

enum reply_type {
  REPLY_TEXT,    /* the text at reply_at, or the one at miss_at */
  REPLY_INTEGER, /* from least to most */
  REPLY_VALUES,  /* an array of at most `most` elements, each the text at reply_at */
  REPLY_TYPES
};

/* One command, made by client/protocols/redis.js: 64-bit numbers in native byte order. */
struct redis_command {
  uint64_t weight;
  uint64_t head_at, head_bytes, heads; /* `heads` alternatives of equal length, one after another: one is drawn */
  uint64_t keys;                       /* after the head comes a number below this; 0: none */
  uint64_t tail_at, tail_bytes;
  uint64_t reply_type;
  uint64_t reply_at, reply_bytes;
  uint64_t number_at; /* offset in REPLY_TEXT of a number up to `most`; reply_bytes: it has none */
  int64_t least, most;
  uint64_t miss_at, miss_bytes; /* differs from the text at reply_at in its second byte; 0 bytes: there is none */
};
_Static_assert(sizeof(struct redis_command) == 15 * 8, "client/protocols/redis.js writes 15 numbers");

enum redis_phase { AT_START, IN_ERROR, IN_TEXT, IN_MISS, IN_NUMBER, AT_NUMBER_END, IN_VALUES };

struct redis {
  uint64_t received;       /* of the text, or digits of the number */
  uint64_t number;         /* read so far; IN_VALUES: elements that have not been received */
  uint8_t key[KEY_DIGITS]; /* stays put until it is sent */
  uint8_t command, phase;
  bool negative; /* the number */
  bool fewer;    /* elements than requested */
};
_Static_assert(sizeof(struct redis) <= PROTOCOL_STATE_BYTES, "the state of a protocol has a limit");

static struct redis_command command_at(const struct protocol_settings *settings, uint64_t index) {
  struct redis_command command;
  memcpy(&command, settings->bytes + index * sizeof command, sizeof command);
  return command;
}

/* Draws a command by the weights. */
static uint8_t draw_command(const struct protocol_settings *settings, uint64_t *random) {
  if (parameters_of(settings)->commands == 1) return 0;
  uint64_t drawn = splitmix64_below(random, parameters_of(settings)->weights);
  for (uint8_t index = 0;; index++) {
    uint64_t weight = command_at(settings, index).weight;
    if (drawn < weight) return index;
    drawn -= weight;
  }
}

static unsigned request(void *state, const struct protocol_settings *settings, const struct request_inputs *inputs,
                        struct iovec parts[3]) {
  struct redis *redis = state;
  uint64_t random = inputs->random;
  *redis = (struct redis){.command = draw_command(settings, &random)};
  const struct redis_command command = command_at(settings, redis->command);
  uint64_t head = command.heads > 1 ? splitmix64_below(&random, command.heads) : 0;
  unsigned used = 1;
  parts[0] = iovec_part(settings->bytes + command.head_at + head * command.head_bytes, command.head_bytes);
  if (command.keys > 0) {
    write_key(redis->key, splitmix64_scaled(inputs->random, command.keys));
    parts[used++] = (struct iovec){redis->key, KEY_DIGITS};
  }
  if (command.tail_bytes > 0) parts[used++] = iovec_part(settings->bytes + command.tail_at, command.tail_bytes);
  return used;
}

static struct parse_result mismatch(size_t consumed) { return parse_result_of(PARSE_MISMATCH, consumed); }

/* The first byte of a reply tells its type. False: it is not the command's. */
static bool begin(struct redis *redis, const struct protocol_settings *settings, const struct redis_command *command,
                  uint8_t type) {
  redis->received = 0;
  if (type == '-') {
    redis->phase = IN_ERROR;
    return true;
  }
  if (command->reply_type != REPLY_TEXT) {
    redis->phase = IN_NUMBER;
    return type == (command->reply_type == REPLY_INTEGER ? ':' : '*');
  }
  redis->phase = IN_TEXT;
  redis->received = 1;
  return type == settings->bytes[command->reply_at];
}

/* Bytes that must be those of TEXT. */
static struct parse_result in_fixed(struct redis *redis, const uint8_t *text, uint64_t text_bytes, const uint8_t *bytes,
                                    size_t length) {
  uint64_t missing = text_bytes - redis->received;
  size_t taken = length < missing ? length : (size_t)missing;
  if (memcmp(text + redis->received, bytes, taken) != 0) return mismatch(taken);
  redis->received += taken;
  return reply_goes_on(taken);
}

/* Bytes of the number within a text. */
static struct parse_result in_digits(struct redis *redis, const struct redis_command *command, const uint8_t *bytes,
                                     size_t length) {
  uint64_t end = command->number_at + KEY_DIGITS;
  size_t taken = 0;
  for (; taken < length && redis->received < end; taken++, redis->received++) {
    if (bytes[taken] < '0' || bytes[taken] > '9') return mismatch(taken + 1);
    redis->number = 10 * redis->number + (uint64_t)(bytes[taken] - '0');
  }
  return redis->received == end && redis->number > (uint64_t)command->most ? mismatch(taken) : reply_goes_on(taken);
}

static struct parse_result in_text(struct redis *redis, const struct protocol_settings *settings,
                                   const struct redis_command *command, const uint8_t *bytes, size_t length) {
  const uint8_t *text = settings->bytes + command->reply_at;
  if (redis->received == 1 && command->miss_bytes > 0 && bytes[0] == settings->bytes[command->miss_at + 1]) {
    redis->phase = IN_MISS;
    return reply_goes_on(0);
  }
  bool before = redis->received < command->number_at;
  if (!before && redis->received < command->number_at + KEY_DIGITS && command->number_at < command->reply_bytes) {
    return in_digits(redis, command, bytes, length);
  }
  struct parse_result result = in_fixed(redis, text, before ? command->number_at : command->reply_bytes, bytes, length);
  if (result.verdict == PARSE_INCOMPLETE && redis->received == command->reply_bytes) {
    return complete_reply(CODE_OK, result.consumed);
  }
  return result;
}

static struct parse_result in_miss(struct redis *redis, const struct protocol_settings *settings,
                                   const struct redis_command *command, const uint8_t *bytes, size_t length) {
  struct parse_result result = in_fixed(redis, settings->bytes + command->miss_at, command->miss_bytes, bytes, length);
  bool whole = result.verdict == PARSE_INCOMPLETE && redis->received == command->miss_bytes;
  return whole ? complete_reply(CODE_MISS, result.consumed) : result;
}

/* One byte of an integer, or of the length of an array, before its line feed. False: it cannot be. */
static bool in_number(struct redis *redis, const struct redis_command *command, uint8_t byte) {
  if (byte == '-' && redis->received == 0 && !redis->negative && command->reply_type == REPLY_INTEGER) {
    redis->negative = true;
    return true;
  }
  if (byte == '\r' && redis->received > 0) {
    redis->phase = AT_NUMBER_END;
    return true;
  }
  if (byte < '0' || byte > '9' || redis->received == 19) return false; /* more digits would not fit */
  redis->number = 10 * redis->number + (uint64_t)(byte - '0');
  redis->received++;
  return true;
}

/* After the line feed of a number. */
static struct parse_result end_number(struct redis *redis, const struct redis_command *command) {
  if (redis->number > (uint64_t)INT64_MAX + redis->negative) return mismatch(1);
  if (command->reply_type == REPLY_INTEGER) {
    int64_t number = redis->negative ? (int64_t)(0 - redis->number) : (int64_t)redis->number;
    return number < command->least || number > command->most ? mismatch(1) : complete_reply(CODE_OK, 1);
  }
  if (redis->number > (uint64_t)command->most) return mismatch(1);
  if (redis->number == 0) return complete_reply(CODE_MISS, 1);
  redis->fewer = redis->number < (uint64_t)command->most;
  redis->received = 0;
  redis->phase = IN_VALUES;
  return reply_goes_on(1);
}

static struct parse_result in_values(struct redis *redis, const struct protocol_settings *settings,
                                     const struct redis_command *command, const uint8_t *bytes, size_t length) {
  struct parse_result result =
      in_fixed(redis, settings->bytes + command->reply_at, command->reply_bytes, bytes, length);
  if (result.verdict != PARSE_INCOMPLETE || redis->received < command->reply_bytes) return result;
  redis->received = 0;
  return --redis->number > 0 ? result : complete_reply(redis->fewer ? CODE_MISS : CODE_OK, result.consumed);
}

static struct parse_result in_phase(struct redis *redis, const struct protocol_settings *settings,
                                    const struct redis_command *command, const uint8_t *bytes, size_t length) {
  const uint8_t *end;
  switch (redis->phase) {
  case AT_START:
    return parse_result_of(begin(redis, settings, command, *bytes) ? PARSE_INCOMPLETE : PARSE_MALFORMED, 1);
  case IN_ERROR:
    end = memchr(bytes, '\n', length);
    return end ? complete_reply(CODE_ERROR, (size_t)(end - bytes) + 1) : reply_goes_on(length);
  case IN_TEXT: return in_text(redis, settings, command, bytes, length);
  case IN_MISS: return in_miss(redis, settings, command, bytes, length);
  case IN_NUMBER: return parse_result_of(in_number(redis, command, *bytes) ? PARSE_INCOMPLETE : PARSE_MALFORMED, 1);
  case AT_NUMBER_END: return *bytes == '\n' ? end_number(redis, command) : parse_result_of(PARSE_MALFORMED, 1);
  default: return in_values(redis, settings, command, bytes, length);
  }
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  struct redis *redis = state;
  const struct redis_command command = command_at(settings, redis->command);
  size_t at = 0;
  while (at < length) {
    struct parse_result result = in_phase(redis, settings, &command, bytes + at, length - at);
    at += result.consumed;
    if (result.verdict == PARSE_INCOMPLETE) continue;
    result.consumed = at;
    return result;
  }
  return reply_goes_on(at);
}

static bool wants_hello(const struct protocol_settings *settings) { return parameters_of(settings)->hello_bytes > 0; }

static unsigned hello(void *state, const struct protocol_settings *settings, uint64_t identity, struct iovec parts[3]) {
  (void)identity;
  *(struct redis *)state = (struct redis){0};
  parts[0] = iovec_part(settings->bytes + parameters_of(settings)->hello_at, parameters_of(settings)->hello_bytes);
  return 1;
}

static struct parse_result hello_reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                       size_t length) {
  static const uint8_t ok[] = {'+', 'O', 'K', '\r', '\n'};
  struct redis *redis = state;
  (void)settings;
  struct parse_result result = in_fixed(redis, ok, sizeof ok, bytes, length);
  if (result.verdict == PARSE_INCOMPLETE && redis->received == sizeof ok) result.verdict = PARSE_COMPLETE;
  return result;
}

static bool validate_reply(const struct protocol_settings *settings, const struct redis_command *command) {
  if (!settings_contain(settings, command->reply_at, command->reply_bytes)) return false;
  if (!settings_contain(settings, command->miss_at, command->miss_bytes)) return false;
  const uint8_t *text = settings->bytes + command->reply_at, *miss = settings->bytes + command->miss_at;
  uint64_t number_at = command->number_at, length = command->reply_bytes;
  switch (command->reply_type) {
  case REPLY_INTEGER: return command->least <= command->most;
  case REPLY_VALUES: return length > 2 && command->most > 0;
  case REPLY_TEXT:
    if (length < 3 || number_at < 2 || number_at > length || command->most < 0) return false;
    if (number_at < length && length - number_at <= KEY_DIGITS) return false;
    return command->miss_bytes == 0 || (command->miss_bytes > 2 && miss[0] == text[0] && miss[1] != text[1]);
  default: return false;
  }
}

/* KEY_DIGITS must hold every key, and all offsets must lie within `bytes`. */
static bool validate(const struct protocol_settings *settings) {
  uint64_t commands = parameters_of(settings)->commands, weights = 0;
  if (commands == 0 || commands > UINT8_MAX || commands * sizeof(struct redis_command) > settings->bytes_count) {
    return false;
  }
  for (uint64_t i = 0; i < commands; i++) {
    const struct redis_command command = command_at(settings, i);
    if (command.weight == 0 || command.weight > UINT32_MAX) return false;
    weights += command.weight;
    if (command.head_bytes == 0 || command.head_bytes > settings->bytes_count) return false;
    if (command.heads == 0 || command.heads > settings->bytes_count / command.head_bytes) return false;
    if (!settings_contain(settings, command.head_at, command.heads * command.head_bytes)) return false;
    if (!settings_contain(settings, command.tail_at, command.tail_bytes) || command.keys > KEYS_MAX) return false;
    if (!validate_reply(settings, &command)) return false;
  }
  const struct redis_parameters *given = parameters_of(settings);
  return weights == given->weights && weights <= UINT32_MAX &&
         settings_contain(settings, given->hello_at, given->hello_bytes);
}

static const char *const goodbyes[] = {"-", NULL};

const struct protocol protocol_redis = {
    .name = "redis",
    .pipelined = true,
    .validate = validate,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .request = request,
    .reply = reply,
    .hello = hello,
    .wants_hello = wants_hello,
    .hello_reply = hello_reply,
    .goodbyes = goodbyes,
};
