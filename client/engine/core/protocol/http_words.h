/*
 * http_words: finds out which of a few words the bytes of a reply spell, in any case, without keeping the bytes. All
 * inline, for it runs for each byte of a header.
 */
#ifndef BROADSIDE_HTTP_WORDS_H
#define BROADSIDE_HTTP_WORDS_H

#include "codec.h"
#include "http.h"

/* A word begins: it can be any of COUNT. */
static inline void http_begin_word(struct http *http, unsigned count) {
  http->candidates = (uint8_t)((1u << count) - 1);
  http->at = 0;
}

/* It continues with BYTE, which is not NUL: keeps those of WORDS that it can still be. */
static inline void http_match(struct http *http, const char *const *words, unsigned count, uint8_t byte) {
  for (unsigned i = 0; i < count; i++) {
    if ((http->candidates & 1u << i) && (uint8_t)words[i][http->at] != ascii_lower(byte)) {
      http->candidates &= (uint8_t) ~(1u << i);
    }
  }
  if (http->candidates) http->at++;
}

/* Which of WORDS the word was; COUNT: none. */
static inline unsigned http_matched(const struct http *http, const char *const *words, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    if ((http->candidates & 1u << i) && words[i][http->at] == '\0') return i;
  }
  return count;
}

#endif
