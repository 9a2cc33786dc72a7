/*
 * connection.c: the life of a slot: one table of events and states.
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
 *   close, then enters after_close. A slot that was rejected or lost enters BACKOFF.
 *
 * The hot path is code instead: the transport's events in transport_events.c, the answers of the workload in
 * open_connection.c.
 */
#include "connection.h"

#include "control_messages.h"
#include "exchange.h"
#include "open_connection.h"
#include "transfers.h"
#include "transitions.h"
#include "window.h"

typedef void action(struct connections *self, uint32_t slot, uint64_t now_ns);

static void activate(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  slot_connect_or_queue(self, slot);
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
  if (window_has_room(self, slot)) open_connection_step(self, slot, WORKLOAD_REPLIED, self->transport->seen_ns);
}

static void abandon(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  recorder_attempt_abandoned(&self->recorder, slot_renews(&self->slots[slot]));
  slot_close_then(self, slot, IO_RST, SLOT_NEW);
}

static void close_unneeded(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  slot_close_as_planned(self, slot, SLOT_NEW);
}

static void take_no_more(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  if (self->queue) request_queue_withdraw(self->queue, slot);
}

static void rest_from_backoff(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  recorder_backoff_ended(&self->recorder, slot_was_lost(&self->slots[slot]));
  slot_rest(self, slot);
}

static void rest_from_pause(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  slot_rest(self, slot);
}

/* The connect limiter's turn; one that was deactivated meanwhile leaves the queue. */
static void leave_queue(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  if (!ramp_is_active(&self->ramp, slot)) {
    slot_rest(self, slot);
    return;
  }
  recorder_slot_unqueued(&self->recorder);
  slot_connect(self, slot);
}

static void reject_by_timeout(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  slot_reject(self, slot, REJECT_TIMEOUT);
}

static void reject_by_hello(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  slot_reject(self, slot, REJECT_GREETING);
}

static void resume_idle(struct connections *self, uint32_t slot, uint64_t now_ns) {
  if (self->slots[slot].flags & SLOT_SENDING) {
    if (!control_defer_request(self, slot, now_ns)) slot_fail(self, slot, now_ns, ERROR_TIMEOUT);
  } else if (!self->queue) { /* in open loop an idle connection has no deadline of its own: this one is stale */
    open_connection_step(self, slot, WORKLOAD_WAITED, now_ns);
  }
}

static void check_transfer(struct connections *self, uint32_t slot, uint64_t now_ns) {
  open_connection_apply_and_step(self, slot, exchange_deadline(self, slot, now_ns), now_ns);
}

static void connect_after_backoff(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  recorder_backoff_ended(&self->recorder, slot_was_lost(&self->slots[slot]));
  slot_connect_or_queue(self, slot);
}

static void finish_unused(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  slot_finish(self, slot);
}

static void finish_queued(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  if (ramp_is_active(&self->ramp, slot)) recorder_slot_unqueued(&self->recorder);
  slot_finish(self, slot);
}

static void finish_backoff(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  recorder_backoff_ended(&self->recorder, slot_was_lost(&self->slots[slot]));
  slot_finish(self, slot);
}

static void close_and_finish(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  slot_leave_open(self, slot);
  slot_close_then(self, slot, IO_FIN, SLOT_FINISHED);
}

/* A response is still being sent. */
static void reset_and_finish(struct connections *self, uint32_t slot, uint64_t now_ns) {
  (void)now_ns;
  slot_leave_open(self, slot);
  slot_close_then(self, slot, IO_RST, SLOT_FINISHED);
}

static void cut_off(struct connections *self, uint32_t slot, uint64_t now_ns) {
  transfers_fail(self, slot, now_ns, TRANSFER_UNFINISHED);
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

void connection_request(struct connections *self, uint32_t slot, uint64_t now_ns) {
  open_connection_apply_and_step(self, slot, exchange_request(self, slot), now_ns);
}
