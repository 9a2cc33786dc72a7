/* All protocols of the C servers; see servers/PROTOCOLS.md. To add one, add a file in this folder, a line here and a
 * line in list.c. */
#ifndef BROADSIDE_PROTOCOLS_H
#define BROADSIDE_PROTOCOLS_H

#include "../server.h"

extern const struct protocol protocol_echo;
extern const struct protocol protocol_volley;
extern const struct protocol protocol_volley_stop;
extern const struct protocol protocol_ace;
extern const struct protocol protocol_http;

#endif
