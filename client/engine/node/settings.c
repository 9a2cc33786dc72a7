/*
 * node/settings.c: reads the object that index.js hands to create(). A setting that is one number or flag is a row of
 * `scalars`; what depends on several settings at once, engine_create() checks.
 */
#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "endpoints.h"
#include "reader.h"
#include "tls_texts.h"
#include "values.h"

#define PER_SECOND_MAX 1e9    /* attempts or requests */
#define CONNECT_RATE_MIN 1e-6 /* an attempt in 11 days: the time between two fits into 64 bits of ns */
#define BACKOFF_FACTOR_MAX 1e6
#define SLICE_NUMBERS 4u /* from, measured from, loaded to, end */
#define POINT_NUMBERS 3u /* of a point of the schedule or the rates: when, how many, whether along a line */

#define MEMBER(member) .offset = offsetof(struct engine_settings, member)
#define NS READER_NS, 0, READER_NS_MAX

/* Where a row does not say otherwise, the setting may be missing, and is then 0. */
static const struct reader_member scalars[] = {
    {"first", READER_U32, 0, UINT32_MAX, MEMBER(first), .required = true},
    {"stride", READER_U32, 1, UINT32_MAX, MEMBER(stride), .required = true},
    {"count", READER_U32, 1, UINT32_MAX, MEMBER(slots), .required = true},
    {"firstNumber", READER_U64, 0, READER_NS_MAX, MEMBER(first_number)},
    {"seed", READER_U64, 0, READER_NS_MAX, MEMBER(seed), .required = true},
    {"identity", READER_BIGINT, MEMBER(identity), .required = true},
    {"t0Ns", READER_BIGINT, MEMBER(t0_ns), .required = true},
    {"intervalNs", READER_NS, 1, READER_NS_MAX, MEMBER(interval_ns), .required = true},
    {"steadyFromNs", NS, MEMBER(steady_from_ns), .required = true},
    {"steadyToNs", NS, MEMBER(steady_to_ns), .required = true},
    {"drainTimeoutNs", NS, MEMBER(drain_timeout_ns), .required = true},
    {"connectTimeoutNs", NS, MEMBER(connect_timeout_ns), .required = true},
    {"transferTimeoutNs", NS, MEMBER(transfer_timeout_ns), .required = true},
    {"pauseNs", NS, MEMBER(workload_settings.pause_ns)},
    {"heartbeatNs", NS, MEMBER(workload_settings.heartbeat_ns)},
    {"firstRequestNs", NS, MEMBER(workload_settings.first_request_ns)},
    {"rateFromNs", NS, MEMBER(rate_from_ns)},
    {"connectRate", READER_DOUBLE, 0, PER_SECOND_MAX, MEMBER(connect_rate)},
    {"transfers", READER_U64, 0, READER_NS_MAX, MEMBER(transfers)},
    {"pipeline", READER_U32, 1, UINT32_MAX, MEMBER(pipeline), .usual = 1},
    {"backoffBaseNs", NS, MEMBER(backoff.base_ns), .required = true},
    {"backoffFactor", READER_DOUBLE, 0, BACKOFF_FACTOR_MAX, MEMBER(backoff.factor), .required = true},
    {"backoffCapNs", NS, MEMBER(backoff.cap_ns), .required = true},
    {"lifetimeTransfers", READER_U32, 0, UINT32_MAX, MEMBER(lifetime.transfers)},
    {"lifetimeTimeNs", NS, MEMBER(lifetime.ns)},
    {"lifetimeIsFinal", READER_FLAG, MEMBER(lifetime.is_final)},
};

#define OPTION(member) .offset = offsetof(struct socket_options, member)

/* Options of the connections' sockets; 0 leaves one to the kernel. */
static const struct reader_member socket_members[] = {
    {"nodelay", READER_FLAG, OPTION(nodelay), .usual = 1},
    {"resetOnClose", READER_FLAG, OPTION(reset_on_close)},
    {"keepAliveSeconds", READER_INT, 0, INT32_MAX, OPTION(keepalive_s)},
};

/* What the settings point at, and who frees it. */
struct parts {
  struct endpoint *endpoints;
  size_t endpoint_count;
  struct schedule_point *schedule;
  struct rate_point *rates;
  struct slice *slices;
  struct tls_texts tls;
};

static void free_parts(struct parts *parts) {
  free(parts->endpoints);
  free(parts->schedule);
  free(parts->rates);
  free(parts->slices);
  tls_texts_free(&parts->tls);
}

/* COUNT elements of zeros, at least one; throws without memory. */
static void *allocate(struct reader *reader, size_t count, size_t bytes) {
  void *memory = reader->failed ? NULL : calloc(count + 1, bytes);
  if (!reader->failed && !memory) {
    throw_errno(reader->env, "engine: it could not be created", -ENOMEM);
    reader->failed = true;
  }
  return memory;
}

/* The port of the first slot; the last one's must be a port, too. */
static void read_source_port(struct reader *socket, struct engine_settings *settings, const struct parts *parts) {
  uint64_t port = reader_lacks(socket, "sourcePort") ? 0 : reader_whole(socket, "sourcePort");
  if (socket->failed || port == 0) return;
  uint64_t last_id = settings->first + (uint64_t)settings->stride * (settings->slots - 1);
  double last_port = (double)port + (double)(last_id / parts->endpoint_count);
  if (reader_in_range(socket, "sourcePort", last_port, 1, UINT16_MAX)) settings->source_port = (uint16_t)port;
}

static void read_socket(struct reader *reader, struct engine_settings *settings, const struct parts *parts) {
  struct socket_options options = {.nodelay = true};
  if (!reader_lacks(reader, "socket")) {
    struct reader socket = {reader->env, reader_value(reader, "socket"), reader->failed};
    reader_members(&socket, socket_members, sizeof socket_members / sizeof socket_members[0], &options);
    read_source_port(&socket, settings, parts);
    reader->failed |= socket.failed;
  }
  for (size_t i = 0; !reader->failed && i < parts->endpoint_count; i++) parts->endpoints[i].socket = options;
}

static void read_endpoints(struct reader *reader, struct engine_settings *settings, struct parts *parts) {
  size_t bytes;
  const uint8_t *records = reader_bytes(reader, "endpoints", &bytes);
  enum endpoint_transport transport = (enum endpoint_transport)reader_choice(reader, "transport", endpoint_transports);
  parts->endpoint_count = bytes / ENDPOINT_BYTES;
  if (bytes == 0 || bytes % ENDPOINT_BYTES != 0) reader_fail_type(reader, "endpoints", "one endpoint or more");
  parts->endpoints = allocate(reader, parts->endpoint_count, sizeof *parts->endpoints);
  for (size_t i = 0; !reader->failed && i < parts->endpoint_count; i++) {
    if (endpoint_read(&records[ENDPOINT_BYTES * i], &parts->endpoints[i]) != 0) {
      reader_fail_type(reader, "endpoints", "records of endpoints.js");
    } else if (endpoint_set_transport(&parts->endpoints[i], transport) != 0) {
      reader_fail_type(reader, "endpoints", "no unix sockets, because the transport is not TCP");
    }
  }
  read_socket(reader, settings, parts);
  settings->endpoints = parts->endpoints;
  settings->endpoint_count = (uint32_t)parts->endpoint_count;
}

/* Point INDEX of the list KEY; its value is from 0 to MAX. */
static void check_point(struct reader *reader, const char *key, size_t index, const double *point, double max) {
  char name[64];
  snprintf(name, sizeof name, "%s[%zu].atNs", key, index);
  reader_in_range(reader, name, point[0], 0, READER_NS_MAX);
  snprintf(name, sizeof name, "%s[%zu]", key, index);
  reader_in_range(reader, name, point[1], 0, max);
}

/* The numbers of a list of points; *COUNT: of points. */
static const double *read_points(struct reader *reader, const char *key, double max, size_t *count) {
  size_t length;
  const double *numbers = reader_doubles(reader, key, &length);
  *count = length / POINT_NUMBERS;
  if (length % POINT_NUMBERS != 0) reader_fail_type(reader, key, "points of three numbers each");
  for (size_t i = 0; !reader->failed && i < *count; i++) {
    check_point(reader, key, i, &numbers[POINT_NUMBERS * i], max);
  }
  return numbers;
}

static void read_schedule(struct reader *reader, struct engine_settings *settings, struct parts *parts) {
  size_t count;
  const double *point = read_points(reader, "schedule", UINT32_MAX, &count);
  parts->schedule = allocate(reader, count, sizeof *parts->schedule);
  for (size_t i = 0; !reader->failed && i < count; i++, point += POINT_NUMBERS) {
    parts->schedule[i] = (struct schedule_point){(uint64_t)point[0], (uint32_t)point[1], point[2] != 0};
  }
  settings->schedule = (struct schedule){parts->schedule, count};
  if (!reader->failed && schedule_check(&settings->schedule) != 0) {
    reader_fail_type(reader, "schedule", "points in the order of their times; it is a schedule that goes back in time");
  }
}

static void read_rates(struct reader *reader, struct engine_settings *settings, struct parts *parts) {
  size_t count;
  const double *point = read_points(reader, "rates", PER_SECOND_MAX, &count);
  parts->rates = allocate(reader, count, sizeof *parts->rates);
  for (size_t i = 0; !reader->failed && i < count; i++, point += POINT_NUMBERS) {
    parts->rates[i] = (struct rate_point){(uint64_t)point[0], point[1], point[2] != 0};
  }
  settings->rates = (struct rates){parts->rates, count};
  if (!reader->failed && count > 0 && rates_check(&settings->rates) != 0) {
    reader_fail_type(reader, "rates", "points in the order of their times, the first at 0, and not all of rate 0");
  }
}

struct slice *settings_read_slices(struct reader *reader, struct slices *slices) {
  size_t length, count;
  const double *numbers = reader_doubles(reader, "slices", &length);
  count = length / SLICE_NUMBERS;
  if (length % SLICE_NUMBERS != 0) reader_fail_type(reader, "slices", "slices of four numbers each");
  struct slice *list = allocate(reader, count, sizeof *list);
  for (size_t i = 0; !reader->failed && i < count; i++, numbers += SLICE_NUMBERS) {
    for (size_t k = 0; k < SLICE_NUMBERS; k++) reader_in_range(reader, "slices", numbers[k], 0, READER_NS_MAX);
    if (!reader->failed) {
      list[i] = (struct slice){(uint64_t)numbers[0], (uint64_t)numbers[1], (uint64_t)numbers[2], (uint64_t)numbers[3]};
    }
  }
  *slices = (struct slices){list, count};
  if (!reader->failed && slices_check(slices) != 0) {
    reader_fail_type(
        reader, "slices",
        "slices one after another, with their parts in order, each with some time in which requests may begin");
  }
  return list;
}

/* What is given by its name. */
static void read_names(struct reader *reader, struct engine_settings *settings) {
  static const char *const arrivals[] = {"constant", "poisson", NULL}, *const timestamps[] = {"off", "sample", NULL};
  char name[64];
  reader_string(reader, "protocol", name, sizeof name);
  settings->protocol = protocol_find(name);
  if (!settings->protocol) reader_fail_text(reader, "protocol", name, "protocol");
  reader_string(reader, "workload", name, sizeof name);
  settings->workload = workload_find(name);
  if (!settings->workload) reader_fail_text(reader, "workload", name, "workload");
  settings->poisson = reader_choice(reader, "arrivals", arrivals) == 1;
  settings->timestamps_one_in = reader_choice(reader, "timestamps", timestamps) == 1 ? TIMESTAMPS_SAMPLE : 0;
}

static void read_scalars(struct reader *reader, struct engine_settings *settings) {
  reader_members(reader, scalars, sizeof scalars / sizeof scalars[0], settings);
  double last_id = (double)settings->first + (double)settings->stride * ((double)settings->slots - 1);
  reader_in_range(reader, "first + stride * (count - 1)", last_id, 0, UINT32_MAX);
  if (settings->connect_rate > 0) {
    reader_in_range(reader, "connectRate", settings->connect_rate, CONNECT_RATE_MIN, PER_SECOND_MAX);
  }
  if (!reader_lacks(reader, "warmupNs")) {
    settings->warmup_ns = (uint64_t)reader_number(reader, "warmupNs", 0, (double)settings->steady_from_ns);
  }
}

/* Each parameter of the protocol must be given, and no other. */
static void read_parameters(struct reader *reader, struct engine_settings *settings) {
  const struct protocol *protocol = settings->protocol;
  bool lacks = reader_lacks(reader, "protocolParameters");
  struct reader given = {reader->env, reader_value(reader, "protocolParameters"), reader->failed};
  napi_value names;
  uint32_t count = 0;
  if (reader->failed || (lacks && protocol->parameter_count == 0)) return;
  if (lacks || napi_get_property_names(given.env, given.object, &names) != napi_ok ||
      napi_get_array_length(given.env, names, &count) != napi_ok || count != protocol->parameter_count) {
    reader_fail_type(reader, "protocolParameters", "an object with the parameters of the protocol and no others");
  }
  for (size_t i = 0; !reader->failed && i < protocol->parameter_count; i++) {
    const struct protocol_parameter *parameter = &protocol->parameters[i];
    uint64_t value = parameter->type == PARAMETER_FLAG ? reader_bool(&given, parameter->name)
                                                       : reader_whole(&given, parameter->name);
    reader->failed |= given.failed;
    protocol_set_parameter(protocol, &settings->protocol_parameters, parameter->name, value);
  }
}

static void read_protocol_data(struct reader *reader, struct engine_settings *settings) {
  settings->payload = reader_bytes(reader, "payload", &settings->payload_bytes);
  if (!reader_lacks(reader, "payloadSpread")) {
    settings->payload_spread = (size_t)reader_whole(reader, "payloadSpread");
  }
  if (!reader_lacks(reader, "protocolBytes")) {
    settings->protocol_bytes = reader_bytes(reader, "protocolBytes", &settings->protocol_bytes_count);
  }
  read_parameters(reader, settings);
}

static void read_tls(struct reader *reader, struct engine_settings *settings, struct parts *parts) {
  if (reader_lacks(reader, "tls") || reader->failed) return;
  napi_value value = reader_value(reader, "tls");
  if (tls_texts_read(reader->env, value, &parts->tls) != 0) {
    reader_fail_type(reader, "tls", "null, or an object with all settings of TLS");
  }
  settings->tls = parts->tls.wanted ? &parts->tls.settings : NULL;
}

/* False where it is missing. */
static bool read_flag(struct reader *reader, const char *key) {
  return !reader_lacks(reader, key) && reader_bool(reader, key);
}

/* 0, or -1 with an exception pending. */
static int create_engine(struct reader *reader, struct engine_settings *settings, struct engine **engine,
                         struct transfer_log **log) {
  char path[4096], splits_path[4096];
  reader_string(reader, "logPath", path, sizeof path);
  reader_string(reader, "logSplitsPath", splits_path, sizeof splits_path);
  uint64_t reserve_bytes = reader_ns(reader, "logReserveBytes");
  if (reader->failed) return -1;
  int error = path[0] ? transfer_log_open(path, splits_path[0] ? splits_path : NULL, reserve_bytes, log) : 0;
  if (error) {
    throw_errno(reader->env, path, error);
    return -1;
  }
  settings->log = *log;
  error = engine_create(settings, engine);
  if (error == -EINVAL) {
    throw_errno(reader->env,
                "engine: the payload and the options do not fit the protocol, the workload or protocol cannot have "
                "this pipeline, a rate or timestamps that the settings give it, there is a bound on transfers with a "
                "rate, or a text of TLS is not what it must be",
                error);
  } else if (error) {
    throw_errno(reader->env, "engine: it could not be created", error);
  }
  return error ? -1 : 0;
}

int settings_build(napi_env env, napi_value object, void (*on_interval)(void *context), void *context,
                   struct engine **engine, struct transfer_log **log, bool *own_descriptors, struct tap **tap) {
  struct reader reader = {env, object, false};
  struct parts parts = {0};
  struct engine_settings settings = {.transport = &transport_epoll,
                                     .clock = {clock_monotonic_ns, NULL},
                                     .on_interval = on_interval,
                                     .on_interval_context = context};
  read_names(&reader, &settings);
  read_scalars(&reader, &settings);
  read_endpoints(&reader, &settings, &parts);
  read_protocol_data(&reader, &settings);
  read_schedule(&reader, &settings, &parts);
  read_rates(&reader, &settings, &parts);
  if (!reader_lacks(&reader, "slices")) parts.slices = settings_read_slices(&reader, &settings.slices);
  read_tls(&reader, &settings, &parts);
  *own_descriptors = read_flag(&reader, "ownDescriptors");
  if (read_flag(&reader, "tap")) settings.tap = *tap = allocate(&reader, 1, sizeof **tap);
  int result = create_engine(&reader, &settings, engine, log);
  free_parts(&parts);
  return result;
}
