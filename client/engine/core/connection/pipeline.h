/*
 * pipeline: the window of transfers that a connection has in flight, each with its own times and protocol state;
 * replies come in the order of the requests. Side arrays, there only with a depth above 1 or in open loop: otherwise a
 * slot holds its only transfer itself. Data only: it sends and records nothing.
 *
 * All requests of one send share one send time (the transport stamps a single place); it is copied into each when the
 * send is done.
 */
#ifndef BROADSIDE_PIPELINE_H
#define BROADSIDE_PIPELINE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../protocol/protocol.h"

struct pending_request {
  uint64_t started_ns;
  uint64_t due_ns; /* open loop */
  alignas(8) uint8_t state[PROTOCOL_STATE_BYTES];
};

struct window {
  uint64_t sent_ns;     /* of the batch being sent, or the last one */
  uint32_t head, count; /* place of the oldest; how many are in flight */
  uint32_t batch;       /* the youngest of them, which are being sent */
  size_t bytes;         /* of the batch */
};

struct pipeline {
  uint32_t depth, stage_bytes;
  struct window *windows;
  struct pending_request *requests; /* depth of each slot, one slot after another */
  uint8_t *stages;                  /* stage_bytes of each slot; NULL with a depth of 1 */
};

/* For SLOTS connections with up to DEPTH transfers each, whose requests are of about REQUEST_BYTES. Small requests that
 * go out together are copied into one buffer, the slot's stage. Returns 0 or -ENOMEM. */
int pipeline_create(uint32_t slots, uint32_t depth, size_t request_bytes, struct pipeline **pipeline);
void pipeline_destroy(struct pipeline *pipeline);

/* The slot's stage; NULL: it has none. */
static inline uint8_t *pipeline_stage(const struct pipeline *pipeline, uint32_t slot) {
  return pipeline->stages ? pipeline->stages + (size_t)slot * pipeline->stage_bytes : NULL;
}

/* The place in the window of the slot's request number INDEX from the oldest on; one past the youngest is the next. */
static inline uint32_t pipeline_place(const struct pipeline *pipeline, uint32_t slot, uint32_t index) {
  uint32_t place = pipeline->windows[slot].head + index;
  return place >= pipeline->depth ? place - pipeline->depth : place;
}

/* The request there. */
static inline struct pending_request *pipeline_at(const struct pipeline *pipeline, uint32_t slot, uint32_t index) {
  return &pipeline->requests[(size_t)slot * pipeline->depth + pipeline_place(pipeline, slot, index)];
}

/* When that one was sent. */
static inline uint64_t pipeline_started_ns(const struct pipeline *pipeline, uint32_t slot, uint32_t index) {
  const struct window *window = &pipeline->windows[slot];
  bool is_being_sent = index + window->batch >= window->count;
  return is_being_sent ? window->sent_ns : pipeline_at(pipeline, slot, index)->started_ns;
}

/* The send of the batch is done: its requests get their time. Returns the bytes of the batch. */
static inline size_t pipeline_end_batch(struct pipeline *pipeline, uint32_t slot) {
  struct window *window = &pipeline->windows[slot];
  size_t bytes = window->bytes;
  uint32_t first = window->batch < window->count ? window->count - window->batch : 0;
  for (uint32_t i = first; i < window->count; i++) pipeline_at(pipeline, slot, i)->started_ns = window->sent_ns;
  window->batch = 0;
  window->bytes = 0;
  return bytes;
}

/* The oldest is over. */
static inline void pipeline_drop_oldest(struct pipeline *pipeline, uint32_t slot) {
  struct window *window = &pipeline->windows[slot];
  if (window->count == 0) return;
  window->head = window->head + 1 == pipeline->depth ? 0 : window->head + 1;
  window->count--;
}

#endif
