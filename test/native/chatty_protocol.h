/*
 * chatty_protocol: a protocol of the tests that talks besides its requests and replies. It greets, echoes, and answers
 * what begins with CHATTY_ASK, one byte of length and so many bytes, with CHATTY_ANSWER and the same, wherever it
 * stands: also within a reply. A payload must have none of its bytes below 0x20.
 */
#ifndef BROADSIDE_CHATTY_H
#define BROADSIDE_CHATTY_H

#include "../../client/engine/core/protocol/protocol.h"

#define CHATTY_ASK 0x05u
#define CHATTY_ANSWER 0x06u
#define CHATTY_NEWS 0x16u /* says something that needs no answer */
#define CHATTY_GREETING "hello?"
#define CHATTY_GREETED "welcome"

extern const struct protocol protocol_chatty;

/* Echoes too, but nobody knows where a reply ends: 50 ms of silence do that. */
#define HUSH_QUIET_NS UINT64_C(50000000)
extern const struct protocol protocol_hush;

#endif
