/*
 * tls_peer.c: OpenSSL over memory, and bare system calls.
 */
#include "tls_peer.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void extend(X509 *certificate, int kind, const char *value) {
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, kind, value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

static void text_of(BIO *bio, char *text, size_t size) {
  int length = BIO_read(bio, text, (int)size - 1);
  text[length > 0 ? length : 0] = '\0';
  BIO_free(bio);
}

void identity_make(struct identity *identity, const char *name, bool address, long seconds,
                   const struct identity *signer) {
  static long serial = 1;
  identity->key = EVP_EC_gen("P-256");
  X509 *made = identity->certificate = X509_new();
  X509_set_version(made, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made), serial++);
  X509_gmtime_adj(X509_getm_notBefore(made), seconds < 0 ? 2 * seconds : -60);
  X509_gmtime_adj(X509_getm_notAfter(made), seconds);
  X509_set_pubkey(made, identity->key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC, (const uint8_t *)name, -1, -1, 0);
  X509_set_issuer_name(made, X509_get_subject_name(signer ? signer->certificate : made));
  char names[128];
  snprintf(names, sizeof names, "%s:%s", address ? "IP" : "DNS", name);
  extend(made, NID_subject_alt_name, names);
  if (!signer) extend(made, NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(made, signer ? signer->key : identity->key, EVP_sha256());
  BIO *bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(bio, made);
  text_of(bio, identity->certificate_pem, sizeof identity->certificate_pem);
  bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(bio, identity->key, NULL, NULL, 0, NULL, NULL);
  text_of(bio, identity->key_pem, sizeof identity->key_pem);
}

void identity_free(struct identity *identity) {
  X509_free(identity->certificate);
  EVP_PKEY_free(identity->key);
}

SSL_CTX *tls_peer_context(const struct identity *identity, int version, const struct identity *clients) {
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_set_min_proto_version(context, version);
  SSL_CTX_set_max_proto_version(context, version);
  SSL_CTX_use_certificate(context, identity->certificate);
  SSL_CTX_use_PrivateKey(context, identity->key);
  if (clients) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), clients->certificate);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
  }
  return context;
}

void tls_peer_begin(struct tls_peer *peer, SSL_CTX *context, int fd) {
  *peer = (struct tls_peer){.ssl = SSL_new(context), .fd = fd};
  SSL_set_bio(peer->ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_accept_state(peer->ssl);
}

static void read_network(struct tls_peer *peer) {
  char bytes[16384];
  for (ssize_t length; (length = recv(peer->fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;) {
    BIO_write(SSL_get_rbio(peer->ssl), bytes, (int)length);
  }
}

/* What the kernel does not take stays for the next step. */
static void write_network(struct tls_peer *peer) {
  char *bytes;
  BIO *bio = SSL_get_wbio(peer->ssl);
  size_t length = (size_t)BIO_get_mem_data(bio, &bytes);
  if (peer->piece > 0 && length > peer->piece) length = peer->piece;
  if (length == 0) return;
  ssize_t sent = send(peer->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent <= 0) return;
  char *gone = malloc((size_t)sent);
  BIO_read(bio, gone, (int)sent);
  free(gone);
}

void tls_peer_step(struct tls_peer *peer) {
  uint8_t bytes[16384];
  size_t length;
  read_network(peer);
  if (!peer->secured && !peer->failed) {
    int result = SSL_do_handshake(peer->ssl);
    peer->secured = result == 1;
    peer->failed = result != 1 && SSL_get_error(peer->ssl, result) != SSL_ERROR_WANT_READ;
  }
  while (peer->secured && !peer->failed) {
    int result = SSL_read_ex(peer->ssl, bytes, sizeof bytes, &length);
    int error = SSL_get_error(peer->ssl, result);
    peer->ended = error == SSL_ERROR_ZERO_RETURN;
    peer->failed = result != 1 && !peer->ended && error != SSL_ERROR_WANT_READ;
    if (result != 1) break;
    for (size_t i = 0; i < length; i++) peer->hash = peer->hash * 31 + bytes[i];
    peer->heard += length;
  }
  write_network(peer);
}

void tls_peer_say(struct tls_peer *peer, const void *bytes, size_t length) {
  size_t written;
  SSL_write_ex(peer->ssl, bytes, length, &written);
}

void tls_peer_finish(struct tls_peer *peer) { SSL_shutdown(peer->ssl); }

void tls_peer_end(struct tls_peer *peer) {
  if (peer->fd >= 0) close(peer->fd);
  SSL_free(peer->ssl);
}
