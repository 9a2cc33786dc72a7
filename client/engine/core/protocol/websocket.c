/*
 * websocket.c: WebSocket (RFC 6455). The hello of a connection is the upgrade. Each request is one binary message,
 * the payload or part of it, from a random place on; the reply is the same message, in any number of frames. Pings and
 * close frames are answered, also within a reply; answers have the masking key 0. `bytes` holds the upgrade request,
 * the Sec-WebSocket-Accept that must answer it, the masking key, and the masked payload twice. So any part of it is
 * masked without a copy: what begins at byte r has the key that begins at byte r mod 4.
 */
#include <string.h>

#include "codec.h"

#define ACCEPT_BYTES 28u
#define HEAD_MOST (64u * 1024u) /* of the reply to the upgrade */
#define CONTROL_MOST 125u
#define KEY_BYTES 4u
#define LENGTH_BYTES 4u /* of a length, at most; no payload is longer */

/* Set by client/protocols/websocket.js. */
struct websocket_parameters {
  uint64_t upgrade_bytes; /* of the upgrade's request */
};
_Static_assert(sizeof(struct websocket_parameters) <= PROTOCOL_PARAMETERS_BYTES,
               "the parameters of a protocol have a limit");

static const struct protocol_parameter parameters[] = {
    {"upgradeBytes", PARAMETER_NUMBER, offsetof(struct websocket_parameters, upgrade_bytes)},
};

static const struct websocket_parameters *parameters_of(const struct protocol_settings *settings) {
  return (const void *)settings->parameters.bytes;
}

enum opcode { OP_MORE, OP_TEXT, OP_BINARY, OP_CLOSE = 8, OP_PING, OP_PONG };
#define FINAL 0x80u
#define MASKED 0x80u

enum websocket_phase {
  AT_FIRST,
  AT_SECOND,
  AT_ANSWER, /* the head of a control frame is there, its answer's is due */
  IN_CONTENT,
  IN_LENGTH /* and this many more bytes of it */
};

/* A frame, as far as it came. */
struct frame {
  uint32_t left; /* of its content */
  uint8_t phase;
  uint8_t first; /* its first byte */
  /* The following only of a reply's. */
  uint8_t begun; /* the message has begun: only its other frames may follow */
  uint8_t asks;  /* what came last belongs to it, and not to the other frame */
};

enum upgrade { IN_STATUS, IN_REST, AT_FEED, AT_LINE, IN_NAME, IN_ACCEPT, AFTER_ACCEPT, AT_END };

/* What has come of the reply to the upgrade. */
struct upgrade_reply {
  uint32_t received;
  uint8_t phase, at;
  bool accepted, may_be_accept, may_be_extensions; /* the name so far may be that of Sec-WebSocket-... */
};

/* The message that must come back. */
struct message {
  uint32_t at, missing; /* where in the payload its next byte is, and how many bytes have not come */
  struct frame reply;
  uint8_t length_and_key[LENGTH_BYTES + KEY_BYTES]; /* of the frame sent; stays put until it is sent */
};

struct websocket {
  union {
    struct upgrade_reply upgrade; /* before the connection is open */
    struct message message;
  };
  struct frame unsolicited;
};
_Static_assert(sizeof(struct websocket) <= PROTOCOL_STATE_BYTES, "the state of a protocol has a limit");

static unsigned hello(void *state, const struct protocol_settings *settings, uint64_t identity, struct iovec parts[3]) {
  (void)state;
  (void)identity;
  parts[0] = iovec_part(settings->bytes, parameters_of(settings)->upgrade_bytes);
  return 1;
}

/* Makes the head of a frame that is a whole message of LENGTH bytes: what is the same in all such frames as a part, and
 * the rest into *END, which it moves. */
static struct iovec write_head(uint8_t **end, size_t length) {
  static const uint8_t of_7_bits[] = {FINAL | OP_BINARY}, of_16[] = {FINAL | OP_BINARY, MASKED | 126},
                       of_64[] = {FINAL | OP_BINARY, MASKED | 127, 0, 0, 0, 0};
  if (length < 126) {
    *(*end)++ = (uint8_t)(MASKED | length);
    return iovec_part(of_7_bits, sizeof of_7_bits);
  }
  for (unsigned shift = length <= UINT16_MAX ? 16 : 32; shift > 0; shift -= 8) {
    *(*end)++ = (uint8_t)(length >> (shift - 8));
  }
  return length <= UINT16_MAX ? iovec_part(of_16, sizeof of_16) : iovec_part(of_64, sizeof of_64);
}

static unsigned request(void *state, const struct protocol_settings *settings, const struct request_inputs *inputs,
                        struct iovec parts[3]) {
  struct websocket *websocket = state;
  struct payload_run run = draw_payload_run(settings, inputs->random);
  const uint8_t *key = settings->bytes + parameters_of(settings)->upgrade_bytes + ACCEPT_BYTES;
  websocket->message = (struct message){.at = (uint32_t)run.offset, .missing = (uint32_t)run.bytes};
  uint8_t *rest = websocket->message.length_and_key, *end = rest;
  parts[0] = write_head(&end, run.bytes);
  for (size_t i = 0; i < KEY_BYTES; i++) *end++ = key[(run.offset + i) % KEY_BYTES];
  parts[1] = iovec_part(rest, (size_t)(end - rest));
  parts[2] = iovec_part(key + KEY_BYTES + run.offset, run.bytes);
  return 3;
}

static bool is_control(const struct frame *frame) { return frame->first & 8; }
static enum opcode opcode_of(const struct frame *frame) { return (enum opcode)(frame->first & 15); }

/* The head is there. */
static bool is_right(const struct frame *frame) {
  unsigned opcode = frame->first & 127u; /* with the reserved bits, which no extension uses */
  if (is_control(frame)) {
    return (frame->first & FINAL) && frame->left <= CONTROL_MOST && opcode >= OP_CLOSE && opcode <= OP_PONG;
  }
  return opcode <= OP_BINARY;
}

static enum websocket_phase after_head(const struct frame *frame) {
  return opcode_of(frame) == OP_PING || opcode_of(frame) == OP_CLOSE ? AT_ANSWER : IN_CONTENT;
}

/* One byte of a frame's head; PARSE_COMPLETE where that ends. */
static enum verdict parse_head(struct frame *frame, uint8_t byte) {
  if (frame->phase == AT_FIRST) {
    frame->first = byte;
    frame->phase = AT_SECOND;
    return PARSE_INCOMPLETE;
  }
  if (frame->phase == AT_SECOND) {
    if (byte > 127) return PARSE_MALFORMED; /* a server does not mask */
    frame->left = byte < 126 ? byte : 0;
    frame->phase = (uint8_t)(byte < 126 ? IN_CONTENT : IN_LENGTH + (byte == 126 ? 2 : 8));
  } else {
    if (frame->left > UINT32_MAX >> 8) return PARSE_MALFORMED; /* no message of ours is that long */
    frame->left = frame->left << 8 | byte;
    frame->phase--;
    bool fits_7_bits = frame->phase == IN_LENGTH && frame->left < 126;
    bool fits_16_bits = frame->phase == IN_LENGTH + 2 && frame->left == 0; /* after 6 bytes of 8 */
    if (fits_7_bits || fits_16_bits) return PARSE_MALFORMED;
  }
  if (frame->phase > IN_LENGTH) return PARSE_INCOMPLETE;
  frame->phase = (uint8_t)after_head(frame);
  return is_right(frame) ? PARSE_COMPLETE : PARSE_MALFORMED;
}

/* Bytes of a control frame's content, or none where only its answer's head is due. PARSE_COMPLETE: it ends, and needs
 * no answer. */
static struct parse_result parse_control(struct frame *frame, size_t length) {
  bool asks = opcode_of(frame) != OP_PONG;
  if (frame->phase == AT_ANSWER) length = 0;
  size_t taken = length < frame->left ? length : frame->left;
  frame->left -= (uint32_t)taken;
  struct parse_result result = parse_result_of(asks              ? PARSE_RESPOND
                                               : frame->left > 0 ? PARSE_INCOMPLETE
                                                                 : PARSE_COMPLETE,
                                               taken);
  result.unfinished = frame->left > 0;
  return result;
}

static size_t answer(void *state, const struct protocol_settings *settings, const uint8_t *bytes, size_t length,
                     uint8_t *answer) {
  struct websocket *websocket = state;
  struct frame *frame = websocket->message.reply.asks ? &websocket->message.reply : &websocket->unsolicited;
  size_t at = 0;
  (void)settings;
  if (frame->phase == AT_ANSWER) {
    answer[at++] = (uint8_t)(FINAL | (opcode_of(frame) == OP_PING ? OP_PONG : OP_CLOSE));
    answer[at++] = (uint8_t)(0x80u | frame->left);
    memset(answer + at, 0, 4);
    at += 4;
    length = 0;
    frame->phase = IN_CONTENT;
  }
  memcpy(answer + at, bytes, length);
  if (frame->left == 0) frame->phase = AT_FIRST;
  return at + length;
}

static struct parse_result unsolicited(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                       size_t length) {
  struct websocket *websocket = state;
  struct frame *frame = &websocket->unsolicited;
  size_t at = 0;
  (void)settings;
  websocket->message.reply.asks = 0;
  while (at < length && frame->phase != IN_CONTENT) {
    enum verdict verdict = parse_head(frame, bytes[at++]);
    if (verdict == PARSE_MALFORMED) return parse_result_of(verdict, at);
    if (verdict == PARSE_INCOMPLETE) continue;
    if (!is_control(frame)) return parse_result_of(PARSE_MALFORMED, at);
    if (frame->phase == AT_ANSWER || frame->left == 0) break;
  }
  if (frame->phase != IN_CONTENT && frame->phase != AT_ANSWER) return parse_result_of(PARSE_INCOMPLETE, at);
  if (at == length && frame->phase == IN_CONTENT && frame->left > 0) return parse_result_of(PARSE_INCOMPLETE, at);
  struct parse_result result = parse_control(frame, length - at);
  result.consumed += at;
  if (result.verdict == PARSE_COMPLETE) frame->phase = AT_FIRST;
  return result;
}

/* Content of a frame that must be the message's. */
static struct parse_result parse_message(struct message *message, const struct protocol_settings *settings,
                                         const uint8_t *bytes, size_t length) {
  struct frame *frame = &message->reply;
  size_t taken = length < frame->left ? length : frame->left;
  if (taken > message->missing || memcmp(settings->payload + message->at, bytes, taken) != 0) {
    return parse_result_of(PARSE_MISMATCH, taken);
  }
  message->at += (uint32_t)taken;
  message->missing -= (uint32_t)taken;
  frame->left -= (uint32_t)taken;
  if (frame->left > 0) return parse_result_of(PARSE_INCOMPLETE, taken);
  frame->phase = AT_FIRST;
  if (!(frame->first & FINAL)) return parse_result_of(PARSE_INCOMPLETE, taken);
  return parse_result_of(message->missing == 0 ? PARSE_COMPLETE : PARSE_MISMATCH, taken);
}

/* The head of one of the reply's frames is there: it begins or continues the message, or is a control frame. */
static bool follows(struct frame *frame) {
  if (is_control(frame)) return true;
  bool right = opcode_of(frame) == (frame->begun ? OP_MORE : OP_BINARY);
  frame->begun = 1;
  return right;
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  struct message *message = &((struct websocket *)state)->message;
  struct frame *frame = &message->reply;
  size_t at = 0;
  frame->asks = 1;
  for (;;) {
    struct parse_result result;
    bool content = frame->phase == IN_CONTENT || frame->phase == AT_ANSWER;
    if (content && (at < length || frame->left == 0 || frame->phase == AT_ANSWER)) {
      result = is_control(frame) ? parse_control(frame, length - at)
                                 : parse_message(message, settings, bytes + at, length - at);
      if (is_control(frame) && result.verdict == PARSE_COMPLETE) { /* a PONG */
        frame->phase = AT_FIRST;
        result.verdict = PARSE_INCOMPLETE;
      }
    } else {
      if (at == length) return parse_result_of(PARSE_INCOMPLETE, at);
      result = parse_result_of(parse_head(frame, bytes[at]), 1);
      if (result.verdict == PARSE_COMPLETE) result.verdict = follows(frame) ? PARSE_INCOMPLETE : PARSE_MALFORMED;
    }
    at += result.consumed;
    result.consumed = at;
    if (result.verdict != PARSE_INCOMPLETE) return result;
  }
}

/* One byte of the name of a field. False: that field must not be. */
static bool parse_name(struct upgrade_reply *upgrade, uint8_t byte) {
  static const char accept[] = "sec-websocket-accept:", extensions[] = "sec-websocket-extensions:";
  uint8_t at = upgrade->at++, letter = ascii_lower(byte);
  upgrade->may_be_accept = upgrade->may_be_accept && letter == (uint8_t)accept[at];
  upgrade->may_be_extensions = upgrade->may_be_extensions && letter == (uint8_t)extensions[at];
  if (!upgrade->may_be_accept && !upgrade->may_be_extensions) {
    upgrade->phase = IN_REST;
  } else if (upgrade->may_be_accept && accept[upgrade->at] == '\0') {
    upgrade->phase = IN_ACCEPT;
    upgrade->at = 0;
  }
  return !upgrade->may_be_extensions || extensions[upgrade->at] != '\0';
}

/* One byte of Sec-WebSocket-Accept. False: it is not the right one. */
static bool parse_accept(struct upgrade_reply *upgrade, const uint8_t *accept, uint8_t byte) {
  if (upgrade->at == 0 && is_space(byte)) return true;
  if (byte != accept[upgrade->at++]) return false;
  upgrade->accepted = upgrade->at == ACCEPT_BYTES;
  if (upgrade->accepted) upgrade->phase = AFTER_ACCEPT;
  return true;
}

/* One byte of the reply to the upgrade, whose lines end with CRLF. False: it is none, or not the right one. */
static bool parse_upgrade_reply(struct upgrade_reply *upgrade, const uint8_t *accept, uint8_t byte) {
  static const char status[] = "HTTP/1.1 101";
  switch (upgrade->phase) {
  case IN_STATUS:
    if (byte != (uint8_t)status[upgrade->at]) return false;
    if (status[++upgrade->at] == '\0') upgrade->phase = IN_REST;
    return true;
  case AT_FEED: upgrade->phase = AT_LINE; return byte == '\n';
  case AT_END: return byte == '\n' && upgrade->accepted;
  case IN_ACCEPT: return parse_accept(upgrade, accept, byte);
  case AT_LINE:
    upgrade->phase = byte == '\r' ? AT_END : IN_NAME;
    if (byte == '\r') return true;
    upgrade->at = 0;
    upgrade->may_be_accept = upgrade->may_be_extensions = true;
    break;
  default: break;
  }
  if (upgrade->phase == IN_NAME && !parse_name(upgrade, byte)) return false;
  if (byte == '\r') upgrade->phase = AT_FEED;
  return byte != '\n' && (upgrade->phase != AFTER_ACCEPT || is_space(byte));
}

static struct parse_result hello_reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                       size_t length) {
  struct upgrade_reply *upgrade = &((struct websocket *)state)->upgrade;
  const uint8_t *accept = settings->bytes + parameters_of(settings)->upgrade_bytes;
  for (size_t at = 0; at < length;) {
    bool at_end = upgrade->phase == AT_END;
    bool right = parse_upgrade_reply(upgrade, accept, bytes[at++]) && ++upgrade->received < HEAD_MOST;
    if (!right) return parse_result_of(PARSE_MALFORMED, at);
    if (at_end) return parse_result_of(PARSE_COMPLETE, at);
  }
  return parse_result_of(PARSE_INCOMPLETE, length);
}

static bool validate(const struct protocol_settings *settings) {
  uint64_t upgrade = parameters_of(settings)->upgrade_bytes;
  uint64_t payload = settings->payload_bytes;
  return upgrade > 0 && upgrade <= settings->bytes_count && payload > settings->payload_spread &&
         payload <= UINT32_MAX / 2 && settings->bytes_count == upgrade + ACCEPT_BYTES + KEY_BYTES + 2 * payload;
}

static const char *const goodbyes[] = {"\x88", NULL}; /* a close frame */

const struct protocol protocol_websocket = {
    .name = "websocket",
    .pipelined = true,
    .varies_payload = true,
    .validate = validate,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .request = request,
    .reply = reply,
    .hello = hello,
    .hello_reply = hello_reply,
    .unsolicited = unsolicited,
    .goodbyes = goodbyes,
    .answer = answer,
};
