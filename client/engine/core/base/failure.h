/*
 * failure: why an attempt was rejected (enum reject_cause), an open connection ended (enum error_cause), or a transfer
 * has no whole reply.
 */
#ifndef BROADSIDE_FAILURE_H
#define BROADSIDE_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include "build/names.h"

/* Why a connection ended, as the transport reports it: 0 (we closed it), -errno, or one of these. */
enum end_reason {
  IO_EOF = 1,        /* the peer ended the stream */
  IO_SELF_CONNECTED, /* connected to itself: a simultaneous open on a dead port of the ephemeral range */
  IO_HANDSHAKE,      /* the TLS handshake failed */
  IO_TLS_ERROR,      /* the peer sent a TLS alert, or bytes that are not TLS */
  IO_TRUNCATED       /* the stream ended without TLS's close_notify */
};

/* How a transfer ended, in the words of the log and the samples. */
enum transfer_status {
  TRANSFER_OK,
  TRANSFER_TIMEOUT,
  TRANSFER_RESET,
  TRANSFER_CLOSED,
  TRANSFER_CORRUPT,
  TRANSFER_PROTOCOL,
  TRANSFER_UNFINISHED,
  TRANSFER_OTHER,
  TRANSFER_STATUSES
};

/* Why TLS failed on a connection. */
enum tls_failure_cause {
  TLS_FAILURE_NONE,        /* it did not */
  TLS_FAILURE_CERTIFICATE, /* the server's certificate was not accepted; reason: X509_V_ERR_*, without the prefix */
  TLS_FAILURE_ALERT,       /* the server sent a fatal alert; reason: its number (RFC 8446, section 6) */
  TLS_FAILURE_NOT_TLS,     /* the server sent bytes that are not a TLS record */
  TLS_FAILURE_CLOSED,      /* the server closed the connection during the handshake */
  TLS_FAILURE_BROKEN,      /* the connection broke during the handshake; reason: the errno's name */
  TLS_FAILURE_UNREAD,      /* the server did not read what TLS had to send */
  TLS_FAILURE_OPENSSL,     /* another error; reason: OpenSSL's number of it, 8 hexadecimal digits */
  TLS_FAILURE_CAUSES
};

#define TLS_FAILURE_REASON_BYTES 48u

/* A failure of TLS as codes: JavaScript has the words. */
struct tls_failure {
  enum tls_failure_cause cause;
  bool in_handshake;                     /* or on a connection that was secured */
  char reason[TLS_FAILURE_REASON_BYTES]; /* a code within the cause, "": there is none */
};

/* The cause of a reject or an error whose connection ended for REASON (enum end_reason, 0 or -errno). */
enum reject_cause failure_reject_cause(int reason);
enum error_cause failure_error_cause(int reason);

/* The status of a transfer in flight when its connection ends by CAUSE. */
uint8_t failure_status(enum error_cause cause);

#endif
