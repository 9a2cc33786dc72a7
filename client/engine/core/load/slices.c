/*
 * slices.c: a cursor over the list of slices, which moves forward only.
 */
#include "slices.h"

#include <errno.h>

int slices_check(const struct slices *slices) {
  uint64_t before_ns = 0;
  for (size_t i = 0; i < slices->count; i++) {
    const struct slice *slice = &slices->list[i];
    if (slice->from_ns < before_ns || slice->loaded_to_ns <= slice->from_ns) return -EINVAL;
    if (slice->measured_from_ns < slice->from_ns || slice->measured_from_ns > slice->loaded_to_ns) return -EINVAL;
    if (slice->end_ns < slice->loaded_to_ns) return -EINVAL;
    before_ns = slice->end_ns;
  }
  return 0;
}

void slice_cursor_begin(struct slice_cursor *cursor, const struct slices *slices, uint64_t leg_start_ns) {
  bool takes_turns = slices->count > 0;
  *cursor = (struct slice_cursor){
      .slices = *slices,
      .leg_start_ns = leg_start_ns,
      .loaded = {0, takes_turns ? 0 : NS_NEVER},
      .end_ns = takes_turns ? 0 : NS_NEVER,
      .next_ns = takes_turns ? leg_start_ns + slices->list[0].from_ns : NS_NEVER,
  };
}

void slice_cursor_move(struct slice_cursor *cursor, uint64_t now_ns) {
  const struct slices *slices = &cursor->slices;
  while (now_ns >= cursor->next_ns) {
    const struct slice *slice = &slices->list[cursor->next];
    cursor->loaded.from_ns = cursor->leg_start_ns + slice->from_ns;
    cursor->loaded.to_ns = cursor->leg_start_ns + slice->loaded_to_ns;
    cursor->measured_from_ns = cursor->leg_start_ns + slice->measured_from_ns;
    cursor->end_ns = cursor->leg_start_ns + slice->end_ns;
    cursor->next++;
    cursor->next_ns =
        cursor->next < slices->count ? cursor->leg_start_ns + slices->list[cursor->next].from_ns : SLICE_NOT_PLANNED_NS;
  }
}

bool slice_began_measured(const struct slice_cursor *cursor, uint64_t from_ns) {
  const struct slices *slices = &cursor->slices;
  if (slices->count == 0) return true;
  if (from_ns < cursor->leg_start_ns) return false;
  uint64_t leg_ns = from_ns - cursor->leg_start_ns;
  size_t i = cursor->next;
  while (i > 0 && slices->list[i - 1].from_ns > leg_ns) i--; /* a reply is rarely later than its slice */
  return i > 0 && leg_ns >= slices->list[i - 1].measured_from_ns && leg_ns < slices->list[i - 1].loaded_to_ns;
}
