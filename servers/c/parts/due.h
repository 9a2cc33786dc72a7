/* Times that are due, the earliest first: a binary heap whose entries lie in their owners.
 * The one thing to know: an entry knows its place, so that it can be moved and taken out; one that is all
 * zeros is in no heap. */
#ifndef BROADSIDE_DUE_H
#define BROADSIDE_DUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct due_entry {
  int64_t at_ns;
  size_t place; /* from 1; 0: not in the heap */
};

struct due {
  struct due_entry **entries; /* entries[1] is the earliest */
  size_t count;
  size_t room;
};

/* Puts the entry in, or moves it. False, and nothing is changed, when there is no memory. */
bool due_set(struct due *due, struct due_entry *entry, int64_t at_ns);
/* Takes it out, if it is in. */
void due_clear(struct due *due, struct due_entry *entry);
/* The earliest, still in the heap, if its time has come; or NULL. */
struct due_entry *due_reached(const struct due *due, int64_t now_ns);
/* How long until the earliest, from 0; -1 when there is none. */
int64_t due_in_ns(const struct due *due, int64_t now_ns);

#endif
