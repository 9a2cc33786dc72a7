/*
 * peers.c: one poll loop. A place that was somebody's is not given again, so that MOST connections in all are served.
 */
#include "peers.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 4096u

bool peers_echo(void *context, void *peer, int fd, const uint8_t *bytes, size_t length) {
  (void)context;
  (void)peer;
  return send(fd, bytes, length, MSG_NOSIGNAL) == (ssize_t)length;
}

static void *serve(void *argument) {
  struct peers *self = argument;
  struct pollfd polled[MOST] = {{.fd = self->listener, .events = POLLIN}};
  uint8_t *kept = calloc(MOST, self->peer_bytes + 1), buffer[4096];
  nfds_t count = 1;
  while (!atomic_load(&self->ends)) {
    if (poll(polled, count, 20) <= 0) continue;
    for (nfds_t i = 1; i < count; i++) {
      if (polled[i].fd < 0 || !(polled[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
      ssize_t length = recv(polled[i].fd, buffer, sizeof buffer, 0);
      void *peer = kept + i * self->peer_bytes;
      if (length > 0 && self->hear(self->context, peer, polled[i].fd, buffer, (size_t)length)) continue;
      close(polled[i].fd);
      polled[i].fd = -1;
    }
    if ((polled[0].revents & POLLIN) && count < MOST) {
      polled[count++] = (struct pollfd){.fd = accept(self->listener, NULL, NULL), .events = POLLIN};
    }
  }
  for (nfds_t i = 1; i < count; i++) {
    if (polled[i].fd >= 0) close(polled[i].fd);
  }
  free(kept);
  return NULL;
}

void peers_start(struct peers *peers) {
  atomic_store(&peers->ends, false);
  pthread_create(&peers->thread, NULL, serve, peers);
}

void peers_stop(struct peers *peers) {
  atomic_store(&peers->ends, true);
  pthread_join(peers->thread, NULL);
  close(peers->listener);
}
