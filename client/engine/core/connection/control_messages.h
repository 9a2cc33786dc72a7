/*
 * control_messages: what a connection sends and receives besides requests and replies: the protocol's hello, responses
 * to what the peer asks (a ping), unsolicited messages, and replies that end when the stream falls silent. Side arrays,
 * there only for protocols that need them. A response waits while a send of the connection is pending, and requests
 * wait for responses.
 */
#ifndef BROADSIDE_CONTROL_MESSAGES_H
#define BROADSIDE_CONTROL_MESSAGES_H

#include "connections.h"

struct control_state {
  uint64_t connect_ns;                 /* how long the last step of connecting took; recorded once the hello is done */
  uint64_t sent_ns;                    /* when the last send of a hello or of responses was handed to the kernel */
  uint64_t last_bytes_ns;              /* of a reply that ends when the stream is idle: its last bytes; 0: not yet */
  uint32_t sending;                    /* bytes of a hello or of responses that the kernel has not taken; 0: none */
  uint16_t in_kernel, queued, partial; /* the response buffer: [owned by the kernel][complete, not sent][incomplete] */
  uint8_t code;                        /* of a reply that ends when the stream is idle */
  bool in_unsolicited;                 /* in the middle of an unsolicited message */
  bool defers_request;                 /* the workload's next step follows once the responses are sent */
};

struct control {
  uint64_t reply_idle_ns; /* silence that ends a reply; 0: none does */
  struct control_state *states;
  uint8_t *buffers; /* of responses; NULL: the protocol never responds */
};

static inline struct control_state *control_of(const struct connections *self, uint32_t slot) {
  return &self->control->states[slot];
}

/* *CONTROL stays NULL where the protocol needs none. Returns 0, -ENOMEM, or -EINVAL: a reply that ends when the stream
 * is idle cannot be one of several. */
int control_create(const struct engine_settings *settings, const struct protocol_settings *protocol_settings,
                   struct control **control);
void control_destroy(struct control *control);

/* The rest is of one slot, where there is a struct control. A new connection; CONNECT_NS: see control_state. */
void control_begin(struct connections *self, uint32_t slot, uint64_t connect_ns);

/* Sends the protocol's hello. */
void control_send_hello(struct connections *self, uint32_t slot);

/* Sends, or queues, the response to BYTES, whose RESULT was PARSE_RESPOND. False: no room, because the peer keeps
 * asking and does not read the responses. */
bool control_respond(struct connections *self, uint32_t slot, void *state, const uint8_t *bytes,
                     struct parse_result result);

struct control_received {
  size_t consumed;
  bool failed;
  enum error_cause cause; /* of a failure */
};

/* Parses unsolicited bytes of an open connection: all of them when it is IDLE; else, as a request is in flight, only
 * the rest of a message that has begun. */
struct control_received control_receive(struct connections *self, uint32_t slot, const uint8_t *bytes, size_t length,
                                        bool idle);

/* RESULT of the reply to a request sent at SENT_NS was PARSE_COMPLETE_IF_IDLE: it is whole if nothing more comes for
 * reply_idle_ns. False: the transfer's deadline has passed. */
bool control_reply_may_end(struct connections *self, uint32_t slot, uint64_t sent_ns, struct parse_result result,
                           uint64_t at_ns);

enum control_silence { SILENCE_NOT_AWAITED, SILENCE_NOT_YET, SILENCE_ENDS_REPLY };

/* The deadline of a slot with a request in flight came up at AT_NS. SILENCE_ENDS_REPLY: the reply was whole at
 * *ENDED_NS, with *CODE. SILENCE_NOT_YET: the deadline is set again. */
enum control_silence control_check_silence(struct connections *self, uint32_t slot, uint64_t at_ns, uint64_t *ended_ns,
                                           uint8_t *code);

/* Whether what the kernel has not taken yet is no request. */
static inline bool control_is_sending(const struct connections *self, uint32_t slot) {
  return control_of(self, slot)->sending > 0;
}

/* The kernel has taken what was sent. Returns whether that was no request. *RESUMES: the workload's next step is due.
 */
bool control_sent(struct connections *self, uint32_t slot, bool *resumes);

/* The workload would send a request at AT_NS while responses are being sent: waits for them until the deadline of a
 * transfer. False: it has passed. */
bool control_defer_request(struct connections *self, uint32_t slot, uint64_t at_ns);

#endif
