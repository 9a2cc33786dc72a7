/*
 * tls.c: TLS as a transport over a transport. The bytes of each connection pass through its tls_session. What is sent
 * is encrypted into buffers and sent one buffer at a time: a connection that waits for its peer owns one at most, and
 * an idle one none.
 *
 *   owner     send(iovecs)                  on_bytes(plain)
 *               | encrypt, record by record     ^ decrypt
 *   session     v output                        | input
 *   backend   send(buffer)                  on_bytes(cipher)
 */
#include "tls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tls_context.h"
#include "tls_session.h"

#define PLAIN_BYTES (4u * TLS_PLAIN_MAX) /* the most bytes of one on_bytes */
#define KEPT_BUFFERS_BELOW 2000u         /* with fewer slots OpenSSL keeps its buffers, 33 KB of each connection */
#define TRIM_SPAN_NS NS_PER_SECOND       /* buffers that stay unused for that long are freed */

/* SECURING: the handshake is in progress. ENDING: close() of the backend has been called. */
enum tls_slot_state { FREE, CONNECTING, SECURING, READY, ENDING };

struct tls_connection {
  struct tls_session session;
  struct tls_buffer *sending;         /* the backend's until it is sent */
  struct iovec iovecs[IO_IOVECS_MAX]; /* of the owner's send: what is not encrypted yet */
  uint64_t *started_ns;               /* where the next send writes its time; NULL: nowhere */
  int reason;                         /* ENDING: for the owner's on_close */
  uint8_t state;                      /* enum tls_slot_state */
  uint8_t iovec_count;
  bool owner_waits; /* its send has not been reported */
  bool shuts_down;  /* the backend's shutdown_write() is due when all is sent */
};

struct tls {
  struct transport transport;
  struct transport *backend;
  struct transport_settings settings; /* the owner's */
  SSL_CTX *context;
  char *name; /* for SNI; NULL: none */
  struct tls_buffers buffers;
  struct tls_connection *connections;
  SSL_SESSION **sessions;     /* the newest of each slot that can be resumed; NULL: none is */
  uint64_t discarded_ns;      /* for the times of sends of TLS's own */
  uint64_t trim_ns;           /* when the span of time of tls_buffers ends */
  size_t closed_unsent;       /* of the connection whose on_close is being delivered */
  struct tls_failure failure; /* the first one */
  bool failure_taken;
  uint8_t plain[PLAIN_BYTES];      /* decrypted bytes, during an on_bytes */
  uint8_t gathered[TLS_PLAIN_MAX]; /* short iovecs that share a record */
};

static struct tls *tls_of(struct transport *transport) { return (struct tls *)(void *)transport; }

/* Keeps the first failure. */
static void keep_failure(struct tls *self, const struct tls_failure *failure) {
  if (self->failure.cause == TLS_FAILURE_NONE) self->failure = *failure;
}

/* A step of the connection's session failed. */
static void keep_session_failure(struct tls *self, const struct tls_connection *connection) {
  struct tls_failure failure = {.in_handshake = connection->state == SECURING};
  tls_session_take_failure(&connection->session, &failure);
  keep_failure(self, &failure);
}

/* The connection ended for REASON before it was secured. */
static void keep_broken_handshake(struct tls *self, int reason) {
  struct tls_failure failure = {.cause = reason == IO_EOF ? TLS_FAILURE_CLOSED : TLS_FAILURE_BROKEN,
                                .in_handshake = true};
  const char *name = reason < 0 ? strerrorname_np(-reason) : NULL;
  if (name) memccpy(failure.reason, name, '\0', sizeof failure.reason - 1);
  keep_failure(self, &failure);
}

/* ---- towards the network ---- */

/* Encrypts the next bytes of the owner's send: a full record, or all there is. */
static bool encrypt_record(struct tls *self, struct tls_connection *connection) {
  struct iovec *iovecs = connection->iovecs;
  const uint8_t *bytes = iovecs->iov_base;
  size_t length = iovecs->iov_len < TLS_PLAIN_MAX ? iovecs->iov_len : TLS_PLAIN_MAX;
  if (connection->iovec_count > 1 && length < TLS_PLAIN_MAX) {
    bytes = self->gathered;
    length = 0;
    for (unsigned i = 0; i < connection->iovec_count && length < TLS_PLAIN_MAX; i++) {
      size_t more = iovecs[i].iov_len < TLS_PLAIN_MAX - length ? iovecs[i].iov_len : TLS_PLAIN_MAX - length;
      memcpy(self->gathered + length, iovecs[i].iov_base, more);
      length += more;
    }
  }
  if (length > 0 && !tls_session_write(&connection->session, bytes, length)) return false;
  unsigned whole = 0;
  for (; whole < connection->iovec_count && length >= iovecs[whole].iov_len; whole++) length -= iovecs[whole].iov_len;
  connection->iovec_count = (uint8_t)(connection->iovec_count - whole);
  memmove(iovecs, iovecs + whole, connection->iovec_count * sizeof *iovecs);
  if (connection->iovec_count > 0) {
    iovecs->iov_base = (uint8_t *)iovecs->iov_base + length;
    iovecs->iov_len -= length;
  }
  return true;
}

static void end(struct tls *self, uint32_t slot, int reason, enum transport_close_mode mode);

/* Sends the output, then what the owner sends, encrypted buffer by buffer, until a send is pending. True when the
 * kernel has taken everything. */
static bool pump(struct tls *self, uint32_t slot) {
  struct tls_connection *connection = &self->connections[slot];
  while (!connection->sending) {
    while (connection->iovec_count > 0 && connection->state == READY && tls_session_has_room(&connection->session)) {
      if (encrypt_record(self, connection)) continue;
      end(self, slot, -ENOMEM, IO_RST);
      return false;
    }
    struct tls_buffer *buffer = connection->session.output;
    if (!buffer) return true;
    connection->session.output = NULL;
    connection->sending = buffer;
    uint64_t *started_ns = connection->started_ns ? connection->started_ns : &self->discarded_ns;
    connection->started_ns = NULL;
    const struct iovec iovec = {buffer->bytes, buffer->length};
    if (self->backend->table->send(self->backend, slot, &iovec, 1, started_ns) == IO_PENDING) return false;
    connection->sending = NULL;
    tls_buffers_give_back(&self->buffers, buffer);
  }
  return false;
}

/* Ends the connection for REASON, which on_close gives the owner when the backend is done with it. */
static void end(struct tls *self, uint32_t slot, int reason, enum transport_close_mode mode) {
  struct tls_connection *connection = &self->connections[slot];
  connection->reason = reason;
  connection->started_ns = NULL;
  connection->state = ENDING;                                      /* nothing more of the owner's is encrypted */
  if (mode == IO_FIN && connection->session.ssl) pump(self, slot); /* the alert, if there is one */
  self->backend->table->close(self->backend, slot, mode);
}

/* ---- from the network ---- */

static void read_stream(struct tls *self, uint32_t slot) {
  struct tls_connection *connection = &self->connections[slot];
  enum tls_step step = TLS_DONE;
  while (connection->state == READY && step == TLS_DONE) {
    size_t length;
    step = tls_session_read(&connection->session, self->plain, sizeof self->plain, &length);
    if (step == TLS_FAILED) keep_session_failure(self, connection);
    /* where input is left, more bytes arrived with these */
    self->transport.arrived_ns = connection->session.input_length == 0 ? self->backend->arrived_ns : 0;
    self->transport.clock_stepped_ns = self->backend->clock_stepped_ns;
    if (length > 0) self->settings.events->on_bytes(self->settings.owner, slot, self->plain, length);
  }
  if (connection->state != READY) return;
  if (step == TLS_ENDED) {
    end(self, slot, IO_EOF, IO_FIN);
  } else if (step == TLS_FAILED) {
    end(self, slot, IO_TLS_ERROR, IO_FIN);
  } else {
    pump(self, slot); /* answers of TLS's own */
  }
}

static void shake_hands(struct tls *self, uint32_t slot) {
  struct tls_connection *connection = &self->connections[slot];
  switch (tls_session_handshake(&connection->session)) {
  case TLS_DONE:
    connection->state = READY;
    self->settings.events->on_connect(self->settings.owner, slot); /* what it sends goes out with our last message */
    read_stream(self, slot);
    break;
  case TLS_GOES_ON: pump(self, slot); break;
  default: keep_session_failure(self, connection); end(self, slot, IO_HANDSHAKE, IO_FIN);
  }
}

static void on_connect(void *owner, uint32_t slot) {
  struct tls *self = owner;
  struct tls_connection *connection = &self->connections[slot];
  self->transport.seen_ns = self->backend->seen_ns;
  connection->state = SECURING;
  if (self->settings.events->on_transport) self->settings.events->on_transport(self->settings.owner, slot);
  if (connection->state != SECURING) return;
  SSL_SESSION **resumable = self->sessions ? &self->sessions[slot] : NULL;
  if (tls_session_open(&connection->session, self->context, self->name, resumable, &self->buffers) != 0) {
    end(self, slot, -ENOMEM, IO_RST);
    return;
  }
  shake_hands(self, slot);
}

static void on_bytes(void *owner, uint32_t slot, const uint8_t *bytes, size_t length) {
  struct tls *self = owner;
  struct tls_connection *connection = &self->connections[slot];
  self->transport.seen_ns = self->backend->seen_ns;
  tls_session_feed(&connection->session, bytes, length);
  if (connection->state == SECURING) {
    shake_hands(self, slot);
  } else {
    read_stream(self, slot);
  }
  tls_session_feed(&connection->session, NULL, 0);
}

static void on_sent(void *owner, uint32_t slot) {
  struct tls *self = owner;
  struct tls_connection *connection = &self->connections[slot];
  self->transport.seen_ns = self->backend->seen_ns;
  tls_buffers_give_back(&self->buffers, connection->sending);
  connection->sending = NULL;
  if (!pump(self, slot)) return;
  if (connection->shuts_down) self->backend->table->shutdown_write(self->backend, slot);
  if (!connection->owner_waits) return;
  connection->owner_waits = false;
  self->settings.events->on_sent(self->settings.owner, slot);
}

/* The reason for the owner of an end that the backend reports for REASON. */
static int owner_reason(struct tls *self, const struct tls_connection *connection, int reason) {
  if (connection->state == ENDING) return connection->reason;
  if (connection->state == READY) return reason == IO_EOF ? IO_TRUNCATED : reason;
  if (connection->state == CONNECTING || reason == -ENOMEM || reason == -ENOBUFS) return reason;
  keep_broken_handshake(self, reason);
  return IO_HANDSHAKE;
}

/* The bytes of the owner's send that have not gone to the kernel in a whole buffer, when the backend's connection has
 * ended. */
static size_t unsent_of(struct tls *self, uint32_t slot) {
  const struct tls_connection *connection = &self->connections[slot];
  bool buffer_is_taken = self->backend->table->unsent_bytes(self->backend, slot) == 0;
  size_t bytes = 0;
  for (unsigned i = 0; i < connection->iovec_count; i++) bytes += connection->iovecs[i].iov_len;
  if (connection->sending && !buffer_is_taken) bytes += connection->sending->plain_length;
  if (connection->session.output) bytes += connection->session.output->plain_length;
  return bytes;
}

static void on_close(void *owner, uint32_t slot, int reason) {
  struct tls *self = owner;
  struct tls_connection *connection = &self->connections[slot];
  self->transport.seen_ns = self->backend->seen_ns;
  reason = owner_reason(self, connection, reason);
  if (reason == IO_HANDSHAKE && self->sessions) { /* which may be why */
    SSL_SESSION_free(self->sessions[slot]);
    self->sessions[slot] = NULL;
  }
  self->closed_unsent = unsent_of(self, slot);
  tls_buffers_give_back(&self->buffers, connection->sending);
  tls_session_close(&connection->session);
  *connection = (struct tls_connection){.state = FREE};
  self->settings.events->on_close(self->settings.owner, slot, reason);
}

static void on_stamps(void *owner, uint32_t slot) {
  struct tls *self = owner;
  if (self->connections[slot].state == READY) self->settings.events->on_stamps(self->settings.owner, slot);
}

static const struct transport_events backend_events = {
    .on_connect = on_connect, .on_bytes = on_bytes, .on_sent = on_sent, .on_close = on_close, .on_stamps = on_stamps};

/* ---- the table ---- */

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
  connection->owner_waits = !pump(self, slot);
  return connection->owner_waits ? IO_PENDING : IO_SENT;
}

static size_t unsent_bytes(struct transport *transport, uint32_t slot) {
  (void)slot;
  return tls_of(transport)->closed_unsent;
}

static void shutdown_stream(struct transport *transport, uint32_t slot) {
  struct tls *self = tls_of(transport);
  struct tls_connection *connection = &self->connections[slot];
  if (connection->state != READY) return;
  tls_session_finish(&connection->session);
  connection->shuts_down = !pump(self, slot); /* then once all is sent */
  if (!connection->shuts_down) self->backend->table->shutdown_write(self->backend, slot);
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
  if (mode == IO_FIN && connection->state == READY && connection->iovec_count == 0)
    tls_session_finish(&connection->session);
  end(self, slot, 0, mode);
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
    .shutdown_write = shutdown_stream,
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
  own.events = &backend_events;
  own.owner = self;
  if (!error) error = backend->create(&own, &self->backend);
  if (error) {
    destroy(&self->transport);
    return error;
  }
  self->transport.defers_sends = self->backend->defers_sends;
  self->transport.descriptor_count = self->backend->descriptor_count;
  memcpy(self->transport.descriptors, self->backend->descriptors, sizeof self->transport.descriptors);
  *transport = &self->transport;
  return 0;
}
