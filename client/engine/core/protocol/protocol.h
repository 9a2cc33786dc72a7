/*
 * protocol: what a request and its reply look like, as a pure codec: no descriptor, no allocation, no clock. State
 * belongs to one connection, is opaque and at most 32 bytes; payloads are shared and read-only; a reply is verified
 * in place, as it comes. A new protocol is one file and one line in protocols.c.
 */
#ifndef BROADSIDE_PROTOCOL_H
#define BROADSIDE_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define PROTOCOL_STATE_BYTES 32u

struct protocol_settings {
  const uint8_t *payload; /* the payload twice over: any rotation of it is one piece */
  size_t payload_bytes;   /* of the payload once; > 0 */
};

enum verdict {
  VERDICT_MORE,  /* the reply goes on */
  VERDICT_REPLY, /* the reply is whole and right */
  VERDICT_WRONG, /* a byte differs from what it must be: corrupt */
  VERDICT_BAD    /* it cannot be parsed: protocol */
};

struct outcome {
  size_t consumed; /* bytes of the input that belong to this reply */
  enum verdict verdict;
};

struct protocol {
  const char *name;
  /* Several requests of a connection may be under way, answered in order. Then each has a state of its own, which
   * begins as the request before it left the state: what reply() leaves there no other request sees. */
  bool pipelined;
  /* A request into at most 3 parts, which stay put until they are sent; returns their number. STATE is zeroed when the
   * connection opens. RANDOM is fresh for each request. */
  unsigned (*request)(void *state, const struct protocol_settings *settings, uint64_t random, struct iovec parts[3]);
  /* Bytes of the reply to the request of that state, length > 0, cut anywhere. */
  struct outcome (*reply)(void *state, const struct protocol_settings *settings, const uint8_t *bytes, size_t length);
};

/* By name; NULL when there is none. */
const struct protocol *protocol_find(const char *name);

extern const struct protocol protocol_echo, protocol_volley, protocol_ace;

#endif
