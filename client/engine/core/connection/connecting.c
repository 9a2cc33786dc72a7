/*
 * connecting.c: the steps of an attempt and their times. The time of the current step begins at started_ns, which the
 * transport stamps: when connect() is called, and again when the first bytes of a TLS handshake are handed to the
 * kernel.
 */
#include "connecting.h"

#include <string.h>

#include "control_messages.h"
#include "exchange.h"
#include "received.h"

void connecting_begin(struct connections *self, uint32_t slot) {
  struct slot *own = &self->slots[slot];
  const struct engine_settings *settings = &self->settings;
  recorder_attempt_started(&self->recorder, slot_renews(own));
  uint32_t id = slot_id(self, slot), port = settings->source_port;
  const struct endpoint *endpoint = &settings->endpoints[id % settings->endpoint_count];
  if (port > 0) port += id / settings->endpoint_count;
  self->transport->table->connect(self->transport, slot, endpoint, (uint16_t)port, &own->started_ns);
  slot_set_deadline(self, slot, own->started_ns + settings->connect_timeout_ns);
}

static uint64_t step_ns(const struct slot *own, uint64_t at_ns) {
  return at_ns > own->started_ns ? at_ns - own->started_ns : 0;
}

void connecting_secure(struct connections *self, uint32_t slot, uint64_t at_ns) {
  struct slot *own = &self->slots[slot];
  recorder_time(&self->recorder, HISTOGRAM_CONNECT_TIME, step_ns(own, at_ns));
  own->started_ns = at_ns; /* until the transport stamps it */
}

/* The last step before the hello: TCP, or a TLS handshake that is either full or resumes a session. */
static enum histogram_name last_step(const struct connections *self, uint32_t slot) {
  if (!self->uses_tls) return HISTOGRAM_CONNECT_TIME;
  return channel_resumed(self->transport, slot) ? HISTOGRAM_RESUMPTION_TIME : HISTOGRAM_HANDSHAKE_TIME;
}

enum connecting_result connecting_connected(struct connections *self, uint32_t slot, uint64_t at_ns) {
  struct slot *own = &self->slots[slot];
  memset(own->protocol_state, 0, sizeof own->protocol_state);
  received_forget(self, slot);
  if (self->control) control_begin(self, slot, step_ns(own, at_ns));
  if (!self->has_hello) return CONNECTING_OPENED;
  control_send_hello(self, slot);
  return CONNECTING_PENDING;
}

enum connecting_result connecting_receive(struct connections *self, uint32_t slot, const uint8_t *bytes, size_t length,
                                          size_t *consumed) {
  struct slot *own = &self->slots[slot];
  const struct protocol *protocol = self->settings.protocol;
  for (*consumed = 0; *consumed < length;) {
    const uint8_t *at = bytes + *consumed;
    struct parse_result result =
        protocol->hello_reply(own->protocol_state, &self->protocol_settings, at, length - *consumed);
    bool right = result.verdict == PARSE_INCOMPLETE;
    if (result.verdict == PARSE_RESPOND) right = control_respond(self, slot, own->protocol_state, at, result);
    if (result.verdict == PARSE_COMPLETE || result.ends_message) {
      received_forget(self, slot);
    } else if (result.verdict != PARSE_RESPOND) {
      received_keep(self, slot, at, right ? result.consumed : length - *consumed);
    }
    *consumed += result.consumed;
    /* a hello that the kernel has not taken cannot have a reply; what is being sent may also be a response */
    bool is_sent = !(own->flags & SLOT_SENDING) || control_of(self, slot)->in_kernel > 0;
    if (result.verdict == PARSE_COMPLETE && is_sent) return CONNECTING_OPENED;
    if (!right) return CONNECTING_REJECTED;
  }
  return CONNECTING_PENDING;
}

void connecting_open(struct connections *self, uint32_t slot, uint64_t at_ns) {
  struct slot *own = &self->slots[slot];
  struct recorder *recorder = &self->recorder;
  recorder_connection_opened(recorder, (own->flags & SLOT_EVER_OPENED) != 0, slot_renews(own));
  recorder_time(recorder, last_step(self, slot),
                self->has_hello ? control_of(self, slot)->connect_ns : step_ns(own, at_ns));
  if (own->lost_ns != 0) recorder_time(recorder, HISTOGRAM_RECOVERY_TIME, at_ns - own->lost_ns);
  own->opened_ns = at_ns;
  exchange_begin(self, slot);
  /* The deadline still set is that of the attempt; the first request must set its own. */
  own->flags = (uint8_t)((own->flags | SLOT_EVER_OPENED) & ~SLOT_ARMED);
}
