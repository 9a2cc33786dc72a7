/*
 * tls: the transport over another transport. Private to channel.c; there only when the engine is built with OpenSSL.
 */
#ifndef BROADSIDE_TLS_H
#define BROADSIDE_TLS_H

#include "channel.h"

/* Has no create: that is tls_create(). */
extern const struct transport_table transport_tls;

/* The version of the library. */
const char *tls_version(void);

/* As channel_create() with TLS. */
int tls_create(const struct transport_table *backend, const struct transport_settings *settings,
               const struct tls_settings *tls, struct transport **transport);

/* As channel_resumed(), channel_take_failure() and channel_describe(), of a transport over TLS. */
bool tls_resumed(struct transport *transport, uint32_t slot);
bool tls_take_failure(struct transport *transport, struct tls_failure *failure);
void tls_describe(struct transport *transport, uint32_t slot, struct tls_facts *facts);

#endif
