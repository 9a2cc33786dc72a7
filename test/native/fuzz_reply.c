/*
 * fuzz_reply.c: a libFuzzer target for the protocols' reply parsers. The input is a protocol, a payload's length, a
 * seed, and a reply cut into pieces; whatever it is, the parser must stay inside its input, keep count, and call right
 * only what is.
 */
#include <stdlib.h>
#include <string.h>

#include "../../client/engine/core/base/splitmix64.h"
#include "../../client/engine/core/protocol/protocol.h"

#define MUST(condition)        \
  do {                         \
    if (!(condition)) abort(); \
  } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a server answers to a request, into REPLY; returns its length. */
static size_t honest_reply(const struct protocol *protocol, const struct iovec *last, uint8_t *reply) {
  if (protocol == &protocol_ace) {
    reply[0] = reply[1] = 0;
    return 2;
  }
  memcpy(reply, last->iov_base, last->iov_len);
  for (size_t i = last->iov_len; protocol == &protocol_volley && i-- > 0 && ++reply[i] == 0;) continue;
  return last->iov_len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct protocol *const protocols[] = {&protocol_echo, &protocol_volley, &protocol_ace};
  if (size < 4) return 0;
  const struct protocol *protocol = protocols[data[0] % 3];
  size_t payload_bytes = protocol == &protocol_volley ? 4 : (size_t)data[1] + 1;
  uint64_t random = data[2];
  size_t spread = protocol == &protocol_volley ? 0 : (size_t)(data[1] ^ data[2]) % payload_bytes;
  size_t honest = data[3]; /* number of correct bytes of the reply; the rest is fuzz input */
  data += 4;
  size -= 4;
  uint8_t twice[512], bytes[1024], right_bytes[512];
  for (size_t i = 0; i < payload_bytes; i++) twice[i] = twice[i + payload_bytes] = (uint8_t)splitmix64_next(&random);
  static const uint8_t ace_header[8] = {1, 0, 0, 0, 255, 255, 255, 255};
  const struct protocol_settings settings = {
      .payload = twice,
      .payload_bytes = payload_bytes,
      .payload_spread = spread,
      .bytes = ace_header,
      .bytes_count = sizeof ace_header,
  };
  uint64_t state[PROTOCOL_STATE_BYTES / 8] = {0};
  struct iovec parts[3];
  unsigned count =
      protocol->request(state, &settings, &(struct request_inputs){.random = splitmix64_next(&random)}, parts);
  MUST(count >= 1 && count <= 3);
  MUST(parts[count - 1].iov_len <= payload_bytes && parts[count - 1].iov_len >= payload_bytes - spread);
  size_t reply_bytes = honest_reply(protocol, &parts[count - 1], right_bytes);
  size_t length = size < sizeof bytes ? size : sizeof bytes, at = 0;
  memcpy(bytes, data, length);
  for (size_t i = 0; i < length && i < honest && i < reply_bytes; i++) bytes[i] = right_bytes[i];
  while (at < length) {
    size_t piece = 1 + splitmix64_below(&random, length - at);
    uint8_t *exact = malloc(piece); /* so that AddressSanitizer sees a byte too far */
    memcpy(exact, bytes + at, piece);
    struct parse_result result = protocol->reply(state, &settings, exact, piece);
    free(exact);
    MUST(result.consumed > 0 && result.consumed <= piece);
    at += result.consumed;
    MUST(at <= reply_bytes);
    if (result.verdict == PARSE_INCOMPLETE) {
      MUST(result.consumed == piece && at < reply_bytes);
      continue;
    }
    _Bool right = at == reply_bytes && (protocol == &protocol_ace || memcmp(bytes, right_bytes, reply_bytes) == 0);
    MUST((result.verdict == PARSE_COMPLETE) == right);
    break;
  }
  return 0;
}
