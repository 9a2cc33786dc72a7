/*
 * node/engine_threads.c: the engine's thread runs the engine, closes its log, says that it has finished and waits until
 * its last interval is read; the messenger passes on what a thread with descriptors of its own cannot write into Node's
 * loop.
 */
#include "engine_handle.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

void engine_threads_wake_javascript(void *context) {
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
  engine_threads_wake_javascript(handle);
  while (sem_wait(&handle->read) != 0) continue;
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

int engine_threads_start(struct handle *handle) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are Node's */
  int error = create_threads(handle);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return error;
}

void engine_threads_join(struct handle *handle) {
  sem_post(&handle->read);
  pthread_join(handle->thread, NULL);
  if (handle->has_own_descriptors) pthread_join(handle->messenger, NULL);
  handle->joined = true;
}
