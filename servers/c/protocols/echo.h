/* The echo protocol; see servers/PROTOCOLS.md. */
#ifndef BROADSIDE_PROTOCOL_ECHO_H
#define BROADSIDE_PROTOCOL_ECHO_H

#include "../server.h"

extern const struct protocol protocol_echo;

#endif
