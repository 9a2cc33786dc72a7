/*
 * timers.c: an indexed binary heap with lazily corrected keys. Invariant: for every slot in the heap, its heap key is
 * <= its due time; an entry that comes up early is pushed down again, one whose timer was cleared is dropped.
 */
#include "timers.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"

#define NOWHERE UINT32_MAX

struct entry {
  uint64_t key_ns;
  uint32_t slot;
};

struct armed {
  uint64_t due_ns; /* NS_NEVER: not set */
  uint64_t key_ns; /* a copy of the heap entry's key, beside the due time it is compared with */
  uint32_t position;
};

struct timers {
  uint32_t size;
  struct entry *heap;
  struct armed *slots;
};

int timers_create(uint32_t slots, struct timers **timers) {
  struct timers *made = calloc(1, sizeof *made);
  if (!made) return -ENOMEM;
  made->heap = malloc((size_t)slots * sizeof *made->heap);
  made->slots = malloc((size_t)slots * sizeof *made->slots);
  if (slots > 0 && (!made->heap || !made->slots)) {
    timers_destroy(made);
    return -ENOMEM;
  }
  for (uint32_t slot = 0; slot < slots; slot++) made->slots[slot] = (struct armed){NS_NEVER, 0, NOWHERE};
  *timers = made;
  return 0;
}

void timers_destroy(struct timers *timers) {
  if (!timers) return;
  free(timers->heap);
  free(timers->slots);
  free(timers);
}

static void place(struct timers *timers, uint32_t position, struct entry entry) {
  timers->heap[position] = entry;
  timers->slots[entry.slot].position = position;
  timers->slots[entry.slot].key_ns = entry.key_ns;
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
  struct armed *armed = &timers->slots[slot];
  armed->due_ns = due_ns;
  if (armed->position == NOWHERE) {
    rise(timers, timers->size++, (struct entry){due_ns, slot});
  } else if (due_ns < armed->key_ns) {
    rise(timers, armed->position, (struct entry){due_ns, slot});
  }
}

void timers_clear(struct timers *timers, uint32_t slot) { timers->slots[slot].due_ns = NS_NEVER; }

uint64_t timers_next_ns(const struct timers *timers) { return timers->size == 0 ? NS_NEVER : timers->heap[0].key_ns; }

static void drop_first(struct timers *timers) {
  timers->slots[timers->heap[0].slot].position = NOWHERE;
  struct entry last = timers->heap[--timers->size];
  if (timers->size > 0) sink(timers, 0, last);
}

bool timers_take(struct timers *timers, uint64_t now_ns, uint32_t *slot) {
  while (timers->size > 0 && timers->heap[0].key_ns <= now_ns) {
    struct entry first = timers->heap[0];
    struct armed *armed = &timers->slots[first.slot];
    if (armed->due_ns != NS_NEVER && armed->due_ns > now_ns) {
      sink(timers, 0, (struct entry){armed->due_ns, first.slot});
      continue;
    }
    bool due = armed->due_ns != NS_NEVER;
    armed->due_ns = NS_NEVER;
    drop_first(timers);
    if (due) {
      *slot = first.slot;
      return true;
    }
  }
  return false;
}
