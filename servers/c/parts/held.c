/* See held.h. The one thing to know: it grows to the byte, as it is there for bursts that are rare and small. */
#include "held.h"

#include <stdlib.h>
#include <string.h>

bool held_add(struct held *held, const unsigned char *bytes, size_t count) {
  unsigned char *grown = realloc(held->bytes, held->count + count);
  if (grown == NULL) {
    return false;
  }
  memcpy(grown + held->count, bytes, count);
  held->bytes = grown;
  held->count += count;
  return true;
}

size_t held_take(struct held *held, unsigned char *to, size_t most) {
  const size_t left = held->count - held->taken;
  const size_t count = left < most ? left : most;
  memcpy(to, held->bytes + held->taken, count);
  held->taken += count;
  if (count == left) {
    held_clear(held);
  }
  return count;
}

void held_clear(struct held *held) {
  free(held->bytes);
  *held = (struct held){.bytes = NULL};
}
