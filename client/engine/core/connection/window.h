/*
 * window: the transfers that a connection has in flight, each with its times and its state of the protocol; replies
 * come in the order of the requests. In closed loop with a depth of 1 the slot holds its only transfer itself: there
 * are no windows. Data only: nothing here sends or records.
 *
 * All requests of one send, a batch, share one send time (the transport stamps a single place); it is copied into each
 * when the send is done.
 */
#ifndef BROADSIDE_WINDOW_H
#define BROADSIDE_WINDOW_H

#include "connections.h"

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

struct windows {
  uint32_t depth, stage_bytes;
  struct window *of;                /* each slot */
  struct pending_request *requests; /* depth of each slot, one slot after another */
  uint8_t *stages;                  /* stage_bytes of each slot; NULL with a depth of 1 */
};

/* For SLOTS connections with up to DEPTH transfers each, whose requests are of about REQUEST_BYTES. Small requests that
 * go out together are copied into one buffer, the slot's stage. Returns 0 or -ENOMEM. */
int windows_create(uint32_t slots, uint32_t depth, size_t request_bytes, struct windows **windows);
void windows_destroy(struct windows *windows);

/* ---- of a slot, whether there are windows or not ---- */

static inline void window_clear(struct connections *self, uint32_t slot) {
  if (self->windows) self->windows->of[slot] = (struct window){0};
}

/* How many transfers are in flight, while the slot's state says so: at rest. */
static inline uint32_t window_count(const struct connections *self, uint32_t slot) {
  return self->windows ? self->windows->of[slot].count : self->slots[slot].state == SLOT_BUSY;
}

/* Whether one more transfer may be sent. */
static inline bool window_has_room(const struct connections *self, uint32_t slot) {
  if (!self->windows) return window_count(self, slot) == 0;
  return self->windows->of[slot].count < self->windows->depth && !(self->slots[slot].flags & SLOT_SENDING);
}

/* The place of request number INDEX from the oldest on; one past the youngest is the next. */
static inline uint32_t window_place(const struct connections *self, uint32_t slot, uint32_t index) {
  if (!self->windows) return 0;
  uint32_t place = self->windows->of[slot].head + index;
  return place >= self->windows->depth ? place - self->windows->depth : place;
}

/* The record of that request, where there are windows. */
static inline struct pending_request *window_request(const struct connections *self, uint32_t slot, uint32_t index) {
  return &self->windows->requests[(size_t)slot * self->windows->depth + window_place(self, slot, index)];
}

/* What the protocol knows of that request. With a depth of one it is the connection's state; else each request has its
 * own, so that changes made by reply() are private to it. */
static inline void *window_state(const struct connections *self, uint32_t slot, uint32_t index) {
  bool is_shared = !self->windows || self->windows->depth == 1;
  return is_shared ? self->slots[slot].protocol_state : window_request(self, slot, index)->state;
}

/* When that request was sent. */
static inline uint64_t window_sent_ns(const struct connections *self, uint32_t slot, uint32_t index) {
  if (!self->windows) return self->slots[slot].started_ns;
  const struct window *window = &self->windows->of[slot];
  bool is_being_sent = index + window->batch >= window->count;
  return is_being_sent ? window->sent_ns : window_request(self, slot, index)->started_ns;
}

/* Where its response time begins. */
static inline uint64_t window_from_ns(const struct connections *self, uint32_t slot, uint32_t index) {
  return self->queue ? window_request(self, slot, index)->due_ns : window_sent_ns(self, slot, index);
}

/* None is in flight any more; the bytes of a batch that is being sent stay, until the transport says how many it took.
 */
static inline void window_end_all(struct connections *self, uint32_t slot) {
  if (self->windows) self->windows->of[slot].count = self->windows->of[slot].batch = 0;
}

/* Removes the oldest. */
static inline void window_drop_oldest(struct connections *self, uint32_t slot) {
  if (!self->windows) return;
  struct window *window = &self->windows->of[slot];
  if (window->count == 0) return;
  window->head = window->head + 1 == self->windows->depth ? 0 : window->head + 1;
  window->count--;
}

#endif
