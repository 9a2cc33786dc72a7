/* epoll, level-triggered, one thread: one reactor. The loop is parts/reactor.c; multi-reactor runs one per thread. A
 * one-to-many SCTP socket is one descriptor for all associations, so epoll has no part in it (parts/seqpacket.c). */
#include "../parts/reactor.h"
#include "../parts/seqpacket.h"

static int epoll_run(const struct options *options, int listener) {
  struct reactor *reactor = reactor_create(options, listener, 0);
  return reactor == NULL ? 1 : reactor_run(reactor);
}

const struct model server_model = {
    .name = "epoll",
    .summary = "One thread, one level-triggered epoll loop.",
    .processes = PROCESSES_OWN_LISTENERS,
    .serves_sctp = true,
    .run = epoll_run,
    .run_seqpacket = seqpacket_run,
};
