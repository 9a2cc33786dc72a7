/*
 * tap: keeps what the first connection of a transport sends and receives, and when, for one exchange that a person
 * looks at. It stands between the transport and its owner, on both sides; a transport without a tap knows nothing of
 * it. Over TLS it keeps what is encrypted, as it was before.
 */
#ifndef BROADSIDE_TAP_H
#define BROADSIDE_TAP_H

#include "channel.h"

#define TAP_BYTES 4096u

/* What went one way. */
struct tap_bytes {
  uint64_t total;
  uint8_t first[TAP_BYTES]; /* as many of them */
};

/* Zeroed memory of the caller's, which must outlive the transport. Times of the clock; 0: it did not come to that. */
struct tap {
  struct tap_bytes sent, received;
  uint64_t connect_ns; /* the attempt began */
  uint64_t secure_ns;  /* TCP was connected and the handshake of TLS began; 0 without TLS */
  uint64_t open_ns;    /* the connection was open */
  uint64_t send_ns;    /* the first send */
  uint64_t first_ns;   /* the first bytes that came */
  uint64_t last_ns;    /* the last bytes that came so far */
  uint64_t close_ns;   /* the connection had ended */
  struct tls_facts tls;
  /* Private. */
  struct transport_table table;
  const struct transport_table *tapped;
  const struct transport_events *events;
  void *owner;
  struct transport *transport;
  const struct clock *clock;
};

/* Before a transport is created with SETTINGS: its events go through TAP. */
void tap_events(struct tap *tap, struct transport_settings *settings);

/* Once it is created: its calls do, too. */
void tap_calls(struct tap *tap, struct transport *transport);

#endif
