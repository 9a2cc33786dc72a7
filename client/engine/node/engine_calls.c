/*
 * node/engine_calls.c: what JavaScript calls on an engine. Arguments are judged here.
 */
#include "callbacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine_handle.h"
#include "settings.h"
#include "values.h"

#define NS_MAX 0x1p53 /* times are doubles, exact up to here */

napi_value engine_call_create(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  size_t count = 3;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (count >= 3) return engine_handle_create(env, arguments);
  throw_errno(env, "create(settings, onInterval, onDone)", -EINVAL);
  return NULL;
}

/* The engine that is the first of the arguments, at most COUNT of them; NULL with an exception pending. Arguments that
 * are missing are undefined. */
static struct handle *handle_of(napi_env env, napi_callback_info info, napi_value *arguments, size_t count) {
  void *data = NULL;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (napi_get_value_external(env, arguments[0], &data) == napi_ok) return data;
  napi_throw_type_error(env, "EINVAL", "not an engine");
  return NULL;
}

napi_value engine_call_start(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  bool lossless;
  struct handle *handle = handle_of(env, info, arguments, 2);
  if (!handle) return NULL;
  if (handle->started || handle->stopped) {
    const char *why = handle->started ? "start(engine, startNs): it has been started, which it can be once"
                                      : "start(engine, startNs): it has been stopped; create another";
    napi_throw_error(env, "EALREADY", why);
    return NULL;
  }
  if (napi_get_value_bigint_uint64(env, arguments[1], &handle->start_ns, &lossless) != napi_ok || !lossless) {
    napi_throw_type_error(env, "EINVAL", "start(engine, startNs): startNs must be a bigint from 0 to 2^64 - 1");
    return NULL;
  }
  engine_handle_start(env, arguments[0], handle);
  return NULL;
}

/* A time of WHAT into *NS. False with an exception pending. */
static bool read_ns(napi_env env, napi_value value, const char *what, uint64_t *ns) {
  double number;
  char message[200];
  if (napi_get_value_double(env, value, &number) != napi_ok) {
    snprintf(message, sizeof message, "%s must be a number", what);
    napi_throw_type_error(env, "EINVAL", message);
    return false;
  }
  if (!(number >= 0 && number <= NS_MAX)) {
    snprintf(message, sizeof message, "%s is %g; it must be from 0 to 2^53", what, number);
    napi_throw_range_error(env, "EINVAL", message);
    return false;
  }
  *ns = (uint64_t)number;
  return true;
}

napi_value engine_call_drain(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  uint64_t at_ns;
  struct handle *handle = handle_of(env, info, arguments, 2);
  if (handle && read_ns(env, arguments[1], "drain: atNs", &at_ns)) engine_drain(handle->engine, at_ns);
  return NULL;
}

napi_value engine_call_begin_steady(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  uint64_t from_ns, to_ns;
  struct handle *handle = handle_of(env, info, arguments, 3);
  if (!handle || !read_ns(env, arguments[1], "beginSteady: fromNs", &from_ns) ||
      !read_ns(env, arguments[2], "beginSteady: toNs", &to_ns)) {
    return NULL;
  }
  if (to_ns < from_ns) {
    napi_throw_range_error(env, "EINVAL", "beginSteady: toNs is before fromNs");
    return NULL;
  }
  engine_begin_steady(handle->engine, from_ns, to_ns);
  return NULL;
}

napi_value engine_call_change_slices(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  struct handle *handle = handle_of(env, info, arguments, 2);
  if (!handle) return NULL;
  struct reader reader = {env, arguments[1], false};
  struct slices slices;
  struct slice *list = settings_read_slices(&reader, &slices);
  int error = reader.failed ? 0 : engine_change_slices(handle->engine, &slices);
  free(list);
  if (error) throw_errno(env, "changeSlices(engine, {slices})", error);
  return NULL;
}

/* Ends the engine at once; one that has not been started never will be. */
napi_value engine_call_stop(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  struct handle *handle = handle_of(env, info, arguments, 1);
  if (!handle) return NULL;
  engine_handle_stop(env, handle);
  return NULL;
}

/* {engine, writer}: thread ids; 0 where there is none. */
napi_value engine_call_threads(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  struct handle *handle = handle_of(env, info, arguments, 1);
  if (!handle) return NULL;
  struct writer writer = {env, false};
  napi_value object = new_object(&writer);
  set_number(&writer, object, "engine", atomic_load(&handle->tid));
  set_number(&writer, object, "writer", handle->log_tid);
  return object;
}

static void set_tapped_bytes(struct writer *writer, napi_value object, const char *key, const struct tap_bytes *bytes) {
  napi_value given = new_object(writer);
  size_t length = bytes->total < TAP_BYTES ? (size_t)bytes->total : TAP_BYTES;
  set_number(writer, given, "total", (double)bytes->total);
  set_value(writer, given, "first", new_latin1(writer, bytes->first, length));
  set_value(writer, object, key, given);
}

napi_value engine_call_tapped(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  struct handle *handle = handle_of(env, info, arguments, 1);
  if (!handle) return NULL;
  struct writer writer = {env, false};
  const struct tap *tap = handle->tap;
  if (!tap || !handle->joined) return new_null(&writer);
  napi_value object = new_object(&writer), times = new_object(&writer), tls = new_object(&writer);
  set_tapped_bytes(&writer, object, "sent", &tap->sent);
  set_tapped_bytes(&writer, object, "received", &tap->received);
  set_number(&writer, times, "connect", (double)tap->connect_ns);
  set_number(&writer, times, "secure", (double)tap->secure_ns);
  set_number(&writer, times, "open", (double)tap->open_ns);
  set_number(&writer, times, "send", (double)tap->send_ns);
  set_number(&writer, times, "first", (double)tap->first_ns);
  set_number(&writer, times, "last", (double)tap->last_ns);
  set_number(&writer, times, "close", (double)tap->close_ns);
  set_value(&writer, object, "timesNs", times);
  set_string(&writer, tls, "version", tap->tls.version);
  set_string(&writer, tls, "cipher", tap->tls.cipher);
  set_string(&writer, tls, "subject", tap->tls.subject);
  set_string(&writer, tls, "issuer", tap->tls.issuer);
  set_string(&writer, tls, "expires", tap->tls.expires);
  set_value(&writer, object, "tls", tls);
  if (writer.failed) throw_refused(env, "tapped(engine)");
  return writer.failed ? NULL : object;
}
