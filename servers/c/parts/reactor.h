/* A reactor: one thread with one level-triggered epoll loop, from accept to close. */
#ifndef BROADSIDE_REACTOR_H
#define BROADSIDE_REACTOR_H

#include "../server.h"

struct reactor;

/* Creates a reactor for `listener`, with all descriptors it needs itself; NULL after logging the error. `number`
 * distinguishes the reactors of a process. */
struct reactor *reactor_create(const struct options *options, int listener, uint64_t number);
/* Serves on the calling thread. Returns the exit status after logging an error. */
int reactor_run(struct reactor *reactor);

#endif
