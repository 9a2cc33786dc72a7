/* Bytes of a connection that came before they could be answered.
 * The one thing to know: all zeros is empty, and so is what has been taken out whole; then it owns no memory. */
#ifndef BROADSIDE_HELD_H
#define BROADSIDE_HELD_H

#include <stdbool.h>
#include <stddef.h>

struct held {
  unsigned char *bytes;
  size_t count;
  size_t taken; /* so many of them are no longer there */
};

static inline bool held_any(const struct held *held) { return held->bytes != NULL; }
/* False, and nothing is changed, without memory. */
bool held_add(struct held *held, const unsigned char *bytes, size_t count);
/* Moves the oldest to `to`, as many as there are and `most` at most: how many. */
size_t held_take(struct held *held, unsigned char *to, size_t most);
void held_clear(struct held *held);

#endif
