/*
 * protocol: what requests and replies look like, as pure codecs: no descriptor, no allocation, no clock. Each
 * connection has a state of at most 32 bytes, which is the codec's own. Payloads are shared and read-only; a reply is
 * verified in place, as it comes. A new protocol is a file of this folder: set-up finds its `struct protocol`.
 */
#ifndef BROADSIDE_PROTOCOL_H
#define BROADSIDE_PROTOCOL_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "../base/reply_code.h"

#define PROTOCOL_STATE_BYTES 32u
#define PROTOCOL_PARAMETERS_BYTES 64u
#define ANSWER_PART_BYTES 144u /* the most that one call of answer() adds */

/* Memory for the parameters of any protocol: a struct that its codec defines. All zero until they are set. */
struct protocol_parameters {
  alignas(8) uint8_t bytes[PROTOCOL_PARAMETERS_BYTES];
};

enum protocol_parameter_type {
  PARAMETER_NUMBER, /* a uint64_t */
  PARAMETER_FLAG    /* a bool */
};

/* One member of a codec's struct of parameters, and the name under which client/protocols/ gives its value. */
struct protocol_parameter {
  const char *name;
  enum protocol_parameter_type type;
  size_t offset;
};

/* What a codec works with. Made from the protocol's options before the leg begins, and not changed. */
struct protocol_settings {
  const uint8_t *payload; /* the payload twice: any rotation of it is contiguous */
  size_t payload_bytes;   /* of it once: the most that a request carries */
  size_t payload_spread;  /* a request carries up to this many bytes fewer, drawn uniformly; 0: all are as long */
  const uint8_t *bytes;   /* such as the head of a request; the codec's file describes them */
  size_t bytes_count;
  struct protocol_parameters parameters;
};

/* What a request is made from. The same inputs make the same request. */
struct request_inputs {
  uint64_t random;   /* new for each request, and reproduced by the seed */
  uint64_t identity; /* new for each request, of this engine, of others and of other runs */
  uint64_t number;   /* no other request of the leg has it */
  uint8_t *room;     /* room_bytes() of the connection's own; NULL where those are 0 */
};

/* What the bytes read so far are. */
enum verdict {
  PARSE_INCOMPLETE,      /* the reply is not complete */
  PARSE_COMPLETE,        /* it is, and right */
  PARSE_MISMATCH,        /* a byte is not what it must be: the error `corrupt` */
  PARSE_MALFORMED,       /* it cannot be parsed: the error `protocol` */
  PARSE_RESPOND,         /* not of the reply: the peer asks something, and answer() makes what it gets */
  PARSE_COMPLETE_IF_IDLE /* complete if nothing more comes for quiet_ns() */
};

struct parse_result {
  size_t consumed; /* bytes of the input that have been read */
  enum verdict verdict;
  uint8_t code;         /* PARSE_COMPLETE: enum code */
  uint8_t closes;       /* PARSE_COMPLETE: the connection takes no further request, as planned */
  uint8_t unfinished;   /* PARSE_RESPOND: another part of the same answer follows, and both are sent together */
  uint8_t ends_message; /* PARSE_INCOMPLETE: of the messages of a hello's reply one has ended */
};
_Static_assert(sizeof(struct parse_result) <= 16, "a result is returned in registers");

/* One protocol. */
struct protocol {
  const char *name;
  /* A connection may have several requests in flight, answered in order. Then each request has a state of its own,
   * which begins as a copy of what request() left in the state of the one before. What reply() changes in it, no other
   * request sees. */
  bool pipelined;

  /* A request may carry part of the payload (payload_spread). */
  bool varies_payload;

  /* There are no replies: a transfer is complete when the kernel has taken the request. */
  bool one_way;

  /* A reply may come before the kernel has taken all of its request, and is then the last one of its connection. One
   * that is an error may in every protocol. */
  bool replies_early;

  /* What the codec needs besides payload and bytes; NULL: nothing. */
  const struct protocol_parameter *parameters;
  size_t parameter_count;

  /* Whether the settings are complete and consistent. NULL: all that is needed is a payload. */
  bool (*validate)(const struct protocol_settings *settings);

  /* How much room a request needs to write bytes into that do not outlive it. NULL: none. */
  size_t (*room_bytes)(const struct protocol_settings *settings);

  /* Writes a request into at most 3 iovecs and returns how many. Their bytes must not change until they are sent. STATE
   * is all zeros when the connection opens. */
  unsigned (*request)(void *state, const struct protocol_settings *settings, const struct request_inputs *inputs,
                      struct iovec parts[3]);

  /* How many requests it draws from; each has figures of its own where there are several. NULL: there is no list. */
  uint32_t (*request_count)(const struct protocol_settings *settings);

  /* Which of them the one of STATE is, before and after its reply. */
  uint32_t (*request_index)(const void *state);

  /* Parses LENGTH > 0 bytes of the reply to the request of STATE, cut anywhere. */
  struct parse_result (*reply)(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                               size_t length);

  /* The three digits of the whole reply of STATE, below STATUS_CODES. NULL: its replies have none. */
  uint16_t (*status_code)(const void *state);

  /* The offset at which the body begins or continues in the BYTES that reply() has just read. LENGTH if there is no
   * body in them. NULL if replies of this protocol have no head. */
  size_t (*body_from)(const void *state, const uint8_t *bytes, size_t length);

  /* Where the LENGTH bytes of a whole REPLY of CODE_3XX have the target of a redirect, and its length; 0: nowhere. */
  size_t (*redirect_target)(const uint8_t *reply, size_t length, const uint8_t **target);

  /* The peer ended the stream before the reply was complete: PARSE_COMPLETE where that end completes it. NULL: it never
   * does. */
  struct parse_result (*end)(void *state, const struct protocol_settings *settings);

  /* The following are NULL in a protocol that has no such thing. */

  /* Writes what a connection sends first, like request(); it may be nothing (0 iovecs). IDENTITY: as of a request. */
  unsigned (*hello)(void *state, const struct protocol_settings *settings, uint64_t identity, struct iovec parts[3]);

  /* How a message begins by which a peer ends a connection that awaits no reply, each; NULL last. None begins as
   * another does. Before the first request, or where the end of the connection follows, the error is `closed`; where
   * the next request comes first, or the end before all of these bytes, it is `protocol`. */
  const char *const *goodbyes;

  /* Whether these settings ask for a hello. NULL: all do. */
  bool (*wants_hello)(const struct protocol_settings *settings);

  /* Parses what the peer says to that. At PARSE_COMPLETE the connection counts as open; anything wrong before rejects
   * it with the cause `greeting`. */
  struct parse_result (*hello_reply)(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                     size_t length);

  /* Parses bytes that come while no request is in flight: PARSE_INCOMPLETE in the middle of a message, PARSE_COMPLETE
   * at the end of one. The rest of such a message comes here too, also when a request has been sent meanwhile; so
   * request() and reply() must not touch the part of STATE that it needs. NULL: such bytes are an error. */
  struct parse_result (*unsolicited)(void *state, const struct protocol_settings *settings, const uint8_t *bytes,
                                     size_t length);

  /* Writes what the LENGTH bytes that gave PARSE_RESPOND add to the answer, with the same state. Returns how many
   * bytes, at most ANSWER_PART_BYTES. */
  size_t (*answer)(void *state, const struct protocol_settings *settings, const uint8_t *bytes, size_t length,
                   uint8_t *answer);

  /* How long a silence completes a reply; 0: none does. Otherwise a connection can have one request at a time. */
  uint64_t (*quiet_ns)(const struct protocol_settings *settings);
};

/* Sets the parameter NAME of PROTOCOL. False: it has none of that name, or a flag is to be neither 0 nor 1. */
bool protocol_set_parameter(const struct protocol *protocol, struct protocol_parameters *parameters, const char *name,
                            uint64_t value);

/* Whether a leg can begin with these settings. */
bool protocol_validate(const struct protocol *protocol, const struct protocol_settings *settings);

/* Whether connections begin with a hello. */
bool protocol_has_hello(const struct protocol *protocol, const struct protocol_settings *settings);

/* How much room a connection's request needs. */
size_t protocol_room_bytes(const struct protocol *protocol, const struct protocol_settings *settings);

/* How many requests of a list have figures of their own; 0: there is no list of several. */
uint32_t protocol_listed_requests(const struct protocol *protocol, const struct protocol_settings *settings);

/* The protocol of that name; NULL where there is none. */
const struct protocol *protocol_find(const char *name);

/* Every protocol. */
#define DECLARATION(NAME) extern const struct protocol NAME;
PROTOCOLS(DECLARATION)
#undef DECLARATION

#endif
