/* Every protocol the C servers speak; see servers/PROTOCOLS.md. The one thing to know: a new one is a file beside
 * this one, a line here and a line in list.c. */
#ifndef BROADSIDE_PROTOCOLS_H
#define BROADSIDE_PROTOCOLS_H

#include "../server.h"

extern const struct protocol protocol_echo;
extern const struct protocol protocol_volley;
extern const struct protocol protocol_volley_stop;
extern const struct protocol protocol_ace;
extern const struct protocol protocol_http;

#endif
