/*
 * channel: what stands between transport and protocol. Plain is nothing at all: the engine talks to the backend itself.
 * TLS is a transport over a transport: the same table with the same rules, so that nothing else in core/ knows about
 * it, with one callback more, on_transport: TCP is connected and the handshake begins. on_connect comes once the
 * connection is secured.
 *
 * What ends a connection while it is being secured, but for our own close and a lack of memory, is IO_HANDSHAKE. The
 * stamp that connect() was given is written again when the first bytes of the handshake are handed to the kernel.
 */
#ifndef BROADSIDE_CHANNEL_H
#define BROADSIDE_CHANNEL_H

#include "transport.h"

/* Read while the channel is made, and not kept. PEM texts; NULL where there is none. */
struct tls_settings {
  const char *authorities; /* who may have signed the server's certificate */
  const char *certificate; /* our own, with its chain */
  const char *key;         /* its private key */
  const char *server_name; /* a name or an address: sent as SNI when it is a name, and looked for in the certificate */
  const char *ciphers;     /* of TLS 1.2, in OpenSSL's words */
  int oldest, newest;      /* versions: 12 or 13; 0: no bound */
  bool verify;             /* whether the certificate is checked: its signatures, its dates, its name */
  bool resume;             /* a slot offers the newest session that it was given; else every handshake is whole */
};

/* Whether this build has TLS; the version of the library, "" without. */
bool channel_has_tls(void);
const char *channel_tls_version(void);

/* A transport of BACKEND, over TLS unless TLS is NULL. 0 or -errno; -ENOTSUP: TLS in a build without it; -EINVAL: a
 * text of TLS is not what it must be. */
int channel_create(const struct transport_table *backend, const struct transport_settings *settings,
                   const struct tls_settings *tls, struct transport **transport);

/* Whether a connection that is secured now took up an earlier session. */
bool channel_resumed(struct transport *transport, uint32_t slot);

/* Why the first connection that failed by TLS did so, once: NULL when there is none, or it has been told. The text
 * stays until IO is destroyed. */
const char *channel_failure(struct transport *transport);

#endif
