/*
 * node/addon.c: the engine as a Node-API addon; only this folder knows JavaScript. The engine runs on a thread of its
 * own; what it hands over (intervals, the end) reaches the JavaScript thread through one thread-safe function.
 *
 *   JS thread                                 engine thread
 *   create -> start ---------------------->   engine_run
 *   onInterval <- take <---- wake-up ------   on_interval
 *   onDone <- join <------- wake-up -------   log closed, done
 *
 * A thread with a table of descriptors of its own cannot wake Node's loop, which takes a write to one of Node's: then a
 * messenger, a thread with those, does.
 */
#include <errno.h>
#include <node_api.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../core/base/affinity.h"
#include "../core/base/descriptor_table.h"
#include "../core/engine.h"
#include "../core/transport/sctp_socket.h"
#ifdef HAVE_USRSCTP
#include "../core/transport/usrsctp_settings.h"
#endif
#include "association.h"
#include "interval_to_js.h"
#include "listeners.h"
#include "settings.h"
#include "values.h"

#define NS_MAX 0x1p53 /* times are doubles, exact up to here */

/* One engine. Freed when JavaScript cannot reach it any more and nothing waits in its thread-safe function. */
struct handle {
  struct engine *engine;
  struct transfer_log *log;
  struct transfer_log_result log_result;
  napi_ref on_interval, on_done, self; /* self: keeps it from being collected while the engine runs */
  napi_threadsafe_function wake_up;
  pthread_t thread, messenger;
  sem_t news;                /* what the messenger waits for */
  bool has_own_descriptors;  /* ... of its thread; then there is a messenger */
  _Atomic bool is_dismissed; /* the messenger: the engine's thread did not start */
  unsigned users;            /* JavaScript's object, the thread-safe function */
  bool started, stopped, joined;
  uint64_t start_ns;
  int error;
  _Atomic pid_t tid;
  pid_t log_tid;
  _Atomic bool finished;
};

/* ---- the two threads ---- */

static void wake_javascript(void *context) {
  struct handle *handle = context;
  if (handle->has_own_descriptors) {
    sem_post(&handle->news);
  } else {
    napi_call_threadsafe_function(handle->wake_up, NULL, napi_tsfn_nonblocking);
  }
}

static void *messenger_thread(void *argument) {
  struct handle *handle = argument;
  for (;;) {
    while (sem_wait(&handle->news) != 0) continue;
    if (atomic_load(&handle->is_dismissed)) return NULL;
    bool finished = atomic_load(&handle->finished);
    napi_call_threadsafe_function(handle->wake_up, NULL, napi_tsfn_nonblocking);
    if (finished) return NULL;
  }
}

static void *engine_thread(void *argument) {
  struct handle *handle = argument;
  atomic_store(&handle->tid, (pid_t)syscall(SYS_gettid));
  handle->error = handle->has_own_descriptors ? engine_own_descriptors(handle->engine) : 0;
  if (!handle->error) handle->error = engine_run(handle->engine, handle->start_ns);
  if (handle->log) transfer_log_close(handle->log, &handle->log_result);
  atomic_store(&handle->finished, true);
  wake_javascript(handle);
  return NULL;
}

/* What is pending becomes an uncaught exception: Node would swallow it after a thread-safe function's call. If the
 * process outlives it, nothing is pending any more and the next call can be made. */
static void raise_pending(napi_env env, const char *what) {
  napi_value error;
  throw_refused(env, what);
  if (napi_get_and_clear_last_exception(env, &error) == napi_ok) napi_fatal_exception(env, error);
}

static void call(napi_env env, napi_ref callback, const struct writer *writer, napi_value argument) {
  napi_value function, global;
  bool called = !writer->failed && napi_get_reference_value(env, callback, &function) == napi_ok &&
                napi_get_global(env, &global) == napi_ok &&
                napi_call_function(env, global, function, 1, &argument, NULL) == napi_ok;
  if (!called) raise_pending(env, "engine: a callback could not be called");
}

/* They may reach the handle, which then could never be collected. */
static void forget_callbacks(napi_env env, struct handle *handle) {
  if (handle->on_interval) napi_delete_reference(env, handle->on_interval);
  if (handle->on_done) napi_delete_reference(env, handle->on_done);
  handle->on_interval = handle->on_done = NULL;
}

static napi_value result_to_js(struct writer *writer, const struct handle *handle) {
  napi_value object = new_object(writer);
  set_number(writer, object, "error", handle->error);
  if (!handle->log) return object;
  const struct transfer_log_result *log = &handle->log_result;
  set_number(writer, object, "rows", (double)log->rows);
  set_number(writer, object, "bytes", (double)log->bytes);
  if (log->error) {
    const char *name = log->error == TRANSFER_LOG_BEHIND ? "behind" : strerrorname_np(-log->error);
    set_string(writer, object, "logError", name ? name : "EIO");
  }
  return object;
}

static void on_exit_of_node(void *argument);

static void join(struct handle *handle) {
  pthread_join(handle->thread, NULL);
  if (handle->has_own_descriptors) pthread_join(handle->messenger, NULL);
  handle->joined = true;
}

/* The engine and its thread have ended: notifies JavaScript. */
static void end(napi_env env, struct handle *handle) {
  join(handle);
  napi_remove_env_cleanup_hook(env, on_exit_of_node, handle);
  napi_release_threadsafe_function(handle->wake_up, napi_tsfn_release);
  napi_delete_reference(env, handle->self);
  struct writer writer = {env, false};
  napi_value result = result_to_js(&writer, handle);
  call(env, handle->on_done, &writer, result);
  forget_callbacks(env, handle);
}

/* In JavaScript's thread. */
static void on_wake_up(napi_env env, napi_value function, void *context, void *data) {
  (void)function;
  (void)data;
  struct handle *handle = context;
  if (!env || handle->joined) return;
  bool finished = atomic_load(&handle->finished); /* read before the intervals: after it there are no more */
  struct intervals *intervals = engine_intervals(handle->engine);
  for (const struct interval *interval; (interval = interval_take(intervals));) {
    struct writer writer = {env, false};
    napi_value object = interval_to_js(&writer, interval);
    interval_release(intervals);
    call(env, handle->on_interval, &writer, object);
  }
  if (finished) end(env, handle);
}

/* Its environment ends while the engine runs: stop it and wait, reading its intervals so that it can end.
 * (process.exit() in the main thread ends the process without this: the log then ends at a batch.) */
static void on_exit_of_node(void *argument) {
  struct handle *handle = argument;
  if (!handle->started || handle->joined) return;
  engine_stop(handle->engine);
  while (!atomic_load(&handle->finished)) {
    while (interval_take(engine_intervals(handle->engine))) interval_release(engine_intervals(handle->engine));
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  join(handle);
}

static void leave(struct handle *handle) {
  if (--handle->users > 0) return;
  if (!handle->started && handle->log) transfer_log_close(handle->log, &handle->log_result);
  engine_destroy(handle->engine);
  sem_destroy(&handle->news);
  free(handle);
}

/* JavaScript cannot reach it any more, or its environment ends. */
static void finalize(napi_env env, void *data, void *hint) {
  (void)hint;
  struct handle *handle = data;
  on_exit_of_node(handle);
  if (env) forget_callbacks(env, handle);
  leave(handle);
}

/* The last wake-up has been handed out. */
static void finalize_wake_up(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  leave(data);
}

/* ---- what JavaScript calls ---- */

static napi_value create(napi_env env, napi_callback_info info) {
  napi_value arguments[3], external = NULL;
  size_t count = 3;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  struct handle *handle = count < 3 ? NULL : calloc(1, sizeof *handle);
  if (!handle) {
    throw_errno(env, "create(settings, onInterval, onDone)", count < 3 ? -EINVAL : -ENOMEM);
    return NULL;
  }
  handle->users = 1;
  sem_init(&handle->news, 0, 0);
  int failed = settings_build(env, arguments[0], wake_javascript, handle, &handle->engine, &handle->log,
                              &handle->has_own_descriptors);
  if (handle->log) handle->log_tid = transfer_log_thread(handle->log);
  if (!failed && napi_create_reference(env, arguments[1], 1, &handle->on_interval) == napi_ok &&
      napi_create_reference(env, arguments[2], 1, &handle->on_done) == napi_ok &&
      napi_create_external(env, handle, finalize, NULL, &external) == napi_ok) {
    return external;
  }
  if (!failed) throw_refused(env, "create(settings, onInterval, onDone)");
  finalize(env, handle, NULL);
  return NULL;
}

/* The engine that is the first of the arguments, at most COUNT of them; NULL with an exception pending. Arguments that
 * are missing are undefined. */
static struct handle *handle_of(napi_env env, napi_callback_info info, napi_value *arguments, size_t count) {
  void *data = NULL;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (napi_get_value_external(env, arguments[0], &data) == napi_ok) return data;
  napi_throw_type_error(env, "EINVAL", "not an engine");
  return NULL;
}

/* 0 or -errno. */
static int create_threads(struct handle *handle) {
  int error = handle->has_own_descriptors ? -pthread_create(&handle->messenger, NULL, messenger_thread, handle) : 0;
  if (error) return error;
  error = -pthread_create(&handle->thread, NULL, engine_thread, handle);
  if (error && handle->has_own_descriptors) {
    atomic_store(&handle->is_dismissed, true);
    sem_post(&handle->news);
    pthread_join(handle->messenger, NULL);
  }
  return error;
}

/* Starts the engine's thread. 0, -errno, or 1 with an exception pending. */
static int start_thread(napi_env env, napi_value external, struct handle *handle) {
  napi_value name;
  if (napi_create_string_utf8(env, "engine", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_reference(env, external, 1, &handle->self) != napi_ok ||
      napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, handle, finalize_wake_up, handle, on_wake_up,
                                      &handle->wake_up) != napi_ok) {
    throw_refused(env, "start(engine, startNs)");
    return 1;
  }
  handle->users++;
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are Node's */
  int error = create_threads(handle);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (error) napi_release_threadsafe_function(handle->wake_up, napi_tsfn_abort);
  return error;
}

static napi_value start(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  bool lossless;
  struct handle *handle = handle_of(env, info, arguments, 2);
  if (!handle) return NULL;
  if (handle->started || handle->stopped) {
    const char *why = handle->started ? "start(engine, startNs): it has been started, which it can be once"
                                      : "start(engine, startNs): it has been stopped; create another";
    napi_throw_error(env, "EALREADY", why);
    return NULL;
  }
  if (napi_get_value_bigint_uint64(env, arguments[1], &handle->start_ns, &lossless) != napi_ok || !lossless) {
    napi_throw_type_error(env, "EINVAL", "start(engine, startNs): startNs must be a bigint from 0 to 2^64 - 1");
    return NULL;
  }
  int error = start_thread(env, arguments[0], handle);
  if (error < 0) throw_errno(env, "the engine's thread could not be started", error);
  if (error) {
    if (handle->self) napi_delete_reference(env, handle->self);
    handle->self = NULL;
    return NULL;
  }
  handle->started = true;
  napi_add_env_cleanup_hook(env, on_exit_of_node, handle);
  return NULL;
}

/* A time of WHAT into *NS. False with an exception pending. */
static bool read_ns(napi_env env, napi_value value, const char *what, uint64_t *ns) {
  double number;
  char message[200];
  if (napi_get_value_double(env, value, &number) != napi_ok) {
    snprintf(message, sizeof message, "%s must be a number", what);
    napi_throw_type_error(env, "EINVAL", message);
    return false;
  }
  if (!(number >= 0 && number <= NS_MAX)) {
    snprintf(message, sizeof message, "%s is %g; it must be from 0 to 2^53", what, number);
    napi_throw_range_error(env, "EINVAL", message);
    return false;
  }
  *ns = (uint64_t)number;
  return true;
}

static napi_value drain(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  uint64_t at_ns;
  struct handle *handle = handle_of(env, info, arguments, 2);
  if (handle && read_ns(env, arguments[1], "drain: atNs", &at_ns)) engine_drain(handle->engine, at_ns);
  return NULL;
}

static napi_value begin_steady(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  uint64_t from_ns, to_ns;
  struct handle *handle = handle_of(env, info, arguments, 3);
  if (!handle || !read_ns(env, arguments[1], "beginSteady: fromNs", &from_ns) ||
      !read_ns(env, arguments[2], "beginSteady: toNs", &to_ns)) {
    return NULL;
  }
  if (to_ns < from_ns) {
    napi_throw_range_error(env, "EINVAL", "beginSteady: toNs is before fromNs");
    return NULL;
  }
  engine_begin_steady(handle->engine, from_ns, to_ns);
  return NULL;
}

/* Ends the engine at once; one that has not been started never will be. */
static napi_value stop(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  struct handle *handle = handle_of(env, info, arguments, 1);
  if (!handle) return NULL;
  handle->stopped = true;
  engine_stop(handle->engine);
  if (!handle->started) forget_callbacks(env, handle);
  return NULL;
}

/* {engine, writer}: thread ids; 0 where there is none. */
static napi_value threads(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  struct handle *handle = handle_of(env, info, arguments, 1);
  if (!handle) return NULL;
  struct writer writer = {env, false};
  napi_value object = new_object(&writer);
  set_number(&writer, object, "engine", atomic_load(&handle->tid));
  set_number(&writer, object, "writer", handle->log_tid);
  return object;
}

/* The CPU time that the engine's thread has spent on polls that found nothing, ns. */
static napi_value idle_poll_ns(napi_env env, napi_callback_info info) {
  napi_value arguments[1], number = NULL;
  struct handle *handle = handle_of(env, info, arguments, 1);
  if (!handle) return NULL;
  napi_create_double(env, (double)engine_idle_poll_ns(handle->engine), &number);
  return number;
}

static void set_names(struct writer *writer, napi_value exports, const char *key, const char *const *names,
                      size_t count) {
  napi_value array = new_array(writer);
  for (size_t i = 0; i < count; i++) set_element(writer, array, (uint32_t)i, new_string(writer, names[i]));
  set_value(writer, exports, key, array);
}

/* The transports of this build: [{name, error}]; error: '', or why this kernel cannot, as an errno's name. */
static napi_value backends(napi_env env, napi_callback_info info) {
  (void)info;
  struct writer writer = {env, false};
  napi_value array = new_array(&writer);
  for (uint32_t i = 0; transports[i]; i++) {
    int error = transports[i]->probe();
    const char *name = error ? strerrorname_np(-error) : "";
    napi_value object = new_object(&writer);
    set_string(&writer, object, "name", transports[i]->name);
    set_string(&writer, object, "error", name ? name : "EIO");
    set_element(&writer, array, i, object);
  }
  return array;
}

#ifndef USRSCTP_VERSION
#define USRSCTP_VERSION ""
#endif

/* {kernel, usrsctp}: kernel: '', or why this kernel has no SCTP, as an errno's name; usrsctp: its version, '' where it
 * is not built in. */
static napi_value sctp(napi_env env, napi_callback_info info) {
  (void)info;
  struct writer writer = {env, false};
  int error = sctp_socket_probe();
  const char *name = error ? strerrorname_np(-error) : "";
  napi_value object = new_object(&writer);
  set_string(&writer, object, "kernel", name ? name : "EIO");
  set_string(&writer, object, "usrsctp", USRSCTP_VERSION);
  return object;
}

/* What usrsctp is set to, by name; throws where it is not built in. */
static napi_value usrsctp_settings(napi_env env, napi_callback_info info) {
  (void)info;
#ifdef HAVE_USRSCTP
  struct writer writer = {env, false};
  struct usrsctp_setting settings[USRSCTP_SETTINGS];
  int error = usrsctp_settings_read(settings);
  if (!error) {
    napi_value object = new_object(&writer);
    for (size_t i = 0; i < USRSCTP_SETTINGS; i++) set_number(&writer, object, settings[i].name, settings[i].value);
    return object;
  }
#else
  int error = -ENOSYS;
#endif
  throw_errno(env, "the settings of usrsctp cannot be read", error);
  return NULL;
}

/* Whether this kernel lets an engine's thread have descriptors of its own. */
static napi_value own_descriptors(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value works = NULL;
  napi_get_boolean(env, descriptor_table_probe(), &works);
  return works;
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
  if (error) throw_errno(env, "this process cannot be bound to the requested CPUs", error);
  return NULL;
}

static void set_function(struct writer *writer, napi_value exports, const char *name, napi_callback callback) {
  napi_value function = NULL;
  if (writer->failed) return;
  writer->failed = napi_create_function(writer->env, name, NAPI_AUTO_LENGTH, callback, NULL, &function) != napi_ok;
  set_value(writer, exports, name, function);
}

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the macro declares what only Node calls */
NAPI_MODULE_INIT() {
  struct writer writer = {env, false};
  set_names(&writer, exports, "counters", counter_names, COUNTERS);
  set_names(&writer, exports, "gauges", gauge_names, GAUGES);
  set_names(&writer, exports, "statuses", status_names, TRANSFER_STATUSES);
  set_string(&writer, exports, "tls", channel_tls_version());
  set_function(&writer, exports, "backends", backends);
  set_function(&writer, exports, "sctp", sctp);
  set_function(&writer, exports, "usrsctpSettings", usrsctp_settings);
  set_function(&writer, exports, "association", association_inspect);
  set_function(&writer, exports, "listeners", listeners);
  set_function(&writer, exports, "pin", pin);
  set_function(&writer, exports, "ownDescriptors", own_descriptors);
  set_function(&writer, exports, "create", create);
  set_function(&writer, exports, "start", start);
  set_function(&writer, exports, "beginSteady", begin_steady);
  set_function(&writer, exports, "drain", drain);
  set_function(&writer, exports, "stop", stop);
  set_function(&writer, exports, "threads", threads);
  set_function(&writer, exports, "idlePollNs", idle_poll_ns);
  if (writer.failed) throw_refused(env, "engine: the addon could not be loaded");
  return exports;
}
