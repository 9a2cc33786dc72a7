/*
 * slices: when a leg that takes turns with others is loaded. A slice has three parts: settling in, in which requests
 * begin until the closed loop loops; the measured part, in which requests go on to begin; and settling out, in which
 * replies are awaited. Then other legs have theirs. Pure.
 */
#ifndef BROADSIDE_SLICES_H
#define BROADSIDE_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/clock.h"

/* Relative to the leg's start: requests may begin until loaded_to_ns, and are measured from measured_from_ns on, where
 * that is earlier; replies are awaited until end_ns. */
struct slice {
  uint64_t from_ns, measured_from_ns, loaded_to_ns, end_ns;
};

struct slices {
  const struct slice *list; /* ascending; the caller's */
  size_t count;             /* 0: the leg takes no turns, and may be loaded all the time */
};

/* A time that never comes, at which connections wait for a slice that is not planned yet. */
#define SLICE_NOT_PLANNED_NS (UINT64_MAX / 2)

/* Into the next slice, connections that were served in the one before come so much later than the others. */
#define SLICE_SERVED_NS 1000u

/* 0, or -EINVAL: slices that overlap, in which no request may begin, or whose parts are out of order. */
int slices_check(const struct slices *slices);

/* The current slice, or the last one; times are absolute. */
struct slice_cursor {
  struct slices slices;
  uint64_t leg_start_ns;
  size_t next;             /* the slice after it */
  struct time_span loaded; /* when requests may begin */
  uint64_t measured_from_ns, end_ns;
  uint64_t next_ns; /* SLICE_NOT_PLANNED_NS after the last one; NS_NEVER: the leg takes no turns */
};

/* The leg begins at LEG_START_NS. The list of SLICES must outlive the cursor, or its use until the next call. */
void slice_cursor_begin(struct slice_cursor *cursor, const struct slices *slices, uint64_t leg_start_ns);

/* Moves on to the slice that NOW_NS lies in or after. */
void slice_cursor_move(struct slice_cursor *cursor, uint64_t now_ns);

static inline bool slice_cursor_takes_turns(const struct slice_cursor *cursor) { return cursor->slices.count > 0; }

/* Whether a request may begin at NOW_NS. */
static inline bool slice_is_loaded(struct slice_cursor *cursor, uint64_t now_ns) {
  if (now_ns >= cursor->next_ns) slice_cursor_move(cursor, now_ns);
  return now_ns < cursor->loaded.to_ns;
}

/* From when on a request may begin, at NOW_NS or later. */
static inline uint64_t slice_loaded_from_ns(struct slice_cursor *cursor, uint64_t now_ns) {
  return slice_is_loaded(cursor, now_ns) ? now_ns : cursor->next_ns;
}

/* Whether NOW_NS lies in the measured part of a slice; without slices it does at any time. */
static inline bool slice_is_measured(struct slice_cursor *cursor, uint64_t now_ns) {
  return slice_is_loaded(cursor, now_ns) && now_ns >= cursor->measured_from_ns;
}

/* Whether a request that began at FROM_NS, now or earlier, began in the measured part of a slice. */
bool slice_began_measured(const struct slice_cursor *cursor, uint64_t from_ns);

/* Whether NOW_NS lies between two slices: another leg has its turn. */
static inline bool slice_is_over(struct slice_cursor *cursor, uint64_t now_ns) {
  return !slice_is_loaded(cursor, now_ns) && now_ns >= cursor->end_ns;
}

#endif
