/*
 * raw.c: sends the same bytes with each request, to a server of any protocol. The content of a reply is not checked;
 * its end is: a length, a delimiter, or a time without bytes. `bytes` holds the request, the delimiter, and the
 * delimiter's prefix lengths (the failure function of Knuth, Morris and Pratt), one byte each, so that no byte of a
 * reply is read twice.
 */
#include <string.h>

#include "codec.h"

/* Set by client/protocols/raw.js. */
struct raw_parameters {
  uint64_t request_bytes;
  uint64_t reply_bytes;     /* 0: replies do not end by their length */
  uint64_t delimiter_bytes; /* 0: ... by a delimiter */
  uint64_t silence_ns;      /* 0: ... by silence */
};
_Static_assert(sizeof(struct raw_parameters) <= PROTOCOL_PARAMETERS_BYTES, "the parameters of a protocol have a limit");

static const struct protocol_parameter parameters[] = {
    {"requestBytes", PARAMETER_NUMBER, offsetof(struct raw_parameters, request_bytes)},
    {"replyBytes", PARAMETER_NUMBER, offsetof(struct raw_parameters, reply_bytes)},
    {"delimiterBytes", PARAMETER_NUMBER, offsetof(struct raw_parameters, delimiter_bytes)},
    {"silenceNs", PARAMETER_NUMBER, offsetof(struct raw_parameters, silence_ns)},
};

static const struct raw_parameters *parameters_of(const struct protocol_settings *settings) {
  return (const void *)settings->parameters.bytes;
}

#define MOST_DELIMITER 255u

struct raw {
  uint64_t received; /* of a reply that ends by its length, or by silence */
  uint32_t matched;  /* bytes of the delimiter that came last */
};
_Static_assert(sizeof(struct raw) <= PROTOCOL_STATE_BYTES, "the state of a protocol has a limit");

static unsigned request(void *state, const struct protocol_settings *settings, const struct request_inputs *inputs,
                        struct iovec parts[3]) {
  (void)inputs;
  *(struct raw *)state = (struct raw){0};
  parts[0] = iovec_part(settings->bytes, parameters_of(settings)->request_bytes);
  return 1;
}

static struct parse_result until_length(struct raw *raw, uint64_t all, size_t length) {
  uint64_t missing = all - raw->received;
  if (length >= missing) return parse_result_of(PARSE_COMPLETE, (size_t)missing);
  raw->received += length;
  return parse_result_of(PARSE_INCOMPLETE, length);
}

static struct parse_result until_delimiter(struct raw *raw, const struct protocol_settings *settings,
                                           const uint8_t *bytes, size_t length) {
  const uint8_t *delimiter = settings->bytes + parameters_of(settings)->request_bytes;
  uint32_t all = (uint32_t)parameters_of(settings)->delimiter_bytes;
  const uint8_t *prefix_lengths = delimiter + all;
  for (size_t at = 0; at < length; at++) {
    if (raw->matched == 0) {
      const uint8_t *found = memchr(bytes + at, delimiter[0], length - at);
      if (!found) break;
      at = (size_t)(found - bytes);
    }
    while (raw->matched > 0 && delimiter[raw->matched] != bytes[at]) raw->matched = prefix_lengths[raw->matched - 1];
    if (delimiter[raw->matched] == bytes[at]) raw->matched++;
    if (raw->matched == all) return parse_result_of(PARSE_COMPLETE, at + 1);
  }
  return parse_result_of(PARSE_INCOMPLETE, length);
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  uint64_t all = parameters_of(settings)->reply_bytes;
  if (parameters_of(settings)->silence_ns > 0) {
    ((struct raw *)state)->received += length;
    return parse_result_of(PARSE_COMPLETE_IF_IDLE, length);
  }
  return all > 0 ? until_length(state, all, length) : until_delimiter(state, settings, bytes, length);
}

/* The end of the stream completes a reply that a silence would have completed, unless it is empty. */
static struct parse_result end(void *state, const struct protocol_settings *settings) {
  const struct raw *raw = state;
  bool whole = parameters_of(settings)->silence_ns > 0 && raw->received > 0;
  return (struct parse_result){.verdict = whole ? PARSE_COMPLETE : PARSE_INCOMPLETE, .closes = whole};
}

static uint64_t quiet_ns(const struct protocol_settings *settings) { return parameters_of(settings)->silence_ns; }

/* There must be a request, exactly one way to end a reply, and prefix lengths below their positions. */
static bool validate(const struct protocol_settings *settings) {
  uint64_t sent = parameters_of(settings)->request_bytes, delimiter = parameters_of(settings)->delimiter_bytes;
  if (sent == 0 || sent > settings->bytes_count || delimiter > MOST_DELIMITER) return false;
  unsigned ends = parameters_of(settings)->reply_bytes > 0;
  ends += delimiter > 0;
  ends += parameters_of(settings)->silence_ns > 0;
  if (ends != 1) return false;
  if (settings->bytes_count - sent != 2 * delimiter) return false;
  const uint8_t *prefix_lengths = settings->bytes + sent + delimiter;
  for (uint64_t i = 0; i < delimiter; i++) {
    if (prefix_lengths[i] > i) return false;
  }
  return true;
}

const struct protocol protocol_raw = {.name = "raw",
                                      .pipelined = true,
                                      .validate = validate,
                                      .parameters = parameters,
                                      .parameter_count = sizeof parameters / sizeof parameters[0],
                                      .request = request,
                                      .reply = reply,
                                      .end = end,
                                      .quiet_ns = quiet_ns};
