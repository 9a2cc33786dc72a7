/*
 * tls: the channel that is a transport over a transport. Private to channel.c; there only when the engine is built
 * with OpenSSL.
 */
#ifndef BROADSIDE_TLS_H
#define BROADSIDE_TLS_H

#include "channel.h"

extern const struct transport_table transport_tls; /* its create is tls_create; NULL in the table */

const char *tls_version(void);
int tls_create(const struct transport_table *backend, const struct transport_settings *settings,
               const struct tls_settings *tls, struct transport **transport);
bool tls_resumed(struct transport *transport, uint32_t slot);
const char *tls_failure(struct transport *transport);

#endif
