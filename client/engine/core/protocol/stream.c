/*
 * stream.c: sends the payload repeatedly, as fast as the kernel takes it. A transfer is complete when the kernel has
 * taken it. Bytes from the server are counted as received and not checked.
 */
#include "codec.h"

static unsigned request(void *state, const struct protocol_settings *settings, const struct request_inputs *inputs,
                        struct iovec parts[3]) {
  (void)state;
  (void)inputs;
  parts[0] = iovec_part(settings->payload, settings->payload_bytes);
  return 1;
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  (void)state;
  (void)settings;
  (void)bytes;
  return parse_result_of(PARSE_INCOMPLETE, length);
}

static struct parse_result unsolicited(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                       size_t length) {
  (void)state;
  (void)settings;
  (void)bytes;
  return parse_result_of(PARSE_COMPLETE, length);
}

const struct protocol protocol_stream = {
    .name = "stream", .one_way = true, .request = request, .reply = reply, .unsolicited = unsolicited};
