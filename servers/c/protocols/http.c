/* http: GET of one small page, HTTP/1.1 and 1.0 (RFC 9112), keep-alive and close; see servers/PROTOCOLS.md. The head is
 * parsed byte by byte by a state machine whose only memory is struct http, so it may be split anywhere and none of it
 * is stored. A line feed alone also ends a line (RFC 9112, 2.2). */
#include "protocols.h"

#include <stdio.h>
#include <string.h>

/* With the shortest heads (22 bytes) the replies to this many bytes fit into SERVER_BUFFER_BYTES. */
#define READ_BYTES 4096
#define MAX_HEAD_BYTES 8192

#define PAGE "<html><title>Broadside</title>Aye.</html>\n"
#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 42\r\nConnection: "
#define KEPT_REPLY OK_HEAD "keep-alive\r\n\r\n" PAGE
#define LAST_REPLY OK_HEAD "close\r\n\r\n" PAGE
#define REFUSAL(status, more) "HTTP/1.1 " status "\r\n" more "Content-Length: 0\r\nConnection: close\r\n\r\n"
_Static_assert(sizeof PAGE - 1 == 42, "as Content-Length says");
_Static_assert((READ_BYTES / 22 + 2) * sizeof KEPT_REPLY <= SERVER_BUFFER_BYTES, "the replies to one read");

enum verdict { MORE, KEPT, LAST, BAD_REQUEST, BAD_METHOD, HAS_BODY, TOO_LONG, BAD_VERSION };

static const char *const final_replies[] = {
    [LAST] = LAST_REPLY,
    [BAD_REQUEST] = REFUSAL("400 Bad Request", ""),
    [BAD_METHOD] = REFUSAL("405 Method Not Allowed", "Allow: GET\r\n"),
    [HAS_BODY] = REFUSAL("413 Content Too Large", ""),
    [TOO_LONG] = REFUSAL("431 Request Header Fields Too Large", ""),
    [BAD_VERSION] = REFUSAL("505 HTTP Version Not Supported", ""),
};

enum phase { BEFORE, METHOD, TARGET, VERSION, LINE_END, FIELD, NAME, VALUE, VALUE_END, HEAD_END };

/* The header fields and words of Connection that are recognised; bit i of `candidates` is the i-th. */
enum field { HOST, CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, FIELDS };
static const char *const fields[] = {"host", "connection", "content-length", "transfer-encoding"};
enum word { WORD_CLOSE, WORD_KEEP_ALIVE, WORDS };
static const char *const words[] = {"close", "keep-alive"};

struct http {
  uint16_t head_bytes;
  unsigned char phase;
  unsigned char index;      /* position in the compared text */
  unsigned char candidates; /* texts that still match */
  unsigned char field;      /* the current field; FIELDS: not recognised */
  bool old;                 /* HTTP/1.0 */
  bool host, body, close, keep_alive;
  bool spaced; /* white space after a word of Connection or a digit of Content-Length */
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

static enum verdict head_end(struct http *http) {
  const bool kept = !http->close && (!http->old || http->keep_alive);
  const bool body = http->body;
  const bool lacks_host = !http->old && !http->host;
  *http = (struct http){.phase = BEFORE};
  return lacks_host ? BAD_REQUEST : body ? HAS_BODY : kept ? KEPT : LAST;
}

static enum verdict parse_method(struct http *http, unsigned char byte) {
  static const char *const methods[] = {"get"};
  if (byte == ' ') {
    http->phase = TARGET;
    const bool get = compared(http, methods, 1) == 0;
    http->index = 0;
    return get ? MORE : BAD_METHOD;
  }
  if (lower(byte) == byte && byte >= 'a' && byte <= 'z') {
    http->candidates = 0; /* methods are case-sensitive */
  }
  compare(http, methods, 1, byte);
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
  http->body = http->body || http->field == TRANSFER_ENCODING;
  return twice ? BAD_REQUEST : MORE;
}

static enum verdict parse_length(struct http *http, unsigned char byte) {
  if (byte == ' ' || byte == '\t') {
    http->spaced = http->index > 0;
    return MORE;
  }
  http->index = 1;
  http->body = http->body || byte != '0';
  return is_digit(byte) && !http->spaced ? MORE : BAD_REQUEST;
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
    if (http->field == CONTENT_LENGTH && http->index == 0) {
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
    compare_start(http, 1);
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
  }
  return BAD_REQUEST;
}

static struct reply http_answer(unsigned char *state, unsigned char *buffer, size_t count) {
  struct http http;
  memcpy(&http, state, sizeof http);
  unsigned kept = 0;
  enum verdict verdict = MORE;
  for (size_t at = 0; at < count && verdict <= KEPT; at++) {
    verdict = parse(&http, buffer[at]);
    kept += verdict == KEPT;
  }
  memcpy(state, &http, sizeof http);
  size_t written = 0;
  for (unsigned i = 0; i < kept; i++, written += sizeof KEPT_REPLY - 1) {
    memcpy(buffer + written, KEPT_REPLY, sizeof KEPT_REPLY - 1);
  }
  if (verdict <= KEPT) {
    return (struct reply){.bytes = buffer, .count = written, .requests = kept};
  }
  const size_t last = strlen(final_replies[verdict]);
  memcpy(buffer + written, final_replies[verdict], last);
  return (struct reply){
      .bytes = buffer, .count = written + last, .requests = kept + (verdict == LAST ? 1 : 0), .close = true};
}

const struct protocol protocol_http = {
    .name = "http",
    .read_bytes = READ_BYTES,
    .answer = http_answer,
};
