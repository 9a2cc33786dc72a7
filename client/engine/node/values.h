/*
 * node/values: JavaScript values made of C ones. JavaScript's thread only.
 *
 * A writer remembers its first failure: an exception is pending, or there is no memory. From then on every function
 * does nothing and returns NULL, so that one look at `failed` at the end is enough.
 */
#ifndef BROADSIDE_NODE_VALUES_H
#define BROADSIDE_NODE_VALUES_H

#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct writer {
  napi_env env;
  bool failed;
};

napi_value new_object(struct writer *writer);
napi_value new_null(struct writer *writer);
napi_value new_array(struct writer *writer);
napi_value new_string(struct writer *writer, const char *text);

/* A string of LENGTH characters, the codes of which are BYTES. */
napi_value new_latin1(struct writer *writer, const uint8_t *bytes, size_t length);

/* A Float64Array of LENGTH into *ARRAY. Returns where its elements are: NULL after a failure, and it may be NULL for a
 * length of 0. */
double *new_doubles(struct writer *writer, size_t length, napi_value *array);

/* Each sets one property of OBJECT. */
void set_value(struct writer *writer, napi_value object, const char *key, napi_value value);
void set_number(struct writer *writer, napi_value object, const char *key, double number);
void set_bool(struct writer *writer, napi_value object, const char *key, bool truth);
void set_string(struct writer *writer, napi_value object, const char *key, const char *text);
void set_doubles(struct writer *writer, napi_value object, const char *key, const uint64_t *numbers, size_t length);

void set_element(struct writer *writer, napi_value array, uint32_t index, napi_value value);

/* Throws an Error with the errno's name as code and "WHAT: its text" as message. ERROR: -errno. */
void throw_errno(napi_env env, const char *what, int error);

/* Throws an Error of what Node-API refused, unless an exception is pending already. */
void throw_refused(napi_env env, const char *what);

#endif
