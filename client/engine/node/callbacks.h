/*
 * node/callbacks.h: the functions that addon.c exports, as napi_callback. What each throws is documented in index.js.
 */
#ifndef BROADSIDE_NODE_CALLBACKS_H
#define BROADSIDE_NODE_CALLBACKS_H

#include <node_api.h>

/* ---- capabilities.c: what this build and this kernel can do ---- */

/* sctp(): '', or why this kernel has no SCTP, as an errno's name. */
napi_value capability_sctp(napi_env env, napi_callback_info info);

/* ownDescriptors(): whether this kernel lets an engine's thread have descriptors of its own. */
napi_value capability_own_descriptors(napi_env env, napi_callback_info info);

/* ---- association.c, listeners.c ---- */

/* association(record, transport, timeoutNs): {local, peer}: texts such as 127.0.0.1:80; throws an errno's name. */
napi_value association_inspect(napi_env env, napi_callback_info info);

/* listeners(): [{address, port, inode, queue, backlog, drops}]; throws an errno's name. */
napi_value listeners(napi_env env, napi_callback_info info);

/* ---- engine_calls.c: what is called on an engine ---- */

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
