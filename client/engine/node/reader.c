/*
 * node/reader.c: properties of a JavaScript object as C values.
 */
#include "reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "values.h"

typedef napi_status (*error_maker)(napi_env env, napi_value code, napi_value message, napi_value *error);

/* The first failure: the `data` of its error, with the setting in it. */
static napi_value begin_data(struct writer *writer, const char *key) {
  napi_value data = new_object(writer);
  set_string(writer, data, "setting", key);
  return data;
}

/* Throws an error that MAKE makes, with code EINVAL. */
static void fail(struct reader *reader, error_maker make, const char *message, struct writer *writer, napi_value data) {
  napi_value code = new_string(writer, "EINVAL"), text = new_string(writer, message), error = NULL;
  reader->failed = true;
  if (!writer->failed && make(reader->env, code, text, &error) != napi_ok) writer->failed = true;
  set_value(writer, error, "data", data);
  if (writer->failed) {
    throw_refused(reader->env, message);
  } else {
    napi_throw(reader->env, error);
  }
}

void reader_fail_type(struct reader *reader, const char *key, const char *expected) {
  struct writer writer = {.env = reader->env};
  char message[200];
  if (reader->failed) return;
  snprintf(message, sizeof message, "engine: \"%s\" must be %s", key, expected);
  fail(reader, napi_create_type_error, message, &writer, begin_data(&writer, key));
}

void reader_fail_range(struct reader *reader, const char *key, double number, double min, double max) {
  struct writer writer = {.env = reader->env};
  char message[200];
  if (reader->failed) return;
  napi_value data = begin_data(&writer, key);
  set_number(&writer, data, "value", number);
  set_number(&writer, data, "min", min);
  set_number(&writer, data, "max", max);
  snprintf(message, sizeof message, "engine: \"%s\" is %.17g; it must be from %.17g to %.17g", key, number, min, max);
  fail(reader, napi_create_range_error, message, &writer, data);
}

void reader_fail_text(struct reader *reader, const char *key, const char *text, const char *expected) {
  struct writer writer = {.env = reader->env};
  char message[200];
  if (reader->failed) return;
  napi_value data = begin_data(&writer, key);
  set_string(&writer, data, "value", text);
  snprintf(message, sizeof message, "engine: \"%s\" is \"%.60s\", which is no %s", key, text, expected);
  fail(reader, napi_create_range_error, message, &writer, data);
}

napi_value reader_value(struct reader *reader, const char *key) {
  napi_value value = NULL;
  if (reader->failed) return NULL;
  if (napi_get_named_property(reader->env, reader->object, key, &value) == napi_ok) return value;
  reader_fail_type(reader, key, "a property of the settings");
  return NULL;
}

bool reader_lacks(struct reader *reader, const char *key) {
  napi_valuetype type = napi_undefined;
  napi_value value = reader_value(reader, key);
  if (!reader->failed && napi_typeof(reader->env, value, &type) != napi_ok) reader_fail_type(reader, key, "a value");
  return type == napi_undefined || type == napi_null;
}

bool reader_in_range(struct reader *reader, const char *key, double number, double min, double max) {
  if (!(number >= min && number <= max)) reader_fail_range(reader, key, number, min, max);
  return !reader->failed;
}

double reader_number(struct reader *reader, const char *key, double min, double max) {
  double number = 0;
  napi_value value = reader_value(reader, key);
  if (reader->failed) return 0;
  if (napi_get_value_double(reader->env, value, &number) != napi_ok) reader_fail_type(reader, key, "a number");
  return reader_in_range(reader, key, number, min, max) ? number : 0;
}

uint64_t reader_whole(struct reader *reader, const char *key) {
  double number = reader_number(reader, key, 0, READER_NS_MAX);
  if (number != floor(number)) reader_fail_type(reader, key, "a whole number");
  return reader->failed ? 0 : (uint64_t)number;
}

bool reader_bool(struct reader *reader, const char *key) {
  bool truth = false;
  napi_value value = reader_value(reader, key);
  if (reader->failed) return false;
  if (napi_get_value_bool(reader->env, value, &truth) != napi_ok) reader_fail_type(reader, key, "true or false");
  return truth;
}

uint64_t reader_ns(struct reader *reader, const char *key) {
  return (uint64_t)reader_number(reader, key, 0, READER_NS_MAX);
}

static uint64_t read_bigint(struct reader *reader, const char *key) {
  uint64_t number = 0;
  bool lossless = false;
  napi_value value = reader_value(reader, key);
  if (reader->failed) return 0;
  bool is_bigint = napi_get_value_bigint_uint64(reader->env, value, &number, &lossless) == napi_ok;
  if (!is_bigint || !lossless) reader_fail_type(reader, key, "a bigint from 0 to 2^64 - 1");
  return reader->failed ? 0 : number;
}

void reader_string(struct reader *reader, const char *key, char *text, size_t size) {
  size_t length = 0;
  napi_value value = reader_value(reader, key);
  text[0] = '\0';
  if (reader->failed) return;
  bool is_string = napi_get_value_string_utf8(reader->env, value, text, size, &length) == napi_ok;
  if (!is_string) reader_fail_type(reader, key, "a string");
  if (is_string && length + 1 >= size) reader_fail_text(reader, key, text, "text of a length that it may have");
}

size_t reader_choice(struct reader *reader, const char *key, const char *const *choices) {
  char text[64];
  if (reader_lacks(reader, key)) return 0;
  reader_string(reader, key, text, sizeof text);
  for (size_t i = 0; !reader->failed && choices[i]; i++) {
    if (strcmp(text, choices[i]) == 0) return i;
  }
  reader_fail_text(reader, key, text, "value that it may have");
  return 0;
}

static void *elements(struct reader *reader, const char *key, napi_typedarray_type type, size_t *length,
                      const char *expected) {
  void *data = NULL;
  napi_typedarray_type actual = napi_int8_array;
  napi_value value = reader_value(reader, key);
  *length = 0;
  if (reader->failed) return NULL;
  if (napi_get_typedarray_info(reader->env, value, &actual, length, &data, NULL, NULL) == napi_ok && actual == type) {
    return data;
  }
  *length = 0;
  reader_fail_type(reader, key, expected);
  return NULL;
}

const uint8_t *reader_bytes(struct reader *reader, const char *key, size_t *length) {
  return elements(reader, key, napi_uint8_array, length, "a Uint8Array");
}

const double *reader_doubles(struct reader *reader, const char *key, size_t *length) {
  return elements(reader, key, napi_float64_array, length, "a Float64Array");
}

static void read_member(struct reader *reader, const struct reader_member *member, void *place) {
  bool is_usual = !member->required && reader_lacks(reader, member->key);
  bool is_number = member->type != READER_FLAG && member->type != READER_BIGINT;
  double number = member->usual;
  if (is_number && !is_usual) number = reader_number(reader, member->key, member->min, member->max);
  if ((member->type == READER_U32 || member->type == READER_U64) && number != floor(number)) {
    reader_fail_type(reader, member->key, "a whole number");
  }
  if (reader->failed) return;
  switch (member->type) {
  case READER_U32: *(uint32_t *)place = (uint32_t)number; break;
  case READER_INT: *(int *)place = (int)number; break;
  case READER_U64:
  case READER_NS: *(uint64_t *)place = (uint64_t)number; break;
  case READER_DOUBLE: *(double *)place = number; break;
  case READER_FLAG: *(bool *)place = is_usual ? number > 0 : reader_bool(reader, member->key); break;
  case READER_BIGINT: *(uint64_t *)place = read_bigint(reader, member->key); break;
  }
}

void reader_members(struct reader *reader, const struct reader_member *members, size_t count, void *object) {
  for (size_t i = 0; !reader->failed && i < count; i++) {
    read_member(reader, &members[i], (char *)object + members[i].offset);
  }
}
