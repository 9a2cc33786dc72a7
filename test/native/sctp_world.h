/*
 * sctp_world: a transport over SCTP and its peer, as the tests of SCTP meet them: what the transport has reported of
 * each slot, and the steps that most tests begin with. A header of its own for a test, because CHECK counts in the file
 * that includes it.
 */
#ifndef BROADSIDE_SCTP_WORLD_H
#define BROADSIDE_SCTP_WORLD_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "../../client/engine/core/transport/transport.h"
#include "check.h"
#include "sctp_peer.h"

#define SLOTS 64u
#define NOT_YET 1000000
#define MEDIUM (512u * 1024u)      /* more than the send buffer of usrsctp takes at once */
#define LARGE (3u * 1024u * 1024u) /* more than any buffer of SCTP holds */

struct seen {
  int connects, sents, closes, reason;
  size_t bytes, hash, unsent;
};

static const struct transport_table *table; /* whose turn it is */
static bool is_one_to_many;

static struct {
  struct transport *transport;
  struct clock clock;
  struct seen slots[SLOTS];
  uint64_t started_ns[SLOTS];
  bool inside, reconnect_on_close;
  struct endpoint endpoint;
  struct sctp_peer peer;
} world;

static inline size_t hash_of(size_t hash, const uint8_t *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) hash = hash * 31 + bytes[i];
  return hash;
}

static inline void on_connect(void *owner, uint32_t slot) {
  CHECK(owner == &world && world.inside);
  CHECK_EQUAL(world.slots[slot].closes, world.slots[slot].connects);
  world.slots[slot].connects++;
}

static inline void on_bytes(void *owner, uint32_t slot, const uint8_t *bytes, size_t length) {
  CHECK(owner == &world && world.inside && length > 0);
  CHECK_EQUAL(world.slots[slot].closes + 1, world.slots[slot].connects);
  world.slots[slot].bytes += length;
  world.slots[slot].hash = hash_of(world.slots[slot].hash, bytes, length);
}

static inline void on_sent(void *owner, uint32_t slot) {
  CHECK(owner == &world && world.inside);
  world.slots[slot].sents++;
}

static inline void connect_slot(uint32_t slot) {
  table->connect(world.transport, slot, &world.endpoint, 0, &world.started_ns[slot]);
}

static inline void on_close(void *owner, uint32_t slot, int reason) {
  CHECK(owner == &world && world.inside);
  world.slots[slot].closes++;
  world.slots[slot].reason = reason;
  world.slots[slot].unsent = table->unsent_bytes(world.transport, slot);
  if (world.reconnect_on_close) {
    world.reconnect_on_close = false;
    connect_slot(slot);
  }
}

static const struct transport_events events = {
    .on_connect = on_connect, .on_bytes = on_bytes, .on_sent = on_sent, .on_close = on_close};

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
  memset(&world, 0, sizeof world);
  world.clock = (struct clock){clock_monotonic_ns, NULL};
  for (uint32_t slot = 0; slot < SLOTS; slot++) world.slots[slot].reason = NOT_YET;
  world.peer = (struct sctp_peer){
      .is_kernel = table == &transport_epoll, .is_one_to_many = is_one_to_many, .accepts_nothing = !accepts};
  CHECK(sctp_peer_start(&world.peer));
  set_endpoint(world.peer.port);
  const struct transport_settings settings = {
      .slots = SLOTS, .events = &events, .owner = &world, .clock = &world.clock};
  CHECK_EQUAL(table->create(&settings, &world.transport), 0);
}

static inline void begin(void) { begin_with(true); }

static inline void end(void) {
  table->destroy(world.transport);
  sctp_peer_kill(&world.peer);
}

static inline void turn(uint64_t wait_ns) {
  world.inside = true;
  CHECK(table->turn(world.transport, clock_now(&world.clock) + wait_ns) >= 0);
  world.inside = false;
}

/* Turns until CONDITION, at most 20 s. */
#define TURN_UNTIL(condition)                                                  \
  do {                                                                         \
    uint64_t turn_end = clock_now(&world.clock) + 20 * NS_PER_SECOND;          \
    while (!(condition) && clock_now(&world.clock) < turn_end) turn(10000000); \
    CHECK(condition);                                                          \
  } while (0)

static inline void open_slot(uint32_t slot) {
  connect_slot(slot);
  TURN_UNTIL(world.slots[slot].connects > world.slots[slot].closes);
}

/* Sends what makes the peer behave by MODE. */
static inline void say(uint32_t slot, enum sctp_peer_mode mode) {
  char byte = (char)mode;
  struct iovec part = {&byte, 1};
  int sents = world.slots[slot].sents;
  if (table->send(world.transport, slot, &part, 1, &world.started_ns[slot]) == IO_SENT) return;
  TURN_UNTIL(world.slots[slot].sents == sents + 1);
}

#endif
