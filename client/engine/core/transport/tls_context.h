/*
 * tls_context: what all connections of an engine share: versions, authorities, certificates.
 */
#ifndef BROADSIDE_TLS_CONTEXT_H
#define BROADSIDE_TLS_CONTEXT_H

#include <openssl/ssl.h>

#include "channel.h"

/* Creates it. KEEPS_BUFFERS: a connection that is open keeps those of OpenSSL, so that none is allocated for a
 * transfer. 0, -ENOMEM, or -EINVAL: a text cannot be used, or verify has no server_name. */
int tls_context_create(const struct tls_settings *settings, bool keeps_buffers, SSL_CTX **context);

/* Whether NAME is an IP address, which is never sent as SNI. */
bool tls_is_address(const char *name);

#endif
