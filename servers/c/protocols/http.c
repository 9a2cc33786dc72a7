/* http: GET, HEAD and POST of one small page, HTTP/1.1 and 1.0 (RFC 9112), keep-alive and close; see
 * servers/PROTOCOLS.md. The head is parsed byte by byte by a state machine whose only memory is struct http, so it may
 * be split anywhere and none of it is stored; the body of a POST is skipped. A line feed alone also ends a line (RFC
 * 9112, 2.2). */
#include "protocols.h"

#include <stdio.h>
#include <string.h>

/* With the shortest heads (22 bytes) the replies to this many bytes fit into SERVER_BUFFER_BYTES. */
#define READ_BYTES 4096
#define MAX_HEAD_BYTES 8192

#define PAGE "<html><title>Broadside</title>Aye.</html>\n"
#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 42\r\nConnection: "
#define KEPT_HEAD OK_HEAD "keep-alive\r\n\r\n"
#define LAST_HEAD OK_HEAD "close\r\n\r\n"
#define KEPT_REPLY KEPT_HEAD PAGE
#define REFUSAL(status, more) "HTTP/1.1 " status "\r\n" more "Content-Length: 0\r\nConnection: close\r\n\r\n"
_Static_assert(sizeof PAGE - 1 == 42, "as Content-Length says");
#define MAX_REPLIES (READ_BYTES / 22 + 2)
_Static_assert(MAX_REPLIES * sizeof KEPT_REPLY <= SERVER_BUFFER_BYTES, "the replies to one read");

enum verdict { MORE, KEPT, LAST, BAD_REQUEST, BAD_METHOD, HAS_BODY, TOO_LONG, BAD_VERSION };

static const char *const final_replies[] = {
    [LAST] = LAST_HEAD PAGE,
    [BAD_REQUEST] = REFUSAL("400 Bad Request", ""),
    [BAD_METHOD] = REFUSAL("405 Method Not Allowed", "Allow: GET, HEAD, POST\r\n"),
    [HAS_BODY] = REFUSAL("413 Content Too Large", ""),
    [TOO_LONG] = REFUSAL("431 Request Header Fields Too Large", ""),
    [BAD_VERSION] = REFUSAL("505 HTTP Version Not Supported", ""),
};

enum phase { BEFORE, METHOD, TARGET, VERSION, LINE_END, FIELD, NAME, VALUE, VALUE_END, HEAD_END, BODY };

/* The header fields and words of Connection that are recognised; bit i of `candidates` is the i-th. */
enum field { HOST, CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, FIELDS };
static const char *const fields[] = {"host", "connection", "content-length", "transfer-encoding"};
enum word { WORD_CLOSE, WORD_KEEP_ALIVE, WORDS };
static const char *const words[] = {"close", "keep-alive"};

enum method { METHOD_GET, METHOD_HEAD, METHOD_POST, METHODS };
static const char *const methods[] = {"get", "head", "post"};

struct http {
  uint32_t length; /* by Content-Length; BODY: what has not been received of it */
  uint16_t head_bytes;
  unsigned char phase;
  unsigned char index;      /* position in the compared text */
  unsigned char candidates; /* texts that still match */
  unsigned char field;      /* the current field; FIELDS: not recognised */
  unsigned char method;
  bool old : 1; /* HTTP/1.0 */
  bool host : 1, has_length : 1, close : 1, keep_alive : 1;
  bool too_large : 1; /* the body: its length does not fit, or is not known */
  bool spaced : 1;    /* white space after a word of Connection or a digit of Content-Length */
};
_Static_assert(sizeof(struct http) <= PROTOCOL_STATE_BYTES, "http's state");

static unsigned char lower(unsigned char byte) {
  return byte >= 'A' && byte <= 'Z' ? (unsigned char)(byte | 0x20) : byte;
}
static bool is_digit(unsigned char byte) { return byte >= '0' && byte <= '9'; }

/* tchar of RFC 9110, 5.6.2: the characters of names and methods. */
static bool is_token(unsigned char byte) {
  const unsigned char small = lower(byte);
  return is_digit(byte) || (small >= 'a' && small <= 'z') || (byte != 0 && strchr("!#$%&'*+-.^_`|~", byte) != NULL);
}

static void compare_start(struct http *http, int count) {
  http->index = 0;
  http->candidates = (unsigned char)((1 << count) - 1);
}

static void compare(struct http *http, const char *const *texts, int count, unsigned char byte) {
  for (int i = 0; i < count; i++) {
    if ((http->candidates >> i & 1) && (unsigned char)texts[i][http->index] != lower(byte)) {
      http->candidates &= (unsigned char)~(1 << i);
    }
  }
  if (http->candidates != 0) { /* so the index stays within the longest text */
    http->index++;
  }
}

/* The index of the matching text, or `count`. */
static int compared(const struct http *http, const char *const *texts, int count) {
  int found = 0;
  while (found < count && !((http->candidates >> found & 1) && texts[found][http->index] == '\0')) {
    found++;
  }
  return http->index == 0 ? count : found;
}

static void word_end(struct http *http) {
  const int word = compared(http, words, WORDS);
  http->close = http->close || word == WORD_CLOSE;
  http->keep_alive = http->keep_alive || word == WORD_KEEP_ALIVE;
  http->spaced = false;
  compare_start(http, WORDS);
}

static enum verdict line_end(struct http *http, unsigned char byte, enum phase after_return, enum phase after_feed) {
  http->phase = (unsigned char)(byte == '\r' ? after_return : after_feed);
  return byte == '\r' || byte == '\n' ? MORE : BAD_REQUEST;
}

static enum verdict request_end(struct http *http) {
  http->phase = BEFORE;
  return http->close ? LAST : KEPT;
}

static enum verdict head_end(struct http *http) {
  const struct http head = *http;
  const bool kept = !head.close && (!head.old || head.keep_alive);
  *http = (struct http){.phase = BODY, .length = head.length, .method = head.method, .close = !kept};
  if (!head.old && !head.host) {
    return BAD_REQUEST;
  }
  if (head.too_large || (head.length > 0 && head.method != METHOD_POST)) {
    return HAS_BODY;
  }
  return head.length > 0 ? MORE : request_end(http);
}

static enum verdict parse_method(struct http *http, unsigned char byte) {
  if (byte == ' ') {
    http->phase = TARGET;
    http->method = (unsigned char)compared(http, methods, METHODS);
    http->index = 0;
    return http->method < METHODS ? MORE : BAD_METHOD;
  }
  if (lower(byte) == byte && byte >= 'a' && byte <= 'z') {
    http->candidates = 0; /* methods are case-sensitive */
  }
  compare(http, methods, METHODS, byte);
  return is_token(byte) ? MORE : BAD_REQUEST;
}

static enum verdict parse_target(struct http *http, unsigned char byte) {
  if (byte == ' ' && http->index > 0) {
    http->phase = VERSION;
    http->index = 0;
    return MORE;
  }
  http->index = 1; /* the target is not empty */
  return byte > ' ' && byte != 0x7f ? MORE : BAD_REQUEST;
}

/* "HTTP/1.1": the candidates are 1.1 and 1.0; index 8 is the end. */
static enum verdict parse_version(struct http *http, unsigned char byte) {
  static const char form[] = "HTTP/d.d";
  if (http->index == sizeof form - 1) {
    if (http->candidates != 0) {
      http->phase = byte == '\r' ? LINE_END : FIELD;
      return byte == '\r' || byte == '\n' ? MORE : BAD_REQUEST;
    }
    return BAD_VERSION;
  }
  const char expected = form[http->index];
  if (expected == 'd' ? !is_digit(byte) : byte != (unsigned char)expected) {
    return BAD_REQUEST;
  }
  if (http->index == 5) {
    http->candidates = byte == '1';
  } else if (http->index == 7) {
    http->old = byte == '0';
    http->candidates = http->candidates && byte <= '1';
  }
  http->index++;
  return MORE;
}

static enum verdict parse_name(struct http *http, unsigned char byte) {
  if (byte != ':') {
    compare(http, fields, FIELDS, byte);
    return is_token(byte) ? MORE : BAD_REQUEST;
  }
  http->field = (unsigned char)compared(http, fields, FIELDS);
  http->phase = VALUE;
  http->spaced = false;
  compare_start(http, WORDS);
  const bool twice = http->field == HOST && http->host;
  http->host = http->host || http->field == HOST;
  http->too_large = http->too_large || http->field == TRANSFER_ENCODING;
  /* Only a length of zero may be repeated. */
  const bool lengths = http->field == CONTENT_LENGTH && http->has_length && http->length > 0;
  return twice || lengths ? BAD_REQUEST : MORE;
}

static enum verdict parse_length(struct http *http, unsigned char byte) {
  if (byte == ' ' || byte == '\t') {
    http->spaced = http->index > 0;
    return MORE;
  }
  http->index = 1;
  if (!is_digit(byte) || http->spaced) {
    return BAD_REQUEST;
  }
  const uint64_t length = 10 * (uint64_t)http->length + (uint64_t)(byte - '0');
  http->too_large = http->too_large || length > UINT32_MAX;
  http->length = length > UINT32_MAX ? UINT32_MAX : (uint32_t)length;
  return MORE;
}

/* A field Content-Length is complete. */
static enum verdict length_end(struct http *http) {
  const bool differs = http->has_length && http->length > 0;
  http->has_length = true;
  return http->index == 0 || differs ? BAD_REQUEST : MORE;
}

static enum verdict parse_word(struct http *http, unsigned char byte) {
  if (byte == ',') {
    word_end(http);
  } else if (byte == ' ' || byte == '\t') {
    http->spaced = http->index > 0;
  } else if (http->spaced) {
    http->candidates = 0; /* two words without a comma match neither */
  } else {
    compare(http, words, WORDS, byte);
  }
  return MORE;
}

static enum verdict parse_value(struct http *http, unsigned char byte) {
  if (byte == '\r' || byte == '\n') {
    if (http->field == CONNECTION) {
      word_end(http);
    }
    if (http->field == CONTENT_LENGTH && length_end(http) != MORE) {
      return BAD_REQUEST;
    }
    return line_end(http, byte, VALUE_END, FIELD);
  }
  if ((byte < ' ' && byte != '\t') || byte == 0x7f) {
    return BAD_REQUEST;
  }
  if (http->field == CONTENT_LENGTH) {
    return parse_length(http, byte);
  }
  return http->field == CONNECTION ? parse_word(http, byte) : MORE;
}

static enum verdict parse(struct http *http, unsigned char byte) {
  if (++http->head_bytes > MAX_HEAD_BYTES) {
    return TOO_LONG;
  }
  switch ((enum phase)http->phase) {
  case BEFORE:
    if (byte == '\r' || byte == '\n') {
      return MORE;
    }
    http->phase = METHOD;
    compare_start(http, METHODS);
    return byte == ' ' ? BAD_REQUEST : parse_method(http, byte);
  case METHOD: return parse_method(http, byte);
  case TARGET: return parse_target(http, byte);
  case VERSION: return parse_version(http, byte);
  case LINE_END:
  case VALUE_END: http->phase = FIELD; return byte == '\n' ? MORE : BAD_REQUEST;
  case FIELD:
    if (byte == '\r') {
      http->phase = HEAD_END;
      return MORE;
    }
    if (byte == '\n') {
      return head_end(http);
    }
    http->phase = NAME;
    compare_start(http, FIELDS);
    return byte == ':' ? BAD_REQUEST : parse_name(http, byte);
  case NAME: return parse_name(http, byte);
  case VALUE: return parse_value(http, byte);
  case HEAD_END: return byte == '\n' ? head_end(http) : BAD_REQUEST;
  case BODY: break; /* skipped before */
  }
  return BAD_REQUEST;
}

/* Skips as much of a body as is there; otherwise parses one byte. */
static enum verdict advance(struct http *http, const unsigned char *bytes, size_t count, size_t *at) {
  if (http->phase != BODY) {
    return parse(http, bytes[(*at)++]);
  }
  const size_t taken = count - *at < http->length ? count - *at : http->length;
  *at += taken;
  http->length -= (uint32_t)taken;
  return http->length > 0 ? MORE : request_end(http);
}

static size_t append(unsigned char *buffer, size_t at, const char *text) {
  const size_t count = strlen(text);
  memcpy(buffer + at, text, count);
  return at + count;
}

static struct reply http_answer(unsigned char *state, unsigned char *buffer, size_t count) {
  struct http http;
  memcpy(&http, state, sizeof http);
  bool head_only[MAX_REPLIES]; /* of the replies: the replies overwrite the requests, and are written afterwards */
  unsigned kept = 0;
  enum verdict verdict = MORE;
  for (size_t at = 0; at < count && verdict <= KEPT;) {
    verdict = advance(&http, buffer, count, &at);
    if (verdict == KEPT) {
      head_only[kept++] = http.method == METHOD_HEAD;
    }
  }
  memcpy(state, &http, sizeof http);
  size_t written = 0;
  for (unsigned i = 0; i < kept; i++) {
    written = append(buffer, written, head_only[i] ? KEPT_HEAD : KEPT_REPLY);
  }
  if (verdict <= KEPT) {
    return (struct reply){.bytes = buffer, .count = written, .requests = kept};
  }
  const bool last_head = verdict == LAST && http.method == METHOD_HEAD;
  written = append(buffer, written, last_head ? LAST_HEAD : final_replies[verdict]);
  return (struct reply){.bytes = buffer, .count = written, .requests = kept + (verdict == LAST ? 1 : 0), .close = true};
}

const struct protocol protocol_http = {
    .name = "http",
    .read_bytes = READ_BYTES,
    .answer = http_answer,
};
