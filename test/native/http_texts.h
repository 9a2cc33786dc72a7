/*
 * http_texts: lists of requests of HTTP that are texts, without placeholders.
 */
#ifndef BROADSIDE_HTTP_TEXTS_H
#define BROADSIDE_HTTP_TEXTS_H

#include "../../client/engine/core/protocol/http_list.h"

#define HTTP_TEXTS_BYTES 4096u

/* A list of one request, as a constant NAME; its parameter `requests` is 1. */
#define HTTP_TEXT(name, text)                                                                                        \
  static const struct {                                                                                              \
    struct http_request request;                                                                                     \
    struct http_piece piece;                                                                                         \
    char texts[sizeof text];                                                                                         \
  } name = {                                                                                                         \
      {.weights = 1, .pieces_at = sizeof(struct http_request), .pieces = 1},                                         \
      {.type = PIECE_TEXT, .at = sizeof(struct http_request) + sizeof(struct http_piece), .bytes = sizeof text - 1}, \
      text}

struct http_texts {
  uint8_t bytes[HTTP_TEXTS_BYTES];
  size_t count;
};

/* Of COUNT requests with the same weight; bit i of HEADS: request i is a HEAD. */
static inline void http_texts_make(struct http_texts *list, const char *const *texts, unsigned count, unsigned heads,
                                   bool sends_payload) {
  size_t pieces_at = count * sizeof(struct http_request), at = pieces_at + count * sizeof(struct http_piece);
  for (unsigned i = 0; i < count; i++) {
    const size_t piece_at = pieces_at + i * sizeof(struct http_piece), length = strlen(texts[i]);
    const struct http_request request = {.weights = i + 1,
                                         .pieces_at = piece_at,
                                         .pieces = 1,
                                         .head_only = heads >> i & 1,
                                         .sends_payload = sends_payload};
    const struct http_piece piece = {.type = PIECE_TEXT, .at = at, .bytes = length};
    memcpy(list->bytes + i * sizeof request, &request, sizeof request);
    memcpy(list->bytes + piece_at, &piece, sizeof piece);
    memcpy(list->bytes + at, texts[i], length);
    at += length;
  }
  list->count = at;
}

/* The body of a reply to the first must have TEXT in it, whose fallbacks are FALLBACK. */
static inline void http_texts_expect(struct http_texts *list, const char *text, const char *fallback) {
  struct http_request first;
  const size_t length = strlen(text);
  memcpy(&first, list->bytes, sizeof first);
  first.find_at = list->count;
  first.find_bytes = length;
  memcpy(list->bytes, &first, sizeof first);
  memcpy(list->bytes + list->count, text, length);
  memcpy(list->bytes + list->count + length, fallback, length);
  list->count += 2 * length;
}

#endif
