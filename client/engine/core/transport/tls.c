/*
 * tls.c: TLS as a transport over a transport. Each connection's bytes pass through a tls_stream on their way;
 * what is sent is encrypted in pieces, one at a time under way, so that a connection that waits for its peer owns one
 * of them at most, and an idle one none.
 *
 *   owner   send(parts)                  on_bytes(plain)
 *             | encrypt, record by record     ^ decrypt
 *   stream    v made                          | fed
 *   backend send(piece)                  on_bytes(cipher)
 */
#include "tls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tls_context.h"
#include "tls_session.h"

#define PLAIN_BYTES (4u * TLS_PLAIN_MOST) /* handed to the owner in one call, at most */

enum state { FREE, CONNECTING, SECURING, READY, ENDING };

struct connection {
  struct tls_stream stream;
  struct tls_piece *sending;        /* the backend's until it is sent */
  struct iovec part[IO_IOVECS_MAX]; /* of the owner's send: what is not encrypted yet */
  uint64_t *started_ns;             /* to be stamped by the next send; NULL: it has been */
  int reason;                       /* ENDING: what the owner will be told */
  uint8_t state, parts;
  bool owner_waits; /* its send has not been reported */
  bool finishing;   /* nothing more comes after what is being sent */
};

struct tls {
  struct transport transport;
  struct transport *backend;
  struct transport_settings settings; /* the owner's */
  SSL_CTX *context;
  char *name; /* for SNI; NULL: none */
  struct tls_pieces pieces;
  struct connection *connections;
  SSL_SESSION **sessions; /* the newest of each slot; NULL: none is taken up */
  uint64_t unread_ns;     /* a stamp that nobody reads */
  bool failed, told;
  char failure[200];
  uint8_t plain[PLAIN_BYTES], gathered[TLS_PLAIN_MOST];
};

static struct tls *tls_of(struct transport *transport) { return (struct tls *)(void *)transport; }

/* The first failure is kept in words. */
static void remember(struct tls *self, const char *when, const char *why) {
  if (self->failed) return;
  self->failed = true;
  snprintf(self->failure, sizeof self->failure, "%s: %s", when, why);
}

static void remember_step(struct tls *self, const struct connection *connection) {
  char reason[160];
  tls_stream_reason(&connection->stream, reason, sizeof reason);
  remember(self, connection->state == SECURING ? "in the handshake" : "after the handshake", reason);
  tls_stream_forget();
}

/* ---- towards the network ---- */

/* Encrypts the next bytes of the owner's send: a full record, or all there is. */
static bool encrypt_record(struct tls *self, struct connection *connection) {
  struct iovec *part = connection->part;
  const uint8_t *bytes = part->iov_base;
  size_t length = part->iov_len < TLS_PLAIN_MOST ? part->iov_len : TLS_PLAIN_MOST;
  if (connection->parts > 1 && length < TLS_PLAIN_MOST) {
    bytes = self->gathered;
    length = 0;
    for (unsigned i = 0; i < connection->parts && length < TLS_PLAIN_MOST; i++) {
      size_t more = part[i].iov_len < TLS_PLAIN_MOST - length ? part[i].iov_len : TLS_PLAIN_MOST - length;
      memcpy(self->gathered + length, part[i].iov_base, more);
      length += more;
    }
  }
  if (length > 0 && !tls_stream_write(&connection->stream, bytes, length)) return false;
  unsigned whole = 0;
  for (; whole < connection->parts && length >= part[whole].iov_len; whole++) length -= part[whole].iov_len;
  connection->parts = (uint8_t)(connection->parts - whole);
  memmove(part, part + whole, connection->parts * sizeof *part);
  if (connection->parts > 0) {
    part->iov_base = (uint8_t *)part->iov_base + length;
    part->iov_len -= length;
  }
  return true;
}

static void end(struct tls *self, uint32_t slot, int reason, enum transport_close_mode ending);

/* Hands over what is made, and makes and hands over what the owner sends, until the backend asks to wait. True when the
 * kernel has all of it. */
static bool pump(struct tls *self, uint32_t slot) {
  struct connection *connection = &self->connections[slot];
  while (!connection->sending) {
    while (connection->parts > 0 && tls_stream_has_room(&connection->stream)) {
      if (encrypt_record(self, connection)) continue;
      tls_stream_forget();
      end(self, slot, -ENOMEM, IO_RST);
      return false;
    }
    struct tls_piece *piece = connection->stream.made;
    if (!piece) return true;
    connection->stream.made = NULL;
    connection->sending = piece;
    uint64_t *started_ns = connection->started_ns ? connection->started_ns : &self->unread_ns;
    connection->started_ns = NULL;
    const struct iovec part = {piece->bytes, piece->length};
    if (self->backend->table->send(self->backend, slot, &part, 1, started_ns) == IO_PENDING) return false;
    connection->sending = NULL;
    tls_pieces_give_back(&self->pieces, piece);
  }
  return false;
}

/* The connection is over for REASON, which the owner is told when the backend is done with it. */
static void end(struct tls *self, uint32_t slot, int reason, enum transport_close_mode ending) {
  struct connection *connection = &self->connections[slot];
  connection->reason = reason;
  connection->parts = 0;
  connection->started_ns = NULL;
  if (ending == IO_FIN && connection->stream.ssl) pump(self, slot); /* the alert, if there is one */
  connection->state = ENDING;
  self->backend->table->close(self->backend, slot, ending);
}

/* ---- from the network ---- */

static void read_stream(struct tls *self, uint32_t slot) {
  struct connection *connection = &self->connections[slot];
  enum tls_step step = TLS_DONE;
  while (connection->state == READY && step == TLS_DONE) {
    size_t length;
    step = tls_stream_read(&connection->stream, self->plain, sizeof self->plain, &length);
    if (step == TLS_FAILED) remember_step(self, connection);
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
  struct connection *connection = &self->connections[slot];
  switch (tls_stream_handshake(&connection->stream)) {
  case TLS_DONE:
    connection->state = READY;
    self->settings.events->on_connect(self->settings.owner, slot); /* what it sends goes out with our last message */
    read_stream(self, slot);
    break;
  case TLS_GOES_ON: pump(self, slot); break;
  default: remember_step(self, connection); end(self, slot, IO_HANDSHAKE, IO_FIN);
  }
}

static void on_connect(void *owner, uint32_t slot) {
  struct tls *self = owner;
  struct connection *connection = &self->connections[slot];
  self->transport.seen_ns = self->backend->seen_ns;
  connection->state = SECURING;
  if (self->settings.events->on_transport) self->settings.events->on_transport(self->settings.owner, slot);
  if (connection->state != SECURING) return;
  SSL_SESSION **session = self->sessions ? &self->sessions[slot] : NULL;
  if (tls_stream_open(&connection->stream, self->context, self->name, session, &self->pieces) != 0) {
    end(self, slot, -ENOMEM, IO_RST);
    return;
  }
  shake_hands(self, slot);
}

static void on_bytes(void *owner, uint32_t slot, const uint8_t *bytes, size_t length) {
  struct tls *self = owner;
  struct connection *connection = &self->connections[slot];
  self->transport.seen_ns = self->backend->seen_ns;
  tls_stream_feed(&connection->stream, bytes, length);
  if (connection->state == SECURING) {
    shake_hands(self, slot);
  } else {
    read_stream(self, slot);
  }
  tls_stream_feed(&connection->stream, NULL, 0);
}

static void on_sent(void *owner, uint32_t slot) {
  struct tls *self = owner;
  struct connection *connection = &self->connections[slot];
  self->transport.seen_ns = self->backend->seen_ns;
  tls_pieces_give_back(&self->pieces, connection->sending);
  connection->sending = NULL;
  if (!pump(self, slot)) return;
  if (connection->finishing) self->backend->table->shutdown_write(self->backend, slot);
  if (!connection->owner_waits) return;
  connection->owner_waits = false;
  self->settings.events->on_sent(self->settings.owner, slot);
}

/* What the owner is told when the backend ends a connection of its own accord, for REASON. */
static int translated(struct tls *self, const struct connection *connection, int reason) {
  if (connection->state == ENDING) return connection->reason;
  if (connection->state == READY) return reason == IO_EOF ? IO_TRUNCATED : reason;
  if (connection->state == CONNECTING || reason == -ENOMEM || reason == -ENOBUFS) return reason;
  remember(self, "in the handshake",
           reason == IO_EOF ? "the server closed the connection" : "the connection was reset or broke");
  return IO_HANDSHAKE;
}

static void on_close(void *owner, uint32_t slot, int reason) {
  struct tls *self = owner;
  struct connection *connection = &self->connections[slot];
  self->transport.seen_ns = self->backend->seen_ns;
  reason = translated(self, connection, reason);
  if (reason == IO_HANDSHAKE && self->sessions) { /* which may be why */
    SSL_SESSION_free(self->sessions[slot]);
    self->sessions[slot] = NULL;
  }
  tls_pieces_give_back(&self->pieces, connection->sending);
  tls_stream_close(&connection->stream);
  *connection = (struct connection){.state = FREE};
  self->settings.events->on_close(self->settings.owner, slot, reason);
}

static const struct transport_events backend_events = {
    .on_connect = on_connect, .on_bytes = on_bytes, .on_sent = on_sent, .on_close = on_close};

/* ---- the table ---- */

static void connect_backend(struct transport *transport, uint32_t slot, const struct endpoint *endpoint,
                            uint64_t *started_ns) {
  struct tls *self = tls_of(transport);
  self->connections[slot] = (struct connection){.state = CONNECTING, .started_ns = started_ns};
  self->backend->table->connect(self->backend, slot, endpoint, started_ns);
}

static enum transport_send send_parts(struct transport *transport, uint32_t slot, const struct iovec *parts,
                                      unsigned count, uint64_t *started_ns) {
  struct tls *self = tls_of(transport);
  struct connection *connection = &self->connections[slot];
  if (connection->state != READY) return IO_PENDING;
  memcpy(connection->part, parts, count * sizeof *parts);
  connection->parts = (uint8_t)count;
  connection->started_ns = started_ns;
  if (connection->sending) *started_ns = clock_now(self->settings.clock); /* it has to wait for one of TLS's own */
  connection->owner_waits = !pump(self, slot);
  return connection->owner_waits ? IO_PENDING : IO_SENT;
}

static void shutdown_stream(struct transport *transport, uint32_t slot) {
  struct tls *self = tls_of(transport);
  struct connection *connection = &self->connections[slot];
  if (connection->state != READY) return;
  tls_stream_finish(&connection->stream);
  connection->finishing = !pump(self, slot); /* then once all is sent */
  if (!connection->finishing) self->backend->table->shutdown_write(self->backend, slot);
}

static int inspect_backend(struct transport *transport, uint32_t slot, struct tcp_info *info) {
  struct tls *self = tls_of(transport);
  return self->backend->table->inspect(self->backend, slot, info);
}

static void close_stream(struct transport *transport, uint32_t slot, enum transport_close_mode ending) {
  struct tls *self = tls_of(transport);
  struct connection *connection = &self->connections[slot];
  if (connection->state == FREE || connection->state == ENDING) return;
  if (ending == IO_FIN && connection->state == READY && connection->parts == 0) tls_stream_finish(&connection->stream);
  end(self, slot, 0, ending);
}

static int turn_backend(struct transport *transport, uint64_t deadline_ns) {
  struct tls *self = tls_of(transport);
  int came = self->backend->table->turn(self->backend, deadline_ns);
  transport->seen_ns = self->backend->seen_ns;
  return came;
}

static void wake_backend(struct transport *transport) {
  tls_of(transport)->backend->table->wake(tls_of(transport)->backend);
}

static void destroy(struct transport *transport) {
  struct tls *self = tls_of(transport);
  if (self->backend) self->backend->table->destroy(self->backend);
  for (uint32_t slot = 0; self->connections && slot < self->settings.slots; slot++) {
    tls_pieces_give_back(&self->pieces, self->connections[slot].sending);
    tls_stream_close(&self->connections[slot].stream);
  }
  for (uint32_t slot = 0; self->sessions && slot < self->settings.slots; slot++) SSL_SESSION_free(self->sessions[slot]);
  free(self->sessions);
  tls_pieces_free(&self->pieces);
  SSL_CTX_free(self->context);
  free(self->name);
  free(self->connections);
  free(self);
}

const struct transport_table transport_tls = {
    .name = "tls",
    .connect = connect_backend,
    .send = send_parts,
    .shutdown_write = shutdown_stream,
    .inspect = inspect_backend,
    .close = close_stream,
    .turn = turn_backend,
    .wake = wake_backend,
    .destroy = destroy,
};

const char *tls_version(void) { return OpenSSL_version(OPENSSL_VERSION); }

bool tls_resumed(struct transport *transport, uint32_t slot) {
  return tls_stream_resumed(&tls_of(transport)->connections[slot].stream);
}

const char *tls_failure(struct transport *transport) {
  struct tls *self = tls_of(transport);
  if (!self->failed || self->told) return NULL;
  self->told = true;
  return self->failure;
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
  if (!error) error = tls_context_create(tls, &self->context);
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
  *transport = &self->transport;
  return 0;
}
