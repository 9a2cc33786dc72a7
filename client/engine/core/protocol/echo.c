/*
 * echo.c: the server returns every byte. Each request is the payload, or part of it, from a random place on, so that
 * the reply to another request, or of another connection, is recognised as wrong.
 */
#include <string.h>

#include "codec.h"

struct echo {
  struct payload_run run;
  size_t received;
};
_Static_assert(sizeof(struct echo) <= PROTOCOL_STATE_BYTES, "the state of a protocol has a limit");

static unsigned request(void *state, const struct protocol_settings *settings, const struct request_inputs *inputs,
                        struct iovec parts[3]) {
  struct echo *echo = state;
  echo->run = draw_payload_run(settings, inputs->random);
  echo->received = 0;
  parts[0] = iovec_part(settings->payload + echo->run.offset, echo->run.bytes);
  return 1;
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  struct echo *echo = state;
  size_t missing = echo->run.bytes - echo->received;
  size_t taken = length < missing ? length : missing;
  if (memcmp(settings->payload + echo->run.offset + echo->received, bytes, taken) != 0) {
    return parse_result_of(PARSE_MISMATCH, taken);
  }
  echo->received += taken;
  return parse_result_of(taken == missing ? PARSE_COMPLETE : PARSE_INCOMPLETE, taken);
}

const struct protocol protocol_echo = {
    .name = "echo", .pipelined = true, .varies_payload = true, .request = request, .reply = reply};
