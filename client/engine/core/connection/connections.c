/*
 * connections.c: creates and frees what the slots of an engine share.
 */
#include "connections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "connection.h"
#include "control_messages.h"
#include "stamps.h"
#include "window.h"

/* BYTES of memory that is not touched: many slots never need theirs. */
static int create_untouched(size_t bytes, uint8_t **memory) {
  void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return -ENOMEM;
  madvise(mapped, bytes, MADV_NOHUGEPAGE);
  *memory = mapped;
  return 0;
}

/* Refuses requests whose length could exceed that of a slot's request_bytes. */
static int create_rooms(struct connections *self, uint32_t slots) {
  size_t bytes = protocol_room_bytes(self->settings.protocol, &self->protocol_settings);
  if (bytes > UINT32_MAX - self->protocol_settings.payload_bytes - self->protocol_settings.bytes_count) return -EINVAL;
  self->room_bytes = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
  return bytes == 0 ? 0 : create_untouched(slots * self->room_bytes, &self->rooms);
}

static int create_slots(struct connections *self, uint32_t slots) {
  self->slots = aligned_alloc(CACHE_LINE, (size_t)slots * sizeof *self->slots);
  if (!self->slots) return -ENOMEM;
  memset(self->slots, 0, (size_t)slots * sizeof *self->slots);
  int error = create_untouched((size_t)slots * QUOTE_BYTES, &self->received);
  if (!error) error = create_rooms(self, slots);
  if (error) return error;
  return deadlines_create(slots, &self->deadlines);
}

static int create_recorder(struct connections *self, const struct engine_settings *settings) {
  self->listed_requests = protocol_listed_requests(settings->protocol, &self->protocol_settings);
  struct recorder_settings recorder_settings = {
      .plan = {.warmup_from_ns = settings->steady_from_ns - settings->warmup_ns,
               .steady_from_ns = settings->steady_from_ns,
               .drain_at_ns = settings->steady_to_ns},
      .requests = self->listed_requests,
      .interval_ns = settings->interval_ns,
      .t0_ns = settings->t0_ns,
      .seed = settings->seed,
      .loaded = &self->slice.loaded,
      .log = settings->log,
  };
  return recorder_create(&self->recorder, &recorder_settings);
}

int connections_create(struct connections *self, const struct engine_settings *settings) {
  uint32_t slots = settings->slots;
  bool open_loop = settings->rates.count > 0;
  self->uses_tls = settings->tls != NULL;
  self->has_lifetime = lifetime_is_bounded(&settings->lifetime);
  self->backoff_resets_by_age = settings->workload->backoff_resets_by_age || settings->protocol->one_way;
  self->transfers_left = settings->transfers > 0 ? settings->transfers : UINT64_MAX;
  self->random = settings->seed;
  self->identity = settings->identity;
  self->number = settings->first_number;
  int error = engine_settings_copy(&self->settings, &self->protocol_settings, settings);
  self->has_hello = protocol_has_hello(settings->protocol, &self->protocol_settings);
  self->ramp = (struct ramp){.schedule = &self->settings.schedule, .slots = slots};
  if (!error) error = create_slots(self, slots);
  if (!error) error = create_recorder(self, settings);
  if (!error && settings->connect_rate > 0) {
    error = connect_limiter_create(slots, settings->connect_rate, &self->limiter);
  }
  if (!error && open_loop) error = request_queue_create(slots, &self->queue);
  if (!error && (settings->pipeline > 1 || open_loop)) {
    error = windows_create(slots, settings->pipeline, settings->payload_bytes + self->room_bytes, &self->windows);
  }
  if (!error) error = control_create(settings, &self->protocol_settings, &self->control);
  if (!error) error = stamps_create(settings, &self->stamps);
  struct transport_settings transport = {.slots = slots,
                                         .events = &connection_events,
                                         .owner = self,
                                         .clock = &self->settings.clock,
                                         .stamped = stamps_slots(settings),
                                         .has_fixed_endpoints = true,
                                         .context = settings->transport_context};
  if (settings->tap) tap_events(settings->tap, &transport);
  if (!error) error = channel_create(settings->transport, &transport, settings->tls, &self->transport);
  if (!error && settings->tap) tap_calls(settings->tap, self->transport);
  return error;
}

void connections_destroy(struct connections *self) {
  if (self->transport) self->transport->table->destroy(self->transport);
  control_destroy(self->control);
  stamps_destroy(self->stamps);
  windows_destroy(self->windows);
  request_queue_destroy(self->queue);
  connect_limiter_destroy(self->limiter);
  recorder_destroy(&self->recorder);
  deadlines_destroy(self->deadlines);
  if (self->received) munmap(self->received, (size_t)self->settings.slots * QUOTE_BYTES);
  if (self->rooms) munmap(self->rooms, self->settings.slots * self->room_bytes);
  free(self->slots);
  engine_settings_free(&self->settings, &self->protocol_settings);
}
