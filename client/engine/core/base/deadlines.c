/*
 * deadlines.c: an indexed binary heap whose keys are corrected late. Invariant: the key of a slot in the heap is never
 * after its due time. An entry that reaches the top too early is moved down to its due time; one whose deadline was
 * cleared is removed.
 */
#include "deadlines.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"

#define NOT_IN_HEAP UINT32_MAX

struct entry {
  uint64_t key_ns;
  uint32_t slot;
};

struct deadlines {
  uint32_t slots, size; /* size: of the heap */
  struct entry *heap;
  /* by slot */
  uint64_t *due_ns;   /* NS_NEVER: not set */
  uint32_t *position; /* in the heap, or NOT_IN_HEAP */
};

int deadlines_create(uint32_t slots, struct deadlines **deadlines) {
  struct deadlines *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  self->slots = slots;
  self->heap = malloc((size_t)slots * sizeof *self->heap);
  self->due_ns = malloc((size_t)slots * sizeof *self->due_ns);
  self->position = malloc((size_t)slots * sizeof *self->position);
  if (slots > 0 && (!self->heap || !self->due_ns || !self->position)) {
    deadlines_destroy(self);
    return -ENOMEM;
  }
  for (uint32_t slot = 0; slot < slots; slot++) {
    self->due_ns[slot] = NS_NEVER;
    self->position[slot] = NOT_IN_HEAP;
  }
  *deadlines = self;
  return 0;
}

void deadlines_destroy(struct deadlines *deadlines) {
  if (!deadlines) return;
  free(deadlines->heap);
  free(deadlines->due_ns);
  free(deadlines->position);
  free(deadlines);
}

static void place(struct deadlines *deadlines, uint32_t position, struct entry entry) {
  deadlines->heap[position] = entry;
  deadlines->position[entry.slot] = position;
}

static void sift_up(struct deadlines *deadlines, uint32_t position, struct entry entry) {
  while (position > 0) {
    uint32_t parent = (position - 1) / 2;
    if (deadlines->heap[parent].key_ns <= entry.key_ns) break;
    place(deadlines, position, deadlines->heap[parent]);
    position = parent;
  }
  place(deadlines, position, entry);
}

static void sift_down(struct deadlines *deadlines, uint32_t position, struct entry entry) {
  for (;;) {
    uint32_t child = 2 * position + 1;
    if (child >= deadlines->size) break;
    if (child + 1 < deadlines->size && deadlines->heap[child + 1].key_ns < deadlines->heap[child].key_ns) child++;
    if (deadlines->heap[child].key_ns >= entry.key_ns) break;
    place(deadlines, position, deadlines->heap[child]);
    position = child;
  }
  place(deadlines, position, entry);
}

void deadlines_set(struct deadlines *deadlines, uint32_t slot, uint64_t due_ns) {
  uint32_t position = deadlines->position[slot];
  deadlines->due_ns[slot] = due_ns;
  if (position == NOT_IN_HEAP) {
    sift_up(deadlines, deadlines->size++, (struct entry){due_ns, slot});
  } else if (due_ns < deadlines->heap[position].key_ns) {
    sift_up(deadlines, position, (struct entry){due_ns, slot});
  }
}

void deadlines_move(struct deadlines *deadlines, uint64_t from_ns, uint64_t until_ns, uint64_t to_ns) {
  for (uint32_t slot = 0; slot < deadlines->slots; slot++) {
    uint64_t due_ns = deadlines->due_ns[slot];
    if (due_ns >= from_ns && due_ns <= until_ns) deadlines_set(deadlines, slot, to_ns + (due_ns - from_ns));
  }
}

void deadlines_clear(struct deadlines *deadlines, uint32_t slot) { deadlines->due_ns[slot] = NS_NEVER; }

uint64_t deadlines_next_ns(const struct deadlines *deadlines) {
  return deadlines->size == 0 ? NS_NEVER : deadlines->heap[0].key_ns;
}

static void drop_first(struct deadlines *deadlines) {
  deadlines->position[deadlines->heap[0].slot] = NOT_IN_HEAP;
  struct entry last = deadlines->heap[--deadlines->size];
  if (deadlines->size > 0) sift_down(deadlines, 0, last);
}

bool deadlines_take(struct deadlines *deadlines, uint64_t now_ns, unsigned *budget, uint32_t *slot) {
  while (deadlines->size > 0 && deadlines->heap[0].key_ns <= now_ns && *budget > 0) {
    --*budget;
    struct entry first = deadlines->heap[0];
    uint64_t *due_ns = &deadlines->due_ns[first.slot];
    if (*due_ns != NS_NEVER && *due_ns > now_ns) {
      sift_down(deadlines, 0, (struct entry){*due_ns, first.slot});
      continue;
    }
    bool due = *due_ns != NS_NEVER;
    *due_ns = NS_NEVER;
    drop_first(deadlines);
    if (due) {
      *slot = first.slot;
      return true;
    }
  }
  return false;
}
