/*
 * node/interval_to_js.c: an interval as index.js describes it: plain numbers, and one typed array for each list of
 * them.
 */
#include "engine_handle.h"

/* The object that describes a histogram, without its lists. */
static napi_value described(struct writer *writer, napi_value values, napi_value counts, double min, double max,
                            double sum) {
  napi_value object = new_object(writer);
  set_value(writer, object, "values", values);
  set_value(writer, object, "counts", counts);
  set_number(writer, object, "min", min);
  set_number(writer, object, "max", max);
  set_number(writer, object, "sum", sum);
  return object;
}

/* null without values. */
static napi_value histogram_to_js(struct writer *writer, const struct histogram *histogram) {
  if (histogram->count == 0) return new_null(writer);
  size_t length = 0;
  for (uint32_t i = histogram->first; i <= histogram->last; i++) length += histogram->counts[i] > 0;
  napi_value values, counts;
  double *value = new_doubles(writer, length, &values), *count = new_doubles(writer, length, &counts);
  for (uint32_t i = histogram->first; !writer->failed && i <= histogram->last; i++) {
    if (histogram->counts[i] == 0) continue;
    *value++ = (double)histogram_value(i);
    *count++ = (double)histogram->counts[i];
  }
  return described(writer, values, counts, (double)histogram->min, (double)histogram->max, histogram->sum);
}

/* A histogram in which each value is a bucket of its own. */
static napi_value values_to_js(struct writer *writer, const uint64_t *numbers, size_t length) {
  if (length == 0) return new_null(writer);
  napi_value values, counts;
  double *value = new_doubles(writer, length, &values), *count = new_doubles(writer, length, &counts);
  double min = (double)numbers[0], max = min, sum = 0;
  for (size_t i = 0; !writer->failed && i < length; i++) {
    value[i] = (double)numbers[i];
    count[i] = 1;
    sum += value[i];
    if (value[i] < min) min = value[i];
    if (value[i] > max) max = value[i];
  }
  return described(writer, values, counts, min, max, sum);
}

static void set_exemplars(struct writer *writer, napi_value object, const char *key, const struct exemplar *exemplars,
                          size_t length) {
  napi_value array;
  double *data = new_doubles(writer, length * 5, &array);
  for (size_t i = 0; !writer->failed && i < length; i++, data += 5) {
    data[0] = (double)exemplars[i].key;
    data[1] = (double)exemplars[i].start_ns;
    data[2] = (double)exemplars[i].response_ns;
    data[3] = exemplars[i].connection;
    data[4] = exemplars[i].status;
  }
  set_value(writer, object, key, array);
}

static napi_value tls_failure_to_js(struct writer *writer, const struct interval *interval) {
  const struct tls_failure *failure = &interval->tls_failure;
  napi_value object = new_object(writer);
  set_string(writer, object, "cause", tls_failure_names[failure->cause]);
  set_string(writer, object, "step", failure->in_handshake ? "handshake" : "open");
  set_string(writer, object, "reason", failure->reason);
  return object;
}

static napi_value quotes_to_js(struct writer *writer, const struct interval *interval) {
  napi_value array = new_array(writer);
  for (uint32_t i = 0; i < interval->quote_count; i++) {
    const struct quote *quote = &interval->quotes[i];
    napi_value object = new_object(writer);
    set_string(writer, object, "kind", quote_kind_names[quote->kind]);
    set_string(writer, object, "state", quote_state_names[quote->state]);
    set_number(writer, object, "atNs", (double)quote->at_ns);
    set_value(writer, object, "bytes", new_latin1(writer, quote->bytes, quote->length));
    set_element(writer, array, i, object);
  }
  return array;
}

/* Pairs of a status code and how many replies had it. */
static void set_status_codes(struct writer *writer, napi_value object, const struct interval *interval) {
  size_t length = 0;
  for (unsigned i = 0; i < STATUS_CODES; i++) length += interval->status_codes[i] > 0;
  if (length == 0) return;
  napi_value pairs;
  double *pair = new_doubles(writer, 2 * length, &pairs);
  for (unsigned i = 0; !writer->failed && i < STATUS_CODES; i++) {
    if (interval->status_codes[i] == 0) continue;
    *pair++ = i;
    *pair++ = interval->status_codes[i];
  }
  set_value(writer, object, "statusCodes", pairs);
}

/* For each request of a list how many transfers of it failed and were unfinished, and its replies by their codes. */
static void set_requests(struct writer *writer, napi_value object, const struct interval *interval) {
  napi_value array = new_array(writer);
  for (uint32_t i = 0; i < interval->request_count; i++) {
    const struct request_figures *figures = &interval->requests[i];
    napi_value request = new_object(writer), codes;
    double *code = new_doubles(writer, CODES, &codes);
    for (unsigned k = 0; !writer->failed && k < CODES; k++) code[k] = (double)figures->codes[k];
    set_number(writer, request, "failed", (double)figures->failed);
    set_number(writer, request, "unfinished", (double)figures->unfinished);
    set_value(writer, request, "codes", codes);
    set_value(writer, request, "responseTime", histogram_to_js(writer, &figures->response));
    set_element(writer, array, i, request);
  }
  set_value(writer, object, "requests", array);
}

napi_value interval_to_js(struct writer *writer, const struct interval *interval) {
  napi_value object = new_object(writer), histograms = new_object(writer);
  set_number(writer, object, "fromNs", (double)interval->from_ns);
  set_number(writer, object, "toNs", (double)interval->to_ns);
  set_string(writer, object, "phase", phase_names[interval->phase]);
  set_bool(writer, object, "last", interval->last);
  set_bool(writer, object, "merged", interval->merged);
  set_doubles(writer, object, "counters", interval->counters, COUNTERS);
  set_status_codes(writer, object, interval);
  set_doubles(writer, object, "gauges", interval->gauges, GAUGES);
  for (unsigned i = 0; i < HISTOGRAMS; i++) {
    if (i == HISTOGRAM_PER_CONNECTION && !interval->last) continue;
    set_value(writer, histograms, histogram_names[i], histogram_to_js(writer, &interval->histograms[i]));
  }
  set_value(writer, histograms, "rtt", values_to_js(writer, interval->rtt_ns, interval->rtts));
  if (interval->last) set_doubles(writer, object, "tenths", interval->tenths, TENTHS);
  if (interval->quiet_to_ns > interval->quiet_from_ns) {
    set_number(writer, object, "quietFromNs", (double)interval->quiet_from_ns);
    set_number(writer, object, "quietToNs", (double)interval->quiet_to_ns);
  }
  if (interval->tls_failure.cause) set_value(writer, object, "tlsFailure", tls_failure_to_js(writer, interval));
  if (interval->quote_count > 0) set_value(writer, object, "quotes", quotes_to_js(writer, interval));
  if (interval->request_count > 0) set_requests(writer, object, interval);
  set_value(writer, object, "histograms", histograms);
  set_exemplars(writer, object, "random", interval->exemplars.random, interval->exemplars.random_count);
  set_exemplars(writer, object, "slowest", interval->exemplars.slowest, interval->exemplars.slowest_count);
  return object;
}
