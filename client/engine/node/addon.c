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
#include <node_api.h>
#include <time.h>

#include "../core/base/affinity.h"
#include "../core/metrics/counters.h"
#include "../core/transport/channel.h"
#include "callbacks.h"
#include "values.h"

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

#define MOST_PID 4194304 /* PID_MAX_LIMIT: the id of a clock has no room for more */

/* processCpuNs(pid): the CPU time of all threads that it has and had, by its clock; null when it has ended. */
static napi_value process_cpu_ns(napi_env env, napi_callback_info info) {
  napi_value argument, result = NULL;
  size_t count = 1;
  int32_t pid = 0;
  clockid_t clock;
  struct timespec time;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  if (count < 1 || napi_get_value_int32(env, argument, &pid) != napi_ok || pid <= 0 || pid > MOST_PID) {
    napi_throw_type_error(env, "EINVAL", "processCpuNs(pid): a process id");
    return NULL;
  }
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
    napi_get_null(env, &result);
  else
    napi_create_double(env, (double)time.tv_sec * 1e9 + (double)time.tv_nsec, &result);
  return result;
}

static void set_names(struct writer *writer, napi_value exports, const char *key, const char *const *names,
                      size_t count) {
  napi_value array = new_array(writer);
  for (size_t i = 0; i < count; i++) set_element(writer, array, (uint32_t)i, new_string(writer, names[i]));
  set_value(writer, exports, key, array);
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
  set_names(&writer, exports, "histograms", histogram_names, HISTOGRAMS);
  set_names(&writer, exports, "statuses", status_names, TRANSFER_STATUSES);
  set_string(&writer, exports, "tls", channel_tls_version());
  set_function(&writer, exports, "sctp", capability_sctp);
  set_function(&writer, exports, "association", association_inspect);
  set_function(&writer, exports, "listeners", listeners);
  set_function(&writer, exports, "pin", pin);
  set_function(&writer, exports, "processCpuNs", process_cpu_ns);
  set_function(&writer, exports, "ownDescriptors", capability_own_descriptors);
  set_function(&writer, exports, "create", engine_call_create);
  set_function(&writer, exports, "start", engine_call_start);
  set_function(&writer, exports, "beginSteady", engine_call_begin_steady);
  set_function(&writer, exports, "changeSlices", engine_call_change_slices);
  set_function(&writer, exports, "drain", engine_call_drain);
  set_function(&writer, exports, "stop", engine_call_stop);
  set_function(&writer, exports, "threads", engine_call_threads);
  set_function(&writer, exports, "tapped", engine_call_tapped);
  if (writer.failed) throw_refused(env, "engine: the addon could not be loaded");
  return exports;
}
