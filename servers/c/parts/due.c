/* See due.h: a textbook heap (Knuth 5.2.3). The one thing to know: it grows by doubling and never shrinks. */
#include "due.h"

#include <stdlib.h>

static void put(struct due *due, struct due_entry *entry, size_t place) {
  due->entries[place] = entry;
  entry->place = place;
}

static void settle(struct due *due, struct due_entry *entry, size_t place) {
  for (; place > 1 && due->entries[place / 2]->at_ns > entry->at_ns; place /= 2) {
    put(due, due->entries[place / 2], place);
  }
  for (size_t child; (child = place * 2) <= due->count; place = child) {
    if (child < due->count && due->entries[child + 1]->at_ns < due->entries[child]->at_ns) {
      child++;
    }
    if (due->entries[child]->at_ns >= entry->at_ns) {
      break;
    }
    put(due, due->entries[child], place);
  }
  put(due, entry, place);
}

bool due_set(struct due *due, struct due_entry *entry, int64_t at_ns) {
  if (entry->place == 0) {
    if (due->count + 1 >= due->room) {
      const size_t room = due->room == 0 ? 64 : due->room * 2;
      struct due_entry **entries = realloc(due->entries, room * sizeof *entries);
      if (entries == NULL) {
        return false;
      }
      due->entries = entries;
      due->room = room;
    }
    entry->place = ++due->count;
  }
  entry->at_ns = at_ns;
  settle(due, entry, entry->place);
  return true;
}

void due_clear(struct due *due, struct due_entry *entry) {
  if (entry->place == 0) {
    return;
  }
  struct due_entry *last = due->entries[due->count--];
  if (last != entry) {
    settle(due, last, entry->place);
  }
  entry->place = 0;
}

struct due_entry *due_reached(const struct due *due, int64_t now_ns) {
  return due->count > 0 && due->entries[1]->at_ns <= now_ns ? due->entries[1] : NULL;
}

int64_t due_in_ns(const struct due *due, int64_t now_ns) {
  if (due->count == 0) {
    return -1;
  }
  return due->entries[1]->at_ns > now_ns ? due->entries[1]->at_ns - now_ns : 0;
}
