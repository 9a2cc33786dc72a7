/* Times that are due, the earliest first: a binary heap whose entries lie in their owners.
 * The one thing to know: an entry knows its place, so that it can be moved and taken out; one that is all
 * zeros is in no heap. */
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

/* Puts the entry in, or moves it. False, and nothing is changed, when there is no memory. */
bool timer_heap_set(struct timer_heap *heap, struct timer_entry *entry, int64_t at_ns);
/* Takes it out, if it is in. */
void timer_heap_remove(struct timer_heap *heap, struct timer_entry *entry);
/* The earliest, still in the heap, if its time has come; or NULL. */
struct timer_entry *timer_heap_expired(const struct timer_heap *heap, int64_t now_ns);
/* How long until the earliest, from 0; -1 when there is none. */
int64_t timer_heap_remaining_ns(const struct timer_heap *heap, int64_t now_ns);

#endif
