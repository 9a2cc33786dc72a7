/*
 * http_list: the list of requests that the codec of HTTP draws from, as client/protocols/http-pieces.js writes it: a
 * struct http_request for each, a struct http_piece for each of their pieces, and the texts. 64-bit numbers in native
 * byte order.
 */
#ifndef BROADSIDE_HTTP_LIST_H
#define BROADSIDE_HTTP_LIST_H

#include <string.h>

#include "protocol.h"

/* A request of the list. */
struct http_request {
  uint64_t weights;       /* of it and of all before it */
  uint64_t pieces_at;     /* where in `bytes` its pieces begin */
  uint64_t pieces;        /* how many it has, one at least */
  uint64_t head_only;     /* 1: the method is HEAD, and a reply has no body */
  uint64_t sends_payload; /* 1: the payload, or part of it, follows the pieces */
  uint64_t statuses_at;   /* where in `bytes` HTTP_STATUS_BYTES of bits are: bit 0 that a reply may have the status 100,
                             and so on; 0: it may have any that is no error */
  uint64_t find_at; /* where the text is that the body of a reply must contain; after it the failure function of Knuth,
                       Morris and Pratt, one byte for each byte of the text */
  uint64_t find_bytes; /* of the text; 0: there is none */
};
#define HTTP_STATUS_BYTES 64u

enum http_piece_type {
  PIECE_TEXT,     /* the BYTES at AT of `bytes` */
  PIECE_RANDOM,   /* a number from LEAST to LEAST + SPREAD */
  PIECE_SEQUENCE, /* a number that no other request of the leg has */
  PIECE_UUID,     /* version 4 of RFC 9562 */
  PIECE_LENGTH,   /* of the body: FIXED bytes, what the varying pieces behind this one take, and the payload's */
  PIECE_TYPES
};

/* Part of a request. */
struct http_piece {
  uint64_t type;
  union {
    uint64_t at, least, fixed;
  };
  union {
    uint64_t bytes, spread;
  };
};
_Static_assert(sizeof(struct http_request) == 8 * 8 && sizeof(struct http_piece) == 3 * 8,
               "client/protocols/http-pieces.js writes 8 and 3 numbers");

static inline struct http_request http_request_at(const struct protocol_settings *settings, uint64_t index) {
  struct http_request request;
  memcpy(&request, settings->bytes + index * sizeof request, sizeof request);
  return request;
}

#endif
