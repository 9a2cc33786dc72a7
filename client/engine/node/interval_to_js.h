/*
 * node/interval_to_js: what the engine hands over, as a JavaScript object. JavaScript's thread only.
 */
#ifndef BROADSIDE_NODE_CUT_TO_JS_H
#define BROADSIDE_NODE_CUT_TO_JS_H

#include <node_api.h>

#include "../core/metrics/interval.h"

napi_value interval_to_js(napi_env env, const struct interval *interval);

#endif
