/* volley: a big-endian word of 4 bytes is answered by the next number. Replies are written over the requests in the
 * same buffer, after the incomplete word of the previous read; so a read leaves room for 3 bytes. */
#include "protocols.h"

#include <string.h>

#define WORD_BYTES 4

/* The first bytes of an incomplete word. */
struct volley {
  unsigned char part[WORD_BYTES - 1];
  unsigned char count;
};
_Static_assert(sizeof(struct volley) <= PROTOCOL_STATE_BYTES, "volley's state");

static uint32_t word_at(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void word_put(unsigned char *bytes, uint32_t word) {
  for (int i = 0; i < WORD_BYTES; i++) {
    bytes[i] = (unsigned char)(word >> (24 - 8 * i));
  }
}

static struct reply answer_words(unsigned char *state, unsigned char *buffer, size_t count, bool zero_stops) {
  struct volley volley;
  memcpy(&volley, state, sizeof volley);
  memmove(buffer + volley.count, buffer, count);
  memcpy(buffer, volley.part, volley.count);
  count += volley.count;
  size_t at = 0;
  bool stop = false;
  for (; count - at >= WORD_BYTES; at += WORD_BYTES) {
    const uint32_t word = word_at(buffer + at);
    if (word == 0 && zero_stops) {
      stop = true;
      break;
    }
    word_put(buffer + at, word + 1);
  }
  volley.count = stop ? 0 : (unsigned char)(count - at);
  memcpy(volley.part, buffer + at, volley.count);
  memcpy(state, &volley, sizeof volley);
  return (struct reply){
      .bytes = buffer, .count = at, .requests = (unsigned)(at / WORD_BYTES), .close = stop, .stop = stop};
}

static struct reply volley_answer(unsigned char *state, unsigned char *buffer, size_t count) {
  return answer_words(state, buffer, count, false);
}

static struct reply volley_stop_answer(unsigned char *state, unsigned char *buffer, size_t count) {
  return answer_words(state, buffer, count, true);
}

const struct protocol protocol_volley = {
    .name = "volley",
    .read_bytes = SERVER_BUFFER_BYTES - (WORD_BYTES - 1),
    .answer = volley_answer,
};

const struct protocol protocol_volley_stop = {
    .name = "volley",
    .read_bytes = SERVER_BUFFER_BYTES - (WORD_BYTES - 1),
    .answer = volley_stop_answer,
};
