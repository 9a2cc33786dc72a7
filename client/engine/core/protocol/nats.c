/*
 * nats.c: the client protocol of NATS. Each connection subscribes to a subject of its own, which ends with a random
 * number. A transfer is a message that comes back on that subject: the same one, which the connection published there,
 * or the reply of a service. PINGs of the server are answered at any time. `bytes` holds the hello before and after the
 * number, the request before the number, and what follows it in several variants, so that the message of another
 * request is recognised as wrong.
 */
#include <string.h>

#include "../base/splitmix64.h"
#include "codec.h"

#define NUMBER_DIGITS 16u
#define MESSAGE_AT_MOST (UINT32_C(1) << 30)
#define NO_NUMBER UINT32_MAX

/* Set by client/protocols/nats.js. */
struct nats_parameters {
  uint64_t hello_head_bytes;   /* of the hello, up to the number; they end with the subject */
  uint64_t hello_tail_bytes;   /* ... and behind it */
  uint64_t request_head_bytes; /* of the request, up to the number */
  uint64_t subject_bytes;      /* of the subject without its number */
  uint64_t variant_bytes;      /* of one variant: length, payload, line end */
  bool any_reply;              /* the reply is a service's, of any content */
};
_Static_assert(sizeof(struct nats_parameters) <= PROTOCOL_PARAMETERS_BYTES,
               "the parameters of a protocol have a limit");

static const struct protocol_parameter parameters[] = {
    {"helloHeadBytes", PARAMETER_NUMBER, offsetof(struct nats_parameters, hello_head_bytes)},
    {"helloTailBytes", PARAMETER_NUMBER, offsetof(struct nats_parameters, hello_tail_bytes)},
    {"requestHeadBytes", PARAMETER_NUMBER, offsetof(struct nats_parameters, request_head_bytes)},
    {"subjectBytes", PARAMETER_NUMBER, offsetof(struct nats_parameters, subject_bytes)},
    {"variantBytes", PARAMETER_NUMBER, offsetof(struct nats_parameters, variant_bytes)},
    {"anyReply", PARAMETER_FLAG, offsetof(struct nats_parameters, any_reply)},
};

static const struct nats_parameters *parameters_of(const struct protocol_settings *settings) {
  return (const void *)settings->parameters.bytes;
}

enum word { WORD_PING, WORD_PONG, WORD_OK, WORD_INFO, WORD_ERROR, WORDS };
static const char *const words[WORDS] = {"PING\r\n", "PONG\r\n", "+OK\r\n", "INFO ", "-ERR "};

/* A line other than a message, as far as it has been received. */
struct line {
  uint8_t word, at; /* at: bytes of the word; 0: none yet */
};

enum nats_phase { AT_START, IN_LINE, IN_HEAD, IN_NUMBERS, IN_CONTENT };

struct nats {
  uint8_t number[NUMBER_DIGITS]; /* of the connection's subject */
  uint32_t at;                   /* in what is expected, or in the content */
  uint32_t length;               /* of a content that may be any; NO_NUMBER: no such token yet */
  uint16_t variant;
  uint8_t phase;
  uint8_t headed; /* 1: an HMSG; 2: its headers say that something is wrong */
  struct line line, unsolicited;
};
_Static_assert(sizeof(struct nats) <= PROTOCOL_STATE_BYTES, "the state of a protocol has a limit");

static const uint8_t *variants(const struct protocol_settings *settings) {
  return settings->bytes + parameters_of(settings)->hello_head_bytes + parameters_of(settings)->hello_tail_bytes +
         parameters_of(settings)->request_head_bytes;
}

static size_t variant_count(const struct protocol_settings *settings) {
  size_t before = (size_t)(variants(settings) - settings->bytes);
  return (settings->bytes_count - before) / (size_t)parameters_of(settings)->variant_bytes;
}

static struct iovec variant_of(const struct nats *nats, const struct protocol_settings *settings) {
  uint64_t bytes = parameters_of(settings)->variant_bytes;
  return iovec_part(variants(settings) + nats->variant * bytes, bytes);
}

static unsigned hello(void *state, const struct protocol_settings *settings, uint64_t identity, struct iovec parts[3]) {
  struct nats *nats = state;
  const struct nats_parameters *given = parameters_of(settings);
  for (unsigned i = 0; i < NUMBER_DIGITS; i++) nats->number[i] = (uint8_t) "0123456789abcdef"[identity >> (4 * i) & 15];
  parts[0] = iovec_part(settings->bytes, given->hello_head_bytes);
  parts[1] = iovec_part(nats->number, NUMBER_DIGITS);
  parts[2] = iovec_part(settings->bytes + given->hello_head_bytes, given->hello_tail_bytes);
  return 3;
}

static unsigned request(void *state, const struct protocol_settings *settings, const struct request_inputs *inputs,
                        struct iovec parts[3]) {
  struct nats *nats = state;
  const struct nats_parameters *given = parameters_of(settings);
  nats->variant = (uint16_t)splitmix64_scaled(inputs->random, variant_count(settings));
  nats->at = 0;
  nats->phase = AT_START;
  nats->line = (struct line){0};
  parts[0] = iovec_part(settings->bytes + given->hello_head_bytes + given->hello_tail_bytes, given->request_head_bytes);
  parts[1] = iovec_part(nats->number, NUMBER_DIGITS);
  parts[2] = variant_of(nats, settings);
  return 3;
}

/* Reads on in a line: PARSE_COMPLETE at its end; LINE says which it was. */
static struct parse_result parse_line(struct line *line, const uint8_t *bytes, size_t length) {
  size_t at = 0;
  for (; at < length; at++) {
    if (line->at == 0) {
      for (line->word = 0; line->word < WORDS && (uint8_t)words[line->word][0] != bytes[at];) line->word++;
      if (line->word == WORDS) return parse_result_of(PARSE_MALFORMED, at + 1);
    }
    if (line->word == WORD_PING && line->at == 1 && bytes[at] == 'O') line->word = WORD_PONG;
    if ((uint8_t)words[line->word][line->at] == '\0') break; /* what follows may be anything */
    if ((uint8_t)words[line->word][line->at++] != bytes[at]) return parse_result_of(PARSE_MALFORMED, at + 1);
    if (bytes[at] == '\n') {
      line->at = 0;
      return parse_result_of(PARSE_COMPLETE, at + 1);
    }
  }
  const uint8_t *end = at < length ? memchr(bytes + at, '\n', length - at) : NULL;
  if (!end) return parse_result_of(PARSE_INCOMPLETE, length);
  line->at = 0;
  return parse_result_of(PARSE_COMPLETE, (size_t)(end - bytes) + 1);
}

/* Reads a line until its end. PARSE_COMPLETE is that of END, or with ANY of every line but a PING, which must be
 * answered. */
static struct parse_result parse_lines(struct line *line, enum word end, bool any, const uint8_t *bytes,
                                       size_t length) {
  struct parse_result result = parse_line(line, bytes, length);
  if (result.verdict != PARSE_COMPLETE) return result;
  if (line->word == WORD_PING) return parse_result_of(PARSE_RESPOND, result.consumed);
  if (any || line->word == end) return result;
  if (line->word == WORD_ERROR) return parse_result_of(PARSE_MALFORMED, result.consumed);
  return (struct parse_result){.consumed = result.consumed, .verdict = PARSE_INCOMPLETE, .ends_message = 1};
}

static struct parse_result hello_reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                       size_t length) {
  (void)settings;
  return parse_lines(&((struct nats *)state)->unsolicited, WORD_PONG, false, bytes, length);
}

static struct parse_result unsolicited(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                       size_t length) {
  (void)settings;
  return parse_lines(&((struct nats *)state)->unsolicited, WORDS, true, bytes, length);
}

static size_t answer(void *state, const struct protocol_settings *settings, const uint8_t *bytes, size_t length,
                     uint8_t *answer) {
  (void)state;
  (void)settings;
  (void)bytes;
  (void)length;
  memcpy(answer, "PONG\r\n", 6);
  return 6;
}

/* Compares the head of a message with what it must be: all of it, or where the content may be any, up to the numbers
 * that describe the content. PARSE_COMPLETE: the head ends here. */
static struct parse_result parse_head(struct nats *nats, const struct protocol_settings *settings, const uint8_t *bytes,
                                      size_t length) {
  const struct nats_parameters *given = parameters_of(settings);
  const struct iovec expected[] = {
      nats->headed ? iovec_part("HMSG ", 5) : iovec_part("MSG ", 4),
      iovec_part(settings->bytes + given->hello_head_bytes - given->subject_bytes, given->subject_bytes),
      iovec_part(nats->number, NUMBER_DIGITS),
      iovec_part(" 1 ", given->any_reply ? 3 : 2),
      given->any_reply ? iovec_part(NULL, 0) : variant_of(nats, settings),
  };
  size_t at = 0, skip = nats->at;
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    size_t bytes_there = expected[i].iov_len;
    if (skip >= bytes_there) {
      skip -= bytes_there;
      continue;
    }
    size_t taken = bytes_there - skip < length - at ? bytes_there - skip : length - at;
    if (memcmp((const uint8_t *)expected[i].iov_base + skip, bytes + at, taken) != 0) {
      return parse_result_of(PARSE_MISMATCH, at + taken);
    }
    at += taken;
    nats->at += (uint32_t)taken;
    if (skip + taken < bytes_there) return parse_result_of(PARSE_INCOMPLETE, at);
    skip = 0;
  }
  return parse_result_of(PARSE_COMPLETE, at);
}

/* The last number of a message's first line is the length of its content. */
static struct parse_result parse_numbers(struct nats *nats, const uint8_t *bytes, size_t length) {
  for (size_t at = 0; at < length; at++) {
    uint8_t byte = bytes[at];
    if (byte == '\n') {
      bool right = nats->length != NO_NUMBER;
      nats->length += right ? 2 : 0; /* the line end behind it */
      nats->at = 0;
      return parse_result_of(right ? PARSE_COMPLETE : PARSE_MALFORMED, at + 1);
    }
    bool digit = is_digit(byte);
    if (byte == ' ') {
      nats->length = 0;
    } else if (byte != '\r' && nats->length != NO_NUMBER) {
      nats->length =
          digit && nats->length < MESSAGE_AT_MOST / 10 ? nats->length * 10 + (uint32_t)(byte - '0') : NO_NUMBER;
    }
  }
  return parse_result_of(PARSE_INCOMPLETE, length);
}

/* "NATS/1.0 503" in front of a content says that there was no responder, or another failure. */
static struct parse_result parse_content(struct nats *nats, const uint8_t *bytes, size_t length) {
  size_t missing = nats->length - nats->at, taken = length < missing ? length : missing;
  if (nats->headed && nats->at <= 9 && nats->at + taken > 9) {
    uint8_t status = bytes[9 - nats->at];
    if (status == '4' || status == '5') nats->headed = 2;
  }
  nats->at += (uint32_t)taken;
  if (taken < missing) return parse_result_of(PARSE_INCOMPLETE, taken);
  return complete_reply(nats->headed == 2 ? CODE_ERROR : CODE_OK, taken);
}

/* One step; PARSE_COMPLETE where it ends. */
static struct parse_result step(struct nats *nats, const struct protocol_settings *settings, const uint8_t *bytes,
                                size_t length) {
  switch (nats->phase) {
  case AT_START:
    nats->headed = bytes[0] == 'H' && parameters_of(settings)->any_reply;
    nats->phase = bytes[0] == 'M' || nats->headed ? IN_HEAD : IN_LINE;
    return parse_result_of(PARSE_INCOMPLETE, 0);
  case IN_LINE: return parse_line(&nats->line, bytes, length);
  case IN_HEAD: return parse_head(nats, settings, bytes, length);
  case IN_NUMBERS: return parse_numbers(nats, bytes, length);
  default: return parse_content(nats, bytes, length);
  }
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  struct nats *nats = state;
  size_t at = 0;
  while (at < length) {
    enum nats_phase phase = (enum nats_phase)nats->phase;
    struct parse_result result = step(nats, settings, bytes + at, length - at);
    at += result.consumed;
    result.consumed = at;
    if (result.verdict == PARSE_INCOMPLETE) continue;
    if (result.verdict != PARSE_COMPLETE || phase == IN_CONTENT) return result;
    if (phase == IN_LINE) {
      nats->phase = AT_START;
      if (nats->line.word == WORD_PING) return parse_result_of(PARSE_RESPOND, at);
      if (nats->line.word != WORD_ERROR) continue;
      return complete_reply(CODE_ERROR, at);
    }
    if (phase == IN_HEAD && !parameters_of(settings)->any_reply) return complete_reply(CODE_OK, at);
    nats->phase = phase == IN_HEAD ? IN_NUMBERS : IN_CONTENT;
    if (phase == IN_HEAD) nats->length = 0;
  }
  return parse_result_of(PARSE_INCOMPLETE, at);
}

static bool validate(const struct protocol_settings *settings) {
  const struct nats_parameters *given = parameters_of(settings);
  uint64_t left = settings->bytes_count;
  const uint64_t parts[] = {given->hello_head_bytes, given->hello_tail_bytes, given->request_head_bytes};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    if (parts[i] == 0 || parts[i] > left) return false;
    left -= parts[i];
  }
  uint64_t variant = given->variant_bytes;
  return given->subject_bytes <= given->hello_head_bytes && variant > 2 && left >= variant && left % variant == 0 &&
         left / variant <= UINT16_MAX;
}

static const char *const goodbyes[] = {"-ERR ", NULL};

const struct protocol protocol_nats = {
    .name = "nats",
    .pipelined = true,
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
