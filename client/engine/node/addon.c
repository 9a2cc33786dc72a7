/*
 * node/addon.c: the engine as a Node-API addon; only this folder knows JavaScript. The engine runs on a thread of its
 * own; what it hands over (cuts, the end) reaches the JavaScript thread through one thread-safe function.
 *
 *   JS thread                                 engine thread
 *   create -> start ---------------------->   engine_run
 *   onCut <- take cuts <--- wake-up -------   on_interval
 *   onDone <- join <------- wake-up -------   log closed, done
 */
#include <errno.h>
#include <node_api.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../core/base/affinity.h"
#include "../core/engine.h"
#include "interval_to_js.h"
#include "settings.h"
#include "values.h"

struct handle {
  struct engine *engine;
  struct transfer_log *log;
  struct transfer_log_result log_result;
  napi_env env;
  napi_ref on_interval, on_done, self; /* self: while the engine runs nobody may collect it */
  napi_threadsafe_function wake_up;
  pthread_t thread;
  bool started, joined;
  uint64_t start_ns;
  int error;
  _Atomic pid_t tid;
  pid_t log_tid;
  _Atomic bool finished;
};

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
  if (handle->on_interval) napi_delete_reference(env, handle->on_interval);
  if (handle->on_done) napi_delete_reference(env, handle->on_done);
  handle->on_interval = handle->on_done = NULL;
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
  for (const struct interval *interval; (interval = interval_take(engine_cuts(handle->engine)));) {
    napi_value object = interval_to_js(env, interval);
    interval_release(engine_cuts(handle->engine));
    call(env, handle->on_interval, object);
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
    while (interval_take(engine_cuts(handle->engine))) interval_release(engine_cuts(handle->engine));
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
  int failed = settings_build(env, arguments[0], wake_javascript, handle, &handle->engine, &handle->log);
  if (handle->log) handle->log_tid = transfer_log_thread(handle->log);
  if (failed) {
    finalize(env, handle, NULL);
    return NULL;
  }
  napi_create_reference(env, arguments[1], 1, &handle->on_interval);
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

static napi_value begin_steady(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  size_t count = 3;
  void *data = NULL;
  double from_ns = -1, to_ns = -1;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  bool is_engine = count == 3 && napi_get_value_external(env, arguments[0], &data) == napi_ok;
  if (is_engine) {
    napi_get_value_double(env, arguments[1], &from_ns);
    napi_get_value_double(env, arguments[2], &to_ns);
  }
  if (!(from_ns >= 0 && to_ns >= from_ns)) {
    napi_throw_type_error(env, "EINVAL", "beginSteady(engine, fromNs, toNs): two numbers, 0 <= fromNs <= toNs");
    return NULL;
  }
  engine_begin_steady(((struct handle *)data)->engine, (uint64_t)from_ns, (uint64_t)to_ns);
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

/* For how long the engine's thread has looked in vain, ns. */
static napi_value spun_ns(napi_env env, napi_callback_info info) {
  napi_value arguments[2], number;
  struct handle *handle = handle_of(env, info, arguments);
  if (!handle) return NULL;
  napi_create_double(env, (double)engine_spun_ns(handle->engine), &number);
  return number;
}

static void set_names(napi_env env, napi_value exports, const char *key, const char *const *names, size_t count) {
  napi_value array;
  napi_create_array_with_length(env, count, &array);
  for (size_t i = 0; i < count; i++) {
    napi_value name;
    napi_create_string_utf8(env, names[i], NAPI_AUTO_LENGTH, &name);
    napi_set_element(env, array, (uint32_t)i, name);
  }
  set_value(env, exports, key, array);
}

/* The transport backends of this build: [{name, error}], error 0 or why this kernel cannot, as an errno's name. */
static napi_value backends(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value array, object;
  napi_create_array(env, &array);
  for (uint32_t i = 0; transports[i]; i++) {
    int error = transports[i]->probe();
    napi_create_object(env, &object);
    set_string(env, object, "name", transports[i]->name);
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
  set_value(env, exports, name, function);
}

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the macro declares what only Node calls */
NAPI_MODULE_INIT() {
  set_names(env, exports, "counters", counter_names, COUNTERS);
  set_names(env, exports, "gauges", gauge_names, GAUGES);
  set_names(env, exports, "statuses", status_names, TRANSFER_STATUSES);
  set_string(env, exports, "tls", channel_tls_version());
  set_function(env, exports, "backends", backends);
  set_function(env, exports, "pin", pin);
  set_function(env, exports, "create", create);
  set_function(env, exports, "start", start);
  set_function(env, exports, "beginSteady", begin_steady);
  set_function(env, exports, "drain", drain);
  set_function(env, exports, "stop", stop);
  set_function(env, exports, "threads", threads);
  set_function(env, exports, "spunNs", spun_ns);
  return exports;
}
