/* One thread in epoll_wait, level-triggered, a pool of N threads behind it: a thread reads once, works, writes,
 * and arms the connection again. The one thing to know: the loop is parts/epoll-pool.c, as that of
 * epoll-et-pool, from which it differs in the trigger. */
#include "../parts/epoll-pool.h"

static int run(const struct options *options, int listener) { return epoll_pool_run(options, listener, false); }

const struct model server_model = {
    .name = "epoll-pool",
    .summary = "One thread in epoll_wait, level-triggered, a pool of threads behind it.",
    .threads = 16,
    .processes = PROCESSES_OWN_LISTENERS,
    .run = run,
};
