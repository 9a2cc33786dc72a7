/*
 * slices.c: a cursor over the list of slices, which moves forward only.
 */
#include "slices.h"

#include <errno.h>

int slices_check(const struct slices *slices) {
  if (slices->count > 0 && slices->loaded_ns == 0) return -EINVAL;
  for (size_t i = 1; i < slices->count; i++) {
    if (slices->starts_ns[i] < slices->starts_ns[i - 1] + slices->loaded_ns + slices->settle_ns) return -EINVAL;
  }
  return 0;
}

void slice_cursor_begin(struct slice_cursor *cursor, const struct slices *slices, uint64_t leg_start_ns) {
  bool takes_turns = slices->count > 0;
  *cursor = (struct slice_cursor){
      .slices = slices,
      .leg_start_ns = leg_start_ns,
      .loaded_to_ns = takes_turns ? 0 : NS_NEVER,
      .end_ns = takes_turns ? 0 : NS_NEVER,
      .next_ns = takes_turns ? leg_start_ns + slices->starts_ns[0] : NS_NEVER,
  };
}

void slice_cursor_move(struct slice_cursor *cursor, uint64_t now_ns) {
  const struct slices *slices = cursor->slices;
  while (now_ns >= cursor->next_ns) {
    cursor->loaded_to_ns = cursor->next_ns + slices->loaded_ns;
    cursor->end_ns = cursor->loaded_to_ns + slices->settle_ns;
    cursor->next++;
    cursor->next_ns = cursor->next < slices->count ? cursor->leg_start_ns + slices->starts_ns[cursor->next] : NS_NEVER;
  }
}
