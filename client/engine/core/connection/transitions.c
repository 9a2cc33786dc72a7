/*
 * transitions.c: each function enters the state that follows, and records what ended.
 */
#include "transitions.h"

#include "connecting.h"
#include "received.h"
#include "transfers.h"

void slot_connect(struct connections *self, uint32_t slot) {
  slot_enter(self, slot, SLOT_CONNECTING);
  self->owned++;
  connecting_begin(self, slot);
}

void slot_connect_or_queue(struct connections *self, uint32_t slot) {
  if (!self->limiter) {
    slot_connect(self, slot);
    return;
  }
  slot_enter(self, slot, SLOT_QUEUED);
  recorder_slot_queued(&self->recorder);
  connect_limiter_add(self->limiter, slot);
}

void slot_rest(struct connections *self, uint32_t slot) {
  slot_enter(self, slot, SLOT_NEW);
  self->slots[slot].lost_ns = 0;
  slot_clear_deadline(self, slot);
}

void slot_finish(struct connections *self, uint32_t slot) {
  slot_enter(self, slot, SLOT_FINISHED);
  self->finished++;
  slot_clear_deadline(self, slot);
}

static void back_off(struct connections *self, uint32_t slot, uint64_t now_ns) {
  struct slot *own = &self->slots[slot];
  if (own->failures < UINT8_MAX) own->failures++;
  slot_enter(self, slot, SLOT_BACKOFF);
  recorder_backoff_begun(&self->recorder, slot_was_lost(own));
  slot_set_deadline(self, slot, now_ns + backoff_wait_ns(&self->settings.backoff, own->failures, &self->random));
}

void slot_after_end(struct connections *self, uint32_t slot, enum slot_state next, uint64_t now_ns) {
  struct slot *own = &self->slots[slot];
  self->owned--;
  if (next == SLOT_FINISHED || connections_are_ending(self)) {
    slot_finish(self, slot);
  } else if (!ramp_is_active(&self->ramp, slot)) {
    slot_rest(self, slot);
  } else if (next == SLOT_BACKOFF) {
    back_off(self, slot, now_ns);
  } else if (next == SLOT_PAUSED) {
    own->failures = 0;
    slot_enter(self, slot, SLOT_PAUSED);
    bool awaits_slice = own->resume_at_ns == RESUME_IN_SLICE;
    slot_set_deadline(self, slot, awaits_slice ? slice_loaded_from_ns(&self->slice, now_ns) : own->resume_at_ns);
    own->lost_ns = 0;
  } else {
    if (next == SLOT_QUEUED) own->failures = 0; /* it was closed as planned */
    slot_connect_or_queue(self, slot);
  }
}

void slot_close_then(struct connections *self, uint32_t slot, enum transport_close_mode mode, enum slot_state next) {
  self->slots[slot].after_close = (uint8_t)next & 15u;
  slot_enter(self, slot, SLOT_CLOSING);
  slot_clear_deadline(self, slot);
  self->transport->table->close(self->transport, slot, mode);
}

void slot_leave_open(struct connections *self, uint32_t slot) {
  struct slot *own = &self->slots[slot];
  if (self->queue) request_queue_withdraw(self->queue, slot);
  bool unanswered = (own->flags & SLOT_SENT_REQUEST) && !(own->flags & SLOT_ANSWERED);
  recorder_connection_closed(&self->recorder, unanswered, own->opened_ns);
  if (own->flags & SLOT_ANSWERED) recorder_answered_ended(&self->recorder);
  own->flags &= (uint8_t) ~(SLOT_SENT_REQUEST | SLOT_ANSWERED | SLOT_EARLY_DATA);
}

void slot_close_as_planned(struct connections *self, uint32_t slot, enum slot_state next) {
  slot_leave_open(self, slot);
  self->slots[slot].lost_ns = 0;
  slot_close_then(self, slot, IO_FIN, next);
}

/* Since when an IDLE connection awaits no reply, to the millisecond. */
static uint64_t idle_from_ns(const struct connections *self, const struct slot *own) {
  return own->begun == 0 ? own->opened_ns : self->recorder.start_ns + own->idle_from_ms * NS_PER_MS;
}

bool slot_ends_in_pause(struct connections *self, uint32_t slot, uint64_t at_ns, enum error_cause cause) {
  struct slot *own = &self->slots[slot];
  if (own->state != SLOT_IDLE || (cause != ERROR_CLOSED && cause != ERROR_RESET)) return false;
  if (slice_is_loaded(&self->slice, at_ns)) return false;
  recorder_count(&self->recorder, COUNT_CLOSED_IN_PAUSE, 1);
  slot_leave_open(self, slot);
  own->resume_at_ns = RESUME_IN_SLICE;
  return true;
}

void slot_record_loss(struct connections *self, uint32_t slot, uint64_t at_ns, enum error_cause cause) {
  struct slot *own = &self->slots[slot];
  recorder_connection_lost(&self->recorder, cause);
  received_quote(self, slot, (enum quote_kind)cause, own->state == SLOT_BUSY ? QUOTE_BUSY : QUOTE_IDLE, at_ns);
  if (own->state == SLOT_BUSY) {
    transfers_fail(self, slot, at_ns, failure_status(cause));
  } else if (cause == ERROR_CLOSED || cause == ERROR_RESET) {
    uint64_t from_ns = idle_from_ns(self, own);
    recorder_time(&self->recorder, HISTOGRAM_IDLE_TIME, at_ns > from_ns ? at_ns - from_ns : 0);
  }
  if (self->backoff_resets_by_age && at_ns - own->opened_ns >= self->settings.backoff.cap_ns) own->failures = 0;
  slot_leave_open(self, slot);
  own->lost_ns = at_ns;
}

void slot_fail(struct connections *self, uint32_t slot, uint64_t at_ns, enum error_cause cause) {
  if (slot_ends_in_pause(self, slot, at_ns, cause)) {
    slot_close_then(self, slot, IO_RST, SLOT_PAUSED);
  } else {
    slot_record_loss(self, slot, at_ns, cause);
    slot_close_then(self, slot, IO_RST, SLOT_BACKOFF);
  }
}

void slot_reject(struct connections *self, uint32_t slot, enum reject_cause cause) {
  if (cause == REJECT_GREETING) {
    received_quote(self, slot, QUOTE_GREETING, QUOTE_OPENING, self->transport->seen_ns);
  }
  recorder_attempt_rejected(&self->recorder, cause, slot_renews(&self->slots[slot]));
  slot_close_then(self, slot, IO_RST, SLOT_BACKOFF);
}

enum slot_state slot_plan_reconnect(struct connections *self, uint32_t slot, uint64_t at_ns) {
  struct slot *own = &self->slots[slot];
  const struct engine_settings *settings = &self->settings;
  struct workload_answer answer =
      settings->workload->next(&settings->workload_settings, WORKLOAD_REPLIED, at_ns, own->started_ns);
  slot_leave_open(self, slot);
  own->resume_at_ns = answer.step == WORKLOAD_WAIT ? answer.at_ns : 0;
  if (answer.step == WORKLOAD_CLOSE || settings->lifetime.is_final) return SLOT_FINISHED;
  if (answer.step == WORKLOAD_WAIT) return SLOT_PAUSED;
  if (self->queue || slice_is_loaded(&self->slice, at_ns)) return SLOT_QUEUED;
  own->resume_at_ns = RESUME_IN_SLICE; /* another leg has its turn */
  return SLOT_PAUSED;
}
