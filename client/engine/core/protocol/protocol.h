/*
 * protocol: what a request and its reply look like, as a pure codec: no descriptor, no allocation, no clock. State
 * belongs to one connection, is opaque and at most 32 bytes; payloads are shared and read-only; a reply is verified
 * in place, as it comes. What a protocol does besides requests and replies is done by control_messages.c. A new
 * protocol is one file and one line in protocols.c.
 */
#ifndef BROADSIDE_PROTOCOL_H
#define BROADSIDE_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "../base/reply_code.h"

#define PROTOCOL_STATE_BYTES 32u

#define PROTOCOL_NUMBERS 8u

#define ANSWER_PART_BYTES 144u /* what answer() adds at most */

/* Of one leg, made before it begins; read-only. What bytes and numbers are, the protocol's file says. */
struct protocol_settings {
  const uint8_t *payload; /* the payload twice over: any rotation of it is one piece */
  size_t payload_bytes;   /* of the payload once */
  const uint8_t *bytes;   /* made of the protocol's options, such as the head of a request */
  size_t bytes_count;
  uint64_t numbers[PROTOCOL_NUMBERS];
};

enum verdict {
  PARSE_INCOMPLETE,      /* the reply goes on */
  PARSE_COMPLETE,        /* the reply is whole and right */
  PARSE_MISMATCH,        /* a byte differs from what it must be: corrupt */
  PARSE_MALFORMED,       /* it cannot be parsed: protocol */
  PARSE_RESPOND,         /* none of the reply, which goes on: the peer asks, and answer() has what it gets */
  PARSE_COMPLETE_IF_IDLE /* the reply is whole and right if nothing more comes for quiet_ns() */
};

struct parse_result {
  size_t consumed; /* bytes of the input that belong to this reply */
  enum verdict verdict;
  uint8_t code;       /* of a whole reply: enum code */
  uint8_t closes;     /* of a whole reply: the connection takes no further request, as planned */
  uint8_t unfinished; /* of an answer: the next verdict is another part of it; they go out together */
};
_Static_assert(sizeof(struct parse_result) <= 16, "an outcome is returned in registers");

struct protocol {
  const char *name;
  /* Several requests of a connection may be under way, answered in order. Then each has a state of its own, which
   * begins as the request before it left the state: what reply() leaves there no other request sees. */
  bool pipelined;
  /* A transfer is whole once the kernel has taken the request; there are no replies. */
  bool one_way;
  /* Whether the settings are such as the other functions need; NULL: they need a payload and nothing else. */
  bool (*validate)(const struct protocol_settings *settings);
  /* A request into at most 3 parts, which stay put until they are sent; returns their number. STATE is zeroed when the
   * connection opens. RANDOM is fresh for each request. */
  unsigned (*request)(void *state, const struct protocol_settings *settings, uint64_t random, struct iovec parts[3]);
  /* Bytes of the reply to the request of that state, length > 0, cut anywhere. */
  struct parse_result (*reply)(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                               size_t length);
  /* The peer ended the stream before the reply was whole: PARSE_COMPLETE when that end is what makes it whole. NULL: it
   * never is. */
  struct parse_result (*end)(void *state, const struct protocol_settings *settings);

  /* The rest is NULL where a protocol has no such thing. */

  /* What a connection says once it is connected, like a request, or 0 parts: and what it hears, up to PARSE_COMPLETE:
   * then it counts as open. Before that it is rejected by the cause `greeting` when anything else comes of it. */
  unsigned (*hello)(void *state, const struct protocol_settings *settings, uint64_t random, struct iovec parts[3]);
  struct parse_result (*hello_reply)(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                     size_t length);
  /* Bytes of an open connection that come while no request is under way. PARSE_INCOMPLETE: in the middle of a message;
   * PARSE_COMPLETE: at the end of one that needs nothing. What follows in the middle of a message comes here too, also
   * when there is a request meanwhile: request() and reply() leave alone what of STATE is needed for that. NULL: such
   * bytes are an error. */
  struct parse_result (*unsolicited)(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                     size_t length);
  /* After PARSE_RESPOND for these LENGTH bytes, with the same state: what they add to the answer. Returns how many
   * bytes, at most ANSWER_PART_BYTES. */
  size_t (*answer)(void *state, const struct protocol_settings *settings, const uint8_t *bytes, size_t length,
                   uint8_t *answer);
  /* How long a silence must be to end a reply; 0: none does. One that may does not go with `pipeline`. */
  uint64_t (*quiet_ns)(const struct protocol_settings *settings);
};

/* Whether a leg may begin with these settings. */
bool protocol_validate(const struct protocol *protocol, const struct protocol_settings *settings);

/* By name; NULL when there is none. */
const struct protocol *protocol_find(const char *name);

extern const struct protocol protocol_echo, protocol_volley, protocol_ace, protocol_http, protocol_redis,
    protocol_memcached, protocol_raw, protocol_nats, protocol_stream, protocol_websocket;

#endif
