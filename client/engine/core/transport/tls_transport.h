/*
 * tls_transport: what the two sides of tls share: the one that its owner calls (tls.c) and the one that the backend
 * calls (tls_events.c).
 */
#ifndef BROADSIDE_TLS_TRANSPORT_H
#define BROADSIDE_TLS_TRANSPORT_H

#include "tls.h"
#include "tls_session.h"

#define PLAIN_BYTES (4u * TLS_PLAIN_MAX) /* the most bytes of one on_bytes */

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

static inline struct tls *tls_of(struct transport *transport) { return (struct tls *)(void *)transport; }

/* Sends the output, then what the owner sends, encrypted buffer by buffer, until a send is pending. True when the
 * kernel has taken everything. */
bool tls_pump(struct tls *self, uint32_t slot);

/* Puts close_notify into the output, unless bytes of the owner would be missing before it. It is not sent where a send
 * is pending, because tls_end() waits for none. */
void tls_finish(struct tls_connection *connection);

/* Ends the connection for REASON, which on_close gives the owner when the backend is done with it. */
void tls_end(struct tls *self, uint32_t slot, int reason, enum transport_close_mode mode);

/* What the backend calls; its owner is a struct tls. */
extern const struct transport_events tls_backend_events;

#endif
