/*
 * node/engine_handle.c: the life of an engine that JavaScript holds: created, started, its intervals handed to
 * JavaScript one by one, ended, freed.
 */
#include "engine_handle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "settings.h"
#include "values.h"

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

/* The engine and its thread have ended: notifies JavaScript. */
static void end(napi_env env, struct handle *handle) {
  engine_threads_join(handle);
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
  engine_threads_join(handle);
}

static void leave(struct handle *handle) {
  if (--handle->users > 0) return;
  if (!handle->started && handle->log) transfer_log_close(handle->log, &handle->log_result);
  engine_destroy(handle->engine);
  free(handle->tap);
  sem_destroy(&handle->news);
  sem_destroy(&handle->read);
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

napi_value engine_handle_create(napi_env env, const napi_value arguments[3]) {
  napi_value external = NULL;
  struct handle *handle = calloc(1, sizeof *handle);
  if (!handle) {
    throw_errno(env, "create(settings, onInterval, onDone)", -ENOMEM);
    return NULL;
  }
  handle->users = 1;
  sem_init(&handle->news, 0, 0);
  sem_init(&handle->read, 0, 0);
  int failed = settings_build(env, arguments[0], engine_threads_wake_javascript, handle, &handle->engine, &handle->log,
                              &handle->has_own_descriptors, &handle->tap);
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

/* Creates what wakes JavaScript's thread. False with an exception pending. */
static bool create_wake_up(napi_env env, napi_value external, struct handle *handle) {
  napi_value name;
  if (napi_create_string_utf8(env, "engine", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_reference(env, external, 1, &handle->self) != napi_ok ||
      napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, handle, finalize_wake_up, handle, on_wake_up,
                                      &handle->wake_up) != napi_ok) {
    throw_refused(env, "start(engine, startNs)");
    return false;
  }
  handle->users++;
  return true;
}

void engine_handle_start(napi_env env, napi_value external, struct handle *handle) {
  if (create_wake_up(env, external, handle)) {
    int error = engine_threads_start(handle);
    if (!error) {
      handle->started = true;
      napi_add_env_cleanup_hook(env, on_exit_of_node, handle);
      return;
    }
    napi_release_threadsafe_function(handle->wake_up, napi_tsfn_abort);
    throw_errno(env, "the engine's thread could not be started", error);
  }
  if (handle->self) napi_delete_reference(env, handle->self);
  handle->self = NULL;
}

void engine_handle_stop(napi_env env, struct handle *handle) {
  handle->stopped = true;
  engine_stop(handle->engine);
  if (!handle->started) forget_callbacks(env, handle);
}
