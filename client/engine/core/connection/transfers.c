/*
 * transfers.c: the records of a transfer, in the closed loop and in the open.
 */
#include "transfers.h"

#include "control_messages.h"
#include "received.h"
#include "stamps.h"
#include "window.h"

bool transfer_is_being_sent(const struct connections *self, uint32_t slot) {
  if (self->windows) return self->windows->of[slot].batch > 0 && self->windows->of[slot].count == 1;
  return (self->slots[slot].flags & SLOT_SENDING) && !(self->control && control_is_sending(self, slot));
}

void transfer_begin(struct connections *self, uint32_t slot) {
  struct slot *own = &self->slots[slot];
  self->transfers_left--;
  own->begun++;
  recorder_request_started(&self->recorder, self->transport->seen_ns);
  if (!(own->flags & SLOT_SENT_REQUEST)) recorder_unanswered_begun(&self->recorder, own->opened_ns);
  if (!(own->flags & SLOT_EVER_SENT_REQUEST)) recorder_never_answered_begun(&self->recorder);
  own->flags |= SLOT_SENT_REQUEST | SLOT_EVER_SENT_REQUEST;
}

/* Where the leg takes turns with others: in whose turn a transfer has ended. */
static inline void record_turn(struct connections *self, uint64_t at_ns) {
  if (!slice_cursor_takes_turns(&self->slice)) return;
  if (slice_is_measured(&self->slice, at_ns)) {
    recorder_count(&self->recorder, COUNT_MEASURED, 1);
  } else if (slice_is_over(&self->slice, at_ns)) {
    recorder_count(&self->recorder, COUNT_AFTER_SLICES, 1);
  }
}

/* What is known of the request of STATE, and of its reply if it IS_ANSWERED. */
static inline struct transfer_labels labels_of(const struct connections *self, const void *state, bool is_answered) {
  const struct protocol *protocol = self->settings.protocol;
  struct transfer_labels labels = {0, 0};
  if (is_answered && protocol->status_code) labels.code = protocol->status_code(state);
  if (self->listed_requests > 0) labels.request = (uint16_t)protocol->request_index(state);
  return labels;
}

void transfer_succeed(struct connections *self, uint32_t slot, uint64_t at_ns, uint64_t arrived_ns, enum code code) {
  struct slot *own = &self->slots[slot];
  struct recorder *recorder = &self->recorder;
  uint64_t sent_ns = window_sent_ns(self, slot, 0);
  uint64_t from_ns = self->queue ? window_from_ns(self, slot, 0) : sent_ns;
  const struct transfer_labels labels = labels_of(self, window_state(self, slot, 0), true);
  if (at_ns < sent_ns) at_ns = connections_now_ns(self); /* sent after the batch was seen, replied to within it */
  bool measured = slice_began_measured(&self->slice, from_ns);
  if (self->stamps) {
    stamps_reply(self, slot, window_place(self, slot, 0),
                 &(struct stamps_reply){from_ns, sent_ns, at_ns < from_ns ? from_ns : at_ns, arrived_ns, measured});
  }
  if (!transfer_is_being_sent(self, slot)) own->idle_from_ms = (uint32_t)((at_ns - recorder->start_ns) / NS_PER_MS);
  window_drop_oldest(self, slot);
  if (own->received > 0) {
    if (quote_kind_of(code) != QUOTE_KINDS) received_quote(self, slot, quote_kind_of(code), QUOTE_BUSY, at_ns);
    received_forget(self, slot);
  }
  record_turn(self, at_ns);
  uint64_t response_ns = at_ns > from_ns ? at_ns - from_ns : 0;
  recorder_request_succeeded(recorder, slot_id(self, slot), from_ns, response_ns, (uint8_t)code, labels, measured);
  if (self->listed_requests > 0) {
    recorder_listed_succeeded(recorder, labels.request, response_ns, (uint8_t)code, measured);
  }
  if (self->queue && measured) recorder_time(recorder, HISTOGRAM_SERVICE_TIME, at_ns > sent_ns ? at_ns - sent_ns : 0);
  if (recorder->phase == PHASE_STEADY) own->steady_transfers++;
  if (!(own->flags & SLOT_ANSWERED)) {
    recorder_unanswered_ended(recorder, own->opened_ns);
    recorder_answered_begun(recorder);
  }
  if (!(own->flags & SLOT_EVER_ANSWERED)) recorder_never_answered_ended(recorder);
  own->flags |= SLOT_ANSWERED | SLOT_EVER_ANSWERED;
  if (!self->backoff_resets_by_age) own->failures = 0;
}

/* The request of STATE on connection ID, whose response time began at FROM_NS, has failed with STATUS. */
static void record_failure(struct connections *self, uint32_t id, const void *state, uint64_t from_ns, uint64_t at_ns,
                           uint8_t status) {
  const struct transfer_labels labels = labels_of(self, state, false);
  recorder_request_failed(&self->recorder, id, from_ns, at_ns, status, labels);
  if (self->listed_requests > 0) recorder_listed_failed(&self->recorder, labels.request, status);
}

void transfers_fail(struct connections *self, uint32_t slot, uint64_t at_ns, uint8_t status) {
  for (uint32_t i = 0, count = window_count(self, slot); i < count; i++) {
    record_failure(self, slot_id(self, slot), window_state(self, slot, i), window_from_ns(self, slot, i), at_ns,
                   status);
  }
  window_end_all(self, slot);
}
