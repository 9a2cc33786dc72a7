/*
 * http_reply.c: replies of HTTP/1.1 (RFC 9112). A head that has come whole is read by lines; else all is read byte by
 * byte, except in bodies and in lines that are not looked at, and in either way to the same verdict.
 * Only the framing is parsed: Content-Length, chunks, or the end of the connection. Interim replies (1xx) are skipped.
 * 4xx and 5xx are whole replies, counted by their class unless the user expects them; a code outside of 100 to 599
 * counts as 5xx (RFC 9110, section 15). A body is searched as it comes. A line may end with LF alone (section 2.2), and
 * a folded header is read as if it was one line (section 5.2); what else differs from the grammar of the framing is
 * malformed, such as a CR that no LF follows. A reply that announces the end of the connection ends it, even if other
 * requests of the connection are pending.
 */
#include <string.h>

#include "http_words.h"

#define HEAD_BYTES_AT_MOST (256u * 1024u) /* of a head, of a line between chunks, of trailers */
#define LENGTH_AT_MOST (UINT64_C(1) << 60)
#define DIGITS_AT_MOST 18 /* of a length: fewer than that many are below it */

enum header { HEADER_LENGTH, HEADER_CODING, HEADER_CONNECTION, HEADERS };
static const char *const names[HEADERS] = {"content-length", "transfer-encoding", "connection"};
enum token { TOKEN_CLOSE, TOKEN_KEEP, TOKEN_CHUNKED, TOKENS };
static const char *const tokens[TOKENS] = {"close", "keep-alive", "chunked"};

/* After the CR of a line. */
static void expect_feed(struct http *http) {
  http->line = http->phase;
  http->phase = http->phase < IN_BODY ? AT_FEED : AT_FEED_OF_BODY;
}

static void end_token(struct http *http) {
  unsigned token = http_matched(http, tokens, TOKENS);
  if (http->header == HEADER_CODING) {
    http->flags = (uint8_t)(http->flags & ~CHUNKED);
    if (token == TOKEN_CHUNKED) http->flags |= CHUNKED;
  } else if (token == TOKEN_CLOSE) {
    http->flags |= CLOSES;
  } else if (token == TOKEN_KEEP) {
    http->flags |= KEEPS;
  }
}

static void begin_value(struct http *http, enum http_phase value) {
  http->value = http->phase = (uint8_t)value;
  if (value == IN_TOKENS) http_begin_word(http, TOKENS);
}

/* A name has ended. */
static void begin_header(struct http *http) {
  switch (http_matched(http, names, HEADERS)) {
  case HEADER_LENGTH:
    http->remaining = 0;
    http->at = 0;
    begin_value(http, IN_LENGTH);
    break;
  case HEADER_CODING:
    http->flags |= HAS_CODING;
    http->header = HEADER_CODING;
    begin_value(http, IN_TOKENS);
    break;
  case HEADER_CONNECTION:
    http->header = HEADER_CONNECTION;
    begin_value(http, IN_TOKENS);
    break;
  default: begin_value(http, IN_OTHER_VALUE);
  }
}

/* BYTE ends the line of the value that is being read, which the next line may continue. False: it does not. */
static bool ends_value(struct http *http, uint8_t byte) {
  if (byte == '\r') {
    expect_feed(http);
  } else if (byte == '\n') {
    http->value = http->phase;
    http->phase = AT_LINE;
  } else {
    return false;
  }
  return true;
}

/* One value of Content-Length has ended. False: it is none, or differs from the one before. */
static bool end_length(struct http *http) {
  if (http->at == 0 || ((http->flags & HAS_LENGTH) && http->length != http->remaining)) return false;
  http->length = http->remaining;
  http->flags |= HAS_LENGTH;
  return true;
}

/* The last header has no further line. False: it cannot be. */
static bool end_header(struct http *http) {
  bool is_length = http->value == IN_LENGTH;
  http->value = 0;
  return !is_length || end_length(http);
}

/* at: 0 before the digits, 1 among them, 2 after them. A list of the same length is that length (RFC 9112,
 * section 6.3). */
static bool in_length(struct http *http, uint8_t byte) {
  if (is_digit(byte)) {
    if (http->at == 2 || http->remaining > LENGTH_AT_MOST) return false;
    http->at = 1;
    http->remaining = http->remaining * 10 + (uint64_t)(byte - '0');
    return true;
  }
  if (http->at == 1) http->at = 2;
  if (is_space(byte)) return true;
  if (byte == ',') {
    if (!end_length(http)) return false;
    http->remaining = 0;
    http->at = 0;
    return true;
  }
  return ends_value(http, byte);
}

/* A word has ended, or some of the white space behind it. Codings may have parameters, but chunked has none. */
static bool after_token(struct http *http, uint8_t byte) {
  if (is_space(byte)) return true;
  if (byte == ',') {
    begin_value(http, IN_TOKENS);
    return true;
  }
  if (byte != ';') return ends_value(http, byte);
  http->phase = IN_PARAMETERS;
  return http->header == HEADER_CODING && !(http->flags & CHUNKED);
}

static bool in_tokens(struct http *http, uint8_t byte) {
  if (byte > ' ' && byte != ',' && byte != ';') {
    http_match(http, tokens, TOKENS, byte);
    return true;
  }
  bool is_empty = http->at == 0 && http->candidates;
  if (is_empty) return is_space(byte) || byte == ',' || ends_value(http, byte);
  end_token(http);
  http->phase = AFTER_TOKEN;
  return after_token(http, byte);
}

static bool in_parameters(struct http *http, uint8_t byte) {
  if (byte == ',') {
    begin_value(http, IN_TOKENS);
  } else {
    ends_value(http, byte);
  }
  return true;
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
  if (http->code == 101) return false;
  http->phase = byte == '\n' ? AT_LINE : IN_REASON;
  if (byte == '\r') expect_feed(http);
  return true;
}

/* A later minor version is read as the highest that is known (RFC 9110, section 2.5). */
static bool in_version(struct http *http, uint8_t byte) {
  static const char version[] = "HTTP/1.1 ";
  if (http->at == 7) {
    if (!is_digit(byte)) return false;
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
  if (is_space(byte)) { /* a folded line: it continues the header before it, if there is one */
    if (http->value == 0) return false;
    begin_value(http, (enum http_phase)http->value);
    return true;
  }
  if (byte == '\r') {
    expect_feed(http);
    return true;
  }
  if (!end_header(http) || byte == ':' || byte < ' ') return false;
  http_begin_word(http, HEADERS);
  http_match(http, names, HEADERS, byte);
  http->phase = http->candidates ? IN_NAME : IN_OTHER_NAME;
  return true;
}

static bool in_name(struct http *http, uint8_t byte) {
  if (byte == ':') {
    begin_header(http);
    return true;
  }
  if (byte <= ' ') return false;
  http_match(http, names, HEADERS, byte);
  if (!http->candidates) http->phase = IN_OTHER_NAME;
  return true;
}

/* As which code a reply is treated. */
static unsigned treated_as(const struct http *http) { return http->code < 100 || http->code > 599 ? 500u : http->code; }

uint16_t http_status_code(const void *state) { return ((const struct http *)state)->code; }

/* The head is whole; true when the reply is. */
static bool end_head(struct http *http, const struct protocol_settings *settings) {
  if (treated_as(http) < 200) {
    *http = (struct http){.head_bytes = http->head_bytes, .request = http->request};
    return false;
  }
  if (http->code == 204 || http->code == 304 || http_request_at(settings, http->request).head_only) return true;
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
  http->value = 0;
  http->phase = http->remaining > 0 ? IN_BODY : AT_TRAILER;
}

/* The size has its digits, perhaps white space behind them. */
static bool after_size(struct http *http, uint8_t byte) {
  http->phase = AFTER_SIZE;
  if (byte == '\n') {
    end_size(http);
  } else if (byte == '\r') {
    expect_feed(http);
  } else if (byte == ';') {
    http->phase = IN_EXTENSION;
  } else {
    return is_space(byte);
  }
  return true;
}

static bool in_size(struct http *http, uint8_t byte) {
  int digit = hexadecimal(byte);
  if (digit >= 0) {
    if (http->remaining > LENGTH_AT_MOST >> 4) return false;
    http->remaining = http->remaining << 4 | (uint64_t)digit;
    http->at = 1;
    return true;
  }
  return http->at > 0 && after_size(http, byte);
}

static bool at_chunk_end(struct http *http, uint8_t byte) {
  if (byte == '\r') {
    expect_feed(http);
    return true;
  }
  http->phase = IN_SIZE;
  http->at = 0;
  return byte == '\n';
}

static bool at_trailer(struct http *http, uint8_t byte) {
  if (byte == '\r') {
    expect_feed(http);
    return true;
  }
  if (is_space(byte)) { /* a folded line: it continues the trailer before it, if there is one */
    http->phase = IN_TRAILER;
    return http->value != 0;
  }
  http->phase = IN_TRAILER_NAME;
  return byte != ':' && byte > ' ';
}

static bool in_trailer_name(struct http *http, uint8_t byte) {
  if (byte == ':') http->value = http->phase = IN_TRAILER;
  return byte > ' ';
}

/* Whether the rest of the line is not looked at. */
static bool skips_line(unsigned phase) {
  return phase == IN_REASON || phase == IN_OTHER_VALUE || phase == IN_EXTENSION || phase == IN_TRAILER;
}

/* The LF of such a line. */
static void end_line(struct http *http) {
  if (http->phase == IN_EXTENSION) {
    end_size(http);
  } else {
    http->phase = http->phase == IN_TRAILER ? AT_TRAILER : AT_LINE;
  }
}

/* One byte outside a body. Returns PARSE_INCOMPLETE, PARSE_COMPLETE or PARSE_MALFORMED. */
static enum verdict step(struct http *http, const struct protocol_settings *settings, uint8_t byte) {
  bool right = true;
  switch (http->phase) {
  case IN_VERSION: right = in_version(http, byte); break;
  case IN_CODE: right = in_code(http, byte); break;
  case AT_LINE:
    if (byte == '\n' && end_header(http)) return end_head(http, settings) ? PARSE_COMPLETE : PARSE_INCOMPLETE;
    right = byte != '\n' && at_line(http, byte);
    break;
  case IN_NAME: right = in_name(http, byte); break;
  case IN_OTHER_NAME:
    if (byte == ':') begin_value(http, IN_OTHER_VALUE);
    right = byte > ' ';
    break;
  case IN_LENGTH: right = in_length(http, byte); break;
  case IN_TOKENS: right = in_tokens(http, byte); break;
  case AFTER_TOKEN: right = after_token(http, byte); break;
  case IN_PARAMETERS: right = in_parameters(http, byte); break;
  case IN_SIZE: right = in_size(http, byte); break;
  case AFTER_SIZE: right = after_size(http, byte); break;
  case AT_CHUNK_END: right = at_chunk_end(http, byte); break;
  case AT_TRAILER:
    if (byte == '\n') return PARSE_COMPLETE;
    right = at_trailer(http, byte);
    break;
  case IN_TRAILER_NAME: right = in_trailer_name(http, byte); break;
  case AT_FEED:
  case AT_FEED_OF_BODY:
    if (byte != '\n') return PARSE_MALFORMED;
    http->phase = http->line;
    if (!skips_line(http->phase)) return step(http, settings, byte);
    end_line(http);
    break;
  default: break;
  }
  return right ? PARSE_INCOMPLETE : PARSE_MALFORMED;
}

/* Skips the rest of a line, or all LENGTH BYTES where it ends behind them. *TAKEN: how many. */
static enum verdict skip_line(struct http *http, const uint8_t *bytes, size_t length, size_t *taken) {
  const uint8_t *feed = memchr(bytes, '\n', length);
  size_t line = feed ? (size_t)(feed - bytes) : length;
  const uint8_t *carriage_return = memchr(bytes, '\r', line);
  *taken = feed ? line + 1 : length;
  if (carriage_return && carriage_return + 1 < bytes + line) {
    *taken = (size_t)(carriage_return - bytes) + 2;
    return PARSE_MALFORMED;
  }
  if (feed) {
    end_line(http);
  } else if (carriage_return) {
    expect_feed(http);
  }
  return PARSE_INCOMPLETE;
}

/* Searches the next LENGTH BYTES of the body for the text that it must contain. */
static void search(struct http *http, const struct protocol_settings *settings, const uint8_t *bytes, size_t length) {
  const struct http_request request = http_request_at(settings, http->request);
  if (request.find_bytes == 0 || http->flags & FOUND) return;
  const uint8_t *text = settings->bytes + request.find_at, *fallback = text + request.find_bytes, *end = bytes + length;
  for (; bytes < end; bytes++) {
    if (http->found == 0) {
      bytes = memchr(bytes, text[0], (size_t)(end - bytes));
      if (!bytes) return;
    }
    while (http->found > 0 && text[http->found] != *bytes) http->found = fallback[http->found - 1];
    if (text[http->found] == *bytes) http->found++;
    if (http->found < request.find_bytes) continue;
    http->flags |= FOUND;
    return;
  }
}

/* As many of LENGTH BYTES as belong to the body. */
static size_t read_body(struct http *http, const struct protocol_settings *settings, const uint8_t *bytes,
                        size_t length) {
  size_t taken = http->remaining < length ? (size_t)http->remaining : length;
  search(http, settings, bytes, taken);
  http->remaining -= taken;
  if (http->remaining > 0 || !(http->flags & HAS_CODING)) return taken;
  http->phase = AT_CHUNK_END;
  http->at = 0;
  return taken;
}

/* What the reply counts as. An error that is expected is CODE_OK; one that is not stays what it is. So is 304, the
 * right answer to a conditional request: it redirects nowhere. */
static enum code judge(const struct http *http, const struct protocol_settings *settings) {
  const struct http_request request = http_request_at(settings, http->request);
  enum code class = (enum code)(CODE_2XX + treated_as(http) / 100 - 2);
  bool is_error = class >= CODE_4XX;
  if (request.statuses_at > 0) {
    unsigned bit = treated_as(http) - 100u;
    bool is_expected = settings->bytes[request.statuses_at + bit / 8] >> bit % 8 & 1;
    if (!is_expected) return is_error ? class : CODE_WRONG_STATUS;
  } else if (is_error) {
    return class;
  }
  if (request.find_bytes > 0 && !(http->flags & FOUND)) return CODE_WRONG_BODY;
  return is_error || http->code == 304 ? CODE_OK : class;
}

static struct parse_result whole(const struct http *http, const struct protocol_settings *settings, size_t consumed) {
  bool stays = http->flags & OLD ? (http->flags & (KEEPS | CLOSES)) == KEEPS : !(http->flags & CLOSES);
  return (struct parse_result){.consumed = consumed,
                               .verdict = PARSE_COMPLETE,
                               .code = (uint8_t)judge(http, settings),
                               .closes = !stays || !http_parameters_of(settings)->keeps_alive};
}

/* ---- a head that has come whole, in the usual form ---- */

/* LINE of LENGTH bytes begins with the header NAME, which ends with its colon. */
static bool is_header(const uint8_t *line, size_t length, const char *name, size_t name_length) {
  if (length < name_length) return false;
  for (size_t i = 0; i < name_length; i++) {
    if (ascii_lower(line[i]) != (uint8_t)name[i]) return false;
  }
  return true;
}

/* A Content-Length of one number, from AT to END. False: step() reads it. */
static bool read_length(struct http *http, const uint8_t *at, const uint8_t *end) {
  uint64_t length = 0;
  while (at < end && is_space(*at)) at++;
  const uint8_t *first = at;
  for (; at < end && is_digit(*at) && at - first < DIGITS_AT_MOST; at++) length = length * 10 + (uint64_t)(*at - '0');
  if (at == first || at != end || ((http->flags & HAS_LENGTH) && http->length != length)) return false;
  http->length = length;
  http->flags |= HAS_LENGTH;
  return true;
}

/* The header LINE, without its line end, which is CR LF. False: step() reads it. */
static bool read_line(struct http *http, const struct protocol_settings *settings, const uint8_t *line, size_t length) {
  size_t name = 0;
  while (name < length && line[name] != ':' && line[name] > ' ') name++;
  if (name == 0 || name == length || line[name] != ':') return false;
  uint8_t first = ascii_lower(line[0]);
  if (first != 'c' && first != 't') return true;
  if (is_header(line, length, "content-length:", 15)) return read_length(http, line + 15, line + length);
  if (!is_header(line, length, "connection:", 11) && !is_header(line, length, "transfer-encoding:", 18)) return true;
  http->phase = AT_LINE;
  http->value = 0;
  for (size_t at = 0; at < length + 2; at++) {
    if (step(http, settings, line[at]) != PARSE_INCOMPLETE) return false;
  }
  return http->phase == AT_LINE;
}

/* Reads the head that begins at BYTES line by line. Returns its length; 0, with STATE unchanged: it has not come whole,
 * or not in the usual form (lines that end with CR LF, none of them folded), and step() reads it. */
static size_t read_head(struct http *state, const struct protocol_settings *settings, const uint8_t *bytes,
                        size_t length) {
  if (length < 17 || memcmp(bytes, "HTTP/1.", 7) != 0 || (bytes[7] != '1' && bytes[7] != '0') || bytes[8] != ' ') {
    return 0;
  }
  if (!is_digit(bytes[9]) || !is_digit(bytes[10]) || !is_digit(bytes[11]) || bytes[12] != ' ') return 0;
  struct http http = *state;
  http.code = (uint16_t)((bytes[9] - '0') * 100 + (bytes[10] - '0') * 10 + (bytes[11] - '0'));
  if (http.code < 200) return 0;
  if (bytes[7] == '0') http.flags |= OLD;
  const uint8_t *line = bytes + 13, *end = bytes + (length < HEAD_BYTES_AT_MOST ? length : HEAD_BYTES_AT_MOST);
  for (bool is_status = true;; is_status = false) {
    const uint8_t *feed = memchr(line, '\n', (size_t)(end - line));
    if (!feed || memchr(line, '\r', (size_t)(feed - line)) != feed - 1) return 0;
    size_t line_length = (size_t)(feed - line) - 1;
    bool is_end = !is_status && line_length == 0;
    if (!is_status && !is_end && !read_line(&http, settings, line, line_length)) return 0;
    line = feed + 1;
    if (is_end) break;
  }
  size_t taken = (size_t)(line - bytes);
  http.head_bytes += (uint32_t)taken;
  if (http.head_bytes > HEAD_BYTES_AT_MOST) return 0;
  http.phase = AT_LINE;
  http.value = 0;
  *state = http;
  return taken;
}

struct parse_result http_reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                               size_t length) {
  struct http *http = state;
  http->flags = (uint8_t)(http->phase >= IN_BODY ? http->flags | BODY_BEFORE : http->flags & ~BODY_BEFORE);
  for (size_t at = 0; at < length;) {
    if (http->phase == UNTIL_CLOSE) {
      search(http, settings, bytes + at, length - at);
      break;
    }
    if (http->phase == IN_VERSION && http->at == 0) {
      size_t head = read_head(http, settings, bytes + at, length - at);
      at += head;
      if (head > 0 && end_head(http, settings)) return whole(http, settings, at);
      if (head > 0) continue;
    }
    if (http->phase == IN_BODY) {
      at += read_body(http, settings, bytes + at, length - at);
      if (http->phase == IN_BODY && http->remaining == 0) return whole(http, settings, at);
      continue;
    }
    size_t taken = 1;
    enum verdict verdict =
        skips_line(http->phase) ? skip_line(http, bytes + at, length - at, &taken) : step(http, settings, bytes[at]);
    at += taken;
    http->head_bytes += (uint32_t)(taken < HEAD_BYTES_AT_MOST ? taken : HEAD_BYTES_AT_MOST);
    if (verdict == PARSE_COMPLETE) return whole(http, settings, at);
    if (verdict == PARSE_MALFORMED || http->head_bytes > HEAD_BYTES_AT_MOST) {
      return parse_result_of(PARSE_MALFORMED, at);
    }
  }
  return parse_result_of(PARSE_INCOMPLETE, length);
}

struct parse_result http_end(void *state, const struct protocol_settings *settings) {
  struct http *http = state;
  http->flags |= CLOSES;
  if (http->phase != UNTIL_CLOSE) return (struct parse_result){.verdict = PARSE_INCOMPLETE};
  return whole(http, settings, 0);
}

/* The length of the lines in LENGTH BYTES up to the first empty line, which is included; LENGTH if no line is empty. */
static size_t lines_bytes(const uint8_t *bytes, size_t length) {
  const uint8_t *end = bytes + length;
  for (const uint8_t *line = bytes, *feed; line < end; line = feed + 1) {
    feed = memchr(line, '\n', (size_t)(end - line));
    if (!feed) break;
    if (feed == line || (feed == line + 1 && *line == '\r')) return (size_t)(feed + 1 - bytes);
  }
  return length;
}

size_t http_body_from(const void *state, const uint8_t *bytes, size_t length) {
  const struct http *http = state;
  if (http->flags & BODY_BEFORE) return 0;
  if (http->phase < IN_BODY) return length;
  size_t head = lines_bytes(bytes, length);
  if (!(http->flags & CHUNKED)) return head;
  const uint8_t *feed = memchr(bytes + head, '\n', length - head); /* of the size of the first chunk */
  return feed ? (size_t)(feed + 1 - bytes) : length;
}

static const char location[] = "location:";
#define LOCATION_BYTES (sizeof location - 1)

static bool is_location(const uint8_t *line, size_t length) {
  size_t i = 0;
  while (i < LOCATION_BYTES && i < length && ascii_lower(line[i]) == (uint8_t)location[i]) i++;
  return i == LOCATION_BYTES;
}

size_t http_redirect_target(const uint8_t *reply, size_t length, const uint8_t **target) {
  const uint8_t *end = reply + length;
  for (const uint8_t *line = reply, *feed; line < end; line = feed + 1) {
    feed = memchr(line, '\n', (size_t)(end - line));
    if (!feed || feed == line || *line == '\r') return 0; /* the head has ended */
    if (!is_location(line, (size_t)(feed - line))) continue;
    const uint8_t *from = line + LOCATION_BYTES, *to = feed;
    while (from < to && is_space(*from)) from++;
    while (to > from && (is_space(to[-1]) || to[-1] == '\r')) to--;
    *target = from;
    return (size_t)(to - from);
  }
  return 0;
}
