/* One thread in epoll_wait, a pool of N threads behind it: epoll-pool and epoll-et-pool.
 * The one thing to know: every connection is armed for one event (EPOLLONESHOT); the thread that has served
 * it arms it again itself, and only what is to be closed goes back to the loop. */
#ifndef BROADSIDE_EPOLL_POOL_H
#define BROADSIDE_EPOLL_POOL_H

#include "../server.h"

/* Serves until it cannot go on: the exit status. Edge-triggered, a thread reads until nothing is left; else once. */
int epoll_pool_run(const struct options *options, int listener, bool edge_triggered);

#endif
