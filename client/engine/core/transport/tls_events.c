/*
 * tls_events.c: the bytes of each connection pass through its tls_session. What is sent is encrypted into buffers and
 * sent one buffer at a time: a connection that waits for its peer owns one at most, and an idle one none.
 *
 *   owner     send(iovecs)                  on_bytes(plain)
 *               | encrypt, record by record     ^ decrypt
 *   session     v output                        | input
 *   backend   send(buffer)                  on_bytes(cipher)
 */
#include <errno.h>
#include <string.h>

#include "tls_transport.h"

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

bool tls_pump(struct tls *self, uint32_t slot) {
  struct tls_connection *connection = &self->connections[slot];
  while (!connection->sending) {
    while (connection->iovec_count > 0 && connection->state == READY && tls_session_has_room(&connection->session)) {
      if (encrypt_record(self, connection)) continue;
      tls_end(self, slot, -ENOMEM, IO_RST);
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

void tls_finish(struct tls_connection *connection) {
  if (connection->iovec_count == 0) tls_session_finish(&connection->session);
}

void tls_end(struct tls *self, uint32_t slot, int reason, enum transport_close_mode mode) {
  struct tls_connection *connection = &self->connections[slot];
  connection->reason = reason;
  connection->started_ns = NULL;
  connection->state = ENDING;                                          /* nothing more of the owner's is encrypted */
  if (mode == IO_FIN && connection->session.ssl) tls_pump(self, slot); /* the alert, if there is one */
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
    tls_finish(connection);
    tls_end(self, slot, IO_EOF, IO_FIN);
  } else if (step == TLS_FAILED) {
    tls_end(self, slot, IO_TLS_ERROR, IO_FIN);
  } else {
    tls_pump(self, slot); /* answers of TLS's own */
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
  case TLS_GOES_ON: tls_pump(self, slot); break;
  default: keep_session_failure(self, connection); tls_end(self, slot, IO_HANDSHAKE, IO_FIN);
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
    tls_end(self, slot, -ENOMEM, IO_RST);
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
  if (!tls_pump(self, slot)) return;
  if (!connection->owner_waits) return;
  connection->owner_waits = false;
  self->transport.send_was_blocked = self->backend->send_was_blocked;
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

const struct transport_events tls_backend_events = {
    .on_connect = on_connect, .on_bytes = on_bytes, .on_sent = on_sent, .on_close = on_close, .on_stamps = on_stamps};
