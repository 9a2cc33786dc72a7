/*
 * failure.c: the table from errno to cause.
 */
#include "failure.h"

#include <errno.h>

enum reject_cause failure_reject_cause(int reason) {
  switch (reason) {
  case -ECONNREFUSED:
  case -ENOENT: /* of a unix socket: there is no such path */
  case -EAGAIN: /* of a unix socket: its listener's queue is full */
  case IO_SELF_CONNECTED: return REJECT_REFUSED;
  case IO_HANDSHAKE: return REJECT_HANDSHAKE;
  case -ECONNRESET:
  case -EPIPE:
  case -ECONNABORTED: return REJECT_RESET;
  case -ETIMEDOUT: return REJECT_TIMEOUT;
  case -ENETUNREACH:
  case -EHOSTUNREACH:
  case -ENETDOWN:
  case -EHOSTDOWN: return REJECT_UNREACHABLE;
  case -EMFILE:
  case -ENFILE:
  case -ENOMEM:
  case -ENOBUFS:
  case -ENOSPC: /* epoll's own limit of watches */
  case -EADDRNOTAVAIL:
  case -EADDRINUSE:
  case -EACCES:
  case -EPERM: return REJECT_LOCAL;
  default: return REJECT_OTHER;
  }
}

enum error_cause failure_error_cause(int reason) {
  switch (reason) {
  case IO_EOF:
  case IO_TRUNCATED: return ERROR_CLOSED;
  case IO_TLS_ERROR: return ERROR_PROTOCOL;
  case -ECONNRESET:
  case -EPIPE:
  case -ECONNABORTED: return ERROR_RESET;
  case -ETIMEDOUT: return ERROR_TIMEOUT;
  default: return ERROR_OTHER;
  }
}

uint8_t failure_status(enum error_cause cause) {
  static const uint8_t statuses[ERROR_CAUSES] = {
      [ERROR_RESET] = TRANSFER_RESET,     [ERROR_CLOSED] = TRANSFER_CLOSED,     [ERROR_TIMEOUT] = TRANSFER_TIMEOUT,
      [ERROR_CORRUPT] = TRANSFER_CORRUPT, [ERROR_PROTOCOL] = TRANSFER_PROTOCOL, [ERROR_OTHER] = TRANSFER_OTHER,
  };
  return statuses[cause];
}
