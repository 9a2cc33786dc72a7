/* A reactor: one thread, one level-triggered epoll loop, from accept to close. */
#ifndef BROADSIDE_REACTOR_H
#define BROADSIDE_REACTOR_H

#include "../server.h"

/* Serves `listener` on the calling thread. `number` tells the reactors of a process apart. Returns the exit status
 * when it cannot go on, after having said why. */
int reactor_run(const struct options *options, int listener, uint64_t number);

#endif
