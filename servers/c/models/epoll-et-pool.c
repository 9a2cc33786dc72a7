/* Half-sync/half-async: one thread in epoll_wait, edge-triggered, and a pool of N threads that serve. A thread reads
 * until nothing is left, then re-arms the connection. The loop is parts/epoll-pool.c; epoll-pool differs only in the
 * trigger mode. */
#include "../parts/epoll-pool.h"

static int run(const struct options *options, int listener) { return epoll_pool_run(options, listener, true); }

const struct model server_model = {
    .name = "epoll-et-pool",
    .summary = "One thread in epoll_wait, edge-triggered, a pool of threads behind it.",
    .threads = -1,
    .processes = PROCESSES_OWN_LISTENERS,
    .run = run,
};
