/*
 * failure: why an attempt was rejected or an open connection ended, in the words of the design's one table.
 */
#ifndef BROADSIDE_FAILURE_H
#define BROADSIDE_FAILURE_H

#include <stdint.h>

enum reject_cause {
  REJECT_REFUSED,
  REJECT_RESET,
  REJECT_TIMEOUT,
  REJECT_UNREACHABLE,
  REJECT_LOCAL,
  REJECT_HANDSHAKE,
  REJECT_GREETING,
  REJECT_OTHER,
  REJECT_CAUSES
};

enum error_cause { ERROR_RESET, ERROR_CLOSED, ERROR_TIMEOUT, ERROR_CORRUPT, ERROR_PROTOCOL, ERROR_OTHER, ERROR_CAUSES };

/* REASON as io's on_close gives it: 0, one of IO_EOF ... or -errno. */
enum reject_cause cause_of_reject(int reason);
enum error_cause cause_of_error(int reason);

/* The status that a transfer in flight gets when its connection ends by CAUSE. */
uint8_t cause_status(enum error_cause cause);

#endif
