/*
 * chatty_protocol.c: questions are parsed by the same state machine in two places: once for each connection while no
 * request is pending, and once for each reply.
 */
#include "chatty_protocol.h"

#include <string.h>

enum { BETWEEN, AT_LENGTH, AT_HEAD, WITHIN };

struct message {
  uint8_t phase, kind, left;
};

struct chatty {
  size_t rotation, received;
  struct message in_reply, unsolicited;
  uint8_t hello_reply; /* bytes of the greeting's reply */
  bool in_unasked;     /* the last verdict was unasked()'s */
};
_Static_assert(sizeof(struct chatty) <= PROTOCOL_STATE_BYTES, "the state of a protocol has its limit");

static unsigned request(void *state, const struct protocol_settings *settings, const struct request_inputs *inputs,
                        struct iovec parts[3]) {
  struct chatty *chatty = state;
  chatty->rotation = (size_t)(inputs->random % settings->payload_bytes);
  chatty->received = 0;
  chatty->in_reply = (struct message){0};
  parts[0] = (struct iovec){(void *)(uintptr_t)(settings->payload + chatty->rotation), settings->payload_bytes};
  return 1;
}

/* One step of a message. */
static struct parse_result hear(struct message *message, const uint8_t *bytes, size_t length) {
  struct parse_result result = {.consumed = 1, .verdict = PARSE_INCOMPLETE};
  if (message->phase == BETWEEN) {
    message->kind = bytes[0];
    if (message->kind != CHATTY_ASK && message->kind != CHATTY_NEWS) result.verdict = PARSE_MALFORMED;
    message->phase = AT_LENGTH;
  } else if (message->phase == AT_LENGTH) {
    message->left = bytes[0];
    message->phase = message->left > 0 ? WITHIN : BETWEEN;
    result.unfinished = message->left > 0;
    if (message->kind == CHATTY_ASK) {
      result.verdict = PARSE_RESPOND;
      message->phase = AT_HEAD;
    } else if (message->left == 0) {
      result.verdict = PARSE_COMPLETE;
    }
  } else {
    result.consumed = length < message->left ? length : message->left;
    message->left = (uint8_t)(message->left - result.consumed);
    result.unfinished = message->left > 0;
    if (message->kind == CHATTY_ASK) result.verdict = PARSE_RESPOND;
    if (message->kind == CHATTY_NEWS && message->left == 0) result.verdict = PARSE_COMPLETE;
    if (message->left == 0) message->phase = BETWEEN;
  }
  return result;
}

static size_t answer(void *state, const struct protocol_settings *settings, const uint8_t *bytes, size_t length,
                     uint8_t *answer) {
  struct chatty *chatty = state;
  struct message *message = chatty->in_unasked ? &chatty->unsolicited : &chatty->in_reply;
  (void)settings;
  if (message->phase == AT_HEAD) {
    message->phase = message->left > 0 ? WITHIN : BETWEEN;
    answer[0] = CHATTY_ANSWER;
    answer[1] = message->left;
    return 2;
  }
  memcpy(answer, bytes, length);
  return length;
}

/* Steps until there is something to say, or no more bytes. */
static struct parse_result hear_all(struct message *message, const uint8_t *bytes, size_t length) {
  size_t at = 0;
  struct parse_result result;
  do {
    result = hear(message, bytes + at, length - at);
    at += result.consumed;
  } while (result.verdict == PARSE_INCOMPLETE && at < length);
  result.consumed = at;
  return result;
}

static struct parse_result unsolicited(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                       size_t length) {
  struct chatty *chatty = state;
  (void)settings;
  chatty->in_unasked = true;
  return hear_all(&chatty->unsolicited, bytes, length);
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  struct chatty *chatty = state;
  size_t at = 0;
  chatty->in_unasked = false;
  while (at < length) {
    if (chatty->in_reply.phase != BETWEEN || bytes[at] < 0x20) {
      struct parse_result result = hear_all(&chatty->in_reply, bytes + at, length - at);
      result.consumed += at;
      if (result.verdict == PARSE_COMPLETE) result.verdict = PARSE_INCOMPLETE;
      if (result.verdict == PARSE_RESPOND || result.verdict == PARSE_MALFORMED) return result;
      at = result.consumed;
      continue;
    }
    if (bytes[at++] != settings->payload[chatty->rotation + chatty->received++]) {
      return (struct parse_result){.consumed = at, .verdict = PARSE_MISMATCH};
    }
    if (chatty->received == settings->payload_bytes)
      return (struct parse_result){.consumed = at, .verdict = PARSE_COMPLETE};
  }
  return (struct parse_result){.consumed = at, .verdict = PARSE_INCOMPLETE};
}

static unsigned hello(void *state, const struct protocol_settings *settings, uint64_t identity, struct iovec parts[3]) {
  (void)state;
  (void)settings;
  (void)identity;
  parts[0] = (struct iovec){(void *)(uintptr_t) "hel", 3};
  parts[1] = (struct iovec){(void *)(uintptr_t) "lo?", 3};
  return 2;
}

static struct parse_result hello_reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                       size_t length) {
  struct chatty *chatty = state;
  const char *expected = CHATTY_GREETED;
  size_t at = 0;
  (void)settings;
  chatty->in_unasked = true;
  while (at < length) {
    if (chatty->unsolicited.phase != BETWEEN || bytes[at] == CHATTY_ASK) {
      struct parse_result result = hear_all(&chatty->unsolicited, bytes + at, length - at);
      result.consumed += at;
      return result;
    }
    if (bytes[at++] != (uint8_t)expected[chatty->hello_reply++]) {
      return (struct parse_result){.consumed = at, .verdict = PARSE_MALFORMED};
    }
    if (chatty->hello_reply == strlen(expected))
      return (struct parse_result){.consumed = at, .verdict = PARSE_COMPLETE};
  }
  return (struct parse_result){.consumed = at, .verdict = PARSE_INCOMPLETE};
}

const struct protocol protocol_chatty = {
    .name = "chatty",
    .pipelined = true,
    .request = request,
    .reply = reply,
    .hello = hello,
    .hello_reply = hello_reply,
    .unsolicited = unsolicited,
    .answer = answer,
};

static struct parse_result hush_reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                      size_t length) {
  struct chatty *chatty = state;
  for (size_t at = 0; at < length; at++) {
    if (bytes[at] != settings->payload[chatty->rotation + chatty->received++]) {
      return (struct parse_result){.consumed = at + 1, .verdict = PARSE_MISMATCH};
    }
  }
  return (struct parse_result){.consumed = length, .verdict = PARSE_COMPLETE_IF_IDLE, .code = CODE_OK};
}

static struct parse_result hush_end(void *state, const struct protocol_settings *settings) {
  const struct chatty *chatty = state;
  bool whole = chatty->received == settings->payload_bytes;
  return (struct parse_result){.verdict = whole ? PARSE_COMPLETE : PARSE_INCOMPLETE, .code = CODE_OK};
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
