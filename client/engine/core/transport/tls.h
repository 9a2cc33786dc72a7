/*
 * tls: the channel that is an io over an io. Private to channel.c; there only when the engine is built with OpenSSL.
 */
#ifndef BROADSIDE_TLS_H
#define BROADSIDE_TLS_H

#include "channel.h"

extern const struct io_table io_tls; /* its create is tls_create; NULL in the table */

const char *tls_version(void);
int tls_create(const struct io_table *backend, const struct io_settings *settings, const struct tls_settings *tls,
               struct io **io);
bool tls_resumed(struct io *io, uint32_t slot);
const char *tls_failure(struct io *io);

#endif
