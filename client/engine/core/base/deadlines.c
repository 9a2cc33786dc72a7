/*
 * deadlines.c: an indexed binary heap with lazily corrected keys. Invariant: for every slot in the heap, its heap key
 * is
 * <= its due time; an entry that comes up early is pushed down again, one whose timer was cleared is dropped.
 */
#include "deadlines.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"

#define NOWHERE UINT32_MAX

struct entry {
  uint64_t key_ns;
  uint32_t slot;
};

struct deadlines {
  uint32_t size;
  struct entry *heap;
  /* by slot */
  uint64_t *due_ns; /* NS_NEVER: not set */
  uint32_t *position;
};

int deadlines_create(uint32_t slots, struct deadlines **deadlines) {
  struct deadlines *made = calloc(1, sizeof *made);
  if (!made) return -ENOMEM;
  made->heap = malloc((size_t)slots * sizeof *made->heap);
  made->due_ns = malloc((size_t)slots * sizeof *made->due_ns);
  made->position = malloc((size_t)slots * sizeof *made->position);
  if (slots > 0 && (!made->heap || !made->due_ns || !made->position)) {
    deadlines_destroy(made);
    return -ENOMEM;
  }
  for (uint32_t slot = 0; slot < slots; slot++) {
    made->due_ns[slot] = NS_NEVER;
    made->position[slot] = NOWHERE;
  }
  *deadlines = made;
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

static void rise(struct deadlines *deadlines, uint32_t position, struct entry entry) {
  while (position > 0) {
    uint32_t parent = (position - 1) / 2;
    if (deadlines->heap[parent].key_ns <= entry.key_ns) break;
    place(deadlines, position, deadlines->heap[parent]);
    position = parent;
  }
  place(deadlines, position, entry);
}

static void sink(struct deadlines *deadlines, uint32_t position, struct entry entry) {
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
  if (position == NOWHERE) {
    rise(deadlines, deadlines->size++, (struct entry){due_ns, slot});
  } else if (due_ns < deadlines->heap[position].key_ns) {
    rise(deadlines, position, (struct entry){due_ns, slot});
  }
}

void deadlines_clear(struct deadlines *deadlines, uint32_t slot) { deadlines->due_ns[slot] = NS_NEVER; }

uint64_t deadlines_next_ns(const struct deadlines *deadlines) {
  return deadlines->size == 0 ? NS_NEVER : deadlines->heap[0].key_ns;
}

static void drop_first(struct deadlines *deadlines) {
  deadlines->position[deadlines->heap[0].slot] = NOWHERE;
  struct entry last = deadlines->heap[--deadlines->size];
  if (deadlines->size > 0) sink(deadlines, 0, last);
}

bool deadlines_take(struct deadlines *deadlines, uint64_t now_ns, uint32_t *slot) {
  while (deadlines->size > 0 && deadlines->heap[0].key_ns <= now_ns) {
    struct entry first = deadlines->heap[0];
    uint64_t *due_ns = &deadlines->due_ns[first.slot];
    if (*due_ns != NS_NEVER && *due_ns > now_ns) {
      sink(deadlines, 0, (struct entry){*due_ns, first.slot});
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
