/*
 * node/capabilities.c: what this build and this kernel can do, for JavaScript.
 */
#include "callbacks.h"

#include <errno.h>
#include <string.h>

#include "../core/base/descriptor_table.h"
#include "../core/transport/sctp_socket.h"
#ifdef HAVE_USRSCTP
#include "../core/transport/usrsctp_settings.h"
#endif
#include "values.h"

#ifndef USRSCTP_VERSION
#define USRSCTP_VERSION ""
#endif

/* {kernel, usrsctp}: kernel: '', or why this kernel has no SCTP, as an errno's name; usrsctp: its version, '' where it
 * is not built in. */
napi_value capability_sctp(napi_env env, napi_callback_info info) {
  (void)info;
  struct writer writer = {env, false};
  int error = sctp_socket_probe();
  const char *name = error ? strerrorname_np(-error) : "";
  napi_value object = new_object(&writer);
  set_string(&writer, object, "kernel", name ? name : "EIO");
  set_string(&writer, object, "usrsctp", USRSCTP_VERSION);
  return object;
}

/* What usrsctp is set to, by name; throws where it is not built in. */
napi_value capability_usrsctp_settings(napi_env env, napi_callback_info info) {
  (void)info;
#ifdef HAVE_USRSCTP
  struct writer writer = {env, false};
  struct usrsctp_setting settings[USRSCTP_SETTINGS];
  int error = usrsctp_settings_read(settings);
  if (!error) {
    napi_value object = new_object(&writer);
    for (size_t i = 0; i < USRSCTP_SETTINGS; i++) set_number(&writer, object, settings[i].name, settings[i].value);
    return object;
  }
#else
  int error = -ENOSYS;
#endif
  throw_errno(env, "the settings of usrsctp cannot be read", error);
  return NULL;
}

/* Whether this kernel lets an engine's thread have descriptors of its own. */
napi_value capability_own_descriptors(napi_env env, napi_callback_info info) {
  (void)info;
  napi_value works = NULL;
  napi_get_boolean(env, descriptor_table_probe(), &works);
  return works;
}
