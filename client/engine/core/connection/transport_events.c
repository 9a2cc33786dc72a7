/*
 * transport_events.c: what the transport reports of a connection, handled by the state of its slot.
 */
#include "connecting.h"
#include "connection.h"
#include "exchange.h"
#include "open_connection.h"
#include "received.h"
#include "stamps.h"
#include "transitions.h"

/* The time of the transport's batch; an event at or after a boundary belongs to the next interval. */
static uint64_t seen_ns(struct connections *self) {
  uint64_t at_ns = self->transport->seen_ns;
  recorder_advance(&self->recorder, at_ns);
  return at_ns;
}

static void open_up(struct connections *self, uint32_t slot, uint64_t at_ns) {
  connecting_open(self, slot, at_ns);
  slot_enter(self, slot, SLOT_IDLE);
}

static void on_transport(void *owner, uint32_t slot) {
  struct connections *self = owner;
  connecting_secure(self, slot, seen_ns(self));
  slot_enter(self, slot, SLOT_SECURING);
}

static void on_connect(void *owner, uint32_t slot) {
  struct connections *self = owner;
  uint64_t at_ns = seen_ns(self);
  if (connecting_connected(self, slot, at_ns) == CONNECTING_PENDING) {
    slot_enter(self, slot, SLOT_HELLO);
    return;
  }
  open_up(self, slot, at_ns);
  if (self->transport->has_early_data) { /* on_bytes follows in this turn */
    self->slots[slot].flags |= SLOT_EARLY_DATA;
  } else {
    open_connection_step(self, slot, WORKLOAD_OPENED, at_ns);
  }
}

/* Bytes that came before the first question to the workload. */
static void receive_early(struct connections *self, uint32_t slot, const uint8_t *bytes, size_t length,
                          uint64_t at_ns) {
  if (length > 0) open_connection_apply(self, slot, exchange_receive(self, slot, bytes, length, at_ns), at_ns);
  self->slots[slot].flags &= (uint8_t)~SLOT_EARLY_DATA;
  if (self->slots[slot].state == SLOT_IDLE) open_connection_step(self, slot, WORKLOAD_OPENED, at_ns);
}

static void receive_hello(struct connections *self, uint32_t slot, const uint8_t *bytes, size_t length,
                          uint64_t at_ns) {
  size_t consumed;
  switch (connecting_receive(self, slot, bytes, length, &consumed)) {
  case CONNECTING_PENDING: break;
  case CONNECTING_REJECTED: slot_reject(self, slot, REJECT_GREETING); break;
  case CONNECTING_OPENED:
    open_up(self, slot, at_ns);
    receive_early(self, slot, bytes + consumed, length - consumed, at_ns);
    break;
  }
}

static void on_bytes(void *owner, uint32_t slot, const uint8_t *bytes, size_t length) {
  struct connections *self = owner;
  const struct slot *own = &self->slots[slot];
  uint64_t at_ns = seen_ns(self);
  recorder_bytes_received(&self->recorder, length);
  if (own->flags & SLOT_EARLY_DATA) {
    receive_early(self, slot, bytes, length, at_ns);
  } else if (slot_is_open(own)) {
    open_connection_apply_and_step(self, slot, exchange_receive(self, slot, bytes, length, at_ns), at_ns);
  } else if (own->state == SLOT_HELLO) {
    receive_hello(self, slot, bytes, length, at_ns);
  }
}

static void on_sent(void *owner, uint32_t slot) {
  struct connections *self = owner;
  const struct slot *own = &self->slots[slot];
  uint64_t at_ns = seen_ns(self);
  if (slot_is_open(own)) {
    open_connection_apply_and_step(self, slot, exchange_sent(self, slot, at_ns), at_ns);
  } else if (own->state == SLOT_HELLO) {
    exchange_sent(self, slot, at_ns);
  }
}

static void on_close(void *owner, uint32_t slot, int reason) {
  struct connections *self = owner;
  struct slot *own = &self->slots[slot];
  uint64_t at_ns = seen_ns(self);
  enum slot_state next = SLOT_BACKOFF;
  if (own->flags & SLOT_SENDING) exchange_abandon_send(self, slot);
  if (own->state == SLOT_CLOSING) {
    next = (enum slot_state)own->after_close;
  } else if (own->state == SLOT_CONNECTING || own->state == SLOT_SECURING) {
    recorder_attempt_rejected(&self->recorder, failure_reject_cause(reason), slot_renews(own));
  } else if (own->state == SLOT_HELLO) {
    received_quote(self, slot, QUOTE_GREETING, QUOTE_OPENING, at_ns);
    recorder_attempt_rejected(&self->recorder, REJECT_GREETING, slot_renews(own));
  } else if (reason == IO_EOF && exchange_end_of_stream(self, slot, at_ns)) {
    next = slot_plan_reconnect(self, slot, at_ns);
  } else if (reason == IO_EOF && own->state == SLOT_IDLE && recorder_drain_is_new(&self->recorder)) {
    slot_leave_open(self, slot); /* the peer ends first what is open only for the rest of this turn */
  } else {
    enum error_cause cause = exchange_cause_of_end(self, slot, reason);
    if (slot_ends_in_pause(self, slot, at_ns, cause)) {
      next = SLOT_PAUSED;
    } else {
      slot_record_loss(self, slot, at_ns, cause);
    }
  }
  slot_after_end(self, slot, next, at_ns);
}

static void on_stamps(void *owner, uint32_t slot) { stamps_take(owner, slot); }

const struct transport_events connection_events = {
    .on_connect = on_connect,
    .on_bytes = on_bytes,
    .on_sent = on_sent,
    .on_close = on_close,
    .on_transport = on_transport,
    .on_stamps = on_stamps,
};
