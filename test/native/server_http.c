/*
 * server_http.c: what http must answer to a stream. The one thing to know: it reads the whole stream by descending
 * through the grammar, with a place and no state, where the server's machine has a state and no place; so the same
 * mistake is hardly made twice.
 */
#include <stdlib.h>
#include <string.h>

#include "server_session.h"

#define HEAD_MOST 8192
#define WORD_MOST 24

enum verdict {
  NOTHING,
  MORE,
  PAGE_KEPT,
  PAGE_LAST,
  HEAD_KEPT,
  HEAD_LAST,
  STATUS_400,
  STATUS_405,
  STATUS_413,
  STATUS_431,
  STATUS_505
};

static const char *const answers[] = {
    [PAGE_KEPT] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 42\r\nConnection: keep-alive\r\n\r\n"
                  "<html><title>Broadside</title>Aye.</html>\n",
    [PAGE_LAST] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 42\r\nConnection: close\r\n\r\n"
                  "<html><title>Broadside</title>Aye.</html>\n",
    [HEAD_KEPT] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 42\r\nConnection: keep-alive\r\n\r\n",
    [HEAD_LAST] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 42\r\nConnection: close\r\n\r\n",
    [STATUS_400] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    [STATUS_405] =
        "HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD, POST\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    [STATUS_413] = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    [STATUS_431] = "HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    [STATUS_505] = "HTTP/1.1 505 HTTP Version Not Supported\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
};

struct head {
  const unsigned char *bytes;
  size_t at, begin, length;
  unsigned hosts, lengths;
  uint64_t length_given; /* by the last Content-Length, at most UINT32_MAX + 1 */
  uint64_t body;         /* UINT64_MAX: unknown or too long */
  char method[WORD_MOST + 1];
  bool old, close, keep_alive;
};

/* The next byte, into *byte, or why there is none. */
static enum verdict next(struct head *head, int *byte) {
  if (head->at == head->length) return MORE;
  if (head->at - head->begin == HEAD_MOST) return STATUS_431;
  *byte = head->bytes[head->at++];
  return NOTHING;
}

#define TRY(step)                        \
  do {                                   \
    enum verdict try_verdict = (step);   \
    if (try_verdict) return try_verdict; \
  } while (0)

static enum verdict literal(struct head *head, int wanted) {
  int byte;
  TRY(next(head, &byte));
  return byte == wanted ? NOTHING : STATUS_400;
}

static bool is_token(int byte) {
  static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return byte != 0 && strchr(token, byte);
}

/* A token and the byte after it; of a long one the begin, which is no name that matters. */
static enum verdict token(struct head *head, char *word, int end) {
  size_t count = 0;
  for (int byte;; count++) {
    TRY(next(head, &byte));
    if (byte == end && count > 0) break;
    if (!is_token(byte)) return STATUS_400;
    if (count < WORD_MOST) word[count] = (char)byte;
  }
  word[count < WORD_MOST ? count : WORD_MOST] = 0;
  return NOTHING;
}

static enum verdict request_line(struct head *head) {
  char version[9] = "";
  int byte;
  TRY(token(head, head->method, ' '));
  if (strcmp(head->method, "GET") != 0 && strcmp(head->method, "HEAD") != 0 && strcmp(head->method, "POST") != 0) {
    return STATUS_405;
  }
  for (size_t count = 0;; count++) {
    TRY(next(head, &byte));
    if (byte == ' ' && count > 0) break;
    if (byte <= ' ' || byte == 127) return STATUS_400;
  }
  for (int i = 0; i < 8; i++) {
    TRY(next(head, &byte));
    version[i] = (char)byte;
    if (i == 5 || i == 7 ? byte < '0' || byte > '9' : byte != "HTTP/x.x"[i]) return STATUS_400;
  }
  TRY(next(head, &byte));
  head->old = strcmp(version, "HTTP/1.0") == 0;
  if (!head->old && strcmp(version, "HTTP/1.1") != 0) return STATUS_505;
  if (byte == '\r') return literal(head, '\n');
  return byte == '\n' ? NOTHING : STATUS_400;
}

/* One member of Connection's list, white space around it and all. */
static void connection_word(struct head *head, const char *from, const char *to) {
  while (from < to && (*from == ' ' || *from == '\t')) from++;
  while (to > from && (to[-1] == ' ' || to[-1] == '\t')) to--;
  head->close = head->close || (to - from == 5 && strncasecmp(from, "close", 5) == 0);
  head->keep_alive = head->keep_alive || (to - from == 10 && strncasecmp(from, "keep-alive", 10) == 0);
}

static void connection(struct head *head, const char *from, const char *to) {
  for (const char *comma; (comma = memchr(from, ',', (size_t)(to - from))) != NULL; from = comma + 1) {
    connection_word(head, from, comma);
  }
  connection_word(head, from, to);
}

/* Digits between white space, as much of them as has come. */
static bool is_length(const char *from, const char *to, bool whole) {
  while (from < to && (*from == ' ' || *from == '\t')) from++;
  const char *digits = from;
  while (from < to && *from >= '0' && *from <= '9') from++;
  const bool any = from > digits;
  while (from < to && (*from == ' ' || *from == '\t')) from++;
  return from == to && (any || !whole);
}

static enum verdict field(struct head *head) {
  char name[WORD_MOST + 1];
  int byte;
  TRY(token(head, name, ':'));
  const bool length = strcasecmp(name, "content-length") == 0;
  head->hosts += strcasecmp(name, "host") == 0;
  if (strcasecmp(name, "transfer-encoding") == 0) head->body = UINT64_MAX;
  if (head->hosts > 1) return STATUS_400;
  /* A length may be repeated only if it is zero. */
  if (length && head->lengths > 0 && head->length_given > 0) return STATUS_400;
  head->lengths += length;
  const char *value = (const char *)head->bytes + head->at;
  for (;;) {
    TRY(next(head, &byte));
    const char *end = (const char *)head->bytes + head->at;
    if (byte == '\r' || byte == '\n') {
      if (length && !is_length(value, end - 1, true)) return STATUS_400;
      if (length && head->lengths > 1 && head->length_given > 0) return STATUS_400;
      if (strcasecmp(name, "connection") == 0) connection(head, value, end - 1);
      return byte == '\r' ? literal(head, '\n') : NOTHING;
    }
    if ((byte < ' ' && byte != '\t') || byte == 127) return STATUS_400;
    if (length && !is_length(value, end, false)) return STATUS_400;
    if (length && byte >= '0' && byte <= '9') {
      head->length_given = 10 * head->length_given + (uint64_t)(byte - '0');
      if (head->length_given > UINT32_MAX) head->length_given = head->body = UINT64_C(1) << 32;
    }
  }
}

static enum verdict whole_head(struct head *head) {
  int byte;
  do {
    TRY(next(head, &byte));
  } while (byte == '\r' || byte == '\n');
  head->at--;
  TRY(request_line(head));
  for (;;) {
    TRY(next(head, &byte));
    if (byte == '\r') TRY(literal(head, '\n'));
    if (byte == '\r' || byte == '\n') break;
    head->at--;
    TRY(field(head));
  }
  if (!head->old && head->hosts == 0) return STATUS_400;
  const bool posted = strcmp(head->method, "POST") == 0, bodyless = strcmp(head->method, "HEAD") == 0;
  if (head->body || (head->length_given > 0 && !posted)) return STATUS_413;
  if (head->length - head->at < head->length_given) return MORE;
  head->at += head->length_given;
  const bool last = head->close || (head->old && !head->keep_alive);
  return bodyless ? (last ? HEAD_LAST : HEAD_KEPT) : last ? PAGE_LAST : PAGE_KEPT;
}

const char *http_wrong(const unsigned char *stream, size_t length, const struct talked *talked) {
  size_t at = 0, written = 0;
  uint64_t pages = 0;
  for (;;) {
    struct head head = {.bytes = stream, .at = at, .begin = at, .length = length};
    const enum verdict verdict = whole_head(&head);
    const char *answer = answers[verdict];
    if (verdict == MORE) break;
    if (talked->count - written < strlen(answer) || memcmp(talked->bytes + written, answer, strlen(answer)) != 0) {
      return "a head has another reply";
    }
    written += strlen(answer);
    pages += verdict >= PAGE_KEPT && verdict <= HEAD_LAST;
    at = head.at;
    if (verdict != PAGE_KEPT && verdict != HEAD_KEPT)
      return written == talked->count && talked->close && talked->requests == pages ? NULL
                                                                                    : "it continues after its end";
  }
  if (written != talked->count) return "there are more replies than heads";
  if (talked->requests != pages) return "the requests are not the pages";
  return talked->close ? "it closes where it should not" : NULL;
}
