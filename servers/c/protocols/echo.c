/* echo: what comes in goes out, byte for byte, in order. The one thing to know: nothing is copied, the
 * reply is the read itself. */
#include "echo.h"

static struct reply echo_answer(unsigned char *state, unsigned char *buffer, size_t count) {
  (void)state;
  return (struct reply){.bytes = buffer, .count = count};
}

const struct protocol protocol_echo = {
    .name = "echo",
    .read_bytes = SERVER_BUFFER_BYTES,
    .answer = echo_answer,
};
