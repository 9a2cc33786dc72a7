/*
 * control_messages.c: answers of a connection stand in one buffer: first what the kernel is taking, which must stay
 * put, then whole answers that wait for it, then one that is still growing. So a request never gets between the parts
 * of an answer.
 */
#include "control_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/splitmix64.h"
#include "engine_state.h"

#define BUFFER_BYTES 768u /* some answers; touched, and so in memory, only where there are any */

struct talks {
  uint64_t quiet_ns;
  struct talk *talks;
  uint8_t *buffers; /* BUFFER_BYTES of each slot; NULL: the protocol never answers */
};

int talks_create(const struct engine_settings *settings, const struct protocol_settings *protocol_settings,
                 struct talks **talks) {
  const struct protocol *protocol = settings->protocol;
  uint32_t slots = settings->slots;
  uint64_t quiet_ns = protocol->quiet_ns ? protocol->quiet_ns(protocol_settings) : 0;
  if (quiet_ns > 0 && settings->pipeline > 1) return -EINVAL;
  if (!protocol->hello && !protocol->unsolicited && !protocol->answer && quiet_ns == 0) return 0;
  struct talks *made = calloc(1, sizeof *made);
  if (!made) return -ENOMEM;
  made->quiet_ns = quiet_ns;
  made->talks = calloc(slots, sizeof *made->talks);
  if (protocol->answer) made->buffers = malloc((size_t)slots * BUFFER_BYTES);
  if (!made->talks || (protocol->answer && !made->buffers)) {
    talks_destroy(made);
    return -ENOMEM;
  }
  *talks = made;
  return 0;
}

void talks_destroy(struct talks *talks) {
  if (!talks) return;
  free(talks->talks);
  free(talks->buffers);
  free(talks);
}

struct talk *talk_of(const struct engine *engine, uint32_t slot) {
  return &engine->talks->talks[slot];
}

static uint8_t *buffer_of(const struct engine *engine, uint32_t slot) {
  return engine->talks->buffers + (size_t)slot * BUFFER_BYTES;
}

void talk_begin(struct engine *engine, uint32_t slot, uint64_t connect_ns) {
  *talk_of(engine, slot) = (struct talk){.connect_ns = connect_ns};
}

/* True when the kernel has it all. */
static bool send_now(struct engine *engine, uint32_t slot, const struct iovec *parts, unsigned count, size_t bytes) {
  struct talk *talk = talk_of(engine, slot);
  talk->sent_ns = engine->transport->seen_ns;
  if (engine->transport->table->send(engine->transport, slot, parts, count, &talk->sent_ns) == IO_SENT) {
    engine->interval->counters[COUNT_BYTES_SENT] += bytes;
    return true;
  }
  engine->slots[slot].flags |= SLOT_SENDING;
  talk->sending = (uint32_t)bytes;
  return false;
}

void talk_greet(struct engine *engine, uint32_t slot) {
  struct iovec parts[IO_IOVECS_MAX];
  unsigned used = engine->settings.protocol->hello(engine->slots[slot].protocol_state, &engine->protocol_settings,
                                                   splitmix64_next(&engine->random), parts);
  size_t bytes = 0;
  for (unsigned i = 0; i < used; i++) bytes += parts[i].iov_len;
  if (bytes > 0) send_now(engine, slot, parts, used, bytes);
}

/* Forgets the first of the slot's bytes, which the kernel has. */
static void drop_kept(struct engine *engine, uint32_t slot) {
  struct talk *talk = talk_of(engine, slot);
  uint8_t *buffer = engine->talks->buffers ? buffer_of(engine, slot) : NULL;
  if (talk->kept > 0) memmove(buffer, buffer + talk->kept, (size_t)talk->whole + talk->growing);
  talk->kept = 0;
}

/* Sends the whole answers, once nothing of the connection is being sent. */
static void send_answers(struct engine *engine, uint32_t slot) {
  struct talk *talk = talk_of(engine, slot);
  if (talk->whole == 0 || (engine->slots[slot].flags & SLOT_SENDING)) return;
  struct iovec part = {buffer_of(engine, slot), talk->whole};
  talk->kept = talk->whole;
  talk->whole = 0;
  if (send_now(engine, slot, &part, 1, part.iov_len)) {
    drop_kept(engine, slot);
  } else {
    if (engine->open_loop) open_loop_withdraw(engine, slot); /* it can take no request now */
    transfer_arm(engine, slot, talk->sent_ns);
  }
}

bool talk_answer(struct engine *engine, uint32_t slot, void *state, const uint8_t *bytes, struct parse_result result) {
  struct talk *talk = talk_of(engine, slot);
  size_t used = (size_t)talk->kept + talk->whole + talk->growing;
  if (used + ANSWER_PART_BYTES > BUFFER_BYTES) return false;
  talk->growing += (uint16_t)engine->settings.protocol->answer(state, &engine->protocol_settings, bytes,
                                                               result.consumed, buffer_of(engine, slot) + used);
  if (result.unfinished) return true;
  talk->whole = (uint16_t)(talk->whole + talk->growing);
  talk->growing = 0;
  send_answers(engine, slot);
  return true;
}

size_t talk_hear(struct engine *engine, uint32_t slot, const uint8_t *bytes, size_t length, uint64_t at_ns) {
  struct slot *self = &engine->slots[slot];
  struct talk *talk = talk_of(engine, slot);
  const struct protocol *protocol = engine->settings.protocol;
  size_t at = 0;
  talk->heard_ns = 0;
  while (at < length && (self->state == SLOT_IDLE || talk->hearing)) {
    struct parse_result result = {.verdict = PARSE_MALFORMED};
    if (protocol->unsolicited) {
      result = protocol->unsolicited(self->protocol_state, &engine->protocol_settings, bytes + at, length - at);
    }
    bool right = result.verdict == PARSE_INCOMPLETE || result.verdict == PARSE_COMPLETE;
    if (result.verdict == PARSE_RESPOND) {
      right = talk_answer(engine, slot, self->protocol_state, bytes + at, result);
    }
    if (!right) {
      slot_spoil(engine, slot, at_ns, result.verdict == PARSE_MISMATCH ? ERROR_CORRUPT : ERROR_PROTOCOL);
      return length;
    }
    at += result.consumed;
    talk->hearing = result.verdict == PARSE_INCOMPLETE || result.unfinished;
  }
  return at;
}

void talk_heard(struct engine *engine, uint32_t slot, uint64_t sent_ns, struct parse_result result, uint64_t at_ns) {
  struct talk *talk = talk_of(engine, slot);
  if (at_ns < sent_ns) at_ns = engine_now_ns(engine); /* sent after the batch was seen, answered within it */
  if (at_ns - sent_ns >= engine->settings.transfer_timeout_ns) {
    slot_spoil(engine, slot, at_ns, ERROR_TIMEOUT);
    return;
  }
  talk->heard_ns = at_ns;
  talk->code = result.code;
  slot_set_timer(engine, slot, at_ns + engine->talks->quiet_ns);
}

bool talk_quiet(struct engine *engine, uint32_t slot, uint64_t at_ns) {
  struct talk *talk = talk_of(engine, slot);
  if (talk->heard_ns == 0) return false;
  struct slot *self = &engine->slots[slot];
  if ((self->flags & SLOT_SENDING) && talk->sending == 0) { /* not asked yet: no end before that, but the deadline */
    talk->heard_ns = 0;
    return false;
  }
  uint64_t heard_ns = talk->heard_ns;
  if (at_ns < heard_ns + engine->talks->quiet_ns) {
    slot_set_timer(engine, slot, heard_ns + engine->talks->quiet_ns);
    return true;
  }
  talk->heard_ns = 0;
  if (engine->flights) {
    flights_complete(engine, slot, heard_ns, talk->code);
  } else {
    transfer_complete(engine, slot, self->started_ns, heard_ns, talk->code);
  }
  slot_go_on(engine, slot, WORKLOAD_REPLIED, at_ns);
  return true;
}

bool talk_is_sending(const struct engine *engine, uint32_t slot) { return talk_of(engine, slot)->sending > 0; }

bool talk_sent(struct engine *engine, uint32_t slot) {
  struct talk *talk = talk_of(engine, slot);
  struct slot *self = &engine->slots[slot];
  bool ours = talk->sending > 0;
  engine->interval->counters[COUNT_BYTES_SENT] += talk->sending;
  talk->sending = 0;
  drop_kept(engine, slot);
  send_answers(engine, slot);
  if (!ours || (self->flags & SLOT_SENDING)) return ours;
  bool open = self->state == SLOT_IDLE || self->state == SLOT_BUSY;
  if (open && (talk->held || engine->flights)) {
    talk->held = false;
    slot_go_on(engine, slot, WORKLOAD_WAITED, engine->transport->seen_ns);
  }
  return true;
}

void talk_hold(struct engine *engine, uint32_t slot, uint64_t at_ns) {
  struct talk *talk = talk_of(engine, slot);
  uint64_t deadline_ns = talk->sent_ns + engine->settings.transfer_timeout_ns;
  if (at_ns >= deadline_ns) {
    slot_spoil(engine, slot, at_ns, ERROR_TIMEOUT);
    return;
  }
  talk->held = true;
  slot_set_timer(engine, slot, deadline_ns);
}
