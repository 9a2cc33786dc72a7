/*
 * http: the parts of the codec of HTTP/1.1: requests (http.c) and replies (http_reply.c).
 */
#ifndef BROADSIDE_HTTP_H
#define BROADSIDE_HTTP_H

#include "http_list.h"

/* Set by client/protocols/http.js. */
struct http_parameters {
  uint64_t requests; /* how many `bytes` begins with */
  bool keeps_alive;  /* else each request asks the server to close the connection */
};
_Static_assert(sizeof(struct http_parameters) <= PROTOCOL_PARAMETERS_BYTES,
               "the parameters of a protocol have a limit");

static inline const struct http_parameters *http_parameters_of(const struct protocol_settings *settings) {
  return (const void *)settings->parameters.bytes;
}

/* What the next byte of a reply belongs to. */
enum http_phase {
  IN_VERSION, /* "HTTP/1.1 " */
  IN_CODE,    /* three digits and what ends them */
  IN_REASON,
  AT_LINE, /* a header line, or the empty one */
  IN_NAME,
  IN_OTHER_NAME,
  IN_OTHER_VALUE,
  IN_LENGTH,
  IN_TOKENS,     /* the value of Connection or Transfer-Encoding */
  AFTER_TOKEN,   /* ... and the white space behind one of its words */
  IN_PARAMETERS, /* ... and of a coding */
  AT_FEED,       /* the LF after a CR */
  IN_BODY,
  AT_FEED_OF_BODY, /* the same, after the head */
  IN_SIZE,         /* of a chunk */
  AFTER_SIZE,
  IN_EXTENSION,
  AT_CHUNK_END,
  AT_TRAILER,
  IN_TRAILER_NAME,
  IN_TRAILER,
  UNTIL_CLOSE
};

/* What its head has said, and its body. */
enum flag {
  HAS_LENGTH = 1,
  HAS_CODING = 2,
  CHUNKED = 4, /* is the last coding */
  CLOSES = 8,
  KEEPS = 16,
  OLD = 32,         /* HTTP/1.0 */
  FOUND = 64,       /* the text that the body must have in it */
  BODY_BEFORE = 128 /* the body began before the bytes that were read last */
};

/* The state of one request and its reply. Before the first byte of the reply all fields are 0, except `request`. */
struct http {
  uint64_t remaining; /* of the body or chunk */
  uint64_t length;    /* by Content-Length; while that header is being read, its digits so far are in remaining */
  uint32_t head_bytes;
  uint16_t request; /* its index in the list */
  uint16_t code;    /* as it came, see http_reply.c */
  uint8_t phase, flags;
  uint8_t line;       /* AT_FEED, AT_FEED_OF_BODY: the phase that the CR came in */
  uint8_t value;      /* the phase of the last header's value, which the next line may continue; 0: there is none */
  uint8_t header;     /* IN_TOKENS: of which header */
  uint8_t candidates; /* bit i: what was read so far is the beginning of word i */
  uint8_t found;      /* bytes of that text which the body ends with so far */
  uint8_t at;         /* bytes of the word, digits, or place in the version that were read */
};
_Static_assert(sizeof(struct http) <= PROTOCOL_STATE_BYTES, "the state of a protocol has a limit");

/* As the members of struct protocol. */
struct parse_result http_reply(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                               size_t length);
struct parse_result http_end(void *state, const struct protocol_settings *settings);
uint16_t http_status_code(const void *state);
size_t http_body_from(const void *state, const uint8_t *bytes, size_t length);
size_t http_redirect_target(const uint8_t *reply, size_t length, const uint8_t **target);

#endif
