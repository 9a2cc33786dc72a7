/*
 * channel.c: plain or TLS. Only this file knows whether the engine was built with OpenSSL.
 */
#include "channel.h"

#include <errno.h>

#include "tls.h"

#ifdef HAVE_OPENSSL

bool channel_has_tls(void) { return true; }

const char *channel_tls_version(void) { return tls_version(); }

static int create_tls(const struct io_table *backend, const struct io_settings *settings,
                      const struct tls_settings *tls, struct io **io) {
  return tls_create(backend, settings, tls, io);
}

bool channel_resumed(struct io *io, uint32_t slot) { return io->table == &io_tls && tls_resumed(io, slot); }

const char *channel_failure(struct io *io) { return io->table == &io_tls ? tls_failure(io) : NULL; }

#else

bool channel_has_tls(void) { return false; }

const char *channel_tls_version(void) { return ""; }

static int create_tls(const struct io_table *backend, const struct io_settings *settings,
                      const struct tls_settings *tls, struct io **io) {
  (void)backend, (void)settings, (void)tls, (void)io;
  return -ENOTSUP;
}

bool channel_resumed(struct io *io, uint32_t slot) {
  (void)io, (void)slot;
  return false;
}

const char *channel_failure(struct io *io) {
  (void)io;
  return NULL;
}

#endif

int channel_create(const struct io_table *backend, const struct io_settings *settings, const struct tls_settings *tls,
                   struct io **io) {
  return tls ? create_tls(backend, settings, tls, io) : backend->create(settings, io);
}
