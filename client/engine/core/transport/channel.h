/*
 * channel: plain or TLS. Plain is the backend itself. TLS is a transport over a transport: the same table, the same
 * rules, and one event more, on_transport: TCP is connected and the handshake begins. on_connect comes when the
 * connection is secured.
 *
 * A connection that ends before it is secured ends for IO_HANDSHAKE, unless we closed it or there was no memory. The
 * time that connect() writes is written again when the first bytes of the handshake go to the kernel.
 */
#ifndef BROADSIDE_CHANNEL_H
#define BROADSIDE_CHANNEL_H

#include "transport.h"

/* How connections are secured. Not kept after channel_create(). Texts are NULL where there are none. */
struct tls_settings {
  const char *authorities; /* PEM: who may have signed the server's certificate */
  const char *certificate; /* PEM: our own, with its chain */
  const char *key;         /* PEM: its private key, without a password */
  const char *server_name; /* a name or an address; verify needs it, and a name is sent as SNI */
  bool verify;             /* check the server's certificate: signatures, dates, and that it is for server_name */
  bool resume;             /* each slot offers the newest session it was given; else every handshake is a whole one */
};

/* What an open connection has agreed on. Texts are empty where that is not known, or there is no TLS. */
struct tls_facts {
  char version[16], cipher[64];
  char subject[256], issuer[256], expires[32]; /* of the server's certificate */
};

/* The version of its library, "" without. */
const char *channel_tls_version(void);

/* Creates a transport of BACKEND, over TLS unless TLS is NULL. 0 or -errno; -ENOTSUP: this build has no TLS; -EINVAL: a
 * text of TLS cannot be used, or verify has no server_name. */
int channel_create(const struct transport_table *backend, const struct transport_settings *settings,
                   const struct tls_settings *tls, struct transport **transport);

/* Whether the handshake of a connection that is open now has resumed an earlier session. */
bool channel_resumed(struct transport *transport, uint32_t slot);

/* Takes why TLS failed on the first connection on which it did. True once; false before and after. */
bool channel_take_failure(struct transport *transport, struct tls_failure *failure);

/* Of a connection that is open now; leaves FACTS as they are without TLS. It allocates. */
void channel_describe(struct transport *transport, uint32_t slot, struct tls_facts *facts);

#endif
