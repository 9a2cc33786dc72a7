/*
 * request_queue.c: two walkers along the same schedule, one at the next request to become due, one at the first that
 * waits; and the free connections as a list through an array. Either no request waits or no connection is free.
 */
#include "request_queue.h"

#include <errno.h>
#include <stdlib.h>

#include "../base/clock.h"

#define NO_SLOT UINT32_MAX
#define SEED_OF_ARRIVALS UINT64_C(0x6f70656e6c6f6f70)

struct link {
  uint32_t next, previous; /* both NO_SLOT: not in the list, or alone in it */
};

struct request_queue {
  struct arrivals ahead, behind; /* the next to become due; the first that waits */
  uint64_t waiting;
  uint32_t first, last; /* free connections, the one that has been free longest first */
  bool in_time;         /* the request that waits has been assigned on becoming due */
  struct link links[];
};

int request_queue_create(uint32_t slots, struct request_queue **queue) {
  struct request_queue *self = calloc(1, sizeof *self + slots * sizeof self->links[0]);
  if (!self) return -ENOMEM;
  self->first = self->last = NO_SLOT;
  for (uint32_t slot = 0; slot < slots; slot++) self->links[slot] = (struct link){NO_SLOT, NO_SLOT};
  *queue = self;
  return 0;
}

void request_queue_destroy(struct request_queue *queue) { free(queue); }

void request_queue_begin(struct request_queue *queue, const struct request_queue_begin *begin) {
  arrivals_begin(&queue->ahead, begin->rates, begin->from_ns, begin->later_ns, begin->share, begin->poisson,
                 begin->seed ^ SEED_OF_ARRIVALS);
  queue->behind = queue->ahead;
}

uint64_t request_queue_next_ns(const struct request_queue *queue) { return queue->ahead.next_ns; }

bool request_queue_waits(const struct request_queue *queue) { return queue->waiting > 0; }

bool request_queue_take(struct request_queue *queue, uint64_t *due_ns) {
  bool late = !queue->in_time;
  *due_ns = queue->behind.next_ns;
  arrivals_advance(&queue->behind);
  queue->waiting--;
  queue->in_time = false;
  return late;
}

static bool is_free(const struct request_queue *queue, uint32_t slot) {
  return queue->links[slot].previous != NO_SLOT || queue->first == slot;
}

void request_queue_offer(struct request_queue *queue, uint32_t slot) {
  if (is_free(queue, slot)) return;
  queue->links[slot] = (struct link){NO_SLOT, queue->last};
  if (queue->last == NO_SLOT) {
    queue->first = slot;
  } else {
    queue->links[queue->last].next = slot;
  }
  queue->last = slot;
}

void request_queue_withdraw(struct request_queue *queue, uint32_t slot) {
  if (!is_free(queue, slot)) return;
  struct link link = queue->links[slot];
  if (link.previous == NO_SLOT) {
    queue->first = link.next;
  } else {
    queue->links[link.previous].next = link.next;
  }
  if (link.next == NO_SLOT) {
    queue->last = link.previous;
  } else {
    queue->links[link.next].previous = link.previous;
  }
  queue->links[slot] = (struct link){NO_SLOT, NO_SLOT};
}

enum request_queue_step request_queue_next(struct request_queue *queue, uint64_t now_ns, uint32_t *slot) {
  queue->in_time = false;
  if (queue->ahead.next_ns > now_ns || queue->ahead.next_ns == NS_NEVER) return QUEUE_NONE;
  arrivals_advance(&queue->ahead);
  queue->waiting++;
  if (queue->first == NO_SLOT) return QUEUE_WAITS;
  *slot = queue->first;
  request_queue_withdraw(queue, *slot);
  queue->in_time = true;
  return QUEUE_ASSIGNED;
}

uint64_t request_queue_end(struct request_queue *queue, uint64_t until_ns, uint64_t *due) {
  *due = arrivals_end(&queue->ahead, until_ns);
  uint64_t unsent = queue->waiting + *due;
  queue->waiting = 0;
  return unsent;
}
