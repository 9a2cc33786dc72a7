/*
 * tcp_sample: TCP_INFO of a sample of the open connections.
 */
#ifndef BROADSIDE_TCP_SAMPLE_H
#define BROADSIDE_TCP_SAMPLE_H

#include "connections.h"

/* Reads TCP_INFO of at most INTERVAL_TCP_SAMPLES open connections, spread over the active slots, into INTERVAL, which
 * has ended. That many system calls a second, whatever the number of connections. */
void tcp_sample(struct connections *self, struct interval *interval);

#endif
