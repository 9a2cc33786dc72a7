/* See bitmaps.h. glibc passes the pointers on and never accesses the bitmaps. */
#include "bitmaps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/select.h>

bool bitmaps_create(struct bitmaps *bitmaps, long limit) {
  const size_t words = ((size_t)limit + (size_t)WORD_BITS - 1) / (size_t)WORD_BITS;
  *bitmaps = (struct bitmaps){
      .limit = (int)limit,
      .want_read = calloc(words, sizeof(unsigned long)),
      .want_write = calloc(words, sizeof(unsigned long)),
      .can_read = calloc(words, sizeof(unsigned long)),
      .can_write = calloc(words, sizeof(unsigned long)),
  };
  return bitmaps->want_read != NULL && bitmaps->want_write != NULL && bitmaps->can_read != NULL &&
         bitmaps->can_write != NULL;
}

int bitmaps_select(struct bitmaps *bitmaps, int64_t max_ns) {
  const size_t bytes = (size_t)(bitmaps->highest / WORD_BITS + 1) * sizeof(unsigned long);
  memcpy(bitmaps->can_read, bitmaps->want_read, bytes);
  memcpy(bitmaps->can_write, bitmaps->want_write, bytes);
  const int64_t max_us = (max_ns + 999) / 1000;
  struct timeval most = {.tv_sec = max_us / 1000000, .tv_usec = max_us % 1000000};
  return select(bitmaps->highest + 1, (fd_set *)(void *)bitmaps->can_read, (fd_set *)(void *)bitmaps->can_write, NULL,
                max_ns < 0 ? NULL : &most);
}
