/*
 * node/tls_texts: the settings of TLS read from a JavaScript object, with copies of its texts. JavaScript's thread
 * only.
 */
#ifndef BROADSIDE_NODE_TLS_TEXTS_H
#define BROADSIDE_NODE_TLS_TEXTS_H

#include <node_api.h>

#include "../core/transport/channel.h"

#define TLS_TEXTS 4u

/* All zero: empty. */
struct tls_texts {
  bool wanted;
  struct tls_settings settings; /* its texts are these: */
  char *copies[TLS_TEXTS];
};

/* Reads VALUE: null for plain, or an object. 0, or -1: it is neither, or there is no memory. To be freed in any case.
 */
int tls_texts_read(napi_env env, napi_value value, struct tls_texts *texts);

/* Overwrites the copies, among which may be a private key, and frees them. */
void tls_texts_free(struct tls_texts *texts);

#endif
