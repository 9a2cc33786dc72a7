/*
 * node/capabilities.c: what this build and this kernel can do, for JavaScript.
 */
#include "callbacks.h"

#include <string.h>

#include "../core/base/descriptor_table.h"
#include "../core/transport/sctp_socket.h"
#include "values.h"

/* '', or why this kernel has no SCTP, as an errno's name. */
napi_value capability_sctp(napi_env env, napi_callback_info info) {
  (void)info;
  struct writer writer = {env, false};
  int error = sctp_socket_probe();
  const char *name = error ? strerrorname_np(-error) : "";
  return new_string(&writer, name ? name : "EIO");
}

/* Whether this kernel lets an engine's thread have descriptors of its own. */
napi_value capability_own_descriptors(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value works = NULL;
  napi_get_boolean(env, descriptor_table_probe(), &works);
  return works;
}
