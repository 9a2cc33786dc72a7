/*
 * sctp_world: the world of the tests of SCTP: its transport and its peer, and the steps that most of them begin with.
 */
#ifndef BROADSIDE_SCTP_WORLD_H
#define BROADSIDE_SCTP_WORLD_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "sctp_peer.h"
#include "world.h"

#define SLOTS 64u
#define LARGE (3u * 1024u * 1024u) /* more than any buffer of SCTP holds */

static const struct transport_table *const table = &transport_epoll;
static bool is_one_to_many;

/* The peer of all slots. */
static struct sctp_peer remote;

static inline void set_endpoint(uint16_t port) {
  const struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  world.endpoint = (struct endpoint){.family = AF_INET,
                                     .transport = is_one_to_many ? SOCK_SEQPACKET : SOCK_STREAM,
                                     .protocol = IPPROTO_SCTP,
                                     .address_length = sizeof address,
                                     .socket.nodelay = true};
  memcpy(&world.endpoint.address, &address, sizeof address);
}

static inline void begin_with(bool accepts) {
  world_begin();
  remote = (struct sctp_peer){.is_one_to_many = is_one_to_many, .accepts_nothing = !accepts};
  CHECK(sctp_peer_start(&remote));
  set_endpoint(remote.port);
  const struct transport_settings settings = world_settings(SLOTS, &world_events);
  CHECK_EQUAL(table->create(&settings, &world.transport), 0);
}

static inline void begin(void) { begin_with(true); }

static inline void end(void) {
  world_end();
  sctp_peer_kill(&remote);
}

static inline void open_slot(uint32_t slot) {
  connect_slot(slot);
  TURN_UNTIL(world.slots[slot].connects > world.slots[slot].closes);
}

/* Sends what makes the peer behave by MODE. */
static inline void say(uint32_t slot, enum sctp_peer_mode mode) {
  char byte = (char)mode;
  struct iovec part = {&byte, 1};
  int sents = world.slots[slot].sents;
  if (table->send(world.transport, slot, &part, 1, &world.slots[slot].started_ns) == IO_SENT) return;
  TURN_UNTIL(world.slots[slot].sents == sents + 1);
}

#endif
