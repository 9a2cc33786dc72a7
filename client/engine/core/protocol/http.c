/*
 * http.c: HTTP/1.1 (RFC 9112). `bytes` is the head of the request, the payload its body. Where bodies vary in
 * length, `bytes` holds the head up to the Content-Length's last four digits once for each number before them (0, which
 * is not written, 1, 2 and so on: rows of row_bytes), and then all four digits from 0000 to 9999, each with the end of
 * the head; so no request writes a digit. Only the framing of a reply is
 * parsed: Content-Length, chunks, or the end of the connection. Interim replies (1xx) are skipped. 4xx and 5xx are
 * whole replies, counted by their class. A reply that announces the end of the connection ends it, even if other
 * requests of the connection are pending.
 */
#include <string.h>

#include "iovec_parts.h"

/* Set by client/protocols/http.js. */
struct http_parameters {
  bool head_only;      /* the method is HEAD: a reply has no body */
  bool sends_body;     /* the payload is the body of each request */
  bool keeps_alive;    /* else each request asks the server to close the connection */
  uint64_t row_bytes;  /* of a head in `bytes` with room for the digits; 0: bodies are all as long */
  uint64_t head_bytes; /* of it before the digits */
};
_Static_assert(sizeof(struct http_parameters) <= PROTOCOL_PARAMETERS_BYTES,
               "the parameters of a protocol have a limit");

static const struct protocol_parameter parameters[] = {
    {"headOnly", PARAMETER_FLAG, offsetof(struct http_parameters, head_only)},
    {"sendsBody", PARAMETER_FLAG, offsetof(struct http_parameters, sends_body)},
    {"keepsAlive", PARAMETER_FLAG, offsetof(struct http_parameters, keeps_alive)},
    {"rowBytes", PARAMETER_NUMBER, offsetof(struct http_parameters, row_bytes)},
    {"headBytes", PARAMETER_NUMBER, offsetof(struct http_parameters, head_bytes)},
};

static const struct http_parameters *parameters_of(const struct protocol_settings *settings) {
  return (const void *)settings->parameters.bytes;
}

#define HEAD_BYTES_AT_MOST (256u * 1024u) /* of a head, of a line between chunks, of trailers */
#define LENGTH_AT_MOST (UINT64_C(1) << 60)

enum phase {
  IN_VERSION, /* "HTTP/1.1 " */
  IN_CODE,    /* three digits and what ends them */
  IN_REASON,
  AT_LINE, /* a header line, or the empty one */
  IN_NAME,
  IN_OTHER_NAME,
  IN_OTHER_VALUE,
  IN_LENGTH,
  IN_TOKENS,   /* the value of Connection or Transfer-Encoding */
  AT_HEAD_END, /* the LF of the empty line */
  IN_BODY,
  IN_SIZE, /* of a chunk */
  IN_SIZE_REST,
  AT_CHUNK_END,
  AT_TRAILER,
  IN_TRAILER,
  UNTIL_CLOSE
};

enum flag {
  HAS_LENGTH = 1,
  HAS_CODING = 2,
  CHUNKED = 4, /* is the last coding */
  CLOSES = 8,
  KEEPS = 16,
  OLD = 32 /* HTTP/1.0 */
};

enum header { HEADER_LENGTH, HEADER_CODING, HEADER_CONNECTION, HEADERS };
static const char *const names[HEADERS] = {"content-length", "transfer-encoding", "connection"};
enum token { TOKEN_CLOSE, TOKEN_KEEP, TOKEN_CHUNKED, TOKENS };
static const char *const tokens[TOKENS] = {"close", "keep-alive", "chunked"};

struct http {
  uint64_t remaining; /* of the body or chunk */
  uint64_t length;    /* by Content-Length; the one being read is in remaining */
  uint32_t head_bytes;
  uint16_t code;
  uint8_t phase, flags;
  uint8_t header;     /* IN_TOKENS: of which header */
  uint8_t candidates; /* bit i: what was read so far is the beginning of word i */
  uint8_t at;         /* bytes of the word, digits, or place in the version that were read */
};
_Static_assert(sizeof(struct http) <= PROTOCOL_STATE_BYTES, "the state of a protocol has a limit");

#define ROW_LENGTHS 10000u /* the lengths that differ in their last four digits only */
#define ENDING_BYTES 8u    /* those digits and the end of the head */

/* How many rows of heads bodies of up to LENGTH bytes need. */
static uint64_t rows_for(uint64_t length) { return length / ROW_LENGTHS + 1; }

/* A request whose body is part of the payload. */
static unsigned request_varied(const struct protocol_settings *settings, uint64_t random, struct iovec parts[3]) {
  const struct http_parameters *given = parameters_of(settings);
  struct payload_run run = draw_payload_run(settings, random);
  size_t row = run.bytes / ROW_LENGTHS, ending = run.bytes % ROW_LENGTHS, skipped = 0;
  const uint8_t *endings = settings->bytes + rows_for(settings->payload_bytes) * given->row_bytes;
  size_t head_bytes = (size_t)given->head_bytes;
  for (size_t digits = row; digits > 0; digits /= 10) head_bytes++;
  for (size_t least = 1000; row == 0 && least > 1 && ending < least; least /= 10) skipped++;
  parts[0] = iovec_part(settings->bytes + row * given->row_bytes, head_bytes);
  parts[1] = iovec_part(endings + ending * ENDING_BYTES + skipped, ENDING_BYTES - skipped);
  parts[2] = iovec_part(settings->payload + run.offset, run.bytes);
  return run.bytes > 0 ? 3 : 2;
}

static unsigned request(void *state, const struct protocol_settings *settings, uint64_t random, struct iovec parts[3]) {
  memset(state, 0, sizeof(struct http));
  if (parameters_of(settings)->row_bytes > 0) return request_varied(settings, random, parts);
  parts[0] = iovec_part(settings->bytes, settings->bytes_count);
  if (!parameters_of(settings)->sends_body || settings->payload_bytes == 0) return 1;
  parts[1] = iovec_part(settings->payload, settings->payload_bytes);
  return 2;
}

static bool is_space(uint8_t byte) { return byte == ' ' || byte == '\t'; }
static bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

/* A word begins or continues with BYTE: keeps those of WORDS that it can still be. */
static void begin_word(struct http *http, unsigned count) {
  http->candidates = (uint8_t)((1u << count) - 1);
  http->at = 0;
}

static void match(struct http *http, const char *const *words, unsigned count, uint8_t byte) {
  if (byte == '\0') http->candidates = 0; /* it would pass for the end of a word */
  for (unsigned i = 0; i < count; i++) {
    if ((http->candidates & 1u << i) && (uint8_t)words[i][http->at] != ascii_lower(byte)) {
      http->candidates &= (uint8_t) ~(1u << i);
    }
  }
  if (http->candidates) http->at++;
}

/* Which of WORDS the word was; COUNT: none. */
static unsigned matched(const struct http *http, const char *const *words, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    if ((http->candidates & 1u << i) && words[i][http->at] == '\0') return i;
  }
  return count;
}

static void end_token(struct http *http) {
  if (http->at == 0 && http->candidates) return; /* an empty token */
  unsigned token = matched(http, tokens, TOKENS);
  if (http->header == HEADER_CODING) {
    http->flags = (uint8_t)(http->flags & ~CHUNKED);
    if (token == TOKEN_CHUNKED) http->flags |= CHUNKED;
  } else if (token == TOKEN_CLOSE) {
    http->flags |= CLOSES;
  } else if (token == TOKEN_KEEP) {
    http->flags |= KEEPS;
  }
}

static void begin_value(struct http *http) {
  switch (matched(http, names, HEADERS)) {
  case HEADER_LENGTH:
    http->phase = IN_LENGTH;
    http->remaining = 0;
    http->at = 0;
    return;
  case HEADER_CODING:
    http->flags |= HAS_CODING;
    http->header = HEADER_CODING;
    break;
  case HEADER_CONNECTION: http->header = HEADER_CONNECTION; break;
  default: http->phase = IN_OTHER_VALUE; return;
  }
  http->phase = IN_TOKENS;
  begin_word(http, TOKENS);
}

/* at: 0 before the digits, 1 among them, 2 after them. */
static bool in_length(struct http *http, uint8_t byte) {
  if (is_digit(byte)) {
    if (http->at == 2 || http->remaining > LENGTH_AT_MOST) return false;
    http->at = 1;
    http->remaining = http->remaining * 10 + (uint64_t)(byte - '0');
    return true;
  }
  if (is_space(byte) || byte == '\r') {
    if (http->at == 1) http->at = 2;
    return true;
  }
  if (byte != '\n' || http->at == 0) return false;
  if ((http->flags & HAS_LENGTH) && http->length != http->remaining) return false;
  http->length = http->remaining;
  http->flags |= HAS_LENGTH;
  http->phase = AT_LINE;
  return true;
}

static void in_tokens(struct http *http, uint8_t byte) {
  if (byte == ',' || byte == '\r' || byte == '\n' || is_space(byte)) {
    end_token(http);
    begin_word(http, TOKENS);
    if (byte == '\n') http->phase = AT_LINE;
  } else {
    match(http, tokens, TOKENS, byte);
  }
}

/* Three digits; at: how many were read. */
static bool in_code(struct http *http, uint8_t byte) {
  if (http->at < 3) {
    if (!is_digit(byte)) return false;
    http->code = (uint16_t)(http->code * 10 + (byte - '0'));
    http->at++;
    return true;
  }
  if (byte != ' ' && byte != '\r' && byte != '\n') return false;
  if (http->code < 100 || http->code > 599 || http->code == 101) return false;
  http->phase = byte == '\n' ? AT_LINE : IN_REASON;
  return true;
}

static bool in_version(struct http *http, uint8_t byte) {
  static const char version[] = "HTTP/1.1 ";
  if (http->at == 7) {
    if (byte != '0' && byte != '1') return false;
    if (byte == '0') http->flags |= OLD;
  } else if (byte != (uint8_t)version[http->at]) {
    return false;
  }
  if (version[++http->at] == '\0') {
    http->phase = IN_CODE;
    http->at = 0;
  }
  return true;
}

static bool at_line(struct http *http, uint8_t byte) {
  if (byte == '\r') {
    http->phase = AT_HEAD_END;
    return true;
  }
  if (byte == ':' || is_space(byte)) return false; /* no name; lines are not folded any more */
  begin_word(http, HEADERS);
  match(http, names, HEADERS, byte);
  http->phase = http->candidates ? IN_NAME : IN_OTHER_NAME;
  return true;
}

static bool in_name(struct http *http, uint8_t byte) {
  if (byte == ':') {
    begin_value(http);
    return true;
  }
  if (byte == '\r' || byte == '\n' || is_space(byte)) return false;
  match(http, names, HEADERS, byte);
  if (!http->candidates) http->phase = IN_OTHER_NAME;
  return true;
}

/* The head is whole; true when the reply is. */
static bool end_head(struct http *http, const struct protocol_settings *settings) {
  if (http->code < 200) {
    uint32_t head_bytes = http->head_bytes;
    memset(http, 0, sizeof *http);
    http->head_bytes = head_bytes;
    return false;
  }
  if (parameters_of(settings)->head_only || http->code == 204 || http->code == 304) return true;
  http->at = 0;
  http->remaining = 0;
  if (http->flags & HAS_CODING) {
    if (http->flags & HAS_LENGTH) http->flags |= CLOSES; /* RFC 9112, section 6.1 */
    http->phase = http->flags & CHUNKED ? IN_SIZE : UNTIL_CLOSE;
  } else if (http->flags & HAS_LENGTH) {
    http->remaining = http->length;
    http->phase = IN_BODY;
    return http->remaining == 0;
  } else {
    http->phase = UNTIL_CLOSE;
  }
  return false;
}

static int hexadecimal(uint8_t byte) {
  if (is_digit(byte)) return byte - '0';
  uint8_t letter = ascii_lower(byte);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

static void end_size(struct http *http) {
  http->head_bytes = 0;
  http->phase = http->remaining > 0 ? IN_BODY : AT_TRAILER;
}

static bool in_size(struct http *http, uint8_t byte) {
  int digit = hexadecimal(byte);
  if (digit >= 0) {
    if (http->remaining > LENGTH_AT_MOST >> 4) return false;
    http->remaining = http->remaining << 4 | (uint64_t)digit;
    http->at = 1;
    return true;
  }
  if (http->at == 0) return false;
  if (byte == '\n') {
    end_size(http);
  } else if (byte == ';' || byte == '\r' || is_space(byte)) {
    http->phase = IN_SIZE_REST;
  } else {
    return false;
  }
  return true;
}

/* One byte outside a body. Returns PARSE_INCOMPLETE, PARSE_COMPLETE or PARSE_MALFORMED. */
static enum verdict step(struct http *http, const struct protocol_settings *settings, uint8_t byte) {
  bool right = true;
  switch (http->phase) {
  case IN_VERSION: right = in_version(http, byte); break;
  case IN_CODE: right = in_code(http, byte); break;
  case AT_LINE:
    if (byte == '\n') return end_head(http, settings) ? PARSE_COMPLETE : PARSE_INCOMPLETE;
    right = at_line(http, byte);
    break;
  case IN_NAME: right = in_name(http, byte); break;
  case IN_OTHER_NAME:
    if (byte == ':') http->phase = IN_OTHER_VALUE;
    right = byte != '\r' && byte != '\n';
    break;
  case IN_LENGTH: right = in_length(http, byte); break;
  case IN_TOKENS: in_tokens(http, byte); break;
  case AT_HEAD_END:
    if (byte != '\n') return PARSE_MALFORMED;
    return end_head(http, settings) ? PARSE_COMPLETE : PARSE_INCOMPLETE;
  case IN_SIZE: right = in_size(http, byte); break;
  case AT_CHUNK_END:
    right = byte == '\n' || (byte == '\r' && http->at == 0);
    http->at = 1;
    if (byte != '\n') break;
    http->phase = IN_SIZE;
    http->at = 0;
    break;
  case AT_TRAILER:
    if (byte == '\n') return PARSE_COMPLETE;
    if (byte != '\r') http->phase = IN_TRAILER;
    break;
  default: break;
  }
  return right ? PARSE_INCOMPLETE : PARSE_MALFORMED;
}

/* The phase after the LF of a line that is not looked at; IN_VERSION: this one is. */
static enum phase after_line(const struct http *http) {
  switch (http->phase) {
  case IN_REASON:
  case IN_OTHER_VALUE: return AT_LINE;
  case IN_TRAILER: return AT_TRAILER;
  case IN_SIZE_REST: return IN_SIZE_REST;
  default: return IN_VERSION;
  }
}

/* As many of LENGTH bytes as belong to the body. */
static size_t skip_body(struct http *http, size_t length) {
  size_t taken = http->remaining < length ? (size_t)http->remaining : length;
  http->remaining -= taken;
  if (http->remaining > 0 || !(http->flags & HAS_CODING)) return taken;
  http->phase = AT_CHUNK_END;
  http->at = 0;
  return taken;
}

static struct parse_result whole(const struct http *http, const struct protocol_settings *settings, size_t consumed) {
  bool stays = http->flags & OLD ? (http->flags & (KEEPS | CLOSES)) == KEEPS : !(http->flags & CLOSES);
  return (struct parse_result){.consumed = consumed,
                               .verdict = PARSE_COMPLETE,
                               .code = (uint8_t)(CODE_2XX + http->code / 100 - 2),
                               .closes = !stays || !parameters_of(settings)->keeps_alive};
}

static struct parse_result reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                 size_t length) {
  struct http *http = state;
  for (size_t at = 0; at < length;) {
    if (http->phase == UNTIL_CLOSE) break;
    if (http->phase == IN_BODY) {
      at += skip_body(http, length - at);
      if (http->phase == IN_BODY && http->remaining == 0) return whole(http, settings, at);
      continue;
    }
    enum phase next = after_line(http);
    size_t taken = 1;
    enum verdict verdict = PARSE_INCOMPLETE;
    if (next == IN_VERSION) {
      verdict = step(http, settings, bytes[at]);
    } else {
      const uint8_t *end = memchr(bytes + at, '\n', length - at);
      taken = end ? (size_t)(end - (bytes + at)) + 1 : length - at;
      if (end && next == IN_SIZE_REST) {
        end_size(http);
      } else if (end) {
        http->phase = (uint8_t)next;
      }
    }
    at += taken;
    http->head_bytes += (uint32_t)(taken < HEAD_BYTES_AT_MOST ? taken : HEAD_BYTES_AT_MOST);
    if (verdict == PARSE_COMPLETE) return whole(http, settings, at);
    if (verdict == PARSE_MALFORMED || http->head_bytes > HEAD_BYTES_AT_MOST) {
      return parse_result_of(PARSE_MALFORMED, at);
    }
  }
  return parse_result_of(PARSE_INCOMPLETE, length);
}

static struct parse_result end(void *state, const struct protocol_settings *settings) {
  struct http *http = state;
  http->flags |= CLOSES;
  if (http->phase != UNTIL_CLOSE) return (struct parse_result){.verdict = PARSE_INCOMPLETE};
  return whole(http, settings, 0);
}

static bool validate(const struct protocol_settings *settings) {
  const struct http_parameters *given = parameters_of(settings);
  uint64_t payload = settings->payload_bytes, count = settings->bytes_count;
  if (given->row_bytes == 0) return count > 0 && settings->payload_spread == 0;
  uint64_t rows = rows_for(payload), digits = 0;
  for (uint64_t last = rows - 1; last > 0; last /= 10) digits++;
  if (!given->sends_body || settings->payload_spread == 0 || given->row_bytes > count) return false;
  return given->head_bytes + digits == given->row_bytes &&
         count == rows * given->row_bytes + ROW_LENGTHS * ENDING_BYTES;
}

const struct protocol protocol_http = {
    .name = "http",
    .pipelined = true,
    .varies_payload = true,
    .validate = validate,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .request = request,
    .reply = reply,
    .end = end,
};
