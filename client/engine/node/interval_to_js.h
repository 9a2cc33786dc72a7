/*
 * node/interval_to_js: an interval as a JavaScript object. JavaScript's thread only.
 */
#ifndef BROADSIDE_NODE_INTERVAL_TO_JS_H
#define BROADSIDE_NODE_INTERVAL_TO_JS_H

#include "../core/metrics/interval.h"
#include "values.h"

/* The interval as index.js describes it. */
napi_value interval_to_js(struct writer *writer, const struct interval *interval);

#endif
