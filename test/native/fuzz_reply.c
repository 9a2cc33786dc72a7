/*
 * fuzz_reply.c: a libFuzzer target for the protocols' reply parsers. The input is a payload's length, a seed, and a
 * reply cut into pieces; whatever it is, the parser must stay inside its input, keep count, and call right only what
 * is.
 */
#include <stdlib.h>
#include <string.h>

#include "../../client/engine/core/protocol/protocol.h"
#include "../../client/engine/core/random.h"

#define MUST(condition)        \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3) return 0;
  size_t payload_bytes = (size_t)data[0] + 1;
  uint64_t random = data[1];
  size_t honest = data[2]; /* so many bytes of the reply are the right ones, the rest is the input's */
  data += 3;
  size -= 3;
  uint8_t twice[512], bytes[1024];
  for (size_t i = 0; i < payload_bytes; i++) twice[i] = twice[i + payload_bytes] = (uint8_t)random_next(&random);
  const struct protocol_settings settings = {twice, payload_bytes};
  uint64_t state[PROTOCOL_STATE_BYTES / 8];
  struct iovec parts[3];
  MUST(protocol_echo.request(state, &settings, random_next(&random), parts) == 1);
  size_t length = size < sizeof bytes ? size : sizeof bytes, at = 0;
  memcpy(bytes, data, length);
  for (size_t i = 0; i < length && i < honest && i < payload_bytes; i++) {
    bytes[i] = ((const uint8_t *)parts[0].iov_base)[i];
  }
  while (at < length) {
    size_t piece = 1 + random_below(&random, length - at);
    uint8_t *exact = malloc(piece); /* so that AddressSanitizer sees a byte too far */
    memcpy(exact, bytes + at, piece);
    struct outcome outcome = protocol_echo.reply(state, &settings, exact, piece);
    free(exact);
    MUST(outcome.consumed > 0 && outcome.consumed <= piece);
    at += outcome.consumed;
    MUST(at <= payload_bytes);
    if (outcome.verdict == VERDICT_MORE) {
      MUST(outcome.consumed == piece && at < payload_bytes);
      continue;
    }
    _Bool right = at == payload_bytes && memcmp(bytes, parts[0].iov_base, payload_bytes) == 0;
    MUST((outcome.verdict == VERDICT_REPLY) == right);
    break;
  }
  return 0;
}
