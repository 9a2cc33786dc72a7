/*
 * closing_queue: the slots whose connections have ended and whose on_close is due, first in, first out. Each slot is in
 * it at most once.
 */
#ifndef BROADSIDE_CLOSING_QUEUE_H
#define BROADSIDE_CLOSING_QUEUE_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

struct closing_queue {
  uint32_t *slots; /* a ring */
  uint32_t capacity, first, count;
};

/* Room for CAPACITY slots. 0 or -ENOMEM. */
static inline int closing_queue_create(struct closing_queue *queue, uint32_t capacity) {
  *queue = (struct closing_queue){.slots = calloc(capacity, sizeof *queue->slots), .capacity = capacity};
  return queue->slots ? 0 : -ENOMEM;
}

static inline void closing_queue_destroy(struct closing_queue *queue) { free(queue->slots); }

static inline void closing_queue_add(struct closing_queue *queue, uint32_t slot) {
  uint64_t end = (uint64_t)queue->first + queue->count++;
  queue->slots[end % queue->capacity] = slot;
}

/* The first slot of a queue that is not empty. */
static inline uint32_t closing_queue_take(struct closing_queue *queue) {
  uint32_t slot = queue->slots[queue->first];
  queue->first = (queue->first + 1) % queue->capacity;
  queue->count--;
  return slot;
}

#endif
