/* See timer_heap.h: a textbook heap (Knuth 5.2.3). It grows by doubling and never shrinks. */
#include "timer_heap.h"

#include <stdlib.h>

static void put(struct timer_heap *heap, struct timer_entry *entry, size_t place) {
  heap->entries[place] = entry;
  entry->place = place;
}

static void settle(struct timer_heap *heap, struct timer_entry *entry, size_t place) {
  for (; place > 1 && heap->entries[place / 2]->at_ns > entry->at_ns; place /= 2) {
    put(heap, heap->entries[place / 2], place);
  }
  for (size_t child; (child = place * 2) <= heap->count; place = child) {
    if (child < heap->count && heap->entries[child + 1]->at_ns < heap->entries[child]->at_ns) {
      child++;
    }
    if (heap->entries[child]->at_ns >= entry->at_ns) {
      break;
    }
    put(heap, heap->entries[child], place);
  }
  put(heap, entry, place);
}

bool timer_heap_set(struct timer_heap *heap, struct timer_entry *entry, int64_t at_ns) {
  if (entry->place == 0) {
    if (heap->count + 1 >= heap->room) {
      const size_t room = heap->room == 0 ? 64 : heap->room * 2;
      struct timer_entry **entries = realloc(heap->entries, room * sizeof *entries);
      if (entries == NULL) {
        return false;
      }
      heap->entries = entries;
      heap->room = room;
    }
    entry->place = ++heap->count;
  }
  entry->at_ns = at_ns;
  settle(heap, entry, entry->place);
  return true;
}

void timer_heap_remove(struct timer_heap *heap, struct timer_entry *entry) {
  if (entry->place == 0) {
    return;
  }
  struct timer_entry *last = heap->entries[heap->count--];
  if (last != entry) {
    settle(heap, last, entry->place);
  }
  entry->place = 0;
}

struct timer_entry *timer_heap_expired(const struct timer_heap *heap, int64_t now_ns) {
  return heap->count > 0 && heap->entries[1]->at_ns <= now_ns ? heap->entries[1] : NULL;
}

int64_t timer_heap_remaining_ns(const struct timer_heap *heap, int64_t now_ns) {
  if (heap->count == 0) {
    return -1;
  }
  return heap->entries[1]->at_ns > now_ns ? heap->entries[1]->at_ns - now_ns : 0;
}
