/*
 * open_connection.c: the hot path between a reply and the next request.
 */
#include "open_connection.h"

#include "transitions.h"

#define ONE_WAY_BURST 16u /* transfers of a connection in a row, where the kernel takes each at once */

/* Where the connection has reached the end of its lifetime: closes it once none of its transfers is in flight. Returns
 * whether it begins no more. */
static bool ends_life(struct connections *self, uint32_t slot, enum workload_event event, uint64_t at_ns) {
  const struct slot *own = &self->slots[slot];
  const struct lifetime *lifetime = &self->settings.lifetime;
  if (event == WORKLOAD_OPENED) return false;
  if (!exchange_is_spent(self, slot) && !lifetime_is_over(lifetime, own->opened_ns, at_ns)) return false;
  if (own->state == SLOT_BUSY) {
    if (self->queue) request_queue_withdraw(self->queue, slot);
  } else if (event == WORKLOAD_REPLIED) {
    enum slot_state next = slot_plan_reconnect(self, slot, at_ns);
    slot_close_then(self, slot, IO_FIN, next);
  } else { /* it was in its pause */
    slot_close_as_planned(self, slot, lifetime->is_final ? SLOT_FINISHED : SLOT_QUEUED);
  }
  return true;
}

/* Another leg has its turn: the connection waits for the next slice, once it awaits no reply. One that had a reply in
 * this slice comes after those that had no turn in it, so that a slow engine starves none. */
static void wait_for_slice(struct connections *self, uint32_t slot, bool was_served) {
  if (self->slots[slot].state == SLOT_BUSY) return;
  slot_set_deadline(self, slot, self->slice.next_ns + (was_served ? SLICE_SERVED_NS : 0));
}

/* Does what the workload answers to EVENT. True when a transfer began and is over already: ask it again. */
static bool take_step(struct connections *self, uint32_t slot, enum workload_event event, uint64_t at_ns) {
  struct slot *own = &self->slots[slot];
  if (connections_are_ending(self) || !ramp_is_active(&self->ramp, slot)) {
    /* In the turn in which the drain begins it stays open, so that TCP_INFO of the interval before can be read. */
    bool drain_closes_it = recorder_drain_is_new(&self->recorder);
    if (own->state != SLOT_BUSY && !drain_closes_it) slot_close_as_planned(self, slot, SLOT_NEW);
    return false;
  }
  const struct engine_settings *settings = &self->settings;
  if (self->has_lifetime && ends_life(self, slot, event, at_ns)) return false;
  struct workload_answer answer =
      workload_next(settings->workload, &settings->workload_settings, event, at_ns, own->started_ns);
  switch (answer.step) {
  case WORKLOAD_REQUEST:
    /* in open loop the rates keep to the slices: what is due is sent */
    if (self->queue || slice_is_loaded(&self->slice, at_ns)) {
      return open_connection_apply(self, slot, exchange_request(self, slot), at_ns);
    }
    wait_for_slice(self, slot, event == WORKLOAD_REPLIED);
    break;
  case WORKLOAD_WAIT: slot_set_deadline(self, slot, answer.at_ns); break;
  case WORKLOAD_STAY_OPEN: slot_clear_deadline(self, slot); break;
  case WORKLOAD_CLOSE:
    slot_leave_open(self, slot);
    slot_close_then(self, slot, IO_FIN, SLOT_FINISHED);
    break;
  case WORKLOAD_RECONNECT: {
    enum slot_state next = slot_plan_reconnect(self, slot, at_ns);
    slot_close_then(self, slot, IO_FIN, next);
    break;
  }
  }
  return false;
}

void open_connection_step(struct connections *self, uint32_t slot, enum workload_event event, uint64_t at_ns) {
  for (unsigned burst = 1; take_step(self, slot, event, at_ns); burst++) {
    event = WORKLOAD_REPLIED;
    at_ns = connections_now_ns(self);
    /* Yield so that other connections progress; in open loop the arrival rate bounds the burst. */
    if (burst == ONE_WAY_BURST && !self->queue) {
      slot_set_deadline(self, slot, at_ns);
      return;
    }
  }
}

/* The exchange ends the connection. */
static void end_exchange(struct connections *self, uint32_t slot, struct exchange_result result, uint64_t at_ns) {
  if (result.next == EXCHANGE_FAIL) {
    slot_fail(self, slot, at_ns, (enum error_cause)result.cause);
  } else {
    enum slot_state next = slot_plan_reconnect(self, slot, at_ns);
    slot_close_then(self, slot, IO_FIN, next);
  }
}

bool open_connection_apply(struct connections *self, uint32_t slot, struct exchange_result result, uint64_t at_ns) {
  slot_enter(self, slot, result.busy ? SLOT_BUSY : SLOT_IDLE);
  if (result.next == EXCHANGE_WAIT || result.next == EXCHANGE_STEP) return result.next == EXCHANGE_STEP;
  end_exchange(self, slot, result, at_ns);
  return false;
}

void open_connection_apply_and_step(struct connections *self, uint32_t slot, struct exchange_result result,
                                    uint64_t at_ns) {
  if (open_connection_apply(self, slot, result, at_ns))
    open_connection_step(self, slot, (enum workload_event)result.event, at_ns);
}
