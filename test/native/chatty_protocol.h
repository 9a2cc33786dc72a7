/*
 * chatty_protocol: a protocol of the tests with control messages. It has a hello, echoes, and answers questions, which
 * may come anywhere, also within a reply: CHATTY_ASK, one byte of length and that many bytes are answered by
 * CHATTY_ANSWER and the same. A payload must not contain bytes below 0x20.
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

/* Echoes too, but a reply has no known length: it ends after 50 ms of silence. */
#define HUSH_QUIET_NS UINT64_C(50000000)
extern const struct protocol protocol_hush;

#endif
