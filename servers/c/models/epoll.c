/* epoll, level-triggered, one thread: one reactor. The loop is parts/reactor.c; multi-reactor runs one per thread. */
#include "../parts/reactor.h"

static int epoll_run(const struct options *options, int listener) {
  struct reactor *reactor = reactor_create(options, listener, 0);
  return reactor == NULL ? 1 : reactor_run(reactor);
}

const struct model server_model = {
    .name = "epoll",
    .summary = "One thread, one level-triggered epoll loop.",
    .processes = PROCESSES_OWN_LISTENERS,
    .run = epoll_run,
};
