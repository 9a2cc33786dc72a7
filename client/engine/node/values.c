/*
 * node/values.c: JavaScript values made of C ones.
 */
#include "values.h"

#include <stdio.h>
#include <string.h>

static bool check(struct writer *writer, napi_status status) {
  if (status != napi_ok) writer->failed = true;
  return status == napi_ok;
}

napi_value new_object(struct writer *writer) {
  napi_value object = NULL;
  return !writer->failed && check(writer, napi_create_object(writer->env, &object)) ? object : NULL;
}

napi_value new_null(struct writer *writer) {
  napi_value null = NULL;
  return !writer->failed && check(writer, napi_get_null(writer->env, &null)) ? null : NULL;
}

napi_value new_array(struct writer *writer) {
  napi_value array = NULL;
  return !writer->failed && check(writer, napi_create_array(writer->env, &array)) ? array : NULL;
}

napi_value new_string(struct writer *writer, const char *text) {
  napi_value string = NULL;
  if (writer->failed) return NULL;
  return check(writer, napi_create_string_utf8(writer->env, text, NAPI_AUTO_LENGTH, &string)) ? string : NULL;
}

napi_value new_latin1(struct writer *writer, const uint8_t *bytes, size_t length) {
  napi_value string = NULL;
  if (writer->failed) return NULL;
  const char *text = (const char *)bytes;
  return check(writer, napi_create_string_latin1(writer->env, text, length, &string)) ? string : NULL;
}

double *new_doubles(struct writer *writer, size_t length, napi_value *array) {
  void *data = NULL;
  napi_value buffer = NULL;
  *array = NULL;
  if (writer->failed) return NULL;
  if (!check(writer, napi_create_arraybuffer(writer->env, length * sizeof(double), &data, &buffer))) return NULL;
  napi_status made = napi_create_typedarray(writer->env, napi_float64_array, length, buffer, 0, array);
  return check(writer, made) ? data : NULL;
}

void set_value(struct writer *writer, napi_value object, const char *key, napi_value value) {
  if (!writer->failed) check(writer, napi_set_named_property(writer->env, object, key, value));
}

void set_number(struct writer *writer, napi_value object, const char *key, double number) {
  napi_value value = NULL;
  if (!writer->failed) check(writer, napi_create_double(writer->env, number, &value));
  set_value(writer, object, key, value);
}

void set_bool(struct writer *writer, napi_value object, const char *key, bool truth) {
  napi_value value = NULL;
  if (!writer->failed) check(writer, napi_get_boolean(writer->env, truth, &value));
  set_value(writer, object, key, value);
}

void set_string(struct writer *writer, napi_value object, const char *key, const char *text) {
  set_value(writer, object, key, new_string(writer, text));
}

void set_doubles(struct writer *writer, napi_value object, const char *key, const uint64_t *numbers, size_t length) {
  napi_value array;
  double *data = new_doubles(writer, length, &array);
  for (size_t i = 0; !writer->failed && i < length; i++) data[i] = (double)numbers[i];
  set_value(writer, object, key, array);
}

void set_element(struct writer *writer, napi_value array, uint32_t index, napi_value value) {
  if (!writer->failed) check(writer, napi_set_element(writer->env, array, index, value));
}

void throw_errno(napi_env env, const char *what, int error) {
  char message[4400];
  snprintf(message, sizeof message, "%s: %s", what, strerror(-error));
  const char *name = strerrorname_np(-error);
  napi_throw_error(env, name ? name : "EIO", message);
}

void throw_refused(napi_env env, const char *what) {
  bool pending = false;
  const napi_extended_error_info *info = NULL;
  char message[200];
  napi_get_last_error_info(env, &info);
  snprintf(message, sizeof message, "%s: %s", what, info && info->error_message ? info->error_message : "refused");
  if (napi_is_exception_pending(env, &pending) == napi_ok && !pending) napi_throw_error(env, "ENODE", message);
}
