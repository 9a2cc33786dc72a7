/*
 * tls.c: TLS as a transport over a transport, as its owner sees it. The bytes: tls_events.c.
 */
#include "tls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tls_context.h"
#include "tls_transport.h"

#define KEPT_BUFFERS_BELOW 2000u   /* with fewer slots OpenSSL keeps its buffers, 33 KB of each connection */
#define TRIM_SPAN_NS NS_PER_SECOND /* buffers that stay unused for that long are freed */

static void connect_backend(struct transport *transport, uint32_t slot, const struct endpoint *endpoint,
                            uint16_t source_port, uint64_t *started_ns) {
  struct tls *self = tls_of(transport);
  self->connections[slot] = (struct tls_connection){.state = CONNECTING, .started_ns = started_ns};
  self->backend->table->connect(self->backend, slot, endpoint, source_port, started_ns);
}

static enum transport_send send_iovecs(struct transport *transport, uint32_t slot, const struct iovec *iovecs,
                                       unsigned count, uint64_t *started_ns) {
  struct tls *self = tls_of(transport);
  struct tls_connection *connection = &self->connections[slot];
  memcpy(connection->iovecs, iovecs, count * sizeof *iovecs);
  connection->iovec_count = (uint8_t)count;
  if (connection->state != READY) return IO_PENDING;
  connection->started_ns = started_ns;
  if (connection->sending) *started_ns = clock_now(self->settings.clock); /* it waits for a send of TLS's own */
  connection->owner_waits = !tls_pump(self, slot);
  return connection->owner_waits ? IO_PENDING : IO_SENT;
}

static size_t unsent_bytes(struct transport *transport, uint32_t slot) {
  (void)slot;
  return tls_of(transport)->closed_unsent;
}

static int inspect_backend(struct transport *transport, uint32_t slot, struct tcp_info *info) {
  struct tls *self = tls_of(transport);
  return self->backend->table->inspect(self->backend, slot, info);
}

static void stamp_backend(struct transport *transport, uint32_t slot, bool stamped) {
  struct tls *self = tls_of(transport);
  self->backend->table->stamp_sends(self->backend, slot, stamped);
}

static bool sent_bytes(struct transport *transport, uint32_t slot, uint32_t *bytes) {
  struct tls *self = tls_of(transport);
  const struct tls_connection *connection = &self->connections[slot];
  if (connection->iovec_count > 0 || connection->session.output) return false;
  return self->backend->table->sent_bytes(self->backend, slot, bytes);
}

static bool take_stamp(struct transport *transport, uint32_t slot, struct sent_stamp *stamp) {
  struct tls *self = tls_of(transport);
  bool taken = self->backend->table->take_stamp(self->backend, slot, stamp);
  transport->clock_stepped_ns = self->backend->clock_stepped_ns;
  return taken;
}

static void close_stream(struct transport *transport, uint32_t slot, enum transport_close_mode mode) {
  struct tls *self = tls_of(transport);
  struct tls_connection *connection = &self->connections[slot];
  if (connection->state == FREE || connection->state == ENDING) return;
  if (mode == IO_FIN && connection->state == READY) tls_finish(connection);
  tls_end(self, slot, 0, mode);
}

static int turn_backend(struct transport *transport, uint64_t deadline_ns) {
  struct tls *self = tls_of(transport);
  int came = self->backend->table->turn(self->backend, deadline_ns);
  transport->seen_ns = self->backend->seen_ns;
  if (transport->seen_ns >= self->trim_ns) {
    tls_buffers_begin_span(&self->buffers);
    self->trim_ns = transport->seen_ns + TRIM_SPAN_NS;
  }
  tls_buffers_trim(&self->buffers);
  return came;
}

static void wake_backend(struct transport *transport) {
  tls_of(transport)->backend->table->wake(tls_of(transport)->backend);
}

static void destroy(struct transport *transport) {
  struct tls *self = tls_of(transport);
  if (self->backend) {
    self->backend->has_own_table = transport->has_own_table;
    self->backend->table->destroy(self->backend);
  }
  for (uint32_t slot = 0; self->connections && slot < self->settings.slots; slot++) {
    tls_buffers_give_back(&self->buffers, self->connections[slot].sending);
    tls_session_close(&self->connections[slot].session);
  }
  for (uint32_t slot = 0; self->sessions && slot < self->settings.slots; slot++) SSL_SESSION_free(self->sessions[slot]);
  free(self->sessions);
  tls_buffers_free(&self->buffers);
  SSL_CTX_free(self->context);
  free(self->name);
  free(self->connections);
  free(self);
}

const struct transport_table transport_tls = {
    .name = "tls",
    .connect = connect_backend,
    .send = send_iovecs,
    .unsent_bytes = unsent_bytes,
    .inspect = inspect_backend,
    .stamp_sends = stamp_backend,
    .sent_bytes = sent_bytes,
    .take_stamp = take_stamp,
    .close = close_stream,
    .turn = turn_backend,
    .wake = wake_backend,
    .destroy = destroy,
};

const char *tls_version(void) { return OpenSSL_version(OPENSSL_VERSION); }

bool tls_resumed(struct transport *transport, uint32_t slot) {
  return tls_session_is_resumed(&tls_of(transport)->connections[slot].session);
}

bool tls_take_failure(struct transport *transport, struct tls_failure *failure) {
  struct tls *self = tls_of(transport);
  if (self->failure.cause == TLS_FAILURE_NONE || self->failure_taken) return false;
  self->failure_taken = true;
  *failure = self->failure;
  return true;
}

void tls_describe(struct transport *transport, uint32_t slot, struct tls_facts *facts) {
  tls_session_describe(&tls_of(transport)->connections[slot].session, facts);
}

int tls_create(const struct transport_table *backend, const struct transport_settings *settings,
               const struct tls_settings *tls, struct transport **transport) {
  struct tls *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  self->transport.table = &transport_tls;
  self->settings = *settings;
  self->connections = calloc(settings->slots, sizeof *self->connections);
  if (tls->resume) self->sessions = calloc(settings->slots, sizeof(SSL_SESSION *));
  int error = self->connections && (self->sessions || !tls->resume) ? 0 : -ENOMEM;
  if (!error) error = tls_context_create(tls, settings->slots < KEPT_BUFFERS_BELOW, &self->context);
  if (!error && tls->server_name && !tls_is_address(tls->server_name)) {
    self->name = strdup(tls->server_name);
    if (!self->name) error = -ENOMEM;
  }
  struct transport_settings own = *settings;
  own.events = &tls_backend_events;
  own.owner = self;
  if (!error) error = backend->create(&own, &self->backend);
  if (error) {
    destroy(&self->transport);
    return error;
  }
  self->transport.descriptor_count = self->backend->descriptor_count;
  memcpy(self->transport.descriptors, self->backend->descriptors, sizeof self->transport.descriptors);
  *transport = &self->transport;
  return 0;
}
