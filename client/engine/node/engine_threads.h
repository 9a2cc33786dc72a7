/*
 * node/engine_threads.h: the threads of one engine besides JavaScript's: its own, and where that has its own
 * descriptors a messenger.
 */
#ifndef BROADSIDE_NODE_ENGINE_THREADS_H
#define BROADSIDE_NODE_ENGINE_THREADS_H

#include "engine_handle.h"

/* Starts them, with all signals blocked. 0 or -errno: then none runs. */
int engine_threads_start(struct handle *handle);

/* Its last interval is read: lets them end, and waits for that. */
void engine_threads_join(struct handle *handle);

/* For the engine: there is an interval. In any thread; CONTEXT: its handle. */
void engine_threads_wake_javascript(void *context);

#endif
