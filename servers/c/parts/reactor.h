/* A reactor: one thread, one level-triggered epoll loop, from accept to close. */
#ifndef BROADSIDE_REACTOR_H
#define BROADSIDE_REACTOR_H

#include "../server.h"

struct reactor;

/* One that will serve `listener`, with all the descriptors it needs for itself; NULL after having said why. `number`
 * tells the reactors of a process apart. */
struct reactor *reactor_create(const struct options *options, int listener, uint64_t number);
/* Serves on the calling thread. Returns the exit status when it cannot go on, after having said why. */
int reactor_run(struct reactor *reactor);

#endif
