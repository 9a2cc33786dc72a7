/*
 * tls_session: the TLS of one connection as a filter between bytes of the network and bytes of the protocol. It knows
 * no descriptor and no clock. What it has for the network gathers in an output buffer.
 */
#ifndef BROADSIDE_TLS_SESSION_H
#define BROADSIDE_TLS_SESSION_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/failure.h"
#include "channel.h"

#define TLS_PLAIN_MAX 16384u                  /* bytes of the protocol in a record */
#define TLS_RECORD_MAX (TLS_PLAIN_MAX + 512u) /* ... with header, padding and authentication tag, and room to spare */
#define TLS_BUFFER_BYTES (4u * TLS_RECORD_MAX)

/* Bytes for the network. */
struct tls_buffer {
  struct tls_buffer *next; /* in tls_buffers */
  size_t length;
  size_t plain_length; /* bytes of the protocol in it */
  uint8_t bytes[TLS_BUFFER_BYTES];
};

/* The unused buffers of all connections. */
struct tls_buffers {
  struct tls_buffer *first;
  uint32_t count;
  uint32_t idle;    /* the fewest that were unused at a time since the last tls_buffers_begin_span() */
  uint32_t surplus; /* of them, to be freed */
};

/* Gives a buffer back; NULL does nothing. */
void tls_buffers_give_back(struct tls_buffers *buffers, struct tls_buffer *buffer);

/* Begins a span of time. Buffers that stayed unused during the last one are surplus. */
void tls_buffers_begin_span(struct tls_buffers *buffers);

/* Frees a few surplus buffers: so few that it costs no noticeable time. */
void tls_buffers_trim(struct tls_buffers *buffers);

/* Frees the unused buffers. */
void tls_buffers_free(struct tls_buffers *buffers);

/* All zero: no connection. */
struct tls_session {
  SSL *ssl;
  struct tls_buffers *buffers;
  const uint8_t *input; /* bytes from the network that are not read yet; only during a call */
  size_t input_length;
  struct tls_buffer *output; /* NULL: nothing waits for the network */
  SSL_SESSION **resumable;   /* where the newest session that can be resumed is kept; NULL: nowhere */
};

/* What came of a step. */
enum tls_step {
  TLS_GOES_ON, /* more has to come from the network */
  TLS_DONE,    /* the handshake is done; or bytes were read, and there may be more */
  TLS_ENDED,   /* the peer has sent close_notify */
  TLS_FAILED
};

/* Begins a session, which must not move until it is closed. NAME: for SNI; NULL: none. RESUMABLE: holds the session to
 * offer, or NULL, and will hold the newest; NULL: none is offered or kept. 0 or -ENOMEM. */
int tls_session_open(struct tls_session *session, SSL_CTX *context, const char *name, SSL_SESSION **resumable,
                     struct tls_buffers *buffers);

/* Frees what it owns. */
void tls_session_close(struct tls_session *session);

/* Gives it bytes from the network, for handshake() and read(), until feed() is called again. */
void tls_session_feed(struct tls_session *session, const uint8_t *bytes, size_t length);

enum tls_step tls_session_handshake(struct tls_session *session);

/* Reads bytes of the protocol; ROOM >= TLS_PLAIN_MAX. *LENGTH: how many, also where it fails or ends behind them. */
enum tls_step tls_session_read(struct tls_session *session, uint8_t *bytes, size_t room, size_t *length);

/* Whether the session that was offered has been resumed. */
bool tls_session_is_resumed(const struct tls_session *session);

/* A callback for SSL_CTX_sess_set_new_cb(). */
int tls_session_keep_resumable(SSL *ssl, SSL_SESSION *resumable);

/* Whether another record fits into the output. */
bool tls_session_has_room(const struct tls_session *session);

/* Encrypts LENGTH <= TLS_PLAIN_MAX bytes into the output, which must have room. False: out of memory. */
bool tls_session_write(struct tls_session *session, const uint8_t *bytes, size_t length);

/* Puts close_notify into the output. */
void tls_session_finish(struct tls_session *session);

/* Sets the cause and the reason of FAILURE to why a step failed. Must be called right after TLS_FAILED: OpenSSL keeps
 * the reason for each thread, and this makes it forget. */
void tls_session_take_failure(const struct tls_session *session, struct tls_failure *failure);

/* What was agreed on in a handshake that is done. */
void tls_session_describe(const struct tls_session *session, struct tls_facts *facts);

#endif
