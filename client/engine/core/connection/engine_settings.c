/*
 * engine_settings.c: checks the settings, and copies them with everything they point at.
 */
#include "engine_settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether a connection may have several transfers in flight. */
static bool can_pipeline(const struct engine_settings *settings) {
  return settings->protocol->pipelined && settings->workload == &workload_continuous &&
         settings->workload_settings.pause_ns == 0 && settings->pipeline <= PIPELINE_MOST;
}

/* Whether requests may come by a schedule. */
static bool can_be_open_loop(const struct engine_settings *settings) {
  const struct workload *workload = settings->workload;
  return (workload == &workload_continuous || workload == &workload_reconnect) &&
         settings->workload_settings.pause_ns == 0 && settings->transfers == 0;
}

/* Whether there are timestamps to split transfers by. */
static bool can_be_stamped(const struct engine_settings *settings) {
  bool is_tcp = true;
  for (size_t i = 0; i < settings->endpoint_count; i++) {
    const struct endpoint *endpoint = &settings->endpoints[i];
    is_tcp &= endpoint->family != AF_UNIX && endpoint->transport != SOCK_DGRAM && endpoint->protocol != IPPROTO_SCTP;
  }
  return is_tcp && settings->transport->take_stamp && !settings->protocol->one_way;
}

int engine_settings_validate(const struct engine_settings *settings) {
  bool open_loop = settings->rates.count > 0;
  if (settings->slots == 0 || settings->stride == 0 || settings->endpoint_count == 0 || settings->interval_ns == 0 ||
      settings->payload_bytes > UINT32_MAX || settings->protocol_bytes_count > UINT32_MAX - settings->payload_bytes) {
    return -EINVAL;
  }
  uint64_t last_id = settings->first + (uint64_t)settings->stride * (settings->slots - 1);
  if (settings->source_port > 0 && settings->source_port + last_id / settings->endpoint_count > UINT16_MAX)
    return -EINVAL;
  if (settings->warmup_ns > settings->steady_from_ns || !(settings->connect_rate >= 0)) return -EINVAL;
  if (settings->pipeline == 0 || (settings->pipeline > 1 && !can_pipeline(settings))) return -EINVAL;
  if (open_loop && (rates_check(&settings->rates) != 0 || !can_be_open_loop(settings))) return -EINVAL;
  if (slices_check(&settings->slices) != 0) return -EINVAL;
  if (settings->timestamps_one_in > 0 && !can_be_stamped(settings)) return -EINVAL;
  return schedule_check(&settings->schedule);
}

int engine_settings_copy(struct engine_settings *copy, struct protocol_settings *protocol_settings,
                         const struct engine_settings *settings) {
  *copy = *settings;
  copy->tls = NULL;
  struct endpoint *endpoints = malloc(settings->endpoint_count * sizeof *endpoints);
  struct schedule_point *points = malloc((settings->schedule.count + 1) * sizeof *points);
  struct rate_point *rates = malloc((settings->rates.count + 1) * sizeof *rates);
  struct slice *slices = malloc((settings->slices.count + 1) * sizeof *slices);
  uint8_t *payload = malloc(2 * settings->payload_bytes + settings->protocol_bytes_count + 1);
  uint8_t *bytes = payload ? payload + 2 * settings->payload_bytes : NULL;
  copy->endpoints = endpoints;
  copy->schedule.points = points;
  copy->rates.points = rates;
  copy->slices.list = slices;
  *protocol_settings = (struct protocol_settings){.payload = payload,
                                                  .payload_bytes = settings->payload_bytes,
                                                  .payload_spread = settings->payload_spread,
                                                  .bytes = bytes,
                                                  .bytes_count = settings->protocol_bytes_count,
                                                  .parameters = settings->protocol_parameters};
  if (!endpoints || !points || !rates || !slices || !payload) return -ENOMEM;
  memcpy(endpoints, settings->endpoints, settings->endpoint_count * sizeof *endpoints);
  if (settings->schedule.count > 0) {
    memcpy(points, settings->schedule.points, settings->schedule.count * sizeof *points);
  }
  if (settings->rates.count > 0) memcpy(rates, settings->rates.points, settings->rates.count * sizeof *rates);
  if (settings->slices.count > 0) {
    memcpy(slices, settings->slices.list, settings->slices.count * sizeof *slices);
  }
  if (settings->payload_bytes > 0) {
    memcpy(payload, settings->payload, settings->payload_bytes);
    memcpy(payload + settings->payload_bytes, settings->payload, settings->payload_bytes);
  }
  if (settings->protocol_bytes_count > 0) memcpy(bytes, settings->protocol_bytes, settings->protocol_bytes_count);
  return protocol_validate(settings->protocol, protocol_settings) ? 0 : -EINVAL;
}

void engine_settings_free(struct engine_settings *copy, struct protocol_settings *protocol_settings) {
  free((void *)(uintptr_t)copy->endpoints);
  free((void *)(uintptr_t)copy->schedule.points);
  free((void *)(uintptr_t)copy->rates.points);
  free((void *)(uintptr_t)copy->slices.list);
  free((void *)(uintptr_t)protocol_settings->payload);
}
