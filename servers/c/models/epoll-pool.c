/* Half-sync/half-async: one thread in epoll_wait, level-triggered, and a pool of N threads that serve. A thread reads
 * once, works, writes, and re-arms the connection. The loop is parts/epoll-pool.c; epoll-et-pool differs only in the
 * trigger mode, and epoll-oneshot has no loop: its threads wait themselves. */
#include "../parts/epoll-pool.h"

static int run(const struct options *options, int listener) { return epoll_pool_run(options, listener, false); }

const struct model server_model = {
    .name = "epoll-pool",
    .summary = "One thread in epoll_wait, level-triggered, a pool of threads behind it.",
    .threads = -1,
    .processes = PROCESSES_OWN_LISTENERS,
    .run = run,
};
