/*
 * peers: a server in a thread of its own, for tests of the engine over real sockets. What it does with what it hears is
 * the test's.
 */
#ifndef BROADSIDE_PEERS_H
#define BROADSIDE_PEERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peers {
  int listener;      /* peers_stop() closes it */
  size_t peer_bytes; /* what hear() keeps of a connection: zero when it opens */
  void *context;
  /* Bytes of the connection FD; false: it is closed. */
  bool (*hear)(void *context, void *peer, int fd, const uint8_t *bytes, size_t length);
  _Atomic bool ends;
  pthread_t thread;
};

void peers_start(struct peers *peers);

/* Returns when its thread has ended and all is closed. */
void peers_stop(struct peers *peers);

/* A hear() that echoes. */
bool peers_echo(void *context, void *peer, int fd, const uint8_t *bytes, size_t length);

#endif
