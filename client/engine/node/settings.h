/*
 * node/settings: an engine made of a JavaScript object. JavaScript's thread only.
 */
#ifndef BROADSIDE_NODE_SETTINGS_H
#define BROADSIDE_NODE_SETTINGS_H

#include <node_api.h>

#include "../core/engine.h"
#include "reader.h"

/* Makes the engine, and its log if one is set (*LOG, else left alone). ON_INTERVAL is called with CONTEXT on the
 * engine's thread. *OWN_DESCRIPTORS: whether that thread is to have a table of its own. *TAP: where one is wanted (else
 * left alone); it is the caller's, to free after the engine. Returns 0, or -1 with an exception pending; *LOG may be
 * open even then, and is the caller's. */
int settings_build(napi_env env, napi_value object, void (*on_interval)(void *context), void *context,
                   struct engine **engine, struct transfer_log **log, bool *own_descriptors, struct tap **tap);

/* Reads the property `slices`: *SLICES points into the list returned, which is the caller's to free. After a failure of
 * READER it may be NULL. */
struct slice *settings_read_slices(struct reader *reader, struct slices *slices);

#endif
