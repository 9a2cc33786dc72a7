/* ace: a header with a number of messages, then the messages, each answered by 2 bytes. A length is only counted down;
 * messages are never stored. */
#include "protocols.h"

#include <string.h>

#define HEADER_BYTES 8
#define LENGTH_BYTES 4
#define REPLY_BYTES 2

enum phase { IN_HEADER, IN_LENGTH, IN_MESSAGE };

struct ace {
  uint32_t messages; /* remaining, including the current one */
  uint32_t left;     /* remaining bytes of the current message */
  unsigned char phase;
  unsigned char got;                    /* received bytes of the header or the length */
  unsigned char part[HEADER_BYTES - 2]; /* the header without its padding, or the length */
};
_Static_assert(sizeof(struct ace) <= PROTOCOL_STATE_BYTES, "ace's state");

/* The replies. A message has at least its 4 bytes of length, so the replies to one read fit. */
static const unsigned char zeros[(SERVER_BUFFER_BYTES / LENGTH_BYTES + 1) * REPLY_BYTES];

/* Returns false for an unknown byte order. */
static bool begin(struct ace *ace) {
  const unsigned char *number = ace->part + 1;
  const bool little = ace->part[0] == 1;
  ace->messages = 0;
  for (int i = 0; i < LENGTH_BYTES; i++) {
    ace->messages |= (uint32_t)number[i] << (little ? 8 * i : 24 - 8 * i);
  }
  ace->phase = IN_LENGTH;
  ace->got = 0;
  return ace->part[0] <= 1;
}

/* Stores byte 0 and bytes 4 to 7 next to each other. */
static void hear_header(struct ace *ace, unsigned char byte) {
  if (ace->got == 0 || ace->got >= 4) {
    ace->part[ace->got == 0 ? 0 : ace->got - 3] = byte;
  }
  ace->got++;
}

static void parse_length(struct ace *ace, unsigned char byte) {
  ace->left = ace->left << 8 | byte;
  if (++ace->got == LENGTH_BYTES) {
    ace->phase = IN_MESSAGE;
  }
}

/* Parses the input. Returns how many messages are complete. */
static unsigned parse(struct ace *ace, const unsigned char *bytes, size_t count, bool *close) {
  unsigned answered = 0;
  for (size_t at = 0; at < count && !*close;) {
    if (ace->phase == IN_HEADER) {
      hear_header(ace, bytes[at++]);
      if (ace->got == HEADER_BYTES) {
        *close = !begin(ace) || ace->messages == 0;
      }
      continue;
    }
    if (ace->phase == IN_LENGTH) {
      parse_length(ace, bytes[at++]);
    } else {
      const size_t step = count - at < ace->left ? count - at : ace->left;
      ace->left -= (uint32_t)step;
      at += step;
    }
    if (ace->phase == IN_MESSAGE && ace->left == 0) {
      answered++;
      ace->phase = IN_LENGTH;
      ace->got = 0;
      *close = --ace->messages == 0;
    }
  }
  return answered;
}

static struct reply ace_answer(unsigned char *state, unsigned char *buffer, size_t count) {
  struct ace ace;
  bool close = false;
  memcpy(&ace, state, sizeof ace);
  const unsigned answered = parse(&ace, buffer, count, &close);
  memcpy(state, &ace, sizeof ace);
  return (struct reply){.bytes = zeros, .count = (size_t)answered * REPLY_BYTES, .requests = answered, .close = close};
}

const struct protocol protocol_ace = {
    .name = "ace",
    .read_bytes = SERVER_BUFFER_BYTES,
    .answer = ace_answer,
};
