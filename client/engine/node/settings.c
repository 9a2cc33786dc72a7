/*
 * node/settings.c: reads the object that index.js hands to create(). Nothing is taken on trust: a setting that is
 * missing, of another type or out of its range throws with its name.
 */
#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "endpoints.h"
#include "tls_texts.h"
#include "values.h"

/* The first failure throws and is remembered. */
struct reader {
  napi_env env;
  napi_value object;
  bool failed;
};

static void fail(struct reader *reader, const char *key) {
  char message[128];
  snprintf(message, sizeof message, "engine: the setting \"%s\" is missing, or not one that it knows", key);
  if (!reader->failed) napi_throw_type_error(reader->env, "EINVAL", message);
  reader->failed = true;
}

static napi_value get(struct reader *reader, const char *key) {
  napi_value value = NULL;
  if (reader->failed || napi_get_named_property(reader->env, reader->object, key, &value) != napi_ok) fail(reader, key);
  return value;
}

/* A number from 0 to MAX, exact as a double. */
static double get_number(struct reader *reader, const char *key, double max) {
  double number = 0;
  napi_value value = get(reader, key);
  bool is_number = !reader->failed && napi_get_value_double(reader->env, value, &number) == napi_ok;
  if (!is_number || !(number >= 0 && number <= max)) fail(reader, key);
  return reader->failed ? 0 : number;
}

static uint64_t get_ns(struct reader *reader, const char *key) { return (uint64_t)get_number(reader, key, 1ull << 53); }
static uint32_t get_u32(struct reader *reader, const char *key) {
  return (uint32_t)get_number(reader, key, UINT32_MAX);
}

static uint64_t get_bigint(struct reader *reader, const char *key) {
  uint64_t number = 0;
  bool lossless = false;
  napi_value value = get(reader, key);
  if (!reader->failed &&
      (napi_get_value_bigint_uint64(reader->env, value, &number, &lossless) != napi_ok || !lossless)) {
    fail(reader, key);
  }
  return number;
}

static void get_string(struct reader *reader, const char *key, char *text, size_t size) {
  size_t length = 0;
  napi_value value = get(reader, key);
  text[0] = '\0';
  if (reader->failed) return;
  if (napi_get_value_string_utf8(reader->env, value, text, size, &length) != napi_ok || length + 1 >= size) {
    fail(reader, key);
  }
}

/* A typed array's elements; NULL with *length 0 when it is not one of TYPE. */
static void *get_array(struct reader *reader, const char *key, napi_typedarray_type type, size_t *length) {
  void *data = NULL;
  napi_typedarray_type actual = napi_int8_array;
  napi_value value = get(reader, key);
  *length = 0;
  if (reader->failed) return NULL;
  if (napi_get_typedarray_info(reader->env, value, &actual, length, &data, NULL, NULL) != napi_ok || actual != type) {
    fail(reader, key);
    return NULL;
  }
  return data;
}

/* The caller's to free; NULL when there is no memory, or after a failure. */
static struct endpoint *get_endpoints(struct reader *reader, size_t *count) {
  size_t bytes, socket_numbers;
  char congestion[16];
  struct socket_options options;
  const uint8_t *records = get_array(reader, "endpoints", napi_uint8_array, &bytes);
  const double *numbers = get_array(reader, "socket", napi_float64_array, &socket_numbers);
  get_string(reader, "congestion", congestion, sizeof congestion);
  *count = bytes / ENDPOINT_BYTES;
  if (!reader->failed && bytes % ENDPOINT_BYTES != 0) fail(reader, "endpoints");
  if (!reader->failed && socket_numbers != SOCKET_NUMBERS) fail(reader, "socket");
  if (!reader->failed && socket_read(numbers, congestion, &options) != 0) fail(reader, "socket");
  struct endpoint *endpoints = reader->failed ? NULL : calloc(*count + 1, sizeof *endpoints);
  for (size_t i = 0; endpoints && i < *count; i++) {
    if (endpoint_read(&records[ENDPOINT_BYTES * i], &endpoints[i]) != 0) fail(reader, "endpoints");
    endpoints[i].socket = options;
  }
  return endpoints;
}

/* With a source port they become one for each slot. */
static void spread_endpoints(struct reader *reader, struct engine_settings *settings, struct endpoint **endpoints,
                             size_t *count) {
  uint32_t port = get_u32(reader, "sourcePort");
  if (reader->failed || port == 0 || !*endpoints) return;
  struct endpoint *each =
      endpoints_by_port(*endpoints, *count, port, settings->slots, settings->first, settings->stride);
  if (!each && errno == EINVAL) fail(reader, "sourcePort");
  free(*endpoints);
  *endpoints = each;
  *count = settings->slots;
  settings->endpoint_each = true;
}

int settings_build(napi_env env, napi_value object, void (*on_interval)(void *context), void *context,
                   struct engine **engine, struct transfer_log **log) {
  struct reader settings_reader = {env, object, false}, *reader = &settings_reader;
  char transport[64], protocol[64], workload[64], path[4096];
  size_t point_numbers, rate_numbers, payload_bytes, protocol_bytes_count, protocol_number_count;
  get_string(reader, "io", transport, sizeof transport);
  get_string(reader, "protocol", protocol, sizeof protocol);
  get_string(reader, "workload", workload, sizeof workload);
  get_string(reader, "logPath", path, sizeof path);
  size_t endpoint_count;
  struct endpoint *endpoints = get_endpoints(reader, &endpoint_count);
  const double *points = get_array(reader, "schedule", napi_float64_array, &point_numbers);
  const double *rate_points = get_array(reader, "rates", napi_float64_array, &rate_numbers);
  const uint8_t *payload = get_array(reader, "payload", napi_uint8_array, &payload_bytes);
  const uint8_t *protocol_bytes = get_array(reader, "protocolBytes", napi_uint8_array, &protocol_bytes_count);
  const double *protocol_numbers = get_array(reader, "protocolNumbers", napi_float64_array, &protocol_number_count);
  if (protocol_number_count > PROTOCOL_NUMBERS) fail(reader, "protocolNumbers");
  struct engine_settings settings = {
      .first = get_u32(reader, "first"),
      .stride = get_u32(reader, "stride"),
      .slots = get_u32(reader, "count"),
      .transport = transport_find(transport),
      .clock = {clock_monotonic_ns, NULL},
      .protocol = protocol_find(protocol),
      .workload = workload_find(workload),
      .payload = payload,
      .payload_bytes = payload_bytes,
      .protocol_bytes = protocol_bytes,
      .protocol_bytes_count = protocol_bytes_count,
      .workload_settings = {get_ns(reader, "pauseNs"), get_ns(reader, "heartbeatNs")},
      .steady_from_ns = get_ns(reader, "steadyFromNs"),
      .steady_to_ns = get_ns(reader, "steadyToNs"),
      .warmup_ns = get_ns(reader, "warmupNs"),
      .connect_timeout_ns = get_ns(reader, "connectTimeoutNs"),
      .transfer_timeout_ns = get_ns(reader, "transferTimeoutNs"),
      .drain_timeout_ns = get_ns(reader, "drainTimeoutNs"),
      .interval_ns = get_ns(reader, "cutEveryNs"),
      .backoff = {get_ns(reader, "backoffBaseNs"), get_ns(reader, "backoffCapNs"),
                  get_number(reader, "backoffFactor", 1e6)},
      .lifetime = {get_u32(reader, "lifetimeTransfers"), get_ns(reader, "lifetimeNs"),
                   get_number(reader, "lifetimeReset", 1) > 0 ? IO_RST : IO_FIN, get_ns(reader, "lifetimeSpreadNs")},
      .connect_rate = get_number(reader, "connectRate", 1e9),
      .pipeline = get_u32(reader, "pipeline"),
      .poisson = get_number(reader, "poisson", 1) > 0,
      .rate_from_ns = get_ns(reader, "rateFromNs"),
      .busy_poll_ns = get_ns(reader, "busyPollNs"),
      .transfers = (uint64_t)get_number(reader, "transfers", 1ull << 53),
      .seed = get_bigint(reader, "seed"),
      .t0_ns = get_bigint(reader, "t0Ns"),
      .on_interval = on_interval,
      .on_interval_context = context,
  };
  for (size_t i = 0; !reader->failed && i < protocol_number_count; i++) {
    if (!(protocol_numbers[i] >= 0 && protocol_numbers[i] <= 1ull << 53)) fail(reader, "protocolNumbers");
    settings.protocol_numbers[i] = reader->failed ? 0 : (uint64_t)protocol_numbers[i];
  }
  uint64_t reserve_bytes = get_ns(reader, "logReserveBytes");
  spread_endpoints(reader, &settings, &endpoints, &endpoint_count);
  if (!reader->failed && !settings.transport) fail(reader, "io");
  if (!reader->failed && !settings.protocol) fail(reader, "protocol");
  if (!reader->failed && !settings.workload) fail(reader, "workload");
  struct tls_texts tls = {0};
  if (!reader->failed && tls_texts_read(env, get(reader, "tls"), &tls) != 0) fail(reader, "tls");
  settings.tls = tls.wanted ? &tls.settings : NULL;
  if (reader->failed) {
    tls_texts_free(&tls);
    free(endpoints);
    return -1;
  }
  struct schedule_point *schedule = calloc(point_numbers / 3 + 1, sizeof *schedule);
  struct rate_point *rates = calloc(rate_numbers / 3 + 1, sizeof *rates);
  if (!endpoints || !schedule || !rates) {
    tls_texts_free(&tls);
    free(endpoints);
    free(schedule);
    free(rates);
    throw_errno(env, "engine: it could not be created", -ENOMEM);
    return -1;
  }
  for (size_t i = 0; i < point_numbers / 3; i++) {
    const double *point = &points[3 * i];
    schedule[i] = (struct schedule_point){(uint64_t)point[0], (uint32_t)point[1], point[2] != 0};
  }
  for (size_t i = 0; i < rate_numbers / 3; i++) {
    const double *point = &rate_points[3 * i];
    rates[i] = (struct rate_point){(uint64_t)point[0], point[1], point[2] != 0};
  }
  settings.rates = (struct rates){rates, rate_numbers / 3};
  settings.endpoints = endpoints;
  settings.endpoint_count = (uint32_t)endpoint_count;
  settings.schedule = (struct schedule){schedule, point_numbers / 3};
  int log_error = path[0] ? transfer_log_open(path, reserve_bytes, log) : 0;
  settings.log = *log;
  int error = log_error ? 0 : engine_create(&settings, engine);
  tls_texts_free(&tls);
  free(endpoints);
  free(schedule);
  free(rates);
  if (log_error) throw_errno(env, path, log_error);
  if (error == -EINVAL) {
    throw_errno(
        env,
        "engine: no slots, no endpoints, no payload or options that its protocol needs, no time between cuts, a "
        "schedule that goes back in time, a warm-up longer than what is before the steady state, a pipeline or a rate "
        "that the "
        "protocol or the workload cannot have, transfers with a rate, or texts of TLS that are not what they must be",
        error);
  } else if (error) {
    throw_errno(env, "engine: it could not be created", error);
  }
  return log_error || error ? -1 : 0;
}
