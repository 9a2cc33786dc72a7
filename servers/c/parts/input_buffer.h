/* Input of a connection that arrived before it could be answered. A zeroed buffer is empty and owns no memory, as does
 * one from which everything was taken. */
#ifndef BROADSIDE_INPUT_BUFFER_H
#define BROADSIDE_INPUT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct input_buffer {
  unsigned char *bytes;
  size_t count;
  size_t taken; /* how many of them have been taken */
};

static inline bool input_buffer_any(const struct input_buffer *input) { return input->bytes != NULL; }
/* How many bytes have not been taken. */
static inline size_t input_buffer_left(const struct input_buffer *input) { return input->count - input->taken; }
/* Returns false, and loses nothing, without memory. */
bool input_buffer_append(struct input_buffer *input, const unsigned char *bytes, size_t count);
/* Moves the oldest bytes to `to`, at most `most`. Returns how many. */
size_t input_buffer_take(struct input_buffer *input, unsigned char *to, size_t most);
void input_buffer_clear(struct input_buffer *input);

#endif
