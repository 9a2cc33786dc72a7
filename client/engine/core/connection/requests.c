/*
 * requests.c: how requests are made and sent: one by one, or several of a window together.
 */
#include <string.h>

#include "control_messages.h"
#include "exchange.h"
#include "received.h"
#include "stamps.h"
#include "transfers.h"
#include "window.h"

void exchange_begin(struct connections *self, uint32_t slot) {
  self->slots[slot].begun = 0;
  window_clear(self, slot);
  if (self->stamps) stamps_open(self, slot);
}

bool exchange_is_spent(const struct connections *self, uint32_t slot) {
  return lifetime_is_spent(&self->settings.lifetime, self->slots[slot].begun);
}

/* Makes a request in STATE. Returns the number of PARTS. */
static unsigned write_request(struct connections *self, uint32_t slot, void *state, struct iovec parts[3]) {
  const struct request_inputs inputs = {.random = splitmix64_next(&self->random),
                                        .identity = splitmix64_next(&self->identity),
                                        .number = self->number,
                                        .room = self->rooms ? self->rooms + slot * self->room_bytes : NULL};
  self->number += self->settings.stride;
  return self->settings.protocol->request(state, &self->protocol_settings, &inputs, parts);
}

static struct exchange_result request_one(struct connections *self, uint32_t slot) {
  struct slot *own = &self->slots[slot];
  if (own->flags & SLOT_SENDING) { /* responses, which go first */
    if (control_defer_request(self, slot, self->transport->seen_ns)) return exchange_waits(false);
    return exchange_fails(ERROR_TIMEOUT, false);
  }
  struct iovec parts[IO_IOVECS_MAX];
  unsigned used = write_request(self, slot, own->protocol_state, parts);
  size_t bytes = parts_bytes(parts, used);
  own->request_bytes = (uint32_t)bytes;
  transfer_begin(self, slot);
  bool is_chosen = self->stamps && stamps_choose(self, slot, bytes);
  bool done = slot_send(self, slot, parts, used, &own->started_ns);
  if (is_chosen) stamps_sent(self, slot, 0, 1, bytes, done);
  if (done) {
    recorder_bytes_sent(&self->recorder, bytes);
    if (self->settings.protocol->one_way) {
      transfer_succeed(self, slot, connections_stamp_ns(self), 0, CODE_NONE);
      return exchange_steps(WORKLOAD_REPLIED, false);
    }
  }
  slot_arm(self, slot, own->started_ns);
  return exchange_waits(true);
}

/* Makes the next request of a window, which counts as begun from here on. Returns the number of PARTS. */
static unsigned make_request(struct connections *self, uint32_t slot, struct iovec parts[3], size_t *bytes) {
  struct window *window = &self->windows->of[slot];
  struct slot *own = &self->slots[slot];
  struct pending_request *request = window_request(self, slot, window->count);
  void *state = window_state(self, slot, window->count);
  if (state == request->state) memcpy(state, own->protocol_state, PROTOCOL_STATE_BYTES);
  unsigned used = write_request(self, slot, state, parts);
  if (state == request->state) memcpy(own->protocol_state, state, PROTOCOL_STATE_BYTES);
  bool late = self->queue && request_queue_take(self->queue, &request->due_ns);
  if (self->queue) recorder_request_taken(&self->recorder, late);
  if (self->stamps) stamps_made(self, slot, window_place(self, slot, window->count), late);
  window->count++;
  window->batch++;
  *bytes = parts_bytes(parts, used);
  window->bytes += *bytes;
  transfer_begin(self, slot);
  return used;
}

/* The kernel has taken all of the batch: its requests get their time. */
static void end_batch(struct connections *self, uint32_t slot) {
  struct window *window = &self->windows->of[slot];
  uint32_t first = window->batch < window->count ? window->count - window->batch : 0;
  for (uint32_t i = 0; self->queue && i < window->batch; i++) {
    recorder_request_sent(&self->recorder, window->sent_ns);
  }
  for (uint32_t i = first; i < window->count; i++) window_request(self, slot, i)->started_ns = window->sent_ns;
  recorder_bytes_sent(&self->recorder, window->bytes);
  window->batch = 0;
  window->bytes = 0;
}

static void send_batch(struct connections *self, uint32_t slot, const struct iovec *parts, unsigned count) {
  const struct window *window = &self->windows->of[slot];
  size_t bytes = window->bytes;
  bool is_chosen = self->stamps && stamps_choose(self, slot, bytes);
  bool done = slot_send(self, slot, parts, count, &self->windows->of[slot].sent_ns);
  if (is_chosen) {
    uint32_t last = window_place(self, slot, window->count - 1);
    stamps_sent(self, slot, last, window->batch, bytes, done);
  }
  if (done) end_batch(self, slot);
}

static inline bool may_begin(const struct connections *self, uint32_t slot) {
  return window_has_room(self, slot) && self->transfers_left > 0 && !exchange_is_spent(self, slot) &&
         (!self->queue || request_queue_waits(self->queue));
}

static struct exchange_result request_several(struct connections *self, uint32_t slot) {
  const struct window *window = &self->windows->of[slot];
  struct iovec parts[IO_IOVECS_MAX];
  uint8_t *stage = self->windows->stages ? self->windows->stages + (size_t)slot * self->windows->stage_bytes : NULL;
  size_t staged = 0;
  while (may_begin(self, slot)) {
    size_t bytes;
    unsigned used = make_request(self, slot, &parts[1], &bytes);
    bool more = may_begin(self, slot);
    if (staged + bytes <= self->windows->stage_bytes && (more || staged > 0)) {
      for (unsigned i = 1; i <= used; staged += parts[i++].iov_len) {
        memcpy(stage + staged, parts[i].iov_base, parts[i].iov_len);
      }
      if (more) continue;
      used = 0;
    }
    parts[0] = (struct iovec){stage, staged};
    if (staged > 0) {
      send_batch(self, slot, parts, used + 1);
    } else {
      send_batch(self, slot, &parts[1], used);
    }
    staged = 0;
    if (self->settings.protocol->one_way && !(self->slots[slot].flags & SLOT_SENDING)) {
      transfer_succeed(self, slot, connections_stamp_ns(self), 0, CODE_NONE);
      return exchange_steps(WORKLOAD_REPLIED, window->count > 0);
    }
  }
  if (window->count > 0) slot_arm(self, slot, window_sent_ns(self, slot, 0));
  bool is_free = window_has_room(self, slot) && !exchange_is_spent(self, slot);
  if (self->queue && is_free) request_queue_offer(self->queue, slot);
  return exchange_waits(window->count > 0);
}

struct exchange_result exchange_request(struct connections *self, uint32_t slot) {
  if (received_has_unsolicited(self, slot)) return exchange_fails(ERROR_PROTOCOL, false);
  return self->windows ? request_several(self, slot) : request_one(self, slot);
}

struct exchange_result exchange_sent(struct connections *self, uint32_t slot, uint64_t at_ns) {
  bool one_way = self->settings.protocol->one_way, resumes;
  self->slots[slot].flags &= (uint8_t)~SLOT_SENDING;
  if (self->stamps) stamps_send_done(self, slot);
  if (self->control && control_sent(self, slot, &resumes)) {
    bool busy = window_count(self, slot) > 0;
    return resumes ? exchange_steps(WORKLOAD_WAITED, busy) : exchange_waits(busy);
  }
  if (!self->windows) {
    recorder_bytes_sent(&self->recorder, self->slots[slot].request_bytes);
    if (!one_way) return exchange_waits(true);
    transfer_succeed(self, slot, at_ns, 0, CODE_NONE);
    return exchange_steps(WORKLOAD_REPLIED, false);
  }
  bool was_busy = window_count(self, slot) > 0;
  end_batch(self, slot);
  if (one_way && was_busy) transfer_succeed(self, slot, at_ns, 0, CODE_NONE);
  bool busy = window_count(self, slot) > 0;
  return was_busy && window_has_room(self, slot) ? exchange_steps(WORKLOAD_REPLIED, busy) : exchange_waits(busy);
}

void exchange_abandon_send(struct connections *self, uint32_t slot) {
  struct slot *own = &self->slots[slot];
  size_t unsent = self->transport->table->unsent_bytes(self->transport, slot), bytes = own->request_bytes;
  if (self->windows) bytes = self->windows->of[slot].bytes;
  if (self->control && control_is_sending(self, slot)) bytes = control_of(self, slot)->sending;
  own->flags &= (uint8_t)~SLOT_SENDING;
  recorder_bytes_sent(&self->recorder, bytes > unsent ? bytes - unsent : 0);
}
