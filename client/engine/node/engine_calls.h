/*
 * node/engine_calls.h: what JavaScript calls on an engine: each is a napi_callback, and throws what index.js documents.
 */
#ifndef BROADSIDE_NODE_ENGINE_CALLS_H
#define BROADSIDE_NODE_ENGINE_CALLS_H

#include <node_api.h>

/* create(settings, onInterval, onDone): an engine, not started yet. */
napi_value engine_call_create(napi_env env, napi_callback_info info);

/* start(engine, startNs): once. */
napi_value engine_call_start(napi_env env, napi_callback_info info);

/* beginSteady(engine, fromNs, toNs): the steady state begins earlier than planned. */
napi_value engine_call_begin_steady(napi_env env, napi_callback_info info);

/* changeSlices(engine, {slices}): these are the slices of the leg from now on. */
napi_value engine_call_change_slices(napi_env env, napi_callback_info info);

/* drain(engine, atNs) */
napi_value engine_call_drain(napi_env env, napi_callback_info info);

/* stop(engine): ends it at once; one that has not been started never will be. */
napi_value engine_call_stop(napi_env env, napi_callback_info info);

/* threads(engine) -> {engine, writer}: thread ids; 0 where there is none. */
napi_value engine_call_threads(napi_env env, napi_callback_info info);

/* tapped(engine) -> {sent, received, timesNs, tls} once the engine has ended; null where it has no tap. */
napi_value engine_call_tapped(napi_env env, napi_callback_info info);

#endif
