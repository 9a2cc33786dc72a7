/* Bitmaps for select(2) as large as the descriptor limit. The kernel's select accepts bitmaps of any length; only
 * glibc's fd_set and FD_SET stop at 1,024. So these are plain arrays of words, and the cost of select (copying and
 * scanning up to the highest descriptor in every turn) is visible. */
#ifndef BROADSIDE_BITMAPS_H
#define BROADSIDE_BITMAPS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define WORD_BITS ((int)(sizeof(unsigned long) * CHAR_BIT))

struct bitmaps {
  int limit;                             /* descriptors 0..limit-1 have a bit */
  int highest;                           /* the highest descriptor ever open; the caller may lower it */
  unsigned long *want_read, *want_write; /* descriptors to watch */
  unsigned long *can_read, *can_write;   /* descriptors that are ready */
};

/* Returns false without memory. */
bool bitmaps_create(struct bitmaps *bitmaps, long limit);
/* Calls select(2) for at most `max_ns` (negative: no limit). Returns the number of bits set, or -1 with errno. */
int bitmaps_select(struct bitmaps *bitmaps, int64_t max_ns);

static inline void bit_set(unsigned long *bits, int fd) { bits[fd / WORD_BITS] |= 1UL << (fd % WORD_BITS); }
static inline void bit_clear(unsigned long *bits, int fd) { bits[fd / WORD_BITS] &= ~(1UL << (fd % WORD_BITS)); }
static inline bool bit_is_set(const unsigned long *bits, int fd) {
  return (bits[fd / WORD_BITS] >> (fd % WORD_BITS)) & 1UL;
}

#endif
