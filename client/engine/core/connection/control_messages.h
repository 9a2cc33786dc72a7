/*
 * control_messages: what a connection says and hears besides its requests and replies: its greeting, answers to what
 * the peer asks (a ping), and the silence that ends a reply. Side arrays, there only for protocols that do such things.
 * What is to be sent waits while a send of the connection is pending, and requests wait for it in turn.
 */
#ifndef BROADSIDE_CONTROL_MESSAGES_H
#define BROADSIDE_CONTROL_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../protocol/protocol.h"

struct engine;
struct engine_settings;
struct talks;

struct talk {
  uint64_t connect_ns;           /* how long the connect took, or securing it; counted once it is open */
  uint64_t sent_ns;              /* when what is being sent, or was sent last, went out */
  uint64_t heard_ns;             /* of a reply that silence ends: when its last bytes came; 0: none yet */
  uint32_t sending;              /* bytes of a greeting or of answers that the kernel has not taken; 0: none */
  uint16_t kept, whole, growing; /* bytes of answers: being sent; behind them, waiting; behind those, not whole yet */
  uint8_t code;                  /* of the reply that silence ends */
  bool hearing;                  /* in the middle of bytes that nobody asked for */
  bool held;                     /* the workload goes on once all is sent */
};

/* *TALKS stays NULL where the protocol needs none. Returns 0, -ENOMEM, or -EINVAL: a reply that silence ends cannot be
 * one of several. */
int talks_create(const struct engine_settings *settings, const struct protocol_settings *protocol_settings,
                 struct talks **talks);
void talks_destroy(struct talks *talks);
struct talk *talk_of(const struct engine *engine, uint32_t slot);

/* The rest is of one slot whose engine has talks. A new connection, which took so long to connect. */
void talk_begin(struct engine *engine, uint32_t slot, uint64_t connect_ns);

/* Sends the protocol's greeting. */
void talk_greet(struct engine *engine, uint32_t slot);

/* OUTCOME of these BYTES was PARSE_RESPOND, with the protocol's STATE. False: there is no room, as the peer asks and
 * asks but takes no answers. */
bool talk_answer(struct engine *engine, uint32_t slot, void *state, const uint8_t *bytes, struct parse_result result);

/* Takes bytes of an open connection that answer no request, up to where no message is unfinished if a request is under
 * way, else all. Returns how many; where they must not be, the connection is spoilt. */
size_t talk_hear(struct engine *engine, uint32_t slot, const uint8_t *bytes, size_t length, uint64_t at_ns);

/* OUTCOME was PARSE_COMPLETE_IF_IDLE, of a request that was sent at SENT_NS: the reply is whole if nothing more comes
 * for a while. The timer of a slot with a request under way came up: false when it was not for that; else the transfer
 * is complete, or the timer set again. */
void talk_heard(struct engine *engine, uint32_t slot, uint64_t sent_ns, struct parse_result result, uint64_t at_ns);
bool talk_quiet(struct engine *engine, uint32_t slot, uint64_t at_ns);

/* Whether what is being sent is no request. */
bool talk_is_sending(const struct engine *engine, uint32_t slot);

/* The kernel has what was sent; true: it was no request. Goes on with answers that wait. */
bool talk_sent(struct engine *engine, uint32_t slot);

/* The workload would go on while answers are being sent: holds it up until they are, with the deadline of a transfer.
 */
void talk_hold(struct engine *engine, uint32_t slot, uint64_t at_ns);

#endif
