/* Bitmaps for select(2) that are as large as the descriptor limit.
 * The one thing to know: the kernel's select takes bitmaps of any length; only glibc's fd_set and FD_SET
 * stop at 1,024. So these are plain arrays of words, and the cost that select is known for (copying and
 * scanning up to the highest descriptor, every turn) is paid in plain sight. */
#ifndef BROADSIDE_BITMAPS_H
#define BROADSIDE_BITMAPS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define WORD_BITS ((int)(sizeof(unsigned long) * CHAR_BIT))

struct bitmaps {
  int limit;                             /* descriptors 0..limit-1 have a bit */
  int highest;                           /* the highest descriptor that was ever open; the caller may lower it */
  unsigned long *want_read, *want_write; /* what is watched */
  unsigned long *can_read, *can_write;   /* what select answered */
};

/* False without memory. */
bool bitmaps_create(struct bitmaps *bitmaps, long limit);
/* select(2) for at most `max_ns` (below 0: for ever): how many bits it set, or -1 with errno. */
int bitmaps_select(struct bitmaps *bitmaps, int64_t max_ns);

static inline void bit_set(unsigned long *bits, int fd) { bits[fd / WORD_BITS] |= 1UL << (fd % WORD_BITS); }
static inline void bit_clear(unsigned long *bits, int fd) { bits[fd / WORD_BITS] &= ~(1UL << (fd % WORD_BITS)); }
static inline bool bit_is_set(const unsigned long *bits, int fd) {
  return (bits[fd / WORD_BITS] >> (fd % WORD_BITS)) & 1UL;
}

#endif
