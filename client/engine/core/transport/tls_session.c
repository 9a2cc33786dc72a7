/*
 * tls_session.c: OpenSSL over a BIO of our own, which reads where the transport's bytes lie and writes into a buffer
 * that the transport can send: two copies fewer than through memory BIOs.
 */
#include "tls_session.h"

#include <errno.h>
#include <openssl/err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERS_PER_TRIM 16u /* some microseconds */

/* The library keeps what went wrong for each thread, and the next call on any connection would take it for its own. */
static void forget_errors(void) {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

static struct tls_buffer *take_buffer(struct tls_buffers *buffers) {
  struct tls_buffer *buffer = buffers->first;
  if (buffer) {
    buffers->first = buffer->next;
    buffers->count--;
    if (buffers->count < buffers->idle) buffers->idle = buffers->count;
  } else {
    buffer = malloc(sizeof *buffer);
  }
  if (buffer) buffer->length = buffer->plain_length = 0;
  return buffer;
}

void tls_buffers_give_back(struct tls_buffers *buffers, struct tls_buffer *buffer) {
  if (!buffer) return;
  buffer->next = buffers->first;
  buffers->first = buffer;
  buffers->count++;
}

void tls_buffers_begin_span(struct tls_buffers *buffers) {
  buffers->surplus = buffers->idle;
  buffers->idle = buffers->count;
}

void tls_buffers_trim(struct tls_buffers *buffers) {
  for (unsigned i = 0; i < BUFFERS_PER_TRIM && buffers->surplus > 0; i++) {
    struct tls_buffer *buffer = buffers->first;
    buffers->surplus--;
    if (!buffer) continue;
    buffers->first = buffer->next;
    buffers->count--;
    if (buffers->count < buffers->idle) buffers->idle = buffers->count;
    free(buffer);
  }
}

void tls_buffers_free(struct tls_buffers *buffers) {
  for (struct tls_buffer *buffer; (buffer = buffers->first);) {
    buffers->first = buffer->next;
    free(buffer);
  }
}

/* ---- the BIO ---- */

static int read_input(BIO *bio, char *bytes, int size) {
  struct tls_session *session = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (session->input_length == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  size_t length = session->input_length < (size_t)size ? session->input_length : (size_t)size;
  memcpy(bytes, session->input, length);
  session->input += length;
  session->input_length -= length;
  return (int)length;
}

/* Without room it fails, and the connection with it: the peer asks for answers and reads none. */
static int write_output(BIO *bio, const char *bytes, int length) {
  struct tls_session *session = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (!session->output) session->output = take_buffer(session->buffers);
  if (!session->output || (size_t)length > sizeof session->output->bytes - session->output->length) return -1;
  memcpy(session->output->bytes + session->output->length, bytes, (size_t)length);
  session->output->length += (size_t)length;
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
  BIO_meth_set_write(method, write_output);
  BIO_meth_set_ctrl(method, control);
}

static BIO *new_bio(struct tls_session *session) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_method);
  BIO *bio = method ? BIO_new(method) : NULL;
  if (!bio) return NULL;
  BIO_set_data(bio, session);
  BIO_set_init(bio, 1);
  return bio;
}

/* ---- a session ---- */

/* Offers a copy, because the library offers a session of TLS 1.3 once only, and a server need not send a new one each
 * time. Where it cannot, the handshake is a whole one. */
static void offer(SSL *ssl, SSL_SESSION *resumable) {
  SSL_SESSION *copy = SSL_SESSION_dup(resumable);
  if (!copy || SSL_set_session(ssl, copy) != 1) forget_errors();
  SSL_SESSION_free(copy);
}

int tls_session_open(struct tls_session *session, SSL_CTX *context, const char *name, SSL_SESSION **resumable,
                     struct tls_buffers *buffers) {
  *session = (struct tls_session){.ssl = SSL_new(context), .buffers = buffers, .resumable = resumable};
  BIO *bio = session->ssl ? new_bio(session) : NULL;
  if (!bio || (name && SSL_set_tlsext_host_name(session->ssl, name) != 1)) {
    BIO_free(bio);
    SSL_free(session->ssl);
    *session = (struct tls_session){0};
    forget_errors();
    return -ENOMEM;
  }
  SSL_set_bio(session->ssl, bio, bio);
  SSL_set_connect_state(session->ssl);
  SSL_set_app_data(session->ssl, session);
  if (resumable && *resumable) offer(session->ssl, *resumable);
  return 0;
}

int tls_session_keep_resumable(SSL *ssl, SSL_SESSION *resumable) {
  struct tls_session *session = SSL_get_app_data(ssl);
  if (!session->resumable) return 0;
  SSL_SESSION_free(*session->resumable);
  *session->resumable = resumable;
  return 1;
}

bool tls_session_is_resumed(const struct tls_session *session) {
  return session->ssl && SSL_session_reused(session->ssl) == 1;
}

/* Marks the connection as shut down cleanly, which keeps the session resumable; the library drops it itself after an
 * error of TLS. */
void tls_session_close(struct tls_session *session) {
  if (session->ssl && session->resumable) SSL_set_shutdown(session->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  SSL_free(session->ssl);
  if (session->output) tls_buffers_give_back(session->buffers, session->output);
  *session = (struct tls_session){0};
}

void tls_session_feed(struct tls_session *session, const uint8_t *bytes, size_t length) {
  session->input = bytes;
  session->input_length = length;
}

static enum tls_step step_of(const struct tls_session *session, int result) {
  switch (SSL_get_error(session->ssl, result)) {
  case SSL_ERROR_NONE: return TLS_DONE;
  case SSL_ERROR_WANT_READ: return TLS_GOES_ON;
  case SSL_ERROR_ZERO_RETURN: return TLS_ENDED;
  default: return TLS_FAILED;
  }
}

enum tls_step tls_session_handshake(struct tls_session *session) {
  forget_errors();
  return step_of(session, SSL_do_handshake(session->ssl));
}

enum tls_step tls_session_read(struct tls_session *session, uint8_t *bytes, size_t room, size_t *length) {
  bool releases_buffers = (SSL_get_mode(session->ssl) & SSL_MODE_RELEASE_BUFFERS) != 0;
  *length = 0;
  while (room - *length >= TLS_PLAIN_MAX) {
    size_t more = 0;
    forget_errors();
    int result = SSL_read_ex(session->ssl, bytes + *length, room - *length, &more);
    if (result != 1) {
      enum tls_step step = step_of(session, result);
      /* reading a session ticket takes both, and keeps one */
      if (step == TLS_GOES_ON && releases_buffers) SSL_free_buffers(session->ssl);
      return step;
    }
    *length += more;
    bool is_all = session->input_length == 0 && SSL_has_pending(session->ssl) == 0;
    if (is_all && !releases_buffers) return TLS_GOES_ON; /* reading on would only find that out */
  }
  return TLS_DONE;
}

bool tls_session_has_room(const struct tls_session *session) {
  return !session->output || sizeof session->output->bytes - session->output->length >= TLS_RECORD_MAX;
}

bool tls_session_write(struct tls_session *session, const uint8_t *bytes, size_t length) {
  size_t written = 0;
  forget_errors();
  bool whole = SSL_write_ex(session->ssl, bytes, length, &written) == 1 && written == length;
  if (!whole) forget_errors();
  if (whole) session->output->plain_length += length;
  return whole;
}

void tls_session_finish(struct tls_session *session) {
  forget_errors();
  if (SSL_shutdown(session->ssl) < 0) forget_errors(); /* close_notify cannot be sent any more */
}

/* ---- what was agreed on ---- */

/* The text that is in BIO, which it frees. */
static void take_text(BIO *bio, char *text, size_t size) {
  int length = bio ? BIO_read(bio, text, (int)size - 1) : 0;
  text[length > 0 ? length : 0] = 0;
  BIO_free(bio);
}

static void describe_name(const X509_NAME *name, char *text, size_t size) {
  BIO *bio = BIO_new(BIO_s_mem());
  if (bio) X509_NAME_print_ex(bio, name, 0, XN_FLAG_ONELINE);
  take_text(bio, text, size);
}

void tls_session_describe(const struct tls_session *session, struct tls_facts *facts) {
  forget_errors();
  snprintf(facts->version, sizeof facts->version, "%s", SSL_get_version(session->ssl));
  snprintf(facts->cipher, sizeof facts->cipher, "%s", SSL_get_cipher_name(session->ssl));
  X509 *certificate = SSL_get1_peer_certificate(session->ssl);
  if (certificate) {
    describe_name(X509_get_subject_name(certificate), facts->subject, sizeof facts->subject);
    describe_name(X509_get_issuer_name(certificate), facts->issuer, sizeof facts->issuer);
    BIO *bio = BIO_new(BIO_s_mem());
    if (bio) ASN1_TIME_print(bio, X509_get0_notAfter(certificate));
    take_text(bio, facts->expires, sizeof facts->expires);
    X509_free(certificate);
  }
  forget_errors();
}

/* ---- failures ---- */

#define VERIFY_ERROR(name) \
  { X509_V_ERR_##name, #name }

/* The names of the common errors of X509_verify_cert(); the others go by their number. */
static const struct {
  long error;
  const char *name;
} verify_errors[] = {
    VERIFY_ERROR(UNABLE_TO_GET_ISSUER_CERT),
    VERIFY_ERROR(CERT_SIGNATURE_FAILURE),
    VERIFY_ERROR(CERT_NOT_YET_VALID),
    VERIFY_ERROR(CERT_HAS_EXPIRED),
    VERIFY_ERROR(ERROR_IN_CERT_NOT_BEFORE_FIELD),
    VERIFY_ERROR(ERROR_IN_CERT_NOT_AFTER_FIELD),
    VERIFY_ERROR(DEPTH_ZERO_SELF_SIGNED_CERT),
    VERIFY_ERROR(SELF_SIGNED_CERT_IN_CHAIN),
    VERIFY_ERROR(UNABLE_TO_GET_ISSUER_CERT_LOCALLY),
    VERIFY_ERROR(UNABLE_TO_VERIFY_LEAF_SIGNATURE),
    VERIFY_ERROR(CERT_CHAIN_TOO_LONG),
    VERIFY_ERROR(INVALID_CA),
    VERIFY_ERROR(PATH_LENGTH_EXCEEDED),
    VERIFY_ERROR(INVALID_PURPOSE),
    VERIFY_ERROR(CERT_UNTRUSTED),
    VERIFY_ERROR(CERT_REJECTED),
    VERIFY_ERROR(HOSTNAME_MISMATCH),
    VERIFY_ERROR(IP_ADDRESS_MISMATCH),
    VERIFY_ERROR(EE_KEY_TOO_SMALL),
    VERIFY_ERROR(CA_KEY_TOO_SMALL),
    VERIFY_ERROR(CA_MD_TOO_WEAK),
};

static void set_verify_error(struct tls_failure *failure, long error) {
  failure->cause = TLS_FAILURE_CERTIFICATE;
  snprintf(failure->reason, sizeof failure->reason, "%ld", error);
  for (size_t i = 0; i < sizeof verify_errors / sizeof verify_errors[0]; i++) {
    if (verify_errors[i].error != error) continue;
    snprintf(failure->reason, sizeof failure->reason, "%s", verify_errors[i].name);
  }
}

void tls_session_take_failure(const struct tls_session *session, struct tls_failure *failure) {
  unsigned long error = ERR_peek_last_error();
  int reason = ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) : 0;
  if (error == 0) {
    failure->cause = TLS_FAILURE_UNREAD; /* the only failure that is not the library's: write_output() had no room */
  } else if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    set_verify_error(failure, SSL_get_verify_result(session->ssl));
  } else if (reason > SSL_AD_REASON_OFFSET) {
    failure->cause = TLS_FAILURE_ALERT;
    snprintf(failure->reason, sizeof failure->reason, "%d", reason - SSL_AD_REASON_OFFSET);
  } else if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST ||
             reason == SSL_R_PACKET_LENGTH_TOO_LONG) {
    failure->cause = TLS_FAILURE_NOT_TLS;
  } else {
    failure->cause = TLS_FAILURE_OPENSSL;
    snprintf(failure->reason, sizeof failure->reason, "%08lX", error);
  }
  forget_errors();
}
