/* echo: every byte is sent back, in order. Nothing is copied: the reply is the input itself. There are no frames, so
 * the bytes of one read count as one request. */
#include "protocols.h"

static struct reply echo_answer(unsigned char *state, unsigned char *buffer, size_t count) {
  (void)state;
  return (struct reply){.bytes = buffer, .count = count, .requests = 1};
}

const struct protocol protocol_echo = {
    .name = "echo",
    .read_bytes = SERVER_BUFFER_BYTES,
    .answer = echo_answer,
};
