/* A loop per thread: N reactors, each with its own listener on the same port (SO_REUSEPORT), so the kernel distributes
 * the connections and threads never wait for each other. A connection stays with the thread that accepted it. */
#include "../parts/reactor.h"

#include <pthread.h>
#include <stdlib.h>

static void *serve(void *reactor) { exit(reactor_run(reactor)); }

/* All reactors allocate what they need before the first connection takes a descriptor. */
static int multi_reactor_run(const struct options *options, int listener) {
  static struct reactor *reactors[SERVER_MAX_THREADS];
  for (long i = 0; i < options->threads; i++) {
    const int own = i == 0 ? listener : listener_share(options, listener);
    reactors[i] = own < 0 ? NULL : reactor_create(options, own, (uint64_t)i);
    if (reactors[i] == NULL) {
      return 1;
    }
  }
  for (long i = 1; i < options->threads; i++) {
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, serve, reactors[i]);
    if (error != 0) {
      server_log("pthread_create", error);
      return 1;
    }
  }
  return reactor_run(reactors[0]);
}

const struct model server_model = {
    .name = "multi-reactor",
    .summary = "An epoll loop per thread, each with its own listener.",
    .threads = -1,
    .processes = PROCESSES_OWN_LISTENERS,
    .shares_port = true,
    .run = multi_reactor_run,
};
