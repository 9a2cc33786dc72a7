/*
 * node/interval_to_js.c: a cut as index.js describes it: plain numbers, and one typed array for each list of them.
 */
#include "interval_to_js.h"

#include "values.h"

static napi_value histogram_to_js(napi_env env, const struct histogram *histogram) {
  napi_value object, values, counts;
  if (histogram->count == 0) {
    napi_get_null(env, &object);
    return object;
  }
  size_t length = 0;
  for (uint32_t i = histogram->first; i <= histogram->last; i++) length += histogram->counts[i] > 0;
  double *value = new_doubles(env, length, &values), *count = new_doubles(env, length, &counts);
  for (uint32_t i = histogram->first; i <= histogram->last; i++) {
    if (histogram->counts[i] == 0) continue;
    *value++ = (double)histogram_value(i);
    *count++ = (double)histogram->counts[i];
  }
  napi_create_object(env, &object);
  set_value(env, object, "values", values);
  set_value(env, object, "counts", counts);
  set_number(env, object, "min", (double)histogram->min);
  set_number(env, object, "max", (double)histogram->max);
  set_number(env, object, "sum", histogram->sum);
  return object;
}

/* Single values in the form of a histogram. */
static napi_value values_to_js(napi_env env, const uint64_t *numbers, size_t length) {
  napi_value object, values, counts;
  if (length == 0) {
    napi_get_null(env, &object);
    return object;
  }
  double *value = new_doubles(env, length, &values), *count = new_doubles(env, length, &counts);
  double min = (double)numbers[0], max = min, sum = 0;
  for (size_t i = 0; i < length; i++) {
    value[i] = (double)numbers[i];
    count[i] = 1;
    sum += value[i];
    if (value[i] < min) min = value[i];
    if (value[i] > max) max = value[i];
  }
  napi_create_object(env, &object);
  set_value(env, object, "values", values);
  set_value(env, object, "counts", counts);
  set_number(env, object, "min", min);
  set_number(env, object, "max", max);
  set_number(env, object, "sum", sum);
  return object;
}

static void set_singles(napi_env env, napi_value object, const char *key, const struct exemplar *exemplars,
                        size_t length) {
  napi_value array;
  double *data = new_doubles(env, length * 5, &array);
  for (size_t i = 0; i < length; i++, data += 5) {
    data[0] = (double)exemplars[i].key;
    data[1] = (double)exemplars[i].start_ns;
    data[2] = (double)exemplars[i].response_ns;
    data[3] = exemplars[i].connection;
    data[4] = exemplars[i].status;
  }
  set_value(env, object, key, array);
}

napi_value interval_to_js(napi_env env, const struct interval *interval) {
  napi_value object, histograms, last;
  napi_create_object(env, &object);
  napi_create_object(env, &histograms);
  napi_get_boolean(env, interval->last, &last);
  set_number(env, object, "fromNs", (double)interval->from_ns);
  set_number(env, object, "toNs", (double)interval->to_ns);
  set_string(env, object, "phase", phase_names[interval->phase]);
  set_value(env, object, "last", last);
  set_doubles(env, object, "counters", interval->counters, COUNTERS);
  set_doubles(env, object, "gauges", interval->gauges, GAUGES);
  set_value(env, histograms, "responseTime", histogram_to_js(env, &interval->response));
  set_value(env, histograms, "serviceTime", histogram_to_js(env, &interval->service));
  set_value(env, histograms, "connectTime", histogram_to_js(env, &interval->connect));
  set_value(env, histograms, "handshakeTime", histogram_to_js(env, &interval->handshake));
  set_value(env, histograms, "resumptionTime", histogram_to_js(env, &interval->resumption));
  set_value(env, histograms, "recoveryTime", histogram_to_js(env, &interval->recovery));
  set_value(env, histograms, "rtt", values_to_js(env, interval->rtt_ns, interval->rtts));
  if (interval->last) set_value(env, histograms, "perConnection", histogram_to_js(env, &interval->per_connection));
  if (interval->notice[0]) set_string(env, object, "notice", interval->notice);
  set_value(env, object, "histograms", histograms);
  set_singles(env, object, "random", interval->exemplars.random, interval->exemplars.random_count);
  set_singles(env, object, "slowest", interval->exemplars.slowest, interval->exemplars.slowest_count);
  return object;
}
