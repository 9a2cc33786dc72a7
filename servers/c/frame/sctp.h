/* SCTP as a transport of the C servers: its names and its listening sockets. */
#ifndef BROADSIDE_SCTP_H
#define BROADSIDE_SCTP_H

#include "../server.h"

const char *sctp_transport_name(enum server_transport transport);
/* The transports of this model, separated by ", ". */
const char *sctp_transport_names(void);
/* Returns false for a name that is unknown, or that this model does not have. */
bool sctp_transport_parse(const char *name, enum server_transport *transport);

/* A listening socket, bound to all addresses of --host; -1 after logging the error. */
int sctp_open(const struct options *options);

#endif
