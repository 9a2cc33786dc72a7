/*
 * parley: a protocol of the tests that talks besides its requests and replies. It greets, echoes, and answers what
 * begins with PARLEY_ASK, one byte of length and so many bytes, with PARLEY_ANSWER and the same, wherever it stands:
 * also within a reply. A payload must have none of its bytes below 0x20.
 */
#ifndef BROADSIDE_PARLEY_H
#define BROADSIDE_PARLEY_H

#include "../../client/engine/core/protocol/protocol.h"

#define PARLEY_ASK 0x05u
#define PARLEY_ANSWER 0x06u
#define PARLEY_NEWS 0x16u /* says something that needs no answer */
#define PARLEY_GREETING "hello?"
#define PARLEY_GREETED "welcome"

extern const struct protocol protocol_parley;

/* Echoes too, but nobody knows where a reply ends: 50 ms of silence do that. */
#define HUSH_QUIET_NS UINT64_C(50000000)
extern const struct protocol protocol_hush;

#endif
