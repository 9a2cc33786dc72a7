/*
 * node/values: properties of JavaScript objects, set from C values. Node-API calls that cannot fail with right
 * arguments are not checked; with an exception pending they do nothing. JavaScript's thread only.
 */
#ifndef BROADSIDE_NODE_VALUES_H
#define BROADSIDE_NODE_VALUES_H

#include <node_api.h>
#include <stddef.h>
#include <stdint.h>

void set_value(napi_env env, napi_value object, const char *key, napi_value value);
void set_number(napi_env env, napi_value object, const char *key, double number);
void set_string(napi_env env, napi_value object, const char *key, const char *text);
void set_doubles(napi_env env, napi_value object, const char *key, const uint64_t *numbers, size_t length);

/* A Float64Array of LENGTH into *ARRAY; returns where its elements are. */
double *new_doubles(napi_env env, size_t length, napi_value *array);

/* Throws an Error with the errno's name as code and "WHAT: its text" as message. ERROR: -errno. */
void throw_errno(napi_env env, const char *what, int error);

#endif
