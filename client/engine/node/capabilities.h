/*
 * node/capabilities.h: what this build and this kernel can do. Each is a napi_callback.
 */
#ifndef BROADSIDE_NODE_CAPABILITIES_H
#define BROADSIDE_NODE_CAPABILITIES_H

#include <node_api.h>

/* sctp() -> {kernel, usrsctp}: kernel: '', or why this kernel has no SCTP, as an errno's name; usrsctp: its version, ''
 * where it is not built in. */
napi_value capability_sctp(napi_env env, napi_callback_info info);

/* usrsctpSettings(): what usrsctp is set to, by name; throws where it is not built in. */
napi_value capability_usrsctp_settings(napi_env env, napi_callback_info info);

/* ownDescriptors(): whether this kernel lets an engine's thread have descriptors of its own. */
napi_value capability_own_descriptors(napi_env env, napi_callback_info info);

#endif
