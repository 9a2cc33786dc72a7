/*
 * node/listeners: the listening sockets of this machine, for JavaScript. Its thread waits for microseconds.
 */
#ifndef BROADSIDE_NODE_LISTENERS_H
#define BROADSIDE_NODE_LISTENERS_H

#include <node_api.h>

/* listeners(): [{address, port, inode, queue, backlog, drops}]; throws an errno's name. */
napi_value listeners(napi_env env, napi_callback_info info);

#endif
