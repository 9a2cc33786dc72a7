/*
 * tls_session: one connection's TLS as a pure filter: bytes of the network in, bytes of the protocol out, and the other
 * way round. No descriptor, no clock. What is made for the network gathers in pieces that all connections share.
 */
#ifndef BROADSIDE_TLS_SESSION_H
#define BROADSIDE_TLS_SESSION_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TLS_PLAIN_MOST 16384u                   /* bytes of the protocol in a record */
#define TLS_RECORD_MOST (TLS_PLAIN_MOST + 512u) /* ... and what is around them, with room to spare */
#define TLS_PIECE_BYTES (4u * TLS_RECORD_MOST)

/* Bytes for the network. */
struct tls_piece {
  struct tls_piece *next;
  size_t length;
  uint8_t bytes[TLS_PIECE_BYTES];
};

/* Those that nobody uses. There are as many in all as were ever used at once. */
struct tls_pieces {
  struct tls_piece *first;
};

void tls_pieces_give_back(struct tls_pieces *pieces, struct tls_piece *piece); /* NULL: nothing */
void tls_pieces_free(struct tls_pieces *pieces);

/* All zero: no connection. */
struct tls_stream {
  SSL *ssl;
  struct tls_pieces *pieces;
  const uint8_t *input; /* what came and was not read yet; during a call only */
  size_t input_length;
  struct tls_piece *made; /* NULL: nothing waits for the network */
  SSL_SESSION **session;  /* where the newest one is kept; NULL: nowhere */
};

enum tls_step {
  TLS_GOES_ON, /* more has to come from the network */
  TLS_DONE,    /* handshake: secured; read: there may be more at once */
  TLS_ENDED,   /* the peer has said that nothing more will come */
  TLS_FAILED
};

/* Must not move until it is closed. NAME: for SNI; NULL: none. SESSION: one to be offered, unless it is NULL, and where
 * the newest is kept; NULL: none and nowhere. 0 or -ENOMEM. */
int tls_stream_open(struct tls_stream *stream, SSL_CTX *context, const char *name, SSL_SESSION **session,
                    struct tls_pieces *pieces);
void tls_stream_close(struct tls_stream *stream);

/* What came from the network; the three below read it, and must do so before it goes. */
void tls_stream_feed(struct tls_stream *stream, const uint8_t *bytes, size_t length);
enum tls_step tls_stream_handshake(struct tls_stream *stream);
enum tls_step tls_stream_read(struct tls_stream *stream, uint8_t *bytes, size_t room, size_t *length);

/* Whether the session that was offered has been taken up. */
bool tls_stream_resumed(const struct tls_stream *stream);

/* For SSL_CTX_sess_set_new_cb. */
int tls_stream_keep_session(SSL *ssl, SSL_SESSION *session);

/* Whether another record fits into what is made already. */
bool tls_stream_has_room(const struct tls_stream *stream);

/* LENGTH bytes of the protocol, at most TLS_PLAIN_MOST, with room for them. False: out of memory. */
bool tls_stream_write(struct tls_stream *stream, const uint8_t *bytes, size_t length);

/* Says that nothing more will come. */
void tls_stream_finish(struct tls_stream *stream);

/* What went wrong, in words; to be asked right after TLS_FAILED. */
void tls_stream_reason(const struct tls_stream *stream, char *text, size_t size);

/* Forgets what went wrong, which the library keeps for each thread: must be called after TLS_FAILED. */
void tls_stream_forget(void);

#endif
