/* A one-to-many SCTP socket: one thread, one descriptor, any number of associations. */
#ifndef BROADSIDE_SEQPACKET_H
#define BROADSIDE_SEQPACKET_H

#include "../server.h"

/* The model's `run_seqpacket`. */
int seqpacket_run(const struct options *options, int socket);

#endif
