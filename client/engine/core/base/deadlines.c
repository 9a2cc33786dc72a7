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

struct timers {
  uint32_t size;
  struct entry *heap;
  /* by slot */
  uint64_t *due_ns; /* NS_NEVER: not set */
  uint32_t *position;
};

int timers_create(uint32_t slots, struct timers **timers) {
  struct timers *made = calloc(1, sizeof *made);
  if (!made) return -ENOMEM;
  made->heap = malloc((size_t)slots * sizeof *made->heap);
  made->due_ns = malloc((size_t)slots * sizeof *made->due_ns);
  made->position = malloc((size_t)slots * sizeof *made->position);
  if (slots > 0 && (!made->heap || !made->due_ns || !made->position)) {
    timers_destroy(made);
    return -ENOMEM;
  }
  for (uint32_t slot = 0; slot < slots; slot++) {
    made->due_ns[slot] = NS_NEVER;
    made->position[slot] = NOWHERE;
  }
  *timers = made;
  return 0;
}

void timers_destroy(struct timers *timers) {
  if (!timers) return;
  free(timers->heap);
  free(timers->due_ns);
  free(timers->position);
  free(timers);
}

static void place(struct timers *timers, uint32_t position, struct entry entry) {
  timers->heap[position] = entry;
  timers->position[entry.slot] = position;
}

static void rise(struct timers *timers, uint32_t position, struct entry entry) {
  while (position > 0) {
    uint32_t parent = (position - 1) / 2;
    if (timers->heap[parent].key_ns <= entry.key_ns) break;
    place(timers, position, timers->heap[parent]);
    position = parent;
  }
  place(timers, position, entry);
}

static void sink(struct timers *timers, uint32_t position, struct entry entry) {
  for (;;) {
    uint32_t child = 2 * position + 1;
    if (child >= timers->size) break;
    if (child + 1 < timers->size && timers->heap[child + 1].key_ns < timers->heap[child].key_ns) child++;
    if (timers->heap[child].key_ns >= entry.key_ns) break;
    place(timers, position, timers->heap[child]);
    position = child;
  }
  place(timers, position, entry);
}

void timers_set(struct timers *timers, uint32_t slot, uint64_t due_ns) {
  uint32_t position = timers->position[slot];
  timers->due_ns[slot] = due_ns;
  if (position == NOWHERE) {
    rise(timers, timers->size++, (struct entry){due_ns, slot});
  } else if (due_ns < timers->heap[position].key_ns) {
    rise(timers, position, (struct entry){due_ns, slot});
  }
}

void timers_clear(struct timers *timers, uint32_t slot) { timers->due_ns[slot] = NS_NEVER; }

uint64_t timers_next_ns(const struct timers *timers) { return timers->size == 0 ? NS_NEVER : timers->heap[0].key_ns; }

static void drop_first(struct timers *timers) {
  timers->position[timers->heap[0].slot] = NOWHERE;
  struct entry last = timers->heap[--timers->size];
  if (timers->size > 0) sink(timers, 0, last);
}

bool timers_take(struct timers *timers, uint64_t now_ns, uint32_t *slot) {
  while (timers->size > 0 && timers->heap[0].key_ns <= now_ns) {
    struct entry first = timers->heap[0];
    uint64_t *due_ns = &timers->due_ns[first.slot];
    if (*due_ns != NS_NEVER && *due_ns > now_ns) {
      sink(timers, 0, (struct entry){*due_ns, first.slot});
      continue;
    }
    bool due = *due_ns != NS_NEVER;
    *due_ns = NS_NEVER;
    drop_first(timers);
    if (due) {
      *slot = first.slot;
      return true;
    }
  }
  return false;
}
