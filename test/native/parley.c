/*
 * parley.c: what stands between the parts of a reply is read by the same machine, once for each connection while nobody
 * asks, once for each reply.
 */
#include "parley.h"

#include <string.h>

enum { BETWEEN, AT_LENGTH, AT_HEAD, WITHIN };

struct message {
  uint8_t phase, kind, left;
};

struct parley {
  size_t rotation, received;
  struct message in_reply, unasked;
  uint8_t greeted; /* bytes of the greeting's reply */
  bool in_unasked; /* the last verdict was unasked()'s */
};
_Static_assert(sizeof(struct parley) <= PROTOCOL_STATE_BYTES, "the state of a protocol has its limit");

static unsigned request(void *state, const struct protocol_settings *settings, uint64_t random, struct iovec parts[3]) {
  struct parley *parley = state;
  parley->rotation = (size_t)(random % settings->payload_bytes);
  parley->received = 0;
  parley->in_reply = (struct message){0};
  parts[0] = (struct iovec){(void *)(uintptr_t)(settings->payload + parley->rotation), settings->payload_bytes};
  return 1;
}

/* One step of a message. */
static struct outcome hear(struct message *message, const uint8_t *bytes, size_t length) {
  struct outcome outcome = {.consumed = 1, .verdict = VERDICT_MORE};
  if (message->phase == BETWEEN) {
    message->kind = bytes[0];
    if (message->kind != PARLEY_ASK && message->kind != PARLEY_NEWS) outcome.verdict = VERDICT_BAD;
    message->phase = AT_LENGTH;
  } else if (message->phase == AT_LENGTH) {
    message->left = bytes[0];
    message->phase = message->left > 0 ? WITHIN : BETWEEN;
    outcome.unfinished = message->left > 0;
    if (message->kind == PARLEY_ASK) {
      outcome.verdict = VERDICT_ANSWER;
      message->phase = AT_HEAD;
    } else if (message->left == 0) {
      outcome.verdict = VERDICT_REPLY;
    }
  } else {
    outcome.consumed = length < message->left ? length : message->left;
    message->left = (uint8_t)(message->left - outcome.consumed);
    outcome.unfinished = message->left > 0;
    if (message->kind == PARLEY_ASK) outcome.verdict = VERDICT_ANSWER;
    if (message->kind == PARLEY_NEWS && message->left == 0) outcome.verdict = VERDICT_REPLY;
    if (message->left == 0) message->phase = BETWEEN;
  }
  return outcome;
}

static size_t answer(void *state, const struct protocol_settings *settings, const uint8_t *bytes, size_t length,
                     uint8_t *answer) {
  struct parley *parley = state;
  struct message *message = parley->in_unasked ? &parley->unasked : &parley->in_reply;
  (void)settings;
  if (message->phase == AT_HEAD) {
    message->phase = message->left > 0 ? WITHIN : BETWEEN;
    answer[0] = PARLEY_ANSWER;
    answer[1] = message->left;
    return 2;
  }
  memcpy(answer, bytes, length);
  return length;
}

/* Steps until there is something to say, or no more bytes. */
static struct outcome hear_all(struct message *message, const uint8_t *bytes, size_t length) {
  size_t at = 0;
  struct outcome outcome;
  do {
    outcome = hear(message, bytes + at, length - at);
    at += outcome.consumed;
  } while (outcome.verdict == VERDICT_MORE && at < length);
  outcome.consumed = at;
  return outcome;
}

static struct outcome unasked(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                              size_t length) {
  struct parley *parley = state;
  (void)settings;
  parley->in_unasked = true;
  return hear_all(&parley->unasked, bytes, length);
}

static struct outcome reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                            size_t length) {
  struct parley *parley = state;
  size_t at = 0;
  parley->in_unasked = false;
  while (at < length) {
    if (parley->in_reply.phase != BETWEEN || bytes[at] < 0x20) {
      struct outcome outcome = hear_all(&parley->in_reply, bytes + at, length - at);
      outcome.consumed += at;
      if (outcome.verdict == VERDICT_REPLY) outcome.verdict = VERDICT_MORE;
      if (outcome.verdict == VERDICT_ANSWER || outcome.verdict == VERDICT_BAD) return outcome;
      at = outcome.consumed;
      continue;
    }
    if (bytes[at++] != settings->payload[parley->rotation + parley->received++]) {
      return (struct outcome){.consumed = at, .verdict = VERDICT_WRONG};
    }
    if (parley->received == settings->payload_bytes) return (struct outcome){.consumed = at, .verdict = VERDICT_REPLY};
  }
  return (struct outcome){.consumed = at, .verdict = VERDICT_MORE};
}

static unsigned greet(void *state, const struct protocol_settings *settings, uint64_t random, struct iovec parts[3]) {
  (void)state;
  (void)settings;
  (void)random;
  parts[0] = (struct iovec){(void *)(uintptr_t) "hel", 3};
  parts[1] = (struct iovec){(void *)(uintptr_t) "lo?", 3};
  return 2;
}

static struct outcome greeted(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                              size_t length) {
  struct parley *parley = state;
  const char *expected = PARLEY_GREETED;
  size_t at = 0;
  (void)settings;
  parley->in_unasked = true;
  while (at < length) {
    if (parley->unasked.phase != BETWEEN || bytes[at] == PARLEY_ASK) {
      struct outcome outcome = hear_all(&parley->unasked, bytes + at, length - at);
      outcome.consumed += at;
      return outcome;
    }
    if (bytes[at++] != (uint8_t)expected[parley->greeted++]) {
      return (struct outcome){.consumed = at, .verdict = VERDICT_BAD};
    }
    if (parley->greeted == strlen(expected)) return (struct outcome){.consumed = at, .verdict = VERDICT_REPLY};
  }
  return (struct outcome){.consumed = at, .verdict = VERDICT_MORE};
}

const struct protocol protocol_parley = {
    .name = "parley",
    .pipelined = true,
    .request = request,
    .reply = reply,
    .greet = greet,
    .greeted = greeted,
    .unasked = unasked,
    .answer = answer,
};

static struct outcome hush_reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  struct parley *parley = state;
  for (size_t at = 0; at < length; at++) {
    if (bytes[at] != settings->payload[parley->rotation + parley->received++]) {
      return (struct outcome){.consumed = at + 1, .verdict = VERDICT_WRONG};
    }
  }
  return (struct outcome){.consumed = length, .verdict = VERDICT_QUIET, .code = CODE_OK};
}

static struct outcome hush_end(void *state, const struct protocol_settings *settings) {
  const struct parley *parley = state;
  bool whole = parley->received == settings->payload_bytes;
  return (struct outcome){.verdict = whole ? VERDICT_REPLY : VERDICT_MORE, .code = CODE_OK};
}

static uint64_t hush_quiet_ns(const struct protocol_settings *settings) {
  (void)settings;
  return HUSH_QUIET_NS;
}

const struct protocol protocol_hush = {
    .name = "hush",
    .pipelined = true,
    .request = request,
    .reply = hush_reply,
    .end = hush_end,
    .quiet_ns = hush_quiet_ns,
};
