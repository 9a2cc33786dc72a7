/*
 * node/association: one SCTP association, opened for its addresses alone. Blocks JavaScript's thread.
 */
#ifndef BROADSIDE_NODE_ASSOCIATION_H
#define BROADSIDE_NODE_ASSOCIATION_H

#include <node_api.h>

/* association(record, transport, stack, timeoutNs): {local, peer}: texts such as 127.0.0.1:80; throws an errno's name.
 */
napi_value association_inspect(napi_env env, napi_callback_info info);

#endif
