/* See input_buffer.h. It is as large as what it holds, because it is only used for rare and small bursts. */
#include "input_buffer.h"

#include <stdlib.h>
#include <string.h>

bool input_buffer_append(struct input_buffer *input, const unsigned char *bytes, size_t count) {
  if (input->taken > 0) {
    input->count -= input->taken;
    memmove(input->bytes, input->bytes + input->taken, input->count);
    input->taken = 0;
  }
  unsigned char *grown = realloc(input->bytes, input->count + count);
  if (grown == NULL) {
    return false;
  }
  memcpy(grown + input->count, bytes, count);
  input->bytes = grown;
  input->count += count;
  return true;
}

size_t input_buffer_take(struct input_buffer *input, unsigned char *to, size_t most) {
  const size_t left = input->count - input->taken;
  const size_t count = left < most ? left : most;
  memcpy(to, input->bytes + input->taken, count);
  input->taken += count;
  if (count == left) {
    input_buffer_clear(input);
  }
  return count;
}

void input_buffer_clear(struct input_buffer *input) {
  free(input->bytes);
  *input = (struct input_buffer){.bytes = NULL};
}
