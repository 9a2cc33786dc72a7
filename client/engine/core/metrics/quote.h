/*
 * quote: the first bytes of what the server sent, where that ended a connection or was not what was requested; of a
 * reply with a head its first line and the first bytes of its body. Of each kind and state of the connection the first
 * one of the leg is kept.
 */
#ifndef BROADSIDE_QUOTE_H
#define BROADSIDE_QUOTE_H

#include "../base/failure.h"
#include "../base/reply_code.h"

#define QUOTE_BYTES 128u

/* What the bytes led to: the error of an open connection (enum error_cause), the reject of an attempt, or a whole reply
 * that is an error or not as expected. Of a redirect the target is quoted. */
enum quote_kind {
  QUOTE_GREETING = ERROR_CAUSES,
  QUOTE_4XX,
  QUOTE_5XX,
  QUOTE_ERROR_REPLY,
  QUOTE_WRONG_STATUS,
  QUOTE_WRONG_BODY,
  QUOTE_REDIRECT,
  QUOTE_KINDS
};

/* The connection when they came: its hello was in progress; it awaited no reply; it awaited one. */
enum quote_state { QUOTE_OPENING, QUOTE_IDLE, QUOTE_BUSY, QUOTE_STATES };

#define QUOTES_MAX ((unsigned)QUOTE_KINDS * (unsigned)QUOTE_STATES)

struct quote {
  uint64_t at_ns; /* relative to the leg's start */
  uint8_t kind, state;
  uint8_t length; /* QUOTE_BYTES: there may have been more */
  uint8_t bytes[QUOTE_BYTES];
};

/* The kind of a whole reply with CODE whose first bytes are quoted; QUOTE_KINDS: they are not. */
static inline enum quote_kind quote_kind_of(enum code code) {
  switch (code) {
  case CODE_4XX: return QUOTE_4XX;
  case CODE_5XX: return QUOTE_5XX;
  case CODE_ERROR: return QUOTE_ERROR_REPLY;
  case CODE_WRONG_STATUS: return QUOTE_WRONG_STATUS;
  case CODE_WRONG_BODY: return QUOTE_WRONG_BODY;
  default: return QUOTE_KINDS;
  }
}

#endif
