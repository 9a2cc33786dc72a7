/*
 * node/engine_handle.h: one engine as JavaScript holds it: the engine, its threads, and the callbacks that JavaScript
 * gave. JavaScript's thread owns it; what another thread writes is atomic.
 */
#ifndef BROADSIDE_NODE_ENGINE_HANDLE_H
#define BROADSIDE_NODE_ENGINE_HANDLE_H

#include <node_api.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../core/engine.h"
#include "values.h"

/* One engine. Freed when JavaScript cannot reach it any more and nothing waits in its thread-safe function. */
struct handle {
  struct engine *engine;
  struct transfer_log *log;
  struct tap *tap; /* NULL: the engine has none */
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
  sem_t read; /* posted when JavaScript has read the last interval: until then the engine's thread stays, and with it
                 what the kernel says of its use */
};

/* An external value with a handle that is freed by itself, from settings and two functions; NULL with an exception
 * pending. */
napi_value engine_handle_create(napi_env env, const napi_value arguments[3]);

/* Starts the engine's thread at start_ns. EXTERNAL is not collected while it runs. An exception is pending where it
 * does not start. */
void engine_handle_start(napi_env env, napi_value external, struct handle *handle);

/* Ends the engine at once; one that has not been started never will be. */
void engine_handle_stop(napi_env env, struct handle *handle);

/* ---- engine_threads.c: the threads of one engine besides JavaScript's: the engine's, and where that has its own
 * descriptors a messenger ---- */

/* Starts them, with all signals blocked. 0 or -errno: then none runs. */
int engine_threads_start(struct handle *handle);

/* Its last interval is read: lets them end, and waits for that. */
void engine_threads_join(struct handle *handle);

/* For the engine: there is an interval. In any thread; CONTEXT: its handle. */
void engine_threads_wake_javascript(void *context);

/* interval_to_js.c: the interval as index.js describes it. JavaScript's thread only. */
napi_value interval_to_js(struct writer *writer, const struct interval *interval);

#endif
