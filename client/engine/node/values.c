/*
 * node/values.c: JavaScript values made of C ones.
 */
#include "values.h"

#include <stdio.h>
#include <string.h>

void set_value(napi_env env, napi_value object, const char *key, napi_value value) {
  napi_set_named_property(env, object, key, value);
}

void set_number(napi_env env, napi_value object, const char *key, double number) {
  napi_value value;
  napi_create_double(env, number, &value);
  set_value(env, object, key, value);
}

void set_string(napi_env env, napi_value object, const char *key, const char *text) {
  napi_value value;
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  set_value(env, object, key, value);
}

double *new_doubles(napi_env env, size_t length, napi_value *array) {
  void *data = NULL;
  napi_value buffer;
  napi_create_arraybuffer(env, length * sizeof(double), &data, &buffer);
  napi_create_typedarray(env, napi_float64_array, length, buffer, 0, array);
  return data;
}

void set_doubles(napi_env env, napi_value object, const char *key, const uint64_t *numbers, size_t length) {
  napi_value array;
  double *data = new_doubles(env, length, &array);
  for (size_t i = 0; i < length; i++) data[i] = (double)numbers[i];
  set_value(env, object, key, array);
}

void throw_errno(napi_env env, const char *what, int error) {
  char message[4400];
  snprintf(message, sizeof message, "%s: %s", what, strerror(-error));
  napi_throw_error(env, strerrorname_np(-error), message);
}
