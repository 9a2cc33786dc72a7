/*
 * ace.c: messages preceded by their length, each answered by 2 bytes of any content (servers/PROTOCOLS.md). `bytes` is
 * the header, which goes out with the first message. A message may be empty.
 */
#include "codec.h"

#define REPLY_BYTES 2u
#define LENGTH_BYTES 4u
#define HEADER_BYTES 8u

struct ace {
  uint32_t received;
  uint8_t length[LENGTH_BYTES]; /* big-endian; stays put until it is sent */
  uint8_t hello_reply;          /* the header has gone out */
};
_Static_assert(sizeof(struct ace) <= PROTOCOL_STATE_BYTES, "the state of a protocol has a limit");

static bool validate(const struct protocol_settings *settings) { return settings->bytes_count == HEADER_BYTES; }

static unsigned request(void *state, const struct protocol_settings *settings, const struct request_inputs *inputs,
                        struct iovec parts[3]) {
  struct ace *ace = state;
  unsigned used = 0;
  ace->received = 0;
  struct payload_run run = draw_payload_run(settings, inputs->random);
  for (unsigned i = 0; i < LENGTH_BYTES; i++) ace->length[i] = (uint8_t)(run.bytes >> (24 - 8 * i));
  if (!ace->hello_reply) parts[used++] = iovec_part(settings->bytes, HEADER_BYTES);
  ace->hello_reply = 1;
  parts[used++] = (struct iovec){ace->length, LENGTH_BYTES};
  if (run.bytes > 0) parts[used++] = iovec_part(settings->payload + run.offset, run.bytes);
  return used;
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  struct ace *ace = state;
  (void)settings;
  (void)bytes;
  size_t missing = REPLY_BYTES - ace->received;
  size_t taken = length < missing ? length : missing;
  ace->received += (uint32_t)taken;
  return parse_result_of(taken == missing ? PARSE_COMPLETE : PARSE_INCOMPLETE, taken);
}

const struct protocol protocol_ace = {
    .name = "ace",
    .pipelined = true,
    .varies_payload = true,
    .validate = validate,
    .request = request,
    .reply = reply,
};
