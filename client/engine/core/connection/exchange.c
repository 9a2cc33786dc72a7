/*
 * exchange.c: one loop that sends requests and one that parses replies, for a window of one transfer (in the slot) and
 * of several (in the pipeline) alike.
 */
#include "exchange.h"

#include <string.h>

#include "control_messages.h"
#include "pipeline.h"
#include "received.h"
#include "stamps.h"

static inline struct exchange_result wait_for_more(bool busy) {
  return (struct exchange_result){.next = EXCHANGE_WAIT, .busy = busy};
}

static inline struct exchange_result resume(enum workload_event event, bool busy) {
  return (struct exchange_result){.next = EXCHANGE_RESUME, .event = (uint8_t)event, .busy = busy};
}

static inline struct exchange_result fail(enum error_cause cause, bool busy) {
  return (struct exchange_result){.next = EXCHANGE_FAIL, .cause = (uint8_t)cause, .busy = busy};
}

/* ------------------------------------------------------------------------------------------------ the window */

void exchange_begin(struct connections *self, uint32_t slot) {
  self->slots[slot].begun = 0;
  if (self->pipeline) self->pipeline->windows[slot] = (struct window){0};
  if (self->stamps) stamps_open(self, slot);
}

/* How many transfers are in flight, while the slot's state says so: at rest. */
static inline uint32_t in_flight(const struct connections *self, uint32_t slot) {
  return self->pipeline ? self->pipeline->windows[slot].count : self->slots[slot].state == SLOT_BUSY;
}

bool exchange_has_room(const struct connections *self, uint32_t slot) {
  if (!self->pipeline) return in_flight(self, slot) == 0;
  return self->pipeline->windows[slot].count < self->pipeline->depth && !(self->slots[slot].flags & SLOT_SENDING);
}

bool exchange_is_spent(const struct connections *self, uint32_t slot) {
  return lifetime_is_spent(&self->settings.lifetime, self->slots[slot].begun);
}

/* When the oldest was sent. */
static inline uint64_t oldest_started_ns(const struct connections *self, uint32_t slot) {
  return self->pipeline ? pipeline_started_ns(self->pipeline, slot, 0) : self->slots[slot].started_ns;
}

/* What the protocol knows of a pending request. With a depth of one it is the connection's state; else each request has
 * its own, so that changes made by reply() are private to it. */
static inline void *state_of(const struct connections *self, uint32_t slot, struct pending_request *request) {
  return self->pipeline->depth == 1 ? self->slots[slot].protocol_state : request->state;
}

static inline void *oldest_state(const struct connections *self, uint32_t slot) {
  if (!self->pipeline) return self->slots[slot].protocol_state;
  return state_of(self, slot, pipeline_at(self->pipeline, slot, 0));
}

/* Whether the oldest is the last request, and the kernel has not taken all of it: it cannot have a reply yet. */
static inline bool oldest_is_being_sent(const struct connections *self, uint32_t slot) {
  if (self->pipeline) return self->pipeline->windows[slot].batch > 0 && self->pipeline->windows[slot].count == 1;
  return (self->slots[slot].flags & SLOT_SENDING) && !(self->control && control_is_sending(self, slot));
}

/* Where the response time of request number INDEX of a pipeline begins. */
static uint64_t response_from_ns(const struct connections *self, uint32_t slot, uint32_t index) {
  if (self->queue) return pipeline_at(self->pipeline, slot, index)->due_ns;
  return pipeline_started_ns(self->pipeline, slot, index);
}

/* ------------------------------------------------------------------------------------------------ the records */

/* A request begins. */
static inline void record_start(struct connections *self, uint32_t slot) {
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

/* The oldest transfer is over at AT_NS: its reply was whole, and kept where it is quoted, or it needs none. ARRIVED_NS:
 * as in stamps.h. */
static inline void complete(struct connections *self, uint32_t slot, uint64_t at_ns, uint64_t arrived_ns,
                            enum code code) {
  struct slot *own = &self->slots[slot];
  struct recorder *recorder = &self->recorder;
  uint64_t sent_ns = oldest_started_ns(self, slot);
  uint64_t from_ns = self->queue ? response_from_ns(self, slot, 0) : sent_ns;
  const struct transfer_labels labels = labels_of(self, oldest_state(self, slot), true);
  if (at_ns < sent_ns) at_ns = connections_now_ns(self); /* sent after the batch was seen, replied to within it */
  bool measured = slice_began_measured(&self->slice, from_ns);
  if (self->stamps) {
    stamps_reply(self, slot, self->pipeline ? self->pipeline->windows[slot].head : 0,
                 &(struct stamps_reply){from_ns, sent_ns, at_ns < from_ns ? from_ns : at_ns, arrived_ns, measured});
  }
  if (!oldest_is_being_sent(self, slot)) own->idle_from_ms = (uint32_t)((at_ns - recorder->start_ns) / NS_PER_MS);
  if (self->pipeline) pipeline_drop_oldest(self->pipeline, slot);
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

void exchange_fail(struct connections *self, uint32_t slot, uint64_t at_ns, uint8_t status) {
  uint32_t id = slot_id(self, slot);
  if (!self->pipeline) {
    record_failure(self, id, self->slots[slot].protocol_state, self->slots[slot].started_ns, at_ns, status);
    return;
  }
  struct window *window = &self->pipeline->windows[slot];
  for (uint32_t i = 0; i < window->count; i++) {
    const void *state = state_of(self, slot, pipeline_at(self->pipeline, slot, i));
    record_failure(self, id, state, response_from_ns(self, slot, i), at_ns, status);
  }
  window->count = 0;
  window->batch = 0;
}

/* ------------------------------------------------------------------------------------------------ requests */

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
    if (control_defer_request(self, slot, self->transport->seen_ns)) return wait_for_more(false);
    return fail(ERROR_TIMEOUT, false);
  }
  struct iovec parts[IO_IOVECS_MAX];
  unsigned used = write_request(self, slot, own->protocol_state, parts);
  size_t bytes = parts_bytes(parts, used);
  own->request_bytes = (uint32_t)bytes;
  record_start(self, slot);
  bool is_chosen = self->stamps && stamps_choose(self, slot, bytes);
  bool done = slot_send(self, slot, parts, used, &own->started_ns);
  if (is_chosen) stamps_sent(self, slot, 0, 1, bytes, done);
  if (done) {
    recorder_bytes_sent(&self->recorder, bytes);
    if (self->settings.protocol->one_way) {
      complete(self, slot, connections_stamp_ns(self), 0, CODE_NONE);
      return resume(WORKLOAD_REPLIED, false);
    }
  }
  slot_arm(self, slot, own->started_ns);
  return wait_for_more(true);
}

/* Makes the next request of a pipeline, which counts as begun from here on. Returns the number of PARTS. */
static unsigned make_request(struct connections *self, uint32_t slot, struct iovec parts[3], size_t *bytes) {
  struct window *window = &self->pipeline->windows[slot];
  struct slot *own = &self->slots[slot];
  struct pending_request *request = pipeline_at(self->pipeline, slot, window->count);
  void *state = state_of(self, slot, request);
  if (state == request->state) memcpy(state, own->protocol_state, PROTOCOL_STATE_BYTES);
  unsigned used = write_request(self, slot, state, parts);
  if (state == request->state) memcpy(own->protocol_state, state, PROTOCOL_STATE_BYTES);
  bool late = self->queue && request_queue_take(self->queue, &request->due_ns);
  if (self->queue) recorder_request_taken(&self->recorder, late);
  if (self->stamps) stamps_made(self, slot, pipeline_place(self->pipeline, slot, window->count), late);
  window->count++;
  window->batch++;
  *bytes = parts_bytes(parts, used);
  window->bytes += *bytes;
  record_start(self, slot);
  return used;
}

/* The kernel has taken all of the batch. */
static void end_batch(struct connections *self, uint32_t slot) {
  const struct window *window = &self->pipeline->windows[slot];
  for (uint32_t i = 0; self->queue && i < window->batch; i++) {
    recorder_request_sent(&self->recorder, window->sent_ns);
  }
  recorder_bytes_sent(&self->recorder, pipeline_end_batch(self->pipeline, slot));
}

static void send_batch(struct connections *self, uint32_t slot, const struct iovec *parts, unsigned count) {
  const struct window *window = &self->pipeline->windows[slot];
  size_t bytes = window->bytes;
  bool is_chosen = self->stamps && stamps_choose(self, slot, bytes);
  bool done = slot_send(self, slot, parts, count, &self->pipeline->windows[slot].sent_ns);
  if (is_chosen) {
    uint32_t last = pipeline_place(self->pipeline, slot, window->count - 1);
    stamps_sent(self, slot, last, window->batch, bytes, done);
  }
  if (done) end_batch(self, slot);
}

static inline bool may_begin(const struct connections *self, uint32_t slot) {
  return exchange_has_room(self, slot) && self->transfers_left > 0 && !exchange_is_spent(self, slot) &&
         (!self->queue || request_queue_waits(self->queue));
}

static struct exchange_result request_several(struct connections *self, uint32_t slot) {
  struct pipeline *pipeline = self->pipeline;
  const struct window *window = &pipeline->windows[slot];
  struct iovec parts[IO_IOVECS_MAX];
  uint8_t *stage = pipeline_stage(pipeline, slot);
  size_t staged = 0;
  while (may_begin(self, slot)) {
    size_t bytes;
    unsigned used = make_request(self, slot, &parts[1], &bytes);
    bool more = may_begin(self, slot);
    if (staged + bytes <= pipeline->stage_bytes && (more || staged > 0)) {
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
      complete(self, slot, connections_stamp_ns(self), 0, CODE_NONE);
      return resume(WORKLOAD_REPLIED, window->count > 0);
    }
  }
  if (window->count > 0) slot_arm(self, slot, pipeline_started_ns(pipeline, slot, 0));
  bool is_free = exchange_has_room(self, slot) && !exchange_is_spent(self, slot);
  if (self->queue && is_free) request_queue_offer(self->queue, slot);
  return wait_for_more(window->count > 0);
}

/* Whether the peer has sent a message that no request asked for, and has not ended the connection after it. */
static inline bool has_unsolicited(const struct connections *self, uint32_t slot) {
  return !self->control && self->slots[slot].received > 0 && in_flight(self, slot) == 0;
}

struct exchange_result exchange_request(struct connections *self, uint32_t slot) {
  if (has_unsolicited(self, slot)) return fail(ERROR_PROTOCOL, false);
  return self->pipeline ? request_several(self, slot) : request_one(self, slot);
}

struct exchange_result exchange_sent(struct connections *self, uint32_t slot, uint64_t at_ns) {
  bool one_way = self->settings.protocol->one_way, resumes;
  self->slots[slot].flags &= (uint8_t)~SLOT_SENDING;
  if (self->stamps) stamps_send_done(self, slot);
  if (self->control && control_sent(self, slot, &resumes)) {
    bool busy = in_flight(self, slot) > 0;
    return resumes ? resume(WORKLOAD_WAITED, busy) : wait_for_more(busy);
  }
  if (!self->pipeline) {
    recorder_bytes_sent(&self->recorder, self->slots[slot].request_bytes);
    if (!one_way) return wait_for_more(true);
    complete(self, slot, at_ns, 0, CODE_NONE);
    return resume(WORKLOAD_REPLIED, false);
  }
  bool was_busy = in_flight(self, slot) > 0;
  end_batch(self, slot);
  if (one_way && was_busy) complete(self, slot, at_ns, 0, CODE_NONE);
  bool busy = in_flight(self, slot) > 0;
  return was_busy && exchange_has_room(self, slot) ? resume(WORKLOAD_REPLIED, busy) : wait_for_more(busy);
}

void exchange_abandon_send(struct connections *self, uint32_t slot) {
  struct slot *own = &self->slots[slot];
  size_t unsent = self->transport->table->unsent_bytes(self->transport, slot), bytes = own->request_bytes;
  if (self->pipeline) bytes = self->pipeline->windows[slot].bytes;
  if (self->control && control_is_sending(self, slot)) bytes = control_of(self, slot)->sending;
  own->flags &= (uint8_t)~SLOT_SENDING;
  recorder_bytes_sent(&self->recorder, bytes > unsent ? bytes - unsent : 0);
}

/* ------------------------------------------------------------------------------------------------ replies */

/* An error, by a message that goes on with LENGTH BYTES. */
static struct exchange_result fail_by(struct connections *self, uint32_t slot, enum error_cause cause, bool busy,
                                      const uint8_t *bytes, size_t length) {
  received_keep(self, slot, bytes, length);
  return fail(cause, busy);
}

/* Bytes that belong to no request. A message by which peers end a connection is an end where there was no request yet.
 * Later, or while it may become one, it is kept until the end of the stream or the next request follows: it may be one
 * reply too many. */
static struct exchange_result receive_unsolicited(struct connections *self, uint32_t slot, const uint8_t *bytes,
                                                  size_t length) {
  if (!self->control) {
    enum goodbye goodbye = received_goodbye(self, slot, bytes, length);
    received_keep(self, slot, bytes, length);
    if (goodbye == GOODBYE_NO) return fail(ERROR_PROTOCOL, false);
    bool is_end = goodbye == GOODBYE_YES && !(self->slots[slot].flags & SLOT_SENT_REQUEST);
    return is_end ? fail(ERROR_CLOSED, false) : wait_for_more(false);
  }
  struct control_received received = control_receive(self, slot, bytes, length, true);
  return received.failed ? fail(received.cause, false) : wait_for_more(false);
}

/* After bytes that left the connection open with LEFT transfers in flight. A pipeline is filled up again. */
static inline struct exchange_result go_on(const struct connections *self, uint32_t slot, bool completed,
                                           uint32_t left) {
  bool resumes = self->pipeline ? exchange_has_room(self, slot) : completed;
  return resumes ? resume(WORKLOAD_REPLIED, left > 0) : wait_for_more(left > 0);
}

/* The last reply was the last of the connection: LENGTH BYTES too many, LEFT requests too many. */
static struct exchange_result end_of_replies(struct connections *self, uint32_t slot, const uint8_t *bytes,
                                             size_t length, uint32_t left) {
  if (length > 0) return fail_by(self, slot, ERROR_PROTOCOL, left > 0, bytes, length);
  if (left > 0) return fail(ERROR_CLOSED, true);
  return (struct exchange_result){.next = EXCHANGE_CLOSE};
}

/* A reply's RESULT for the first of LENGTH bytes PARSED that neither completes it nor is just a part. True: parse on;
 * else *OTHER is what became of the connection. */
static bool receive_more(struct connections *self, uint32_t slot, struct parse_result result, const uint8_t *parsed,
                         size_t length, uint64_t at_ns, struct exchange_result *other) {
  *other = fail(ERROR_PROTOCOL, true);
  switch (result.verdict) {
  case PARSE_RESPOND:
    if (received_goodbye(self, slot, parsed, length) == GOODBYE_YES) received_keep(self, slot, parsed, result.consumed);
    if (control_respond(self, slot, oldest_state(self, slot), parsed, result)) return true;
    break;
  case PARSE_COMPLETE_IF_IDLE:
    received_keep(self, slot, parsed, result.consumed);
    *other = control_reply_may_end(self, slot, oldest_started_ns(self, slot), result, at_ns)
                 ? wait_for_more(true)
                 : fail(ERROR_TIMEOUT, true);
    return false;
  case PARSE_MISMATCH: *other = fail(ERROR_CORRUPT, true); break;
  default: break;
  }
  received_keep(self, slot, parsed, length);
  return false;
}

/* Quotes the target of the first redirect that comes whole: LENGTH BYTES. */
static void quote_redirect(struct connections *self, uint32_t slot, const uint8_t *bytes, size_t length,
                           uint64_t at_ns) {
  const uint8_t *target;
  if (self->slots[slot].received > 0 || recorder_has_quote(&self->recorder, QUOTE_REDIRECT, QUOTE_BUSY)) return;
  size_t found = self->settings.protocol->redirect_target(bytes, length, &target);
  if (found > QUOTE_BYTES) found = QUOTE_BYTES;
  if (found > 0) recorder_quote(&self->recorder, QUOTE_REDIRECT, QUOTE_BUSY, at_ns, target, (uint8_t)found);
}

/* Whether the oldest may have a whole reply with CODE already, although it is still being sent. */
static bool may_be_early(const struct connections *self, enum code code) {
  return self->settings.protocol->replies_early || quote_kind_of(code) != QUOTE_KINDS;
}

struct exchange_result exchange_receive(struct connections *self, uint32_t slot, const uint8_t *bytes, size_t length,
                                        uint64_t at_ns) {
  const struct protocol *protocol = self->settings.protocol;
  uint32_t left = in_flight(self, slot);
  bool completed = false, closes = false;
  if (left == 0) return receive_unsolicited(self, slot, bytes, length);
  if (self->control) { /* the rest of an unsolicited message comes before the reply */
    struct control_received received = control_receive(self, slot, bytes, length, false);
    if (received.failed) return fail(received.cause, true);
    if (received.consumed == length) return wait_for_more(true);
    bytes += received.consumed;
    length -= received.consumed;
  }
  while (length > 0 && left > 0 && !closes) {
    const uint8_t *parsed = bytes;
    size_t parsed_length = length;
    struct parse_result result = protocol->reply(oldest_state(self, slot), &self->protocol_settings, bytes, length);
    bytes += result.consumed;
    length -= result.consumed;
    if (result.verdict == PARSE_COMPLETE) {
      enum code code = (enum code)result.code;
      closes = result.closes;
      if (!closes && oldest_is_being_sent(self, slot)) {
        if (!may_be_early(self, code)) return fail_by(self, slot, ERROR_PROTOCOL, true, parsed, parsed_length);
        closes = true;
      }
      if (quote_kind_of(code) != QUOTE_KINDS) {
        received_keep_reply(self, slot, oldest_state(self, slot), parsed, result.consumed);
      }
      if (code == CODE_3XX) quote_redirect(self, slot, parsed, result.consumed, at_ns);
      complete(self, slot, at_ns, length == 0 ? self->transport->arrived_ns : ARRIVED_WITH_OTHERS, code);
      completed = true;
      left--;
    } else if (result.verdict == PARSE_INCOMPLETE) {
      received_keep_reply(self, slot, oldest_state(self, slot), parsed, result.consumed);
      return go_on(self, slot, completed, left);
    } else {
      struct exchange_result other;
      if (!receive_more(self, slot, result, parsed, parsed_length, at_ns, &other)) return other;
    }
  }
  if (closes) return end_of_replies(self, slot, bytes, length, left);
  if (length > 0) { /* behind the last reply: without an unsolicited message of the protocol it is a surplus */
    if (!self->control) return fail_by(self, slot, ERROR_PROTOCOL, false, bytes, length);
    struct exchange_result result = receive_unsolicited(self, slot, bytes, length);
    if (result.next == EXCHANGE_FAIL) return result;
  }
  return go_on(self, slot, completed, left);
}

enum error_cause exchange_cause_of_end(const struct connections *self, uint32_t slot, int reason) {
  bool is_cut =
      reason == IO_EOF && has_unsolicited(self, slot) && received_goodbye(self, slot, self->received, 0) != GOODBYE_YES;
  return is_cut ? ERROR_PROTOCOL : failure_error_cause(reason);
}

struct exchange_result exchange_deadline(struct connections *self, uint32_t slot, uint64_t at_ns) {
  uint64_t ended_ns;
  uint8_t code;
  enum control_silence silence =
      self->control ? control_check_silence(self, slot, at_ns, &ended_ns, &code) : SILENCE_NOT_AWAITED;
  if (silence == SILENCE_NOT_YET) return wait_for_more(true);
  if (silence == SILENCE_ENDS_REPLY) {
    uint32_t left = in_flight(self, slot) - 1;
    complete(self, slot, ended_ns, 0, (enum code)code);
    return resume(WORKLOAD_REPLIED, left > 0);
  }
  uint64_t deadline_ns = oldest_started_ns(self, slot) + self->settings.transfer_timeout_ns;
  if (deadline_ns <= at_ns) return fail(ERROR_TIMEOUT, true);
  slot_set_deadline(self, slot, deadline_ns);
  return wait_for_more(true);
}

bool exchange_end_of_stream(struct connections *self, uint32_t slot, uint64_t at_ns) {
  const struct protocol *protocol = self->settings.protocol;
  uint32_t left = in_flight(self, slot);
  if (!protocol->end || left == 0) return false;
  struct parse_result result = protocol->end(oldest_state(self, slot), &self->protocol_settings);
  if (result.verdict != PARSE_COMPLETE) return false;
  /* Where silence would have ended the reply too, the wait for that is no part of its time. */
  uint64_t last_bytes_ns = self->control ? control_of(self, slot)->last_bytes_ns : 0;
  complete(self, slot, last_bytes_ns != 0 ? last_bytes_ns : at_ns, 0, (enum code)result.code);
  return left == 1;
}
