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

static void set_singles(napi_env env, napi_value object, const char *key, const struct single *singles, size_t length) {
  napi_value array;
  double *data = new_doubles(env, length * 5, &array);
  for (size_t i = 0; i < length; i++, data += 5) {
    data[0] = (double)singles[i].key;
    data[1] = (double)singles[i].start_ns;
    data[2] = (double)singles[i].response_ns;
    data[3] = singles[i].connection;
    data[4] = singles[i].status;
  }
  set_value(env, object, key, array);
}

napi_value cut_to_js(napi_env env, const struct cut *cut) {
  napi_value object, histograms, last;
  napi_create_object(env, &object);
  napi_create_object(env, &histograms);
  napi_get_boolean(env, cut->last, &last);
  set_number(env, object, "fromNs", (double)cut->from_ns);
  set_number(env, object, "toNs", (double)cut->to_ns);
  set_string(env, object, "phase", cut_phase_names[cut->phase]);
  set_value(env, object, "last", last);
  set_doubles(env, object, "counters", cut->counters, COUNTERS);
  set_doubles(env, object, "gauges", cut->gauges, GAUGES);
  set_value(env, histograms, "responseTime", histogram_to_js(env, &cut->response));
  set_value(env, histograms, "serviceTime", histogram_to_js(env, &cut->service));
  set_value(env, histograms, "connectTime", histogram_to_js(env, &cut->connect));
  set_value(env, histograms, "handshakeTime", histogram_to_js(env, &cut->handshake));
  set_value(env, histograms, "resumptionTime", histogram_to_js(env, &cut->resumption));
  set_value(env, histograms, "recoveryTime", histogram_to_js(env, &cut->recovery));
  set_value(env, histograms, "rtt", values_to_js(env, cut->rtt_ns, cut->rtts));
  if (cut->last) set_value(env, histograms, "perConnection", histogram_to_js(env, &cut->per_connection));
  if (cut->notice[0]) set_string(env, object, "notice", cut->notice);
  set_value(env, object, "histograms", histograms);
  set_singles(env, object, "random", cut->singles.random, cut->singles.randoms);
  set_singles(env, object, "slowest", cut->singles.slowest, cut->singles.slowests);
  return object;
}
