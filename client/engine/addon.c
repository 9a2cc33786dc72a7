/*
 * addon.c: the engine as a Node-API addon; the only file that knows JavaScript. The engine runs on a thread of its own;
 * what it hands over (cuts, the end) reaches the JavaScript thread through one thread-safe function.
 *
 *   JS thread                                 engine thread
 *   create -> start ---------------------->   engine_run
 *   onCut <- take cuts <--- wake-up -------   on_cut
 *   onDone <- join <------- wake-up -------   log closed, done
 */
#include <errno.h>
#include <node_api.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "core/affinity.h"
#include "core/engine.h"

struct handle {
  struct engine *engine;
  struct transfer_log *log;
  struct transfer_log_result log_result;
  napi_env env;
  napi_ref on_cut, on_done, self; /* self: while the engine runs nobody may collect it */
  napi_threadsafe_function wake_up;
  pthread_t thread;
  bool started, joined;
  uint64_t start_ns;
  int error;
  _Atomic pid_t tid;
  pid_t log_tid;
  _Atomic bool finished;
};

/* ---- reading settings; the first failure throws and is remembered ---- */

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

#define ENDPOINT_NUMBERS 9u

static struct sockaddr_in address_of(const double *bytes, double port) {
  uint32_t host = 0;
  for (int i = 0; i < 4; i++) host = host << 8 | (uint8_t)bytes[i];
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(host)};
}

/* One endpoint of the flat list: 4 bytes of the address, the port, 4 bytes of the source (all 0: the kernel's choice).
 */
static struct io_endpoint endpoint_of(const double *numbers) {
  struct io_endpoint endpoint = {.family = AF_INET, .transport = SOCK_STREAM, .nodelay = true};
  struct sockaddr_in address = address_of(numbers, numbers[4]), source = address_of(&numbers[5], 0);
  memcpy(&endpoint.address, &address, sizeof address);
  endpoint.address_length = sizeof address;
  memcpy(&endpoint.source, &source, sizeof source);
  endpoint.source_length = source.sin_addr.s_addr == 0 ? 0 : sizeof source;
  return endpoint;
}

static void throw_errno(napi_env env, const char *what, int error) {
  char message[4400];
  snprintf(message, sizeof message, "%s: %s", what, strerror(-error));
  napi_throw_error(env, strerrorname_np(-error), message);
}

/* ---- writing cuts ---- */

static void set(napi_env env, napi_value object, const char *key, napi_value value) {
  napi_set_named_property(env, object, key, value);
}

static void set_number(napi_env env, napi_value object, const char *key, double number) {
  napi_value value;
  napi_create_double(env, number, &value);
  set(env, object, key, value);
}

static void set_string(napi_env env, napi_value object, const char *key, const char *text) {
  napi_value value;
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  set(env, object, key, value);
}

static double *new_doubles(napi_env env, size_t length, napi_value *array) {
  void *data = NULL;
  napi_value buffer;
  napi_create_arraybuffer(env, length * sizeof(double), &data, &buffer);
  napi_create_typedarray(env, napi_float64_array, length, buffer, 0, array);
  return data;
}

static void set_doubles(napi_env env, napi_value object, const char *key, const uint64_t *numbers, size_t length) {
  napi_value array;
  double *data = new_doubles(env, length, &array);
  for (size_t i = 0; i < length; i++) data[i] = (double)numbers[i];
  set(env, object, key, array);
}

static napi_value histogram_to_js(napi_env env, const struct histogram *histogram) {
  napi_value object, values, counts;
  if (histogram->count == 0) {
    napi_get_null(env, &object);
    return object;
  }
  size_t length = 0;
  for (uint32_t i = histogram->first; i <= histogram->last; i++) length += histogram->counts[i] > 0;
  double *value = new_doubles(env, length, &values), *count = new_doubles(env, length, &counts);
  for (uint32_t i = histogram->first; i <= histogram->last; i++) {
    if (histogram->counts[i] == 0) continue;
    *value++ = (double)histogram_value(i);
    *count++ = (double)histogram->counts[i];
  }
  napi_create_object(env, &object);
  set(env, object, "values", values);
  set(env, object, "counts", counts);
  set_number(env, object, "min", (double)histogram->min);
  set_number(env, object, "max", (double)histogram->max);
  set_number(env, object, "sum", histogram->sum);
  return object;
}

/* Single values in the form of a histogram. */
static napi_value values_to_js(napi_env env, const uint64_t *numbers, size_t length) {
  napi_value object, values, counts;
  if (length == 0) {
    napi_get_null(env, &object);
    return object;
  }
  double *value = new_doubles(env, length, &values), *count = new_doubles(env, length, &counts);
  double min = (double)numbers[0], max = min, sum = 0;
  for (size_t i = 0; i < length; i++) {
    value[i] = (double)numbers[i];
    count[i] = 1;
    sum += value[i];
    if (value[i] < min) min = value[i];
    if (value[i] > max) max = value[i];
  }
  napi_create_object(env, &object);
  set(env, object, "values", values);
  set(env, object, "counts", counts);
  set_number(env, object, "min", min);
  set_number(env, object, "max", max);
  set_number(env, object, "sum", sum);
  return object;
}

static void set_singles(napi_env env, napi_value object, const char *key, const struct single *singles, size_t length) {
  napi_value array;
  double *data = new_doubles(env, length * 5, &array);
  for (size_t i = 0; i < length; i++, data += 5) {
    data[0] = (double)singles[i].key;
    data[1] = (double)singles[i].start_ns;
    data[2] = (double)singles[i].response_ns;
    data[3] = singles[i].connection;
    data[4] = singles[i].status;
  }
  set(env, object, key, array);
}

static napi_value cut_to_js(napi_env env, const struct cut *cut) {
  napi_value object, histograms, last;
  napi_create_object(env, &object);
  napi_create_object(env, &histograms);
  napi_get_boolean(env, cut->last, &last);
  set_number(env, object, "fromNs", (double)cut->from_ns);
  set_number(env, object, "toNs", (double)cut->to_ns);
  set_string(env, object, "phase", cut_phase_names[cut->phase]);
  set(env, object, "last", last);
  set_doubles(env, object, "counters", cut->counters, COUNTERS);
  set_doubles(env, object, "gauges", cut->gauges, GAUGES);
  set(env, histograms, "responseTime", histogram_to_js(env, &cut->response));
  set(env, histograms, "connectTime", histogram_to_js(env, &cut->connect));
  set(env, histograms, "recoveryTime", histogram_to_js(env, &cut->recovery));
  set(env, histograms, "rtt", values_to_js(env, cut->rtt_ns, cut->rtts));
  if (cut->last) set(env, histograms, "perConnection", histogram_to_js(env, &cut->per_connection));
  set(env, object, "histograms", histograms);
  set_singles(env, object, "random", cut->singles.random, cut->singles.randoms);
  set_singles(env, object, "slowest", cut->singles.slowest, cut->singles.slowests);
  return object;
}

/* ---- the two threads ---- */

static void wake_javascript(void *context) {
  struct handle *handle = context;
  napi_call_threadsafe_function(handle->wake_up, NULL, napi_tsfn_nonblocking);
}

static void *engine_thread(void *argument) {
  struct handle *handle = argument;
  atomic_store(&handle->tid, (pid_t)syscall(SYS_gettid));
  handle->error = engine_run(handle->engine, handle->start_ns);
  if (handle->log) transfer_log_close(handle->log, &handle->log_result);
  atomic_store(&handle->finished, true);
  wake_javascript(handle);
  return NULL;
}

static void call(napi_env env, napi_ref function_ref, napi_value argument) {
  napi_value function, global;
  napi_get_reference_value(env, function_ref, &function);
  napi_get_global(env, &global);
  napi_call_function(env, global, function, 1, &argument, NULL);
}

/* They may reach the handle, which then could never be collected. */
static void forget_callbacks(napi_env env, struct handle *handle) {
  if (handle->on_cut) napi_delete_reference(env, handle->on_cut);
  if (handle->on_done) napi_delete_reference(env, handle->on_done);
  handle->on_cut = handle->on_done = NULL;
}

static napi_value result_to_js(napi_env env, const struct handle *handle) {
  napi_value object;
  napi_create_object(env, &object);
  set_number(env, object, "error", handle->error);
  if (!handle->log) return object;
  const struct transfer_log_result *log = &handle->log_result;
  set_number(env, object, "rows", (double)log->rows);
  set_number(env, object, "bytes", (double)log->bytes);
  if (log->error) {
    const char *name = log->error == TRANSFER_LOG_BEHIND ? "behind" : strerrorname_np(-log->error);
    set_string(env, object, "logError", name ? name : "EIO");
  }
  return object;
}

static void on_exit_of_node(void *argument);

static void on_wake_up(napi_env env, napi_value function, void *context, void *data) {
  (void)function;
  (void)data;
  struct handle *handle = context;
  if (!env || handle->joined) return;
  bool finished = atomic_load(&handle->finished); /* read before the cuts: a finished engine hands over no more */
  for (const struct cut *cut; (cut = cuts_take(engine_cuts(handle->engine)));) {
    napi_value object = cut_to_js(env, cut);
    cuts_give_back(engine_cuts(handle->engine));
    call(env, handle->on_cut, object);
  }
  if (!finished) return;
  pthread_join(handle->thread, NULL);
  handle->joined = true;
  napi_remove_env_cleanup_hook(env, on_exit_of_node, handle);
  napi_release_threadsafe_function(handle->wake_up, napi_tsfn_release);
  napi_delete_reference(env, handle->self);
  call(env, handle->on_done, result_to_js(env, handle));
  forget_callbacks(env, handle);
}

/* Its environment ends, or nobody can reach it any more, while the engine runs: stop it and wait, reading its cuts so
 * that it can end. (process.exit() in the main thread ends the process without this: the log then ends at a batch.) */
static void on_exit_of_node(void *argument) {
  struct handle *handle = argument;
  if (!handle->started || handle->joined) return;
  engine_stop(handle->engine);
  while (!atomic_load(&handle->finished)) {
    while (cuts_take(engine_cuts(handle->engine))) cuts_give_back(engine_cuts(handle->engine));
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  pthread_join(handle->thread, NULL);
  handle->joined = true;
}

static void finalize(napi_env env, void *data, void *hint) {
  (void)hint;
  struct handle *handle = data;
  if (handle->started && !handle->joined) on_exit_of_node(handle);
  if (!handle->started && handle->log) transfer_log_close(handle->log, &handle->log_result);
  engine_destroy(handle->engine);
  if (env) forget_callbacks(env, handle);
  free(handle);
}

/* ---- what JavaScript calls ---- */

/* Makes the handle's engine and log of the settings; 0, or -1 with an exception pending. */
static int build_engine(struct reader *reader, struct handle *handle) {
  char io[64], protocol[64], workload[64], path[4096];
  size_t endpoint_numbers, point_numbers, payload_bytes;
  get_string(reader, "io", io, sizeof io);
  get_string(reader, "protocol", protocol, sizeof protocol);
  get_string(reader, "workload", workload, sizeof workload);
  get_string(reader, "logPath", path, sizeof path);
  const double *numbers = get_array(reader, "endpoints", napi_float64_array, &endpoint_numbers);
  const double *points = get_array(reader, "schedule", napi_float64_array, &point_numbers);
  const uint8_t *payload = get_array(reader, "payload", napi_uint8_array, &payload_bytes);
  struct engine_settings settings = {
      .first = get_u32(reader, "first"),
      .stride = get_u32(reader, "stride"),
      .slots = get_u32(reader, "count"),
      .io = io_find(io),
      .clock = {clock_monotonic_ns, NULL},
      .protocol = protocol_find(protocol),
      .workload = workload_find(workload),
      .payload = payload,
      .payload_bytes = payload_bytes,
      .workload_settings = {get_ns(reader, "pauseNs"), get_ns(reader, "heartbeatNs")},
      .steady_from_ns = get_ns(reader, "steadyFromNs"),
      .steady_to_ns = get_ns(reader, "steadyToNs"),
      .connect_timeout_ns = get_ns(reader, "connectTimeoutNs"),
      .transfer_timeout_ns = get_ns(reader, "transferTimeoutNs"),
      .drain_timeout_ns = get_ns(reader, "drainTimeoutNs"),
      .cut_every_ns = get_ns(reader, "cutEveryNs"),
      .backoff = {get_ns(reader, "backoffBaseNs"), get_ns(reader, "backoffCapNs"),
                  get_number(reader, "backoffFactor", 1e6)},
      .connect_rate = get_number(reader, "connectRate", 1e9),
      .seed = get_bigint(reader, "seed"),
      .t0_ns = get_bigint(reader, "t0Ns"),
      .on_cut = wake_javascript,
      .on_cut_context = handle,
  };
  uint64_t reserve_bytes = get_ns(reader, "logReserveBytes");
  if (!reader->failed && !settings.io) fail(reader, "io");
  if (!reader->failed && !settings.protocol) fail(reader, "protocol");
  if (!reader->failed && !settings.workload) fail(reader, "workload");
  if (reader->failed) return -1;
  struct io_endpoint *endpoints = calloc(endpoint_numbers / ENDPOINT_NUMBERS + 1, sizeof *endpoints);
  struct schedule_point *schedule = calloc(point_numbers / 3 + 1, sizeof *schedule);
  if (!endpoints || !schedule) {
    free(endpoints);
    free(schedule);
    throw_errno(reader->env, "engine: it could not be created", -ENOMEM);
    return -1;
  }
  for (size_t i = 0; i < endpoint_numbers / ENDPOINT_NUMBERS; i++) {
    endpoints[i] = endpoint_of(&numbers[ENDPOINT_NUMBERS * i]);
  }
  for (size_t i = 0; i < point_numbers / 3; i++) {
    const double *point = &points[3 * i];
    schedule[i] = (struct schedule_point){(uint64_t)point[0], (uint32_t)point[1], point[2] != 0};
  }
  settings.endpoints = endpoints;
  settings.endpoint_count = (uint32_t)(endpoint_numbers / ENDPOINT_NUMBERS);
  settings.schedule = (struct schedule){schedule, point_numbers / 3};
  int log_error = path[0] ? transfer_log_open(path, reserve_bytes, &handle->log) : 0;
  settings.log = handle->log;
  if (handle->log) handle->log_tid = transfer_log_thread(handle->log);
  int error = log_error ? 0 : engine_create(&settings, &handle->engine);
  free(endpoints);
  free(schedule);
  if (log_error) throw_errno(reader->env, path, log_error);
  if (error == -EINVAL) {
    throw_errno(reader->env,
                "engine: no slots, no endpoints, no payload, no time between cuts, or a schedule that falls", error);
  } else if (error) {
    throw_errno(reader->env, "engine: it could not be created", error);
  }
  return log_error || error ? -1 : 0;
}

static napi_value create(napi_env env, napi_callback_info info) {
  napi_value arguments[3], external, name;
  size_t count = 3;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  struct handle *handle = calloc(1, sizeof *handle);
  if (!handle || count < 3) {
    free(handle);
    napi_throw_error(env, "EINVAL", "create(settings, onCut, onDone)");
    return NULL;
  }
  handle->env = env;
  struct reader reader = {env, arguments[0], false};
  if (build_engine(&reader, handle) != 0) {
    finalize(env, handle, NULL);
    return NULL;
  }
  napi_create_reference(env, arguments[1], 1, &handle->on_cut);
  napi_create_reference(env, arguments[2], 1, &handle->on_done);
  napi_create_string_utf8(env, "engine", NAPI_AUTO_LENGTH, &name);
  napi_create_external(env, handle, finalize, NULL, &external);
  return external;
}

static struct handle *handle_of(napi_env env, napi_callback_info info, napi_value arguments[2]) {
  size_t count = 2;
  void *data = NULL;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (count < 1 || napi_get_value_external(env, arguments[0], &data) != napi_ok) {
    napi_throw_type_error(env, "EINVAL", "not an engine");
    return NULL;
  }
  return data;
}

static napi_value start(napi_env env, napi_callback_info info) {
  napi_value arguments[2], name;
  bool lossless;
  struct handle *handle = handle_of(env, info, arguments);
  if (!handle) return NULL;
  if (handle->started || napi_get_value_bigint_uint64(env, arguments[1], &handle->start_ns, &lossless) != napi_ok) {
    napi_throw_error(env, "EINVAL", "start(engine, startNs): a bigint, once");
    return NULL;
  }
  napi_create_string_utf8(env, "engine", NAPI_AUTO_LENGTH, &name);
  napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, NULL, NULL, handle, on_wake_up, &handle->wake_up);
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are Node's */
  int error = -pthread_create(&handle->thread, NULL, engine_thread, handle);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (error) {
    napi_release_threadsafe_function(handle->wake_up, napi_tsfn_abort);
    throw_errno(env, "the engine's thread could not be started", error);
    return NULL;
  }
  handle->started = true;
  napi_create_reference(env, arguments[0], 1, &handle->self);
  napi_add_env_cleanup_hook(env, on_exit_of_node, handle);
  return NULL;
}

static napi_value drain(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  double at_ns = 0;
  struct handle *handle = handle_of(env, info, arguments);
  if (!handle) return NULL;
  if (napi_get_value_double(env, arguments[1], &at_ns) != napi_ok || !(at_ns >= 0)) {
    napi_throw_type_error(env, "EINVAL", "drain(engine, atNs): a number >= 0");
    return NULL;
  }
  engine_drain(handle->engine, (uint64_t)at_ns);
  return NULL;
}

static napi_value stop(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  struct handle *handle = handle_of(env, info, arguments);
  if (!handle) return NULL;
  engine_stop(handle->engine);
  if (!handle->started) forget_callbacks(env, handle);
  return NULL;
}

static napi_value threads(napi_env env, napi_callback_info info) {
  napi_value arguments[2], object;
  struct handle *handle = handle_of(env, info, arguments);
  if (!handle) return NULL;
  napi_create_object(env, &object);
  set_number(env, object, "engine", atomic_load(&handle->tid));
  set_number(env, object, "writer", handle->log_tid);
  return object;
}

static void set_names(napi_env env, napi_value exports, const char *key, const char *const *names, size_t count) {
  napi_value array;
  napi_create_array_with_length(env, count, &array);
  for (size_t i = 0; i < count; i++) {
    napi_value name;
    napi_create_string_utf8(env, names[i], NAPI_AUTO_LENGTH, &name);
    napi_set_element(env, array, (uint32_t)i, name);
  }
  set(env, exports, key, array);
}

/* The io backends of this build: [{name, error}], error 0 or why this kernel cannot, as an errno's name. */
static napi_value backends(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value array, object;
  napi_create_array(env, &array);
  for (uint32_t i = 0; io_backends[i]; i++) {
    int error = io_backends[i]->probe();
    napi_create_object(env, &object);
    set_string(env, object, "name", io_backends[i]->name);
    set_string(env, object, "error", error ? strerrorname_np(-error) : "");
    napi_set_element(env, array, i, object);
  }
  return array;
}

/* pin(cpus): a Uint32Array. */
static napi_value pin(napi_env env, napi_callback_info info) {
  napi_value argument;
  size_t count = 1, length = 0;
  void *cpus = NULL;
  napi_typedarray_type type = napi_int8_array;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  if (count < 1 || napi_get_typedarray_info(env, argument, &type, &length, &cpus, NULL, NULL) != napi_ok ||
      type != napi_uint32_array) {
    napi_throw_type_error(env, "EINVAL", "pin(cpus): a Uint32Array");
    return NULL;
  }
  int error = affinity_set(cpus, length);
  if (error) throw_errno(env, "this process cannot be bound to the CPUs asked for", error);
  return NULL;
}

static void set_function(napi_env env, napi_value exports, const char *name, napi_callback callback) {
  napi_value function;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, NULL, &function);
  set(env, exports, name, function);
}

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the macro declares what only Node calls */
NAPI_MODULE_INIT() {
  set_names(env, exports, "counters", cut_counter_names, COUNTERS);
  set_names(env, exports, "gauges", cut_gauge_names, GAUGES);
  set_names(env, exports, "statuses", cut_status_names, TRANSFER_STATUSES);
  set_function(env, exports, "backends", backends);
  set_function(env, exports, "pin", pin);
  set_function(env, exports, "create", create);
  set_function(env, exports, "start", start);
  set_function(env, exports, "drain", drain);
  set_function(env, exports, "stop", stop);
  set_function(env, exports, "threads", threads);
  return exports;
}
