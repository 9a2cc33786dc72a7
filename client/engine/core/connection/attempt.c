/*
 * attempt.c: what becomes of a slot without an open connection: it waits for its turn, attempts, is rejected, backs
 * off, is done. Each attempt ends in exactly one of opened, rejected, abandoned.
 */
#include <string.h>

#include "engine_state.h"

void attempt_ask(struct engine *engine, uint32_t slot) {
  struct slot *self = &engine->slots[slot];
  if (self->state == SLOT_BACKOFF) engine->gauges[GAUGE_BACKING_OFF]--;
  if (!engine->limiter) {
    attempt_begin(engine, slot);
    return;
  }
  self->state = SLOT_QUEUED;
  engine->gauges[GAUGE_QUEUED]++;
  connect_limiter_add(engine->limiter, slot);
}

void attempt_leave_queue(struct engine *engine, uint32_t slot) {
  if (slot < engine->asked) engine->gauges[GAUGE_QUEUED]--;
  engine->slots[slot].state = SLOT_FINISHED;
  engine->finished++;
}

void attempt_begin(struct engine *engine, uint32_t slot) {
  struct slot *self = &engine->slots[slot];
  const struct engine_settings *settings = &engine->settings;
  if (self->state == SLOT_QUEUED) engine->gauges[GAUGE_QUEUED]--;
  self->state = SLOT_CONNECTING;
  self->flags &= (uint8_t)~SLOT_SENDING; /* a greeting that the attempt before could not send */
  engine->live++;
  engine->gauges[GAUGE_CONNECTING]++;
  engine_count(engine, COUNT_ATTEMPTS);
  uint32_t place = settings->endpoint_each ? slot : slot_id(engine, slot) % settings->endpoint_count;
  const struct endpoint *endpoint = &settings->endpoints[place];
  engine->transport->table->connect(engine->transport, slot, endpoint, &self->started_ns);
  slot_set_timer(engine, slot, self->started_ns + settings->connect_timeout_ns);
}

void attempt_reject(struct engine *engine, enum reject_cause cause) {
  engine_count(engine, COUNT_REJECTS + cause);
  engine->gauges[GAUGE_CONNECTING]--;
}

void attempt_drop(struct engine *engine, uint32_t slot, enum reject_cause cause) {
  attempt_reject(engine, cause);
  slot_close_then(engine, slot, IO_RST, SLOT_BACKOFF);
}

void attempt_abandon(struct engine *engine, uint32_t slot) {
  engine_count(engine, COUNT_ABANDONED);
  engine->gauges[GAUGE_CONNECTING]--;
  slot_close_then(engine, slot, IO_RST, SLOT_NEW);
}

/* How long the attempt's present step has taken: to be connected, or secured. */
static uint64_t step_ns(const struct slot *self, uint64_t at_ns) {
  return at_ns > self->started_ns ? at_ns - self->started_ns : 0;
}

void attempt_transport(struct engine *engine, uint32_t slot, uint64_t at_ns) {
  struct slot *self = &engine->slots[slot];
  histogram_record(&engine->interval->connect, step_ns(self, at_ns));
  self->state = SLOT_SECURING;
  self->started_ns = at_ns; /* until the handshake's first bytes are handed to the kernel */
}

/* Of the step in which it was opened: a handshake is either whole or takes up an earlier session. */
static struct histogram *opening(struct engine *engine, uint32_t slot) {
  if (!engine->secures) return &engine->interval->connect;
  return channel_resumed(engine->transport, slot) ? &engine->interval->resumption : &engine->interval->handshake;
}

static void open_up(struct engine *engine, uint32_t slot, uint64_t last_step_ns, uint64_t at_ns) {
  struct slot *self = &engine->slots[slot];
  engine_count(engine, COUNT_OPENED);
  if (self->flags & SLOT_EVER_OPENED) engine_count(engine, COUNT_REOPENED);
  engine->gauges[GAUGE_CONNECTING]--;
  uint64_t open = ++engine->gauges[GAUGE_OPEN];
  if (open > engine->gauges[GAUGE_MOST_OPEN]) engine->gauges[GAUGE_MOST_OPEN] = open;
  histogram_record(opening(engine, slot), last_step_ns);
  if (self->since_ns != 0) histogram_record(&engine->interval->recovery, at_ns - self->since_ns);
  self->since_ns = at_ns;
  self->begun = 0;
  self->state = SLOT_IDLE;
  if (engine->flights) flights_opened(engine, slot);
  self->flags = (uint8_t)((self->flags | SLOT_EVER_OPENED) & ~SLOT_ARMED); /* the connect's deadline is no transfer's */
}

void attempt_connected(struct engine *engine, uint32_t slot, uint64_t at_ns) {
  struct slot *self = &engine->slots[slot];
  uint64_t last_step_ns = step_ns(self, at_ns);
  memset(self->protocol_state, 0, sizeof self->protocol_state);
  if (engine->talks) talk_begin(engine, slot, last_step_ns);
  if (engine->settings.protocol->hello) {
    self->state = SLOT_GREETING;
    talk_greet(engine, slot);
  } else {
    open_up(engine, slot, last_step_ns, at_ns);
    if (engine->transport->has_early_data) return; /* what comes now was not asked for */
    slot_go_on(engine, slot, WORKLOAD_OPENED, at_ns);
  }
}

void attempt_hear(struct engine *engine, uint32_t slot, const uint8_t *bytes, size_t length, uint64_t at_ns) {
  struct slot *self = &engine->slots[slot];
  const struct protocol *protocol = engine->settings.protocol;
  while (length > 0) {
    struct parse_result result = protocol->hello_reply(self->protocol_state, &engine->protocol_settings, bytes, length);
    bool right = result.verdict == PARSE_INCOMPLETE;
    if (result.verdict == PARSE_RESPOND) right = talk_answer(engine, slot, self->protocol_state, bytes, result);
    bytes += result.consumed;
    length -= result.consumed;
    bool said = !(self->flags & SLOT_SENDING) || talk_of(engine, slot)->kept > 0; /* what is being sent is an answer */
    if (result.verdict == PARSE_COMPLETE && said) break;
    if (right) {
      if (length == 0) return;
      continue;
    }
    attempt_drop(engine, slot, REJECT_GREETING);
    return;
  }
  open_up(engine, slot, talk_of(engine, slot)->connect_ns, at_ns);
  talk_hear(engine, slot, bytes, length, at_ns);
  if (self->state == SLOT_IDLE) slot_go_on(engine, slot, WORKLOAD_OPENED, at_ns);
}

void attempt_rest(struct engine *engine, uint32_t slot) {
  engine->slots[slot].state = SLOT_NEW;
  engine->slots[slot].since_ns = 0; /* there is nothing to recover from */
  slot_clear_timer(engine, slot);
}

void attempt_settle(struct engine *engine, uint32_t slot, uint64_t at_ns, enum slot_state then) {
  struct slot *self = &engine->slots[slot];
  engine->live--;
  if (then == SLOT_FINISHED || engine_ending(engine)) {
    self->state = SLOT_FINISHED;
    engine->finished++;
    slot_clear_timer(engine, slot);
    return;
  }
  if (slot >= engine->asked) {
    attempt_rest(engine, slot);
    return;
  }
  if (then == SLOT_QUEUED || then == SLOT_PAUSED) self->failures = 0; /* it lived as long as it was to */
  if (then == SLOT_QUEUED || then == SLOT_NEW) {                      /* it ended as planned */
    attempt_ask(engine, slot);
    return;
  }
  if (then == SLOT_PAUSED) {
    self->state = SLOT_PAUSED;
    slot_set_timer(engine, slot, self->since_ns);
    self->since_ns = 0;
    return;
  }
  if (self->failures < UINT8_MAX) self->failures++;
  self->state = SLOT_BACKOFF;
  engine->gauges[GAUGE_BACKING_OFF]++;
  uint64_t wait_ns = backoff_wait_ns(&engine->settings.backoff, self->failures, &engine->random);
  slot_set_timer(engine, slot, at_ns + wait_ns);
}
