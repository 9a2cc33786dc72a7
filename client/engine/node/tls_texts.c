/*
 * node/tls_texts.c: texts of any length, copied to the heap.
 */
#include "tls_texts.h"

#include <stdlib.h>
#include <string.h>

/* A copy of a text; NULL for an empty one. False: it is none, or there is no memory. */
static bool read_text(napi_env env, napi_value object, const char *key, char **copy) {
  napi_value value;
  size_t length;
  if (napi_get_named_property(env, object, key, &value) != napi_ok) return false;
  if (napi_get_value_string_utf8(env, value, NULL, 0, &length) != napi_ok) return false;
  if (length == 0) return true;
  *copy = calloc(1, length + 1);
  return *copy && napi_get_value_string_utf8(env, value, *copy, length + 1, &length) == napi_ok;
}

static bool read_bool(napi_env env, napi_value object, const char *key, bool *flag) {
  napi_value value;
  return napi_get_named_property(env, object, key, &value) == napi_ok &&
         napi_get_value_bool(env, value, flag) == napi_ok;
}

int tls_texts_read(napi_env env, napi_value value, struct tls_texts *texts) {
  static const char *const keys[TLS_TEXTS] = {"authorities", "certificate", "key", "serverName"};
  struct tls_settings *settings = &texts->settings;
  napi_valuetype type = napi_undefined;
  if (napi_typeof(env, value, &type) != napi_ok || (type != napi_null && type != napi_object)) return -1;
  if (type == napi_null) return 0;
  for (unsigned i = 0; i < TLS_TEXTS; i++) {
    if (!read_text(env, value, keys[i], &texts->copies[i])) return -1;
  }
  settings->authorities = texts->copies[0];
  settings->certificate = texts->copies[1];
  settings->key = texts->copies[2];
  settings->server_name = texts->copies[3];
  texts->wanted =
      read_bool(env, value, "verify", &settings->verify) && read_bool(env, value, "resume", &settings->resume);
  return texts->wanted ? 0 : -1;
}

void tls_texts_free(struct tls_texts *texts) {
  for (unsigned i = 0; i < TLS_TEXTS; i++) {
    if (texts->copies[i]) explicit_bzero(texts->copies[i], strlen(texts->copies[i])); /* one is a private key */
    free(texts->copies[i]);
  }
  *texts = (struct tls_texts){0};
}
