/*
 * channel.c: plain or TLS. Only this file knows whether the engine was built with OpenSSL.
 */
#include "channel.h"

#include <errno.h>

#include "tls.h"

#ifdef HAVE_OPENSSL

const char *channel_tls_version(void) { return tls_version(); }

static int create_tls(const struct transport_table *backend, const struct transport_settings *settings,
                      const struct tls_settings *tls, struct transport **transport) {
  return tls_create(backend, settings, tls, transport);
}

bool channel_resumed(struct transport *transport, uint32_t slot) {
  return transport_is(transport, &transport_tls) && tls_resumed(transport, slot);
}

bool channel_take_failure(struct transport *transport, struct tls_failure *failure) {
  return transport_is(transport, &transport_tls) && tls_take_failure(transport, failure);
}

void channel_describe(struct transport *transport, uint32_t slot, struct tls_facts *facts) {
  if (transport_is(transport, &transport_tls)) tls_describe(transport, slot, facts);
}

#else

const char *channel_tls_version(void) { return ""; }

static int create_tls(const struct transport_table *backend, const struct transport_settings *settings,
                      const struct tls_settings *tls, struct transport **transport) {
  (void)backend, (void)settings, (void)tls, (void)transport;
  return -ENOTSUP;
}

bool channel_resumed(struct transport *transport, uint32_t slot) {
  (void)transport, (void)slot;
  return false;
}

bool channel_take_failure(struct transport *transport, struct tls_failure *failure) {
  (void)transport, (void)failure;
  return false;
}

void channel_describe(struct transport *transport, uint32_t slot, struct tls_facts *facts) {
  (void)transport, (void)slot, (void)facts;
}

#endif

int channel_create(const struct transport_table *backend, const struct transport_settings *settings,
                   const struct tls_settings *tls, struct transport **transport) {
  return tls ? create_tls(backend, settings, tls, transport) : backend->create(settings, transport);
}
