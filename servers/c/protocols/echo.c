/* echo: what comes in goes out, byte for byte, in order. The one thing to know: nothing is copied, the
 * reply is the read itself; as there is no frame, what one read returned counts as one request. */
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
