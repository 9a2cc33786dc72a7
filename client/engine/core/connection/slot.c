/*
 * slot.c: what becomes of a slot's open connection: what transport says of it, what the workload has it do next, its
 * loss and its planned end. attempt.c has it before, transfer.c keeps the books of its transfers.
 */
#include "../base/splitmix64.h"
#include "engine_state.h"

#define ONE_WAY_BURST 16u /* transfers of a connection one after another, where the kernel takes each at once */

/* Times of events are those of transport's batch; an event that crosses a boundary belongs to the next cut. */
static uint64_t seen(struct engine *engine) {
  uint64_t at_ns = engine->transport->seen_ns;
  if (at_ns >= engine->boundary_ns) engine_cross(engine, at_ns);
  return at_ns;
}

/* The slot's connection is no longer open: takes it out of the gauges. */
static void leave_open(struct engine *engine, uint32_t slot) {
  struct slot *self = &engine->slots[slot];
  if (engine->open_loop) open_loop_withdraw(engine, slot);
  engine->gauges[GAUGE_OPEN]--;
  if ((self->flags & SLOT_ASKED) && !(self->flags & SLOT_ANSWERED)) transfer_unanswered(engine, slot, -1);
  self->flags &= (uint8_t) ~(SLOT_ASKED | SLOT_ANSWERED | SLOT_SENDING);
}

static void fail_transfers(struct engine *engine, uint32_t slot, uint64_t at_ns, uint8_t status) {
  if (engine->flights) {
    flights_fail(engine, slot, at_ns, status);
  } else {
    transfer_fail(engine, slot, engine->slots[slot].started_ns, at_ns, status);
  }
}

/* Books the error that ended or spoiled an open connection, and its transfers in flight. */
static void book_error(struct engine *engine, uint32_t slot, uint64_t at_ns, enum error_cause cause) {
  struct slot *self = &engine->slots[slot];
  engine_count(engine, COUNT_ERRORS + cause);
  engine_count(engine, COUNT_LOST);
  if (self->state == SLOT_BUSY) fail_transfers(engine, slot, at_ns, failure_status(cause));
  if (engine->ages && at_ns - self->since_ns >= engine->settings.backoff.cap_ns) {
    self->failures = 0;
  }
  leave_open(engine, slot);
  self->since_ns = at_ns;
}

void slot_close_then(struct engine *engine, uint32_t slot, enum transport_close_mode ending, enum slot_state then) {
  struct slot *self = &engine->slots[slot];
  self->state = SLOT_CLOSING;
  self->then = (uint8_t)then;
  slot_clear_timer(engine, slot);
  engine->transport->table->close(engine->transport, slot, ending);
}

/* True when it is over already: it went one way. */
static bool begin_transfer(struct engine *engine, uint32_t slot) {
  if (engine->flights) return flights_begin(engine, slot);
  struct slot *self = &engine->slots[slot];
  if (self->flags & SLOT_SENDING) { /* answers, which go first */
    talk_hold(engine, slot, engine->transport->seen_ns);
    return false;
  }
  struct iovec parts[IO_IOVECS_MAX];
  unsigned used = engine->settings.protocol->request(self->protocol_state, &engine->protocol_settings,
                                                     splitmix64_next(&engine->random), parts);
  size_t bytes = 0;
  for (unsigned i = 0; i < used; i++) bytes += parts[i].iov_len;
  self->request_bytes = (uint32_t)bytes;
  self->started_ns = engine->transport->seen_ns;
  transfer_begun(engine, slot);
  if (engine->transport->table->send(engine->transport, slot, parts, used, &self->started_ns) == IO_SENT) {
    engine->interval->counters[COUNT_BYTES_SENT] += bytes;
    if (engine->settings.protocol->one_way) {
      transfer_complete(engine, slot, self->started_ns, engine_notices(engine), CODE_NONE);
      return true;
    }
  } else {
    self->flags |= SLOT_SENDING;
  }
  /* a timer that comes up earlier finds the deadline in started_ns: no timer is moved for each transfer */
  transfer_arm(engine, slot, self->started_ns);
  return false;
}

/* The connection has had its last transfer, as planned: it is neither lost nor an error, and the workload goes on with
 * another. Returns what becomes of the slot once it is closed. */
static enum slot_state go_on_anew(struct engine *engine, uint32_t slot, uint64_t at_ns) {
  struct slot *self = &engine->slots[slot];
  const struct engine_settings *settings = &engine->settings;
  struct workload_answer answer =
      settings->workload->next(&settings->workload_settings, WORKLOAD_REPLIED, at_ns, self->started_ns);
  leave_open(engine, slot);
  self->since_ns = answer.step == WORKLOAD_WAIT ? answer.at_ns : 0;
  if (answer.step == WORKLOAD_CLOSE) return SLOT_FINISHED;
  return answer.step == WORKLOAD_WAIT ? SLOT_PAUSED : SLOT_QUEUED;
}

/* How old the connection of a slot grows. The draw needs no memory: seed, slot and when it was opened make it. */
static uint64_t lifetime_ns(const struct engine *engine, uint32_t slot) {
  const struct lifetime *lifetime = &engine->settings.lifetime;
  if (lifetime->spread_ns == 0) return lifetime->ns;
  uint64_t random = engine->settings.seed ^ ((uint64_t)slot_id(engine, slot) << 32) ^ engine->slots[slot].since_ns;
  return lifetime->ns + splitmix64_below(&random, lifetime->spread_ns + 1);
}

/* The connection has lived long enough, and none of its transfers is under way: closes it, to open another. Returns
 * whether it goes no further, be it closed or waiting for the transfers that are. */
static bool ends_life(struct engine *engine, uint32_t slot, enum workload_event event, uint64_t at_ns) {
  struct slot *self = &engine->slots[slot];
  const struct lifetime *lifetime = &engine->settings.lifetime;
  bool aged = lifetime->ns > 0 && at_ns - self->since_ns >= lifetime_ns(engine, slot);
  if (event == WORKLOAD_OPENED || !(aged || slot_is_spent(engine, slot))) return false;
  if (self->state == SLOT_BUSY) {
    if (engine->open_loop) open_loop_withdraw(engine, slot);
    return true;
  }
  enum slot_state then = SLOT_QUEUED;
  if (event == WORKLOAD_REPLIED) {
    then = go_on_anew(engine, slot, at_ns);
  } else { /* it was in its pause */
    leave_open(engine, slot);
    self->since_ns = 0;
  }
  slot_close_then(engine, slot, lifetime->ending, then);
  return true;
}

/* True when a transfer began and is over already. */
static bool go_on(struct engine *engine, uint32_t slot, enum workload_event event, uint64_t at_ns) {
  struct slot *self = &engine->slots[slot];
  if (engine_ending(engine) || slot >= engine->asked) {
    if (self->state != SLOT_BUSY) slot_release(engine, slot); /* else of its transfers some are in flight */
    return false;
  }
  const struct engine_settings *settings = &engine->settings;
  if (engine->lives && ends_life(engine, slot, event, at_ns)) return false;
  struct workload_answer answer =
      settings->workload->next(&settings->workload_settings, event, at_ns, self->started_ns);
  switch (answer.step) {
  case WORKLOAD_REQUEST: return begin_transfer(engine, slot);
  case WORKLOAD_WAIT:
    self->state = SLOT_IDLE;
    slot_set_timer(engine, slot, answer.at_ns);
    break;
  case WORKLOAD_REST:
    self->state = SLOT_IDLE;
    slot_clear_timer(engine, slot);
    break;
  case WORKLOAD_CLOSE: slot_finish(engine, slot, IO_FIN); break;
  case WORKLOAD_RECONNECT:
    leave_open(engine, slot);
    self->since_ns = 0; /* not lost: nothing to recover from */
    slot_close_then(engine, slot, IO_FIN, SLOT_QUEUED);
    break;
  }
  return false;
}

void slot_go_on(struct engine *engine, uint32_t slot, enum workload_event event, uint64_t at_ns) {
  for (unsigned burst = 1; go_on(engine, slot, event, at_ns); burst++) {
    event = WORKLOAD_REPLIED;
    at_ns = engine_now_ns(engine);
    if (burst == ONE_WAY_BURST && !engine->open_loop) { /* the others' turn; a rate is not without end */
      slot_set_timer(engine, slot, at_ns);
      return;
    }
  }
}

void slot_close_anew(struct engine *engine, uint32_t slot, uint64_t at_ns) {
  enum slot_state then = go_on_anew(engine, slot, at_ns);
  slot_close_then(engine, slot, IO_FIN, then);
}

void slot_spoil(struct engine *engine, uint32_t slot, uint64_t at_ns, enum error_cause cause) {
  book_error(engine, slot, at_ns, cause);
  slot_close_then(engine, slot, IO_RST, SLOT_BACKOFF);
}

bool slot_hear(struct engine *engine, uint32_t slot, const uint8_t *bytes, size_t length, uint64_t at_ns) {
  if (engine->talks) {
    talk_hear(engine, slot, bytes, length, at_ns);
  } else {
    slot_spoil(engine, slot, at_ns, ERROR_PROTOCOL);
  }
  return engine->slots[slot].state == SLOT_IDLE;
}

void slot_timer(struct engine *engine, uint32_t slot) {
  uint64_t at_ns = engine_now_ns(engine), deadline_ns;
  struct slot *self = &engine->slots[slot];
  self->flags &= (uint8_t)~SLOT_ARMED;
  switch (self->state) {
  case SLOT_CONNECTING:
  case SLOT_SECURING: attempt_drop(engine, slot, REJECT_TIMEOUT); break;
  case SLOT_GREETING: attempt_drop(engine, slot, REJECT_GREETING); break;
  case SLOT_IDLE:
    if (self->flags & SLOT_SENDING) {
      talk_hold(engine, slot, at_ns);
    } else if (!engine->open_loop) { /* there it is a deadline of before */
      slot_go_on(engine, slot, WORKLOAD_WAITED, at_ns);
    }
    break;
  case SLOT_BUSY:
    if (engine->talks && talk_quiet(engine, slot, at_ns)) break;
    deadline_ns = engine->flights ? flights_oldest_ns(engine, slot) : self->started_ns;
    deadline_ns += engine->settings.transfer_timeout_ns;
    if (deadline_ns > at_ns) {
      slot_set_timer(engine, slot, deadline_ns);
    } else {
      slot_spoil(engine, slot, at_ns, ERROR_TIMEOUT);
    }
    break;
  case SLOT_BACKOFF:
  case SLOT_PAUSED: attempt_ask(engine, slot); break;
  default: break;
  }
}

void slot_finish(struct engine *engine, uint32_t slot, enum transport_close_mode ending) {
  leave_open(engine, slot);
  slot_close_then(engine, slot, ending, SLOT_FINISHED);
}

void slot_release(struct engine *engine, uint32_t slot) {
  leave_open(engine, slot);
  engine->slots[slot].since_ns = 0; /* not lost: nothing to recover from */
  slot_close_then(engine, slot, IO_FIN, SLOT_NEW);
}

void slot_cut_short(struct engine *engine, uint32_t slot, uint64_t now) {
  fail_transfers(engine, slot, now, TRANSFER_UNFINISHED);
  slot_finish(engine, slot, IO_RST);
}

static void on_transport(void *owner, uint32_t slot) {
  struct engine *engine = owner;
  attempt_transport(engine, slot, seen(engine));
}

static void on_connect(void *owner, uint32_t slot) {
  struct engine *engine = owner;
  uint64_t at_ns = seen(engine);
  attempt_connected(engine, slot, at_ns);
}

/* The reply is whole; LENGTH more bytes came with it. */
static void take_reply(struct engine *engine, uint32_t slot, struct parse_result result, const uint8_t *bytes,
                       size_t length, uint64_t at_ns) {
  struct slot *self = &engine->slots[slot];
  if ((self->flags & SLOT_SENDING) && !result.closes &&
      !(engine->talks && talk_is_sending(engine, slot))) { /* answered before it was asked */
    slot_spoil(engine, slot, at_ns, ERROR_PROTOCOL);
    return;
  }
  transfer_complete(engine, slot, self->started_ns, at_ns, result.code);
  if (length > 0 && !slot_hear(engine, slot, bytes, length, at_ns)) return;
  if (result.closes) {
    slot_close_anew(engine, slot, at_ns);
  } else {
    slot_go_on(engine, slot, WORKLOAD_REPLIED, at_ns);
  }
}

static void hear_reply(struct engine *engine, uint32_t slot, const uint8_t *bytes, size_t length, uint64_t at_ns) {
  struct slot *self = &engine->slots[slot];
  while (length > 0) {
    struct parse_result result =
        engine->settings.protocol->reply(self->protocol_state, &engine->protocol_settings, bytes, length);
    const uint8_t *from = bytes;
    bytes += result.consumed;
    length -= result.consumed;
    switch (result.verdict) {
    case PARSE_INCOMPLETE: return;
    case PARSE_COMPLETE: take_reply(engine, slot, result, bytes, length, at_ns); return;
    case PARSE_COMPLETE_IF_IDLE: talk_heard(engine, slot, self->started_ns, result, at_ns); return;
    case PARSE_RESPOND:
      if (talk_answer(engine, slot, self->protocol_state, from, result)) continue;
      slot_spoil(engine, slot, at_ns, ERROR_PROTOCOL);
      return;
    default: slot_spoil(engine, slot, at_ns, result.verdict == PARSE_MISMATCH ? ERROR_CORRUPT : ERROR_PROTOCOL); return;
    }
  }
}

static void on_bytes(void *owner, uint32_t slot, const uint8_t *bytes, size_t length) {
  struct engine *engine = owner;
  struct slot *self = &engine->slots[slot];
  uint64_t at_ns = seen(engine);
  engine->interval->counters[COUNT_BYTES_RECEIVED] += length;
  if (engine->talks && self->state == SLOT_BUSY) {
    size_t heard = talk_hear(engine, slot, bytes, length, at_ns);
    if (heard == length) return;
    bytes += heard;
    length -= heard;
  }
  if (self->state == SLOT_BUSY) {
    if (engine->flights) {
      flights_reply(engine, slot, bytes, length, at_ns);
    } else {
      hear_reply(engine, slot, bytes, length, at_ns);
    }
  } else if (self->state == SLOT_IDLE) {
    slot_hear(engine, slot, bytes, length, at_ns);
  } else if (self->state == SLOT_GREETING) {
    attempt_hear(engine, slot, bytes, length, at_ns);
  }
}

static void on_sent(void *owner, uint32_t slot) {
  struct engine *engine = owner;
  struct slot *self = &engine->slots[slot];
  self->flags &= (uint8_t)~SLOT_SENDING;
  if (engine->talks && talk_sent(engine, slot)) return;
  bool one_way = engine->settings.protocol->one_way;
  uint64_t at_ns = one_way ? seen(engine) : 0;
  if (!engine->flights) {
    engine->interval->counters[COUNT_BYTES_SENT] += self->request_bytes;
    if (!one_way) return;
    transfer_complete(engine, slot, self->started_ns, at_ns, CODE_NONE);
    slot_go_on(engine, slot, WORKLOAD_REPLIED, at_ns);
    return;
  }
  flights_sent(engine, slot);
}

/* Whether the end of the stream is the end of the reply: then the transfer is whole. Where silence would have ended it
 * too, the wait for that is no part of its time. */
static bool ends_reply(struct engine *engine, uint32_t slot, uint64_t at_ns) {
  const struct protocol *protocol = engine->settings.protocol;
  struct slot *self = &engine->slots[slot];
  if (self->state != SLOT_BUSY || !protocol->end) return false;
  if (engine->talks && talk_of(engine, slot)->heard_ns != 0) at_ns = talk_of(engine, slot)->heard_ns;
  if (engine->flights) return flights_end(engine, slot, at_ns);
  struct parse_result result = protocol->end(self->protocol_state, &engine->protocol_settings);
  if (result.verdict != PARSE_COMPLETE) return false;
  transfer_complete(engine, slot, self->started_ns, at_ns, result.code);
  return true;
}

static void on_close(void *owner, uint32_t slot, int reason) {
  struct engine *engine = owner;
  struct slot *self = &engine->slots[slot];
  uint64_t at_ns = seen(engine);
  enum slot_state then = SLOT_BACKOFF;
  if (self->state == SLOT_CLOSING) {
    then = self->then;
  } else if (self->state == SLOT_CONNECTING || self->state == SLOT_SECURING) {
    attempt_reject(engine, failure_reject_cause(reason));
  } else if (self->state == SLOT_GREETING) {
    attempt_reject(engine, REJECT_GREETING);
  } else if (reason == IO_EOF && ends_reply(engine, slot, at_ns)) {
    then = go_on_anew(engine, slot, at_ns);
  } else {
    book_error(engine, slot, at_ns, failure_error_cause(reason));
  }
  attempt_settle(engine, slot, at_ns, then);
}

const struct transport_events slot_events = {
    .on_connect = on_connect,
    .on_bytes = on_bytes,
    .on_sent = on_sent,
    .on_close = on_close,
    .on_transport = on_transport,
};
