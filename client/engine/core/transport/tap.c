/*
 * tap.c: the table and the events that take the place of those of a transport and its owner.
 */
#include "tap.h"

#include <string.h>

static void keep(struct tap *tap, struct tap_bytes *kept, const void *bytes, size_t length) {
  if (tap->close_ns > 0) return;
  if (kept->total < TAP_BYTES) {
    size_t room = TAP_BYTES - (size_t)kept->total;
    memcpy(kept->first + kept->total, bytes, length < room ? length : room);
  }
  kept->total += length;
}

/* Writes the time into *NS, once. */
static void note(uint64_t *ns, uint64_t now_ns) {
  if (*ns == 0) *ns = now_ns;
}

/* ---- calls of the owner ---- */

/* The table of a transport that has a tap is in the tap. */
static struct tap *tap_of(struct transport *transport) {
  return (struct tap *)(void *)((char *)(uintptr_t)transport->table - offsetof(struct tap, table));
}

static void connect_tapped(struct transport *transport, uint32_t slot, const struct endpoint *endpoint,
                           uint16_t source_port, uint64_t *started_ns) {
  struct tap *tap = tap_of(transport);
  note(&tap->connect_ns, clock_now(tap->clock));
  tap->tapped->connect(transport, slot, endpoint, source_port, started_ns);
}

static enum transport_send send_tapped(struct transport *transport, uint32_t slot, const struct iovec *iovecs,
                                       unsigned count, uint64_t *started_ns) {
  struct tap *tap = tap_of(transport);
  note(&tap->send_ns, clock_now(tap->clock));
  for (unsigned i = 0; i < count; i++) keep(tap, &tap->sent, iovecs[i].iov_base, iovecs[i].iov_len);
  return tap->tapped->send(transport, slot, iovecs, count, started_ns);
}

/* ---- events ---- */

static void on_connect(void *owner, uint32_t slot) {
  struct tap *tap = owner;
  note(&tap->open_ns, tap->transport->seen_ns);
  channel_describe(tap->transport, slot, &tap->tls);
  tap->events->on_connect(tap->owner, slot);
}

static void on_bytes(void *owner, uint32_t slot, const uint8_t *bytes, size_t length) {
  struct tap *tap = owner;
  note(&tap->first_ns, tap->transport->seen_ns);
  tap->last_ns = tap->transport->seen_ns;
  keep(tap, &tap->received, bytes, length);
  tap->events->on_bytes(tap->owner, slot, bytes, length);
}

static void on_sent(void *owner, uint32_t slot) {
  struct tap *tap = owner;
  tap->events->on_sent(tap->owner, slot);
}

static void on_close(void *owner, uint32_t slot, int reason) {
  struct tap *tap = owner;
  note(&tap->close_ns, tap->transport->seen_ns);
  tap->events->on_close(tap->owner, slot, reason);
}

static void on_transport(void *owner, uint32_t slot) {
  struct tap *tap = owner;
  note(&tap->secure_ns, tap->transport->seen_ns);
  if (tap->events->on_transport) tap->events->on_transport(tap->owner, slot);
}

static void on_stamps(void *owner, uint32_t slot) {
  struct tap *tap = owner;
  if (tap->events->on_stamps) tap->events->on_stamps(tap->owner, slot);
}

static const struct transport_events events = {
    .on_connect = on_connect,
    .on_bytes = on_bytes,
    .on_sent = on_sent,
    .on_close = on_close,
    .on_transport = on_transport,
    .on_stamps = on_stamps,
};

void tap_events(struct tap *tap, struct transport_settings *settings) {
  tap->events = settings->events;
  tap->owner = settings->owner;
  tap->clock = settings->clock;
  settings->events = &events;
  settings->owner = tap;
}

void tap_calls(struct tap *tap, struct transport *transport) {
  tap->transport = transport;
  tap->tapped = transport->table;
  tap->table = *transport->table;
  tap->table.connect = connect_tapped;
  tap->table.send = send_tapped;
  transport->table = &tap->table;
}
