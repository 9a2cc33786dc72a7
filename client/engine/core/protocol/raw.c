/*
 * raw.c: the same bytes again and again, to a server of any protocol. What comes back is not looked at; a
 * reply ends after so many bytes, with a delimiter, or when nothing more comes for a while. `bytes` is the request, the
 * delimiter, and for each byte of the delimiter how long its beginning is that also ends there (Knuth, Morris, Pratt),
 * so that no byte is read twice.
 */
#include <string.h>

#include "iovec_parts.h"

enum {
  NUMBER_REQUEST,   /* bytes of the request */
  NUMBER_LENGTH,    /* bytes of a reply; or 0 */
  NUMBER_DELIMITER, /* bytes of the delimiter; or 0 */
  NUMBER_SILENCE,   /* ns without a byte; or 0 */
};

#define MOST_DELIMITER 255u

struct raw {
  uint64_t received; /* of a reply that ends by its length, or by silence */
  uint32_t matched;  /* bytes of the delimiter that came last */
};
_Static_assert(sizeof(struct raw) <= PROTOCOL_STATE_BYTES, "the state of a protocol has a limit");

static unsigned request(void *state, const struct protocol_settings *settings, uint64_t random, struct iovec parts[3]) {
  (void)random;
  *(struct raw *)state = (struct raw){0};
  parts[0] = iovec_part(settings->bytes, settings->numbers[NUMBER_REQUEST]);
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
  const uint8_t *delimiter = settings->bytes + settings->numbers[NUMBER_REQUEST];
  uint32_t all = (uint32_t)settings->numbers[NUMBER_DELIMITER];
  const uint8_t *borders = delimiter + all;
  for (size_t at = 0; at < length; at++) {
    if (raw->matched == 0) {
      const uint8_t *found = memchr(bytes + at, delimiter[0], length - at);
      if (!found) break;
      at = (size_t)(found - bytes);
    }
    while (raw->matched > 0 && delimiter[raw->matched] != bytes[at]) raw->matched = borders[raw->matched - 1];
    if (delimiter[raw->matched] == bytes[at]) raw->matched++;
    if (raw->matched == all) return parse_result_of(PARSE_COMPLETE, at + 1);
  }
  return parse_result_of(PARSE_INCOMPLETE, length);
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  uint64_t all = settings->numbers[NUMBER_LENGTH];
  if (settings->numbers[NUMBER_SILENCE] > 0) {
    ((struct raw *)state)->received += length;
    return parse_result_of(PARSE_COMPLETE_IF_IDLE, length);
  }
  return all > 0 ? until_length(state, all, length) : until_delimiter(state, settings, bytes, length);
}

/* Nothing comes any more: what silence would have ended is whole, if there is any. */
static struct parse_result end(void *state, const struct protocol_settings *settings) {
  const struct raw *raw = state;
  bool whole = settings->numbers[NUMBER_SILENCE] > 0 && raw->received > 0;
  return (struct parse_result){.verdict = whole ? PARSE_COMPLETE : PARSE_INCOMPLETE, .closes = whole};
}

static uint64_t quiet_ns(const struct protocol_settings *settings) { return settings->numbers[NUMBER_SILENCE]; }

/* Something to send, one end of replies, and borders that lead towards the beginning. */
static bool validate(const struct protocol_settings *settings) {
  uint64_t sent = settings->numbers[NUMBER_REQUEST], delimiter = settings->numbers[NUMBER_DELIMITER];
  if (sent == 0 || sent > settings->bytes_count || delimiter > MOST_DELIMITER) return false;
  unsigned ends = settings->numbers[NUMBER_LENGTH] > 0;
  ends += delimiter > 0;
  ends += settings->numbers[NUMBER_SILENCE] > 0;
  if (ends != 1) return false;
  if (settings->bytes_count - sent != 2 * delimiter) return false;
  const uint8_t *borders = settings->bytes + sent + delimiter;
  for (uint64_t i = 0; i < delimiter; i++) {
    if (borders[i] > i) return false;
  }
  return true;
}

const struct protocol protocol_raw = {.name = "raw",
                                      .pipelined = true,
                                      .validate = validate,
                                      .request = request,
                                      .reply = reply,
                                      .end = end,
                                      .quiet_ns = quiet_ns};
