/* SCTP as a transport of the C servers: its names, the choice of a stack, and its listening sockets. */
#ifndef BROADSIDE_SCTP_H
#define BROADSIDE_SCTP_H

#include "../server.h"

const char *sctp_transport_name(enum server_transport transport);
const char *sctp_stack_name(enum sctp_stack stack);
/* The transports of this model, separated by ", ". */
const char *sctp_transport_names(void);
/* Return false for a name that is unknown, or that this model does not have. */
bool sctp_transport_parse(const char *name, enum server_transport *transport);
bool sctp_stack_parse(const char *name, enum sctp_stack *stack);

/* The socket that the chosen stack serves: a listening SCTP socket of the kernel, bound to all addresses of --host, or
 * a bound UDP socket. -1 after logging the error. */
int sctp_open(const struct options *options);

#endif
