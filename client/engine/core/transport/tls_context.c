/*
 * tls_context.c: OpenSSL's context created of the settings. The library's own list of authorities is never used: the
 * one inside node looks for it in a folder of the machine that built it.
 */
#include "tls_context.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "tls_session.h"

static BIO *text_of(const char *pem) { return BIO_new_mem_buf(pem, -1); }

/* The next certificate of the text, NULL at its end. */
static X509 *next_certificate(BIO *text) { return PEM_read_bio_X509(text, NULL, NULL, NULL); }

static bool trust(SSL_CTX *context, const char *authorities) {
  BIO *text = text_of(authorities);
  unsigned count = 0;
  bool added = true;
  for (X509 *one; added && text && (one = next_certificate(text)); count++) {
    added = X509_STORE_add_cert(SSL_CTX_get_cert_store(context), one) == 1;
    X509_free(one);
  }
  BIO_free(text);
  return added && count > 0;
}

/* A key with a password cannot be read. */
static int no_password(char *text, int size, int writing, void *context) {
  (void)text, (void)size, (void)writing, (void)context;
  return -1;
}

static bool present(SSL_CTX *context, const char *certificate, const char *key) {
  BIO *text = text_of(certificate), *key_text = text_of(key);
  X509 *own = text ? next_certificate(text) : NULL;
  EVP_PKEY *private = key_text ? PEM_read_bio_PrivateKey(key_text, NULL, no_password, NULL) : NULL;
  bool fits = own && private && SSL_CTX_use_certificate(context, own) == 1 &&
              SSL_CTX_use_PrivateKey(context, private) == 1 && SSL_CTX_check_private_key(context) == 1;
  for (X509 *link; fits && (link = next_certificate(text));) {
    fits = SSL_CTX_add1_chain_cert(context, link) == 1;
    X509_free(link);
  }
  X509_free(own);
  EVP_PKEY_free(private);
  BIO_free(text);
  BIO_free(key_text);
  return fits;
}

bool tls_is_address(const char *name) {
  struct in6_addr address;
  return inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1;
}

static bool expect_name(SSL_CTX *context, const char *name) {
  X509_VERIFY_PARAM *rules = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (tls_is_address(name)) return X509_VERIFY_PARAM_set1_ip_asc(rules, name) == 1;
  return X509_VERIFY_PARAM_set1_host(rules, name, 0) == 1;
}

static bool fill(SSL_CTX *context, const struct tls_settings *settings, bool keeps_buffers) {
  if (!keeps_buffers) SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS); /* an idle connection owns none */
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_session_cache_mode(context, settings->resume ? SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL
                                                           : SSL_SESS_CACHE_OFF);
  SSL_CTX_sess_set_new_cb(context, tls_session_keep_resumable); /* each slot keeps its own */
  SSL_CTX_set_verify(context, settings->verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, NULL);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         (!settings->authorities || trust(context, settings->authorities)) &&
         (!settings->certificate || !settings->key || present(context, settings->certificate, settings->key)) &&
         (!settings->verify || expect_name(context, settings->server_name));
}

int tls_context_create(const struct tls_settings *settings, bool keeps_buffers, SSL_CTX **context) {
  if (settings->verify && !settings->server_name) return -EINVAL; /* any certificate of the authorities would pass */
  SSL_CTX *created = SSL_CTX_new(TLS_client_method());
  if (!created) return -ENOMEM;
  bool fits = fill(created, settings, keeps_buffers);
  ERR_clear_error(); /* the end of a PEM text is an error in its eyes */
  if (!fits) {
    SSL_CTX_free(created);
    return -EINVAL;
  }
  *context = created;
  return 0;
}
