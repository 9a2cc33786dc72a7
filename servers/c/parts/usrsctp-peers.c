/* See usrsctp-peers.h. The library looks through all registered peers for each packet, so none is registered for
 * longer than it has an association. */
#include "usrsctp-peers.h"

#include <stdint.h>
#include <stdlib.h>
#include <usrsctp.h>

#define PEER_BUCKETS 4096

struct peer {
  void *name;
  unsigned holds;
  struct peer *next;
};

static struct peer *buckets[PEER_BUCKETS];

void *peer_of(const struct sockaddr_in *address) {
  return (void *)(uintptr_t)((uint64_t)ntohl(address->sin_addr.s_addr) << 16 | ntohs(address->sin_port));
}

struct sockaddr_in peer_address(const void *peer) {
  const uint64_t number = (uintptr_t)peer;
  return (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons((uint16_t)number), .sin_addr.s_addr = htonl((uint32_t)(number >> 16))};
}

/* Where the peer is in its list, or where it belongs. */
static struct peer **place_of(const void *name) {
  const uint64_t number = (uintptr_t)name;
  struct peer **place = &buckets[(number ^ number >> 16) % PEER_BUCKETS];
  while (*place != NULL && (*place)->name != name) {
    place = &(*place)->next;
  }
  return place;
}

bool peer_hold(void *name) {
  struct peer **place = place_of(name);
  if (*place == NULL) {
    struct peer *peer = calloc(1, sizeof *peer);
    if (peer == NULL) {
      return false;
    }
    peer->name = name;
    *place = peer;
    usrsctp_register_address(name);
  }
  (*place)->holds++;
  return true;
}

void peer_release(void *name) {
  struct peer **place = place_of(name);
  struct peer *peer = *place;
  if (--peer->holds == 0) {
    usrsctp_deregister_address(name);
    *place = peer->next;
    free(peer);
  }
}
