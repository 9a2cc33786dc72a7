/* Timers ordered by expiry: a binary heap whose entries are part of their owners. An entry knows its position, so it
 * can be moved and removed. A zeroed entry is in no heap. */
#ifndef BROADSIDE_TIMER_HEAP_H
#define BROADSIDE_TIMER_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer_entry {
  int64_t at_ns;
  size_t place; /* from 1; 0: not in the heap */
};

struct timer_heap {
  struct timer_entry **entries; /* entries[1] is the earliest */
  size_t count;
  size_t room;
};

/* Inserts or moves the entry. Returns false, and changes nothing, without memory. */
bool timer_heap_set(struct timer_heap *heap, struct timer_entry *entry, int64_t at_ns);
/* Removes the entry, if it is in the heap. */
void timer_heap_remove(struct timer_heap *heap, struct timer_entry *entry);
/* The earliest entry if it has expired, still in the heap; or NULL. */
struct timer_entry *timer_heap_expired(const struct timer_heap *heap, int64_t now_ns);
/* Time until the earliest entry expires, at least 0; -1 when there is none. */
int64_t timer_heap_remaining_ns(const struct timer_heap *heap, int64_t now_ns);

#endif
