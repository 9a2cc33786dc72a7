/* Bytes of a connection that came before they could be answered.
 * The one thing to know: all zeros is empty, and so is what has been taken out whole; then it owns no memory. */
#ifndef BROADSIDE_INPUT_BUFFER_H
#define BROADSIDE_INPUT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

struct input_buffer {
  unsigned char *bytes;
  size_t count;
  size_t taken; /* so many of them are no longer there */
};

static inline bool input_buffer_any(const struct input_buffer *input) { return input->bytes != NULL; }
/* False, and nothing is changed, without memory. */
bool input_buffer_append(struct input_buffer *input, const unsigned char *bytes, size_t count);
/* Moves the oldest to `to`, as many as there are and `most` at most: how many. */
size_t input_buffer_take(struct input_buffer *input, unsigned char *to, size_t most);
void input_buffer_clear(struct input_buffer *input);

#endif
