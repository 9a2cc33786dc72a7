/* One thread in epoll_wait and a pool of N threads that serve: epoll-pool and epoll-et-pool. Every connection is armed
 * for one event (EPOLLONESHOT); the thread that has served it re-arms it itself, and only connections to be closed are
 * returned to the loop. */
#ifndef BROADSIDE_EPOLL_POOL_H
#define BROADSIDE_EPOLL_POOL_H

#include "../server.h"

/* Serves until an error occurs and returns the exit status. Edge-triggered, a thread reads until the socket is drained;
 * level-triggered, once. */
int epoll_pool_run(const struct options *options, int listener, bool edge_triggered);

#endif
