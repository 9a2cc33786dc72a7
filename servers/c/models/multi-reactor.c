/* A loop per thread: N reactors, each with its own listener on the same port (SO_REUSEPORT), so that the
 * kernel deals out the connections and no thread waits for another.
 * The one thing to know: a connection stays with the thread that accepted it. */
#include "../parts/reactor.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct share {
  const struct options *options;
  int listener;
  uint64_t number;
};

static void *run_share(void *argument) {
  const struct share *share = argument;
  exit(reactor_run(share->options, share->listener, share->number));
}

static int multi_reactor_run(const struct options *options, int listener) {
  static struct share shares[SERVER_THREADS_MOST];
  for (long i = 0; i < options->threads; i++) {
    shares[i] = (struct share){options, i == 0 ? listener : listener_share(options, listener), (uint64_t)i};
    if (shares[i].listener < 0) {
      return 1;
    }
  }
  for (long i = 1; i < options->threads; i++) {
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, run_share, &shares[i]);
    if (error != 0) {
      server_say("pthread_create", error);
      return 1;
    }
  }
  run_share(&shares[0]);
  return 1;
}

const struct model server_model = {
    .name = "multi-reactor",
    .summary = "An epoll loop per thread, each with a listener of its own.",
    .threads = -1,
    .processes = PROCESSES_OF_THE_PORT,
    .shares_port = true,
    .run = multi_reactor_run,
};
