/*
 * control_messages.c: the responses of a connection share one buffer: first what the kernel is taking, which must stay
 * in place, then complete responses that wait for it, then an incomplete one. So a request never gets between the parts
 * of a response.
 */
#include "control_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "received.h"

#define BUFFER_BYTES 768u /* for several responses; in memory only where there are any */

int control_create(const struct engine_settings *settings, const struct protocol_settings *protocol_settings,
                   struct control **control) {
  const struct protocol *protocol = settings->protocol;
  uint64_t reply_idle_ns = protocol->quiet_ns ? protocol->quiet_ns(protocol_settings) : 0;
  if (reply_idle_ns > 0 && settings->pipeline > 1) return -EINVAL;
  bool has_hello = protocol_has_hello(protocol, protocol_settings);
  if (!has_hello && !protocol->unsolicited && !protocol->answer && reply_idle_ns == 0) return 0;
  struct control *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  self->reply_idle_ns = reply_idle_ns;
  self->states = calloc(settings->slots, sizeof *self->states);
  if (protocol->answer) self->buffers = malloc((size_t)settings->slots * BUFFER_BYTES);
  if (!self->states || (protocol->answer && !self->buffers)) {
    control_destroy(self);
    return -ENOMEM;
  }
  *control = self;
  return 0;
}

void control_destroy(struct control *control) {
  if (!control) return;
  free(control->states);
  free(control->buffers);
  free(control);
}

static uint8_t *buffer_of(const struct connections *self, uint32_t slot) {
  return self->control->buffers + (size_t)slot * BUFFER_BYTES;
}

void control_begin(struct connections *self, uint32_t slot, uint64_t connect_ns) {
  *control_of(self, slot) = (struct control_state){.connect_ns = connect_ns};
}

/* True when the kernel has taken it all. */
static bool send_now(struct connections *self, uint32_t slot, const struct iovec *parts, unsigned count, size_t bytes) {
  struct control_state *state = control_of(self, slot);
  if (slot_send(self, slot, parts, count, &state->sent_ns)) {
    recorder_bytes_sent(&self->recorder, bytes);
    return true;
  }
  state->sending = (uint32_t)bytes;
  return false;
}

void control_send_hello(struct connections *self, uint32_t slot) {
  struct iovec parts[IO_IOVECS_MAX];
  unsigned used = self->settings.protocol->hello(self->slots[slot].protocol_state, &self->protocol_settings,
                                                 splitmix64_next(&self->identity), parts);
  size_t bytes = parts_bytes(parts, used);
  if (bytes > 0) send_now(self, slot, parts, used, bytes);
}

/* The kernel has taken the first responses of the buffer. */
static void drop_sent(struct connections *self, uint32_t slot) {
  struct control_state *state = control_of(self, slot);
  uint8_t *buffer = self->control->buffers ? buffer_of(self, slot) : NULL;
  if (state->in_kernel > 0) memmove(buffer, buffer + state->in_kernel, (size_t)state->queued + state->partial);
  state->in_kernel = 0;
}

/* Sends the complete responses, once nothing of the connection is being sent. */
static void send_responses(struct connections *self, uint32_t slot) {
  struct control_state *state = control_of(self, slot);
  if (state->queued == 0 || (self->slots[slot].flags & SLOT_SENDING)) return;
  struct iovec part = {buffer_of(self, slot), state->queued};
  state->in_kernel = state->queued;
  state->queued = 0;
  if (send_now(self, slot, &part, 1, part.iov_len)) {
    drop_sent(self, slot);
  } else {
    if (self->queue) request_queue_withdraw(self->queue, slot); /* it can take no request now */
    slot_arm(self, slot, state->sent_ns);
  }
}

bool control_respond(struct connections *self, uint32_t slot, void *protocol_state, const uint8_t *bytes,
                     struct parse_result result) {
  struct control_state *state = control_of(self, slot);
  size_t used = (size_t)state->in_kernel + state->queued + state->partial;
  if (used + ANSWER_PART_BYTES > BUFFER_BYTES) return false;
  state->partial += (uint16_t)self->settings.protocol->answer(protocol_state, &self->protocol_settings, bytes,
                                                              result.consumed, buffer_of(self, slot) + used);
  if (result.unfinished) return true;
  state->queued = (uint16_t)(state->queued + state->partial);
  state->partial = 0;
  send_responses(self, slot);
  return true;
}

struct control_received control_receive(struct connections *self, uint32_t slot, const uint8_t *bytes, size_t length,
                                        bool idle) {
  struct control_state *state = control_of(self, slot);
  const struct protocol *protocol = self->settings.protocol;
  void *protocol_state = self->slots[slot].protocol_state;
  struct control_received received = {0};
  state->last_bytes_ns = 0;
  while (received.consumed < length && (idle || state->in_unsolicited)) {
    const uint8_t *at = bytes + received.consumed;
    struct parse_result result = {.verdict = PARSE_MALFORMED};
    if (protocol->unsolicited) {
      result = protocol->unsolicited(protocol_state, &self->protocol_settings, at, length - received.consumed);
    }
    bool right = result.verdict == PARSE_INCOMPLETE || result.verdict == PARSE_COMPLETE;
    if (result.verdict == PARSE_RESPOND) right = control_respond(self, slot, protocol_state, at, result);
    bool is_goodbye = received_goodbye(self, slot, at, length - received.consumed) == GOODBYE_YES;
    if (!right) {
      received_keep(self, slot, at, length - received.consumed);
      received.failed = true;
      received.cause = is_goodbye ? ERROR_CLOSED : result.verdict == PARSE_MISMATCH ? ERROR_CORRUPT : ERROR_PROTOCOL;
      return received;
    }
    received.consumed += result.consumed;
    state->in_unsolicited = result.verdict == PARSE_INCOMPLETE || result.unfinished;
    if (state->in_unsolicited || is_goodbye) {
      received_keep(self, slot, at, result.consumed);
    } else {
      received_forget(self, slot);
    }
  }
  return received;
}

bool control_reply_may_end(struct connections *self, uint32_t slot, uint64_t sent_ns, struct parse_result result,
                           uint64_t at_ns) {
  struct control_state *state = control_of(self, slot);
  if (at_ns < sent_ns) at_ns = connections_now_ns(self); /* sent after the batch was seen, replied to within it */
  if (at_ns - sent_ns >= self->settings.transfer_timeout_ns) return false;
  state->last_bytes_ns = at_ns;
  state->code = result.code;
  slot_set_deadline(self, slot, at_ns + self->control->reply_idle_ns);
  return true;
}

enum control_silence control_check_silence(struct connections *self, uint32_t slot, uint64_t at_ns, uint64_t *ended_ns,
                                           uint8_t *code) {
  struct control_state *state = control_of(self, slot);
  if (state->last_bytes_ns == 0) return SILENCE_NOT_AWAITED;
  if ((self->slots[slot].flags & SLOT_SENDING) && state->sending == 0) {
    state->last_bytes_ns = 0; /* the request is not sent yet: only its deadline can end it */
    return SILENCE_NOT_AWAITED;
  }
  uint64_t silent_ns = state->last_bytes_ns + self->control->reply_idle_ns;
  if (at_ns < silent_ns) {
    slot_set_deadline(self, slot, silent_ns);
    return SILENCE_NOT_YET;
  }
  *ended_ns = state->last_bytes_ns;
  *code = state->code;
  state->last_bytes_ns = 0;
  return SILENCE_ENDS_REPLY;
}

bool control_sent(struct connections *self, uint32_t slot, bool *resumes) {
  struct control_state *state = control_of(self, slot);
  bool ours = state->sending > 0;
  recorder_bytes_sent(&self->recorder, state->sending);
  state->sending = 0;
  drop_sent(self, slot);
  send_responses(self, slot);
  *resumes = ours && !(self->slots[slot].flags & SLOT_SENDING) && (state->defers_request || self->windows);
  if (*resumes) state->defers_request = false;
  return ours;
}

bool control_defer_request(struct connections *self, uint32_t slot, uint64_t at_ns) {
  struct control_state *state = control_of(self, slot);
  uint64_t deadline_ns = state->sent_ns + self->settings.transfer_timeout_ns;
  if (at_ns >= deadline_ns) return false;
  state->defers_request = true;
  slot_set_deadline(self, slot, deadline_ns);
  return true;
}
