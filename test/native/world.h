/*
 * world: a transport in a test that takes an engine's place: what it has reported of each slot, and turns of it until a
 * condition holds.
 */
#ifndef BROADSIDE_WORLD_H
#define BROADSIDE_WORLD_H

#include <string.h>
#include <unistd.h>

#include "../../client/engine/core/transport/transport.h"
#include "check.h"

/* The most slots of which is kept what was reported. */
#define WORLD_SLOTS 64u

/* The reason of a slot that has not closed yet. */
#define NOT_YET 1000000

/* What the transport has reported of one slot. */
struct seen {
  int transports, connects, sents, closes; /* how many of each event */
  int reason;                              /* of the last on_close; NOT_YET before */
  int sents_at_bytes;                      /* when bytes came last */
  bool has_early_data;                     /* at the last on_connect */
  size_t bytes, hash;                      /* of all on_bytes */
  size_t unsent;                           /* at the last on_close */
  uint64_t started_ns;                     /* the transport's own: of the last connect or send */
  uint64_t transport_ns, connect_ns;       /* when the last on_transport and on_connect were seen */
};

/* The transport of the test that runs now, and its owner. */
static struct {
  struct transport *transport;
  struct clock clock;
  struct seen slots[WORLD_SLOTS];
  struct endpoint endpoint; /* that connect_slot() connects to */
  uint16_t source_port;     /* that it connects from; 0: the kernel chooses */
  int listener;             /* of the endpoint; -1: the test has closed it, or has none */
  bool inside;              /* a turn(): only then may events come */
  bool close_on_bytes;
  bool reconnect_on_close;  /* once */
  void (*after_turn)(void); /* what the test's peers do then; NULL: nothing */
} world;

/* Adds LENGTH bytes to a hash; that of no bytes is 0. */
static inline size_t hash_of(size_t hash, const uint8_t *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) hash = hash * 31 + bytes[i];
  return hash;
}

/* Connects to the world's endpoint. */
static inline void connect_slot(uint32_t slot) {
  world.transport->table->connect(world.transport, slot, &world.endpoint, world.source_port,
                                  &world.slots[slot].started_ns);
}

/* An on_connect. */
static inline void see_connect(void *owner, uint32_t slot) {
  CHECK(owner == &world && world.inside);
  CHECK_EQUAL(world.slots[slot].closes, world.slots[slot].connects);
  world.slots[slot].connects++;
  world.slots[slot].connect_ns = world.transport->seen_ns;
  world.slots[slot].has_early_data = world.transport->has_early_data;
}

/* An on_bytes. */
static inline void see_bytes(void *owner, uint32_t slot, const uint8_t *bytes, size_t length) {
  CHECK(owner == &world && world.inside && length > 0);
  CHECK_EQUAL(world.slots[slot].closes + 1, world.slots[slot].connects);
  world.slots[slot].bytes += length;
  world.slots[slot].hash = hash_of(world.slots[slot].hash, bytes, length);
  world.slots[slot].sents_at_bytes = world.slots[slot].sents;
  if (world.close_on_bytes) world.transport->table->close(world.transport, slot, IO_FIN);
}

/* An on_sent. */
static inline void see_sent(void *owner, uint32_t slot) {
  CHECK(owner == &world && world.inside);
  world.slots[slot].sents++;
}

/* An on_close. */
static inline void see_close(void *owner, uint32_t slot, int reason) {
  CHECK(owner == &world && world.inside);
  world.slots[slot].closes++;
  world.slots[slot].reason = reason;
  world.slots[slot].unsent = world.transport->table->unsent_bytes(world.transport, slot);
  if (!world.reconnect_on_close) return;
  world.reconnect_on_close = false;
  connect_slot(slot);
}

/* The events of a test that has none of its own. */
static const struct transport_events world_events = {
    .on_connect = see_connect, .on_bytes = see_bytes, .on_sent = see_sent, .on_close = see_close};

/* Of a transport with SLOTS slots that reports EVENTS to the world. */
static inline struct transport_settings world_settings(uint32_t slots, const struct transport_events *events) {
  return (struct transport_settings){.slots = slots, .events = events, .owner = &world, .clock = &world.clock};
}

/* Forgets the test before. Transport, endpoint and listener are for the test to make. */
static inline void world_begin(void) {
  memset(&world, 0, sizeof world);
  world.clock = (struct clock){clock_monotonic_ns, NULL};
  world.listener = -1;
  for (uint32_t slot = 0; slot < WORLD_SLOTS; slot++) world.slots[slot].reason = NOT_YET;
}

/* Destroys the transport, and closes the listener. */
static inline void world_end(void) {
  world.transport->table->destroy(world.transport);
  if (world.listener >= 0) close(world.listener);
}

/* One turn of the transport, which waits until DEADLINE_NS at most. Returns what that returned. */
static inline int turn_to(uint64_t deadline_ns) {
  world.inside = true;
  int result = world.transport->table->turn(world.transport, deadline_ns);
  world.inside = false;
  return result;
}

/* One turn of the transport, which waits WAIT_NS at most, and then the peers' part. */
static inline void turn(uint64_t wait_ns) {
  CHECK(turn_to(clock_now(&world.clock) + wait_ns) >= 0);
  if (world.after_turn) world.after_turn();
}

/* Turns until CONDITION holds, at most 20 s. */
#define TURN_UNTIL(condition)                                                 \
  do {                                                                        \
    uint64_t turn_end = clock_now(&world.clock) + 20 * NS_PER_SECOND;         \
    while (!(condition) && clock_now(&world.clock) < turn_end) turn(1000000); \
    CHECK(condition);                                                         \
  } while (0)

#endif
