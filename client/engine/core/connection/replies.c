/*
 * replies.c: how replies are parsed, one loop for all that a read brings, and what else a peer may do meanwhile: send
 * what no request asked for, fall silent, end the stream.
 */
#include <string.h>

#include "control_messages.h"
#include "exchange.h"
#include "received.h"
#include "stamps.h"
#include "transfers.h"
#include "window.h"

/* Fails for CAUSE, and keeps LENGTH BYTES of the message that is to blame, to be quoted. */
static struct exchange_result fail_by_message(struct connections *self, uint32_t slot, enum error_cause cause,
                                              bool busy, const uint8_t *bytes, size_t length) {
  received_keep(self, slot, bytes, length);
  return exchange_fails(cause, busy);
}

/* Bytes that belong to no request. A message by which peers end a connection is an end where there was no request yet.
 * Later, or while it may become one, it is kept until the end of the stream or the next request follows: it may be one
 * reply too many. */
static struct exchange_result receive_unsolicited(struct connections *self, uint32_t slot, const uint8_t *bytes,
                                                  size_t length) {
  if (!self->control) {
    enum goodbye goodbye = received_goodbye(self, slot, bytes, length);
    received_keep(self, slot, bytes, length);
    if (goodbye == GOODBYE_NO) return exchange_fails(ERROR_PROTOCOL, false);
    bool is_end = goodbye == GOODBYE_YES && !(self->slots[slot].flags & SLOT_SENT_REQUEST);
    return is_end ? exchange_fails(ERROR_CLOSED, false) : exchange_waits(false);
  }
  struct control_received received = control_receive(self, slot, bytes, length, true);
  return received.failed ? exchange_fails(received.cause, false) : exchange_waits(false);
}

/* After bytes that left the connection open with LEFT transfers in flight. A window is filled up again. */
static inline struct exchange_result after_replies(const struct connections *self, uint32_t slot, bool completed,
                                                   uint32_t left) {
  bool resumes = self->windows ? window_has_room(self, slot) : completed;
  return resumes ? exchange_steps(WORKLOAD_REPLIED, left > 0) : exchange_waits(left > 0);
}

/* The last reply was the last of the connection: LENGTH BYTES too many, LEFT requests too many. */
static struct exchange_result end_of_replies(struct connections *self, uint32_t slot, const uint8_t *bytes,
                                             size_t length, uint32_t left) {
  if (length > 0) return fail_by_message(self, slot, ERROR_PROTOCOL, left > 0, bytes, length);
  if (left > 0) return exchange_fails(ERROR_CLOSED, true);
  return (struct exchange_result){.next = EXCHANGE_CLOSE};
}

/* A reply's RESULT for the first of LENGTH bytes PARSED that neither completes it nor is just a part. True: parse on;
 * else *OTHER is what became of the connection. */
static bool take_other_verdict(struct connections *self, uint32_t slot, struct parse_result result,
                               const uint8_t *parsed, size_t length, uint64_t at_ns, struct exchange_result *other) {
  *other = exchange_fails(ERROR_PROTOCOL, true);
  switch (result.verdict) {
  case PARSE_RESPOND:
    if (received_goodbye(self, slot, parsed, length) == GOODBYE_YES) received_keep(self, slot, parsed, result.consumed);
    if (control_respond(self, slot, window_state(self, slot, 0), parsed, result)) return true;
    break;
  case PARSE_COMPLETE_IF_IDLE:
    received_keep(self, slot, parsed, result.consumed);
    *other = control_reply_may_end(self, slot, window_sent_ns(self, slot, 0), result, at_ns)
                 ? exchange_waits(true)
                 : exchange_fails(ERROR_TIMEOUT, true);
    return false;
  case PARSE_MISMATCH: *other = exchange_fails(ERROR_CORRUPT, true); break;
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
  uint32_t left = window_count(self, slot);
  bool completed = false, closes = false;
  if (left == 0) return receive_unsolicited(self, slot, bytes, length);
  if (self->control) { /* the rest of an unsolicited message comes before the reply */
    struct control_received received = control_receive(self, slot, bytes, length, false);
    if (received.failed) return exchange_fails(received.cause, true);
    if (received.consumed == length) return exchange_waits(true);
    bytes += received.consumed;
    length -= received.consumed;
  }
  while (length > 0 && left > 0 && !closes) {
    const uint8_t *parsed = bytes;
    size_t parsed_length = length;
    struct parse_result result = protocol->reply(window_state(self, slot, 0), &self->protocol_settings, bytes, length);
    bytes += result.consumed;
    length -= result.consumed;
    if (result.verdict == PARSE_COMPLETE) {
      enum code code = (enum code)result.code;
      closes = result.closes;
      if (!closes && transfer_is_being_sent(self, slot)) {
        if (!may_be_early(self, code)) return fail_by_message(self, slot, ERROR_PROTOCOL, true, parsed, parsed_length);
        closes = true;
      }
      if (quote_kind_of(code) != QUOTE_KINDS) {
        received_keep_reply(self, slot, window_state(self, slot, 0), parsed, result.consumed);
      }
      if (code == CODE_3XX) quote_redirect(self, slot, parsed, result.consumed, at_ns);
      transfer_succeed(self, slot, at_ns, length == 0 ? self->transport->arrived_ns : ARRIVED_WITH_OTHERS, code);
      completed = true;
      left--;
    } else if (result.verdict == PARSE_INCOMPLETE) {
      received_keep_reply(self, slot, window_state(self, slot, 0), parsed, result.consumed);
      return after_replies(self, slot, completed, left);
    } else {
      struct exchange_result other;
      if (!take_other_verdict(self, slot, result, parsed, parsed_length, at_ns, &other)) return other;
    }
  }
  if (closes) return end_of_replies(self, slot, bytes, length, left);
  if (length > 0) { /* behind the last reply: without an unsolicited message of the protocol it is a surplus */
    if (!self->control) return fail_by_message(self, slot, ERROR_PROTOCOL, false, bytes, length);
    struct exchange_result result = receive_unsolicited(self, slot, bytes, length);
    if (result.next == EXCHANGE_FAIL) return result;
  }
  return after_replies(self, slot, completed, left);
}

enum error_cause exchange_cause_of_end(const struct connections *self, uint32_t slot, int reason) {
  bool is_cut = reason == IO_EOF && received_has_unsolicited(self, slot) &&
                received_goodbye(self, slot, self->received, 0) != GOODBYE_YES;
  return is_cut ? ERROR_PROTOCOL : failure_error_cause(reason);
}

struct exchange_result exchange_deadline(struct connections *self, uint32_t slot, uint64_t at_ns) {
  uint64_t ended_ns;
  uint8_t code;
  enum control_silence silence =
      self->control ? control_check_silence(self, slot, at_ns, &ended_ns, &code) : SILENCE_NOT_AWAITED;
  if (silence == SILENCE_NOT_YET) return exchange_waits(true);
  if (silence == SILENCE_ENDS_REPLY) {
    uint32_t left = window_count(self, slot) - 1;
    transfer_succeed(self, slot, ended_ns, 0, (enum code)code);
    return exchange_steps(WORKLOAD_REPLIED, left > 0);
  }
  uint64_t deadline_ns = window_sent_ns(self, slot, 0) + self->settings.transfer_timeout_ns;
  if (deadline_ns <= at_ns) return exchange_fails(ERROR_TIMEOUT, true);
  slot_set_deadline(self, slot, deadline_ns);
  return exchange_waits(true);
}

bool exchange_end_of_stream(struct connections *self, uint32_t slot, uint64_t at_ns) {
  const struct protocol *protocol = self->settings.protocol;
  uint32_t left = window_count(self, slot);
  if (!protocol->end || left == 0) return false;
  struct parse_result result = protocol->end(window_state(self, slot, 0), &self->protocol_settings);
  if (result.verdict != PARSE_COMPLETE) return false;
  /* Where silence would have ended the reply too, the wait for that is no part of its time. */
  uint64_t last_bytes_ns = self->control ? control_of(self, slot)->last_bytes_ns : 0;
  transfer_succeed(self, slot, last_bytes_ns != 0 ? last_bytes_ns : at_ns, 0, (enum code)result.code);
  return left == 1;
}
