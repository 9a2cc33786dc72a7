/*
 * tls_session.c: OpenSSL over a BIO of our own, which reads from where transport's bytes lie and writes into a piece
 * that transport can send: between the two nothing is copied but by the cipher.
 */
#include "tls_session.h"

#include <errno.h>
#include <openssl/err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tls_piece *take_piece(struct tls_pieces *pieces) {
  struct tls_piece *piece = pieces->first;
  if (piece) {
    pieces->first = piece->next;
  } else {
    piece = malloc(sizeof *piece);
  }
  if (piece) piece->length = 0;
  return piece;
}

void tls_pieces_give_back(struct tls_pieces *pieces, struct tls_piece *piece) {
  if (!piece) return;
  piece->next = pieces->first;
  pieces->first = piece;
}

void tls_pieces_free(struct tls_pieces *pieces) {
  for (struct tls_piece *piece; (piece = pieces->first);) {
    pieces->first = piece->next;
    free(piece);
  }
}

/* ---- the BIO ---- */

static int read_input(BIO *bio, char *bytes, int size) {
  struct tls_stream *stream = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (stream->input_length == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  size_t length = stream->input_length < (size_t)size ? stream->input_length : (size_t)size;
  memcpy(bytes, stream->input, length);
  stream->input += length;
  stream->input_length -= length;
  return (int)length;
}

/* A full piece: the peer asks for answers and takes none. That is the end of the connection. */
static int write_made(BIO *bio, const char *bytes, int length) {
  struct tls_stream *stream = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (!stream->made) stream->made = take_piece(stream->pieces);
  if (!stream->made || (size_t)length > sizeof stream->made->bytes - stream->made->length) return -1;
  memcpy(stream->made->bytes + stream->made->length, bytes, (size_t)length);
  stream->made->length += (size_t)length;
  return length;
}

static long control(BIO *bio, int command, long number, void *pointer) {
  (void)bio, (void)number, (void)pointer;
  return command == BIO_CTRL_FLUSH;
}

static BIO_METHOD *method;

static void make_method(void) {
  method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "broadside");
  if (!method) return;
  BIO_meth_set_read(method, read_input);
  BIO_meth_set_write(method, write_made);
  BIO_meth_set_ctrl(method, control);
}

static BIO *new_bio(struct tls_stream *stream) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_method);
  BIO *bio = method ? BIO_new(method) : NULL;
  if (!bio) return NULL;
  BIO_set_data(bio, stream);
  BIO_set_init(bio, 1);
  return bio;
}

/* ---- a stream ---- */

/* A copy, as the library takes care that none is offered twice, and a server need not give a new one each time. */
static void offer(SSL *ssl, SSL_SESSION *session) {
  SSL_SESSION *copy = SSL_SESSION_dup(session);
  if (copy) SSL_set_session(ssl, copy);
  SSL_SESSION_free(copy);
}

int tls_stream_open(struct tls_stream *stream, SSL_CTX *context, const char *name, SSL_SESSION **session,
                    struct tls_pieces *pieces) {
  *stream = (struct tls_stream){.ssl = SSL_new(context), .pieces = pieces, .session = session};
  BIO *bio = stream->ssl ? new_bio(stream) : NULL;
  if (!bio || (name && SSL_set_tlsext_host_name(stream->ssl, name) != 1)) {
    BIO_free(bio);
    SSL_free(stream->ssl);
    *stream = (struct tls_stream){0};
    ERR_clear_error();
    return -ENOMEM;
  }
  SSL_set_bio(stream->ssl, bio, bio);
  SSL_set_connect_state(stream->ssl);
  SSL_set_app_data(stream->ssl, stream);
  if (session && *session) offer(stream->ssl, *session);
  return 0;
}

int tls_stream_keep_session(SSL *ssl, SSL_SESSION *session) {
  struct tls_stream *stream = SSL_get_app_data(ssl);
  if (!stream->session) return 0;
  SSL_SESSION_free(*stream->session);
  *stream->session = session;
  return 1;
}

bool tls_stream_resumed(const struct tls_stream *stream) { return stream->ssl && SSL_session_reused(stream->ssl) == 1; }

/* A session outlives its connection however that ends, but by a fault of TLS's own. */
void tls_stream_close(struct tls_stream *stream) {
  if (stream->ssl && stream->session) SSL_set_shutdown(stream->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(stream->ssl);
  if (stream->made) tls_pieces_give_back(stream->pieces, stream->made);
  *stream = (struct tls_stream){0};
}

void tls_stream_feed(struct tls_stream *stream, const uint8_t *bytes, size_t length) {
  stream->input = bytes;
  stream->input_length = length;
}

static enum tls_step step_of(const struct tls_stream *stream, int result) {
  switch (SSL_get_error(stream->ssl, result)) {
  case SSL_ERROR_NONE: return TLS_DONE;
  case SSL_ERROR_WANT_READ: return TLS_GOES_ON;
  case SSL_ERROR_ZERO_RETURN: return TLS_ENDED;
  default: return TLS_FAILED;
  }
}

enum tls_step tls_stream_handshake(struct tls_stream *stream) { return step_of(stream, SSL_do_handshake(stream->ssl)); }

enum tls_step tls_stream_read(struct tls_stream *stream, uint8_t *bytes, size_t room, size_t *length) {
  *length = 0;
  while (room - *length >= TLS_PLAIN_MOST) {
    size_t more = 0;
    int result = SSL_read_ex(stream->ssl, bytes + *length, room - *length, &more);
    if (result != 1) {
      enum tls_step step = step_of(stream, result);
      if (step == TLS_GOES_ON) SSL_free_buffers(stream->ssl); /* a ticket takes both, and keeps one */
      return step;
    }
    *length += more;
  }
  return TLS_DONE;
}

bool tls_stream_has_room(const struct tls_stream *stream) {
  return !stream->made || sizeof stream->made->bytes - stream->made->length >= TLS_RECORD_MOST;
}

bool tls_stream_write(struct tls_stream *stream, const uint8_t *bytes, size_t length) {
  size_t written = 0;
  return SSL_write_ex(stream->ssl, bytes, length, &written) == 1 && written == length;
}

void tls_stream_finish(struct tls_stream *stream) {
  if (SSL_shutdown(stream->ssl) < 0) ERR_clear_error();
}

void tls_stream_reason(const struct tls_stream *stream, char *text, size_t size) {
  unsigned long error = ERR_peek_last_error();
  const char *reason = ERR_reason_error_string(error);
  if (ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    const char *why = X509_verify_cert_error_string(SSL_get_verify_result(stream->ssl));
    snprintf(text, size, "the server's certificate was not accepted: %s", why);
  } else {
    snprintf(text, size, "%s", reason ? reason : "no further bytes could be taken");
  }
}

void tls_stream_forget(void) { ERR_clear_error(); }
