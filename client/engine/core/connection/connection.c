/*
 * connection.c: the life of a slot: one table of events and states, and the only writer of `state`.
 *
 *              NEW      QUEUED    CONNECTING  SECURING  HELLO    IDLE      BUSY        CLOSING  BACKOFF  PAUSED
 *   activate   connect  (queued)  -           -         -        -         refill      -        -        -
 *   deactivate -        (not q.)  abandon     abandon   abandon  close     finish 1st  -        rest     rest
 *   release    -        CONNECT   -           -         -        -         -           -        -        -
 *   deadline   -        -         reject      reject    reject   resume    lose*       -        connect  connect
 *   drain      finish   finish    abandon     abandon   abandon  close     -           -        finish   finish
 *   cut        -        -         -           -         -        reset     cut off     -        -        -
 *   (closed)   -        -         reject      reject    reject   lose      lose**      after    -        -
 *
 *   connect: QUEUED under a connect limiter, else CONNECTING. *: if it is the transfer's. **: unless the end of the
 *   stream completes the reply. FINISHED takes no event. A slot closed by us is CLOSING until the transport reports the
 * close, then enters after_close. A slot that was rejected or lost enters BACKOFF.
 *
 * The transport's events and the answers of the workload are handled below in code: they are the hot path.
 */
#include "connection.h"

#include <string.h>

#include "connecting.h"
#include "control_messages.h"
#include "exchange.h"

#define ONE_WAY_BURST 16u /* transfers of a connection in a row, where the kernel takes each at once */

static void enter(struct connections *self, uint32_t slot, enum slot_state state) {
  self->slots[slot].state = (uint8_t)state;
}

static bool is_open(const struct slot *own) { return own->state == SLOT_IDLE || own->state == SLOT_BUSY; }

/* ---- without a connection ---- */

static void connect_now(struct connections *self, uint32_t slot) {
  enter(self, slot, SLOT_CONNECTING);
  self->owned++;
  connecting_begin(self, slot);
}

/* Connects, or waits for the connect limiter. */
static void connect_or_queue(struct connections *self, uint32_t slot) {
  if (!self->limiter) {
    connect_now(self, slot);
    return;
  }
  enter(self, slot, SLOT_QUEUED);
  recorder_slot_queued(&self->recorder);
  connect_limiter_add(self->limiter, slot);
}

/* A slot without a connection is no longer active. */
static void rest(struct connections *self, uint32_t slot) {
  enter(self, slot, SLOT_NEW);
  self->slots[slot].lost_ns = 0;
  slot_clear_deadline(self, slot);
}

static void finish(struct connections *self, uint32_t slot) {
  enter(self, slot, SLOT_FINISHED);
  self->finished++;
  slot_clear_deadline(self, slot);
}

static void back_off(struct connections *self, uint32_t slot, uint64_t now_ns) {
  struct slot *own = &self->slots[slot];
  if (own->failures < UINT8_MAX) own->failures++;
  enter(self, slot, SLOT_BACKOFF);
  recorder_backoff_begun(&self->recorder);
  slot_set_deadline(self, slot, now_ns + backoff_wait_ns(&self->settings.backoff, own->failures, &self->random));
}

/* The connection is gone, and recorded: the slot enters NEXT, unless it ends or is no longer active. */
static void after_end(struct connections *self, uint32_t slot, enum slot_state next, uint64_t now_ns) {
  struct slot *own = &self->slots[slot];
  self->owned--;
  if (next == SLOT_FINISHED || connections_are_ending(self)) {
    finish(self, slot);
  } else if (!ramp_is_active(&self->ramp, slot)) {
    rest(self, slot);
  } else if (next == SLOT_BACKOFF) {
    back_off(self, slot, now_ns);
  } else if (next == SLOT_PAUSED) {
    own->failures = 0;
    enter(self, slot, SLOT_PAUSED);
    slot_set_deadline(self, slot, own->resume_at_ns);
    own->lost_ns = 0;
  } else {
    if (next == SLOT_QUEUED) own->failures = 0; /* it was closed as planned */
    connect_or_queue(self, slot);
  }
}

/* ---- the end of a connection ---- */

/* Closes the connection; the slot enters NEXT once the transport reports the close. */
static void close_then(struct connections *self, uint32_t slot, enum transport_close_mode mode, enum slot_state next) {
  self->slots[slot].after_close = (uint8_t)next;
  enter(self, slot, SLOT_CLOSING);
  slot_clear_deadline(self, slot);
  self->transport->table->close(self->transport, slot, mode);
}

/* The connection is no longer open. */
static void leave_open(struct connections *self, uint32_t slot) {
  struct slot *own = &self->slots[slot];
  if (self->queue) request_queue_withdraw(self->queue, slot);
  bool unanswered = (own->flags & SLOT_SENT_REQUEST) && !(own->flags & SLOT_ANSWERED);
  recorder_connection_closed(&self->recorder, unanswered, own->opened_ns);
  own->flags &= (uint8_t) ~(SLOT_SENT_REQUEST | SLOT_ANSWERED | SLOT_EARLY_DATA);
}

/* Closes an open connection as planned: neither lost nor an error. */
static void close_as_planned(struct connections *self, uint32_t slot, enum transport_close_mode mode,
                             enum slot_state next) {
  leave_open(self, slot);
  self->slots[slot].lost_ns = 0;
  close_then(self, slot, mode, next);
}

/* Records the error that ended or invalidated an open connection, and its transfers in flight. */
static void record_loss(struct connections *self, uint32_t slot, uint64_t at_ns, enum error_cause cause) {
  struct slot *own = &self->slots[slot];
  recorder_connection_lost(&self->recorder, cause);
  if (own->state == SLOT_BUSY) exchange_fail(self, slot, at_ns, failure_status(cause));
  if (self->backoff_resets_by_age && at_ns - own->opened_ns >= self->settings.backoff.cap_ns) own->failures = 0;
  leave_open(self, slot);
  own->lost_ns = at_ns;
}

/* Ends an open connection by an error of its own: RST, then back-off. */
static void connection_fail(struct connections *self, uint32_t slot, uint64_t at_ns, enum error_cause cause) {
  record_loss(self, slot, at_ns, cause);
  close_then(self, slot, IO_RST, SLOT_BACKOFF);
}

static void reject(struct connections *self, uint32_t slot, enum reject_cause cause) {
  recorder_attempt_rejected(&self->recorder, cause);
  close_then(self, slot, IO_RST, SLOT_BACKOFF);
}

/* The connection has had its last transfer, as planned, and is gone or about to be closed: the workload says when the
 * next one begins. Returns the state to enter then. */
static enum slot_state plan_reconnect(struct connections *self, uint32_t slot, uint64_t at_ns) {
  struct slot *own = &self->slots[slot];
  const struct engine_settings *settings = &self->settings;
  struct workload_answer answer =
      settings->workload->next(&settings->workload_settings, WORKLOAD_REPLIED, at_ns, own->started_ns);
  leave_open(self, slot);
  own->resume_at_ns = answer.step == WORKLOAD_WAIT ? answer.at_ns : 0;
  if (answer.step == WORKLOAD_CLOSE) return SLOT_FINISHED;
  return answer.step == WORKLOAD_WAIT ? SLOT_PAUSED : SLOT_QUEUED;
}

/* ---- an open connection ---- */

/* Where the connection has reached the end of its lifetime: closes it once none of its transfers is in flight. Returns
 * whether it begins no more. */
static bool ends_life(struct connections *self, uint32_t slot, enum workload_event event, uint64_t at_ns) {
  const struct slot *own = &self->slots[slot];
  const struct lifetime *lifetime = &self->settings.lifetime;
  uint64_t seed = self->settings.seed ^ ((uint64_t)slot_id(self, slot) << 32);
  if (event == WORKLOAD_OPENED) return false;
  if (!exchange_is_spent(self, slot) && !lifetime_is_over(lifetime, seed, own->opened_ns, at_ns)) return false;
  enum transport_close_mode mode = lifetime->reset ? IO_RST : IO_FIN;
  if (own->state == SLOT_BUSY) {
    if (self->queue) request_queue_withdraw(self->queue, slot);
  } else if (event == WORKLOAD_REPLIED) {
    enum slot_state next = plan_reconnect(self, slot, at_ns);
    close_then(self, slot, mode, lifetime->is_final ? SLOT_FINISHED : next);
  } else { /* it was in its pause */
    close_as_planned(self, slot, mode, lifetime->is_final ? SLOT_FINISHED : SLOT_QUEUED);
  }
  return true;
}

static inline bool act_on(struct connections *self, uint32_t slot, struct exchange_result result, uint64_t at_ns);

/* Does what the workload answers to EVENT. True when a transfer began and is over already: ask it again. */
static bool next_step(struct connections *self, uint32_t slot, enum workload_event event, uint64_t at_ns) {
  struct slot *own = &self->slots[slot];
  if (connections_are_ending(self) || !ramp_is_active(&self->ramp, slot)) {
    /* In the turn in which the drain begins it stays open, so that TCP_INFO of the interval before can be read. */
    bool drain_closes_it = recorder_drain_is_new(&self->recorder);
    if (own->state != SLOT_BUSY && !drain_closes_it) close_as_planned(self, slot, IO_FIN, SLOT_NEW);
    return false;
  }
  const struct engine_settings *settings = &self->settings;
  if (self->has_lifetime && ends_life(self, slot, event, at_ns)) return false;
  struct workload_answer answer =
      workload_next(settings->workload, &settings->workload_settings, event, at_ns, own->started_ns);
  switch (answer.step) {
  case WORKLOAD_REQUEST: return act_on(self, slot, exchange_request(self, slot), at_ns);
  case WORKLOAD_WAIT: slot_set_deadline(self, slot, answer.at_ns); break;
  case WORKLOAD_STAY_OPEN: slot_clear_deadline(self, slot); break;
  case WORKLOAD_CLOSE:
    leave_open(self, slot);
    close_then(self, slot, IO_FIN, SLOT_FINISHED);
    break;
  case WORKLOAD_RECONNECT: close_as_planned(self, slot, IO_FIN, SLOT_QUEUED); break;
  }
  return false;
}

/* Asks the workload what next, again and again while transfers are over at once. */
static void resume(struct connections *self, uint32_t slot, enum workload_event event, uint64_t at_ns) {
  for (unsigned burst = 1; next_step(self, slot, event, at_ns); burst++) {
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
    connection_fail(self, slot, at_ns, (enum error_cause)result.cause);
  } else {
    enum slot_state next = plan_reconnect(self, slot, at_ns);
    close_then(self, slot, IO_FIN, next);
  }
}

/* Acts on what became of an open connection, except for asking the workload: returns whether that is due. */
static inline bool act_on(struct connections *self, uint32_t slot, struct exchange_result result, uint64_t at_ns) {
  enter(self, slot, result.busy ? SLOT_BUSY : SLOT_IDLE);
  if (result.next == EXCHANGE_WAIT || result.next == EXCHANGE_RESUME) return result.next == EXCHANGE_RESUME;
  end_exchange(self, slot, result, at_ns);
  return false;
}

static void act_and_resume(struct connections *self, uint32_t slot, struct exchange_result result, uint64_t at_ns) {
  if (act_on(self, slot, result, at_ns)) resume(self, slot, (enum workload_event)result.event, at_ns);
}

void connection_request(struct connections *self, uint32_t slot, uint64_t now_ns) {
  act_and_resume(self, slot, exchange_request(self, slot), now_ns);
}

/* ---- the table ---- */

typedef void action(struct connections *self, uint32_t slot, uint64_t now_ns);

static void activate(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  connect_or_queue(self, slot);
}

static void count_as_queued(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)slot, (void)now_ns;
  recorder_slot_queued(&self->recorder);
}

/* It stays in the connect limiter's queue, and leaves it when its turn comes. */
static void count_as_unqueued(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)slot, (void)now_ns;
  recorder_slot_unqueued(&self->recorder);
}

/* Its transfers have not ended since it was active before: it may begin more. */
static void refill(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  if (exchange_has_room(self, slot)) resume(self, slot, WORKLOAD_REPLIED, self->transport->seen_ns);
}

static void abandon(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  recorder_attempt_abandoned(&self->recorder);
  close_then(self, slot, IO_RST, SLOT_NEW);
}

static void close_unneeded(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  close_as_planned(self, slot, IO_FIN, SLOT_NEW);
}

static void take_no_more(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  if (self->queue) request_queue_withdraw(self->queue, slot);
}

static void rest_from_backoff(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  recorder_backoff_ended(&self->recorder);
  rest(self, slot);
}

static void rest_from_pause(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  rest(self, slot);
}

/* The connect limiter's turn; one that was deactivated meanwhile leaves the queue. */
static void leave_queue(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  if (!ramp_is_active(&self->ramp, slot)) {
    rest(self, slot);
    return;
  }
  recorder_slot_unqueued(&self->recorder);
  connect_now(self, slot);
}

static void reject_by_timeout(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  reject(self, slot, REJECT_TIMEOUT);
}

static void reject_by_hello(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  reject(self, slot, REJECT_GREETING);
}

static void resume_idle(struct connections *self, uint32_t slot, uint64_t now_ns) {
  if (self->slots[slot].flags & SLOT_SENDING) {
    if (!control_defer_request(self, slot, now_ns)) connection_fail(self, slot, now_ns, ERROR_TIMEOUT);
  } else if (!self->queue) { /* in open loop an idle connection has no deadline of its own: this one is stale */
    resume(self, slot, WORKLOAD_WAITED, now_ns);
  }
}

static void check_transfer(struct connections *self, uint32_t slot, uint64_t now_ns) {
  act_and_resume(self, slot, exchange_deadline(self, slot, now_ns), now_ns);
}

static void connect_after_backoff(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  recorder_backoff_ended(&self->recorder);
  connect_or_queue(self, slot);
}

static void finish_unused(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  finish(self, slot);
}

static void finish_queued(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  if (ramp_is_active(&self->ramp, slot)) recorder_slot_unqueued(&self->recorder);
  finish(self, slot);
}

static void finish_backoff(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  recorder_backoff_ended(&self->recorder);
  finish(self, slot);
}

static void close_and_finish(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  leave_open(self, slot);
  close_then(self, slot, IO_FIN, SLOT_FINISHED);
}

/* A response is still being sent. */
static void reset_and_finish(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  leave_open(self, slot);
  close_then(self, slot, IO_RST, SLOT_FINISHED);
}

static void cut_off(struct connections *self, uint32_t slot, uint64_t now_ns) {
  exchange_fail(self, slot, now_ns, TRANSFER_UNFINISHED);
  reset_and_finish(self, slot, now_ns);
}

/* What an event does to a slot in each state; NULL: nothing. */
static action *const actions[SLOT_EVENTS][SLOT_STATES] = {
    [SLOT_ACTIVATE] = {[SLOT_NEW] = activate, [SLOT_QUEUED] = count_as_queued, [SLOT_BUSY] = refill},
    [SLOT_DEACTIVATE] = {[SLOT_QUEUED] = count_as_unqueued,
                         [SLOT_CONNECTING] = abandon,
                         [SLOT_SECURING] = abandon,
                         [SLOT_HELLO] = abandon,
                         [SLOT_IDLE] = close_unneeded,
                         [SLOT_BUSY] = take_no_more,
                         [SLOT_BACKOFF] = rest_from_backoff,
                         [SLOT_PAUSED] = rest_from_pause},
    [SLOT_RELEASE] = {[SLOT_QUEUED] = leave_queue},
    [SLOT_DEADLINE] = {[SLOT_CONNECTING] = reject_by_timeout,
                       [SLOT_SECURING] = reject_by_timeout,
                       [SLOT_HELLO] = reject_by_hello,
                       [SLOT_IDLE] = resume_idle,
                       [SLOT_BUSY] = check_transfer,
                       [SLOT_BACKOFF] = connect_after_backoff,
                       [SLOT_PAUSED] = activate},
    [SLOT_DRAIN] = {[SLOT_NEW] = finish_unused,
                    [SLOT_QUEUED] = finish_queued,
                    [SLOT_CONNECTING] = abandon,
                    [SLOT_SECURING] = abandon,
                    [SLOT_HELLO] = abandon,
                    [SLOT_IDLE] = close_and_finish,
                    [SLOT_BACKOFF] = finish_backoff,
                    [SLOT_PAUSED] = finish_unused},
    [SLOT_CUT] = {[SLOT_IDLE] = reset_and_finish, [SLOT_BUSY] = cut_off},
};

void connection_event(struct connections *self, uint32_t slot, enum slot_event event, uint64_t now_ns) {
  struct slot *own = &self->slots[slot];
  if (event == SLOT_DEADLINE) own->flags &= (uint8_t)~SLOT_ARMED;
  action *act = actions[event][own->state];
  if (act) act(self, slot, now_ns);
}

/* ---- the transport's events ---- */

/* The time of the transport's batch; an event at or after a boundary belongs to the next interval. */
static uint64_t seen_ns(struct connections *self) {
  uint64_t at_ns = self->transport->seen_ns;
  recorder_advance(&self->recorder, at_ns);
  return at_ns;
}

static void open_up(struct connections *self, uint32_t slot, uint64_t at_ns) {
  connecting_open(self, slot, at_ns);
  enter(self, slot, SLOT_IDLE);
}

static void on_transport(void *owner, uint32_t slot) {
  struct connections *self = owner;
  connecting_secure(self, slot, seen_ns(self));
  enter(self, slot, SLOT_SECURING);
}

static void on_connect(void *owner, uint32_t slot) {
  struct connections *self = owner;
  uint64_t at_ns = seen_ns(self);
  if (connecting_connected(self, slot, at_ns) == CONNECTING_PENDING) {
    enter(self, slot, SLOT_HELLO);
    return;
  }
  open_up(self, slot, at_ns);
  if (self->transport->has_early_data) { /* on_bytes follows in this turn */
    self->slots[slot].flags |= SLOT_EARLY_DATA;
  } else {
    resume(self, slot, WORKLOAD_OPENED, at_ns);
  }
}

/* Bytes that came before the first question to the workload. */
static void receive_early(struct connections *self, uint32_t slot, const uint8_t *bytes, size_t length,
                          uint64_t at_ns) {
  if (length > 0) act_on(self, slot, exchange_receive(self, slot, bytes, length, at_ns), at_ns);
  self->slots[slot].flags &= (uint8_t)~SLOT_EARLY_DATA;
  if (self->slots[slot].state == SLOT_IDLE) resume(self, slot, WORKLOAD_OPENED, at_ns);
}

static void receive_hello(struct connections *self, uint32_t slot, const uint8_t *bytes, size_t length,
                          uint64_t at_ns) {
  size_t consumed;
  switch (connecting_receive(self, slot, bytes, length, &consumed)) {
  case CONNECTING_PENDING: break;
  case CONNECTING_REJECTED: reject(self, slot, REJECT_GREETING); break;
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
  } else if (is_open(own)) {
    act_and_resume(self, slot, exchange_receive(self, slot, bytes, length, at_ns), at_ns);
  } else if (own->state == SLOT_HELLO) {
    receive_hello(self, slot, bytes, length, at_ns);
  }
}

static void on_sent(void *owner, uint32_t slot) {
  struct connections *self = owner;
  const struct slot *own = &self->slots[slot];
  uint64_t at_ns = seen_ns(self);
  if (is_open(own)) {
    act_and_resume(self, slot, exchange_sent(self, slot, at_ns), at_ns);
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
    recorder_attempt_rejected(&self->recorder, failure_reject_cause(reason));
  } else if (own->state == SLOT_HELLO) {
    recorder_attempt_rejected(&self->recorder, REJECT_GREETING);
  } else if (reason == IO_EOF && exchange_end_of_stream(self, slot, at_ns)) {
    next = plan_reconnect(self, slot, at_ns);
  } else {
    record_loss(self, slot, at_ns, failure_error_cause(reason));
  }
  after_end(self, slot, next, at_ns);
}

const struct transport_events connection_events = {
    .on_connect = on_connect,
    .on_bytes = on_bytes,
    .on_sent = on_sent,
    .on_close = on_close,
    .on_transport = on_transport,
};
