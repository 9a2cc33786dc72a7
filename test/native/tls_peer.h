/*
 * tls_peer: the server's end of a TLS connection, in the thread of the test, and certificates made on the spot. It goes
 * on only in tls_peer_step: never blocks, and hands its bytes to the kernel in pieces as small as the test likes.
 */
#ifndef BROADSIDE_TLS_PEER_H
#define BROADSIDE_TLS_PEER_H

#include <openssl/ssl.h>
#include <stdbool.h>

/* A certificate and its key. */
struct identity {
  X509 *certificate;
  EVP_PKEY *key;
  char certificate_pem[4096], key_pem[4096];
};

/* For NAME, an address when ADDRESS is true; valid for SECONDS from now; a negative value makes it expired; signed by
 * SIGNER, NULL: by itself, as an authority. */
void identity_make(struct identity *identity, const char *name, bool address, long seconds,
                   const struct identity *signer);
void identity_free(struct identity *identity);

struct tls_peer {
  SSL *ssl;
  int fd;
  size_t piece;                /* bytes a step that are handed to the kernel; 0: all */
  bool secured, ended, failed; /* ended: by close_notify */
  size_t heard, hash;
};

/* VERSION: TLS1_2_VERSION or TLS1_3_VERSION; CLIENTS: whom to ask for a certificate that this one has signed, or NULL.
 */
SSL_CTX *tls_peer_context(const struct identity *identity, int version, const struct identity *clients);
void tls_peer_begin(struct tls_peer *peer, SSL_CTX *context, int fd);
void tls_peer_step(struct tls_peer *peer);
void tls_peer_say(struct tls_peer *peer, const void *bytes, size_t length);
void tls_peer_finish(struct tls_peer *peer); /* close_notify */
void tls_peer_end(struct tls_peer *peer);    /* closes the descriptor too */

#endif
