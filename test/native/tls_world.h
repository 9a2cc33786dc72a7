/*
 * tls_world: what the tests of TLS share: an engine's place over a channel, peers in the same thread, and certificates.
 * All of it is in the header, as each test program has one world of its own.
 */
#ifndef BROADSIDE_TLS_WORLD_H
#define BROADSIDE_TLS_WORLD_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../client/engine/core/transport/channel.h"
#include "backends.h"
#include "tls_peer.h"

#define SLOTS 16u
#define NOT_YET 1000000

static struct identity authority, server, other, expired, client;

static struct {
  struct transport *transport;
  struct clock clock;
  struct {
    int transports, connects, sents, closes, reason;
    size_t bytes, hash, unsent;
    uint64_t started_ns, transport_ns, connect_ns;
  } slots[SLOTS];
  bool inside, close_on_bytes, reconnect_on_close, send_on_connect;
  struct endpoint endpoint;
  int listener;
  struct tls_peer peers[SLOTS];
  uint32_t peer_count;
} world;

static inline void on_transport(void *owner, uint32_t slot) {
  CHECK(owner == &world && world.inside);
  CHECK_EQUAL(world.slots[slot].transports, world.slots[slot].closes);
  CHECK(world.transport->seen_ns >= world.slots[slot].started_ns);
  world.slots[slot].transports++;
  world.slots[slot].transport_ns = world.transport->seen_ns;
}

static inline void on_connect(void *owner, uint32_t slot) {
  CHECK(owner == &world && world.inside);
  CHECK_EQUAL(world.slots[slot].transports, world.slots[slot].closes + 1);
  CHECK(world.slots[slot].started_ns >= world.slots[slot].transport_ns); /* stamped again */
  world.slots[slot].connects++;
  world.slots[slot].connect_ns = world.transport->seen_ns;
  if (!world.send_on_connect) return;
  const struct iovec part = {"at once", 7};
  world.transport->table->send(world.transport, slot, &part, 1, &world.slots[slot].started_ns);
}

static inline void on_bytes(void *owner, uint32_t slot, const uint8_t *bytes, size_t length) {
  CHECK(owner == &world && world.inside && length > 0);
  CHECK_EQUAL(world.slots[slot].closes + 1, world.slots[slot].connects);
  world.slots[slot].bytes += length;
  for (size_t i = 0; i < length; i++) world.slots[slot].hash = world.slots[slot].hash * 31 + bytes[i];
  if (world.close_on_bytes) world.transport->table->close(world.transport, slot, IO_FIN);
}

static inline void on_sent(void *owner, uint32_t slot) {
  CHECK(owner == &world && world.inside);
  world.slots[slot].sents++;
}

static inline void connect_slot(uint32_t slot) {
  world.transport->table->connect(world.transport, slot, &world.endpoint, 0, &world.slots[slot].started_ns);
}

static inline void on_close(void *owner, uint32_t slot, int reason) {
  CHECK(owner == &world && world.inside);
  world.slots[slot].closes++;
  world.slots[slot].reason = reason;
  world.slots[slot].unsent = world.transport->table->unsent_bytes(world.transport, slot);
  if (world.reconnect_on_close) {
    world.reconnect_on_close = false;
    connect_slot(slot);
  }
}

static const struct transport_events events = {.on_connect = on_connect,
                                               .on_bytes = on_bytes,
                                               .on_sent = on_sent,
                                               .on_close = on_close,
                                               .on_transport = on_transport};

/* What a test asks for unless it asks for something else. */
static inline struct tls_settings usual(void) {
  return (struct tls_settings){.authorities = authority.certificate_pem, .server_name = "here.invalid", .verify = true};
}

/* The transport may have more slots than the test uses. */
static inline void begin_with_slots(struct tls_settings tls, uint32_t slots) {
  memset(&world, 0, sizeof world);
  world.clock = (struct clock){clock_monotonic_ns, NULL};
  for (uint32_t slot = 0; slot < SLOTS; slot++) world.slots[slot].reason = NOT_YET;
  const struct transport_settings settings = {
      .slots = slots, .events = &events, .owner = &world, .clock = &world.clock};
  CHECK_EQUAL(channel_create(table, &settings, &tls, &world.transport), 0);
  world.listener = backends_listen(0, 128, &world.endpoint);
}

static inline void begin_with(struct tls_settings tls) { begin_with_slots(tls, SLOTS); }

static inline void begin(void) { begin_with(usual()); }

static inline void end(void) {
  world.transport->table->destroy(world.transport);
  for (uint32_t i = 0; i < world.peer_count; i++) tls_peer_end(&world.peers[i]);
  if (world.listener >= 0) close(world.listener);
}

static inline void turn(uint64_t wait_ns) {
  world.inside = true;
  CHECK(world.transport->table->turn(world.transport, clock_now(&world.clock) + wait_ns) >= 0);
  world.inside = false;
  for (uint32_t i = 0; i < world.peer_count; i++) tls_peer_step(&world.peers[i]);
}

/* Turns until CONDITION, at most 10 s. */
#define TURN_UNTIL(condition)                                                 \
  do {                                                                        \
    uint64_t turn_end = clock_now(&world.clock) + 10 * NS_PER_SECOND;         \
    while (!(condition) && clock_now(&world.clock) < turn_end) turn(1000000); \
    CHECK(condition);                                                         \
  } while (0)

/* Connects, with a peer whose end the test plays with bare system calls. */
static inline int open_bare(uint32_t slot) {
  connect_slot(slot);
  TURN_UNTIL(world.slots[slot].transports > world.slots[slot].closes);
  return accept(world.listener, NULL, NULL);
}

static inline struct tls_peer *accept_peer(const struct identity *identity, int version,
                                           const struct identity *clients) {
  SSL_CTX *context = tls_peer_context(identity, version, clients);
  struct tls_peer *peer = &world.peers[world.peer_count++];
  tls_peer_begin(peer, context, accept(world.listener, NULL, NULL));
  SSL_CTX_free(context);
  return peer;
}

static inline struct tls_peer *meet(uint32_t slot, const struct identity *identity, int version) {
  connect_slot(slot);
  TURN_UNTIL(world.slots[slot].transports > world.slots[slot].closes);
  return accept_peer(identity, version, NULL);
}

static inline struct tls_peer *open_slot(uint32_t slot) {
  struct tls_peer *peer = meet(slot, &server, TLS1_3_VERSION);
  TURN_UNTIL(world.slots[slot].connects > world.slots[slot].closes && peer->secured);
  return peer;
}

static inline void ends_with(uint32_t slot, int reason) {
  TURN_UNTIL(world.slots[slot].closes == 1);
  CHECK_EQUAL(world.slots[slot].reason, reason);
}

/* The first failure of TLS; its cause is TLS_FAILURE_NONE where there was none. */
static inline struct tls_failure take_failure(void) {
  struct tls_failure failure = {0};
  bool taken = channel_take_failure(world.transport, &failure);
  CHECK_EQUAL(taken, failure.cause != TLS_FAILURE_NONE);
  CHECK(!channel_take_failure(world.transport, &failure)); /* it is reported once */
  return failure;
}

static inline void check_no_failure(void) { CHECK_EQUAL(take_failure().cause, TLS_FAILURE_NONE); }

static inline void check_failure(enum tls_failure_cause cause, bool in_handshake, const char *reason) {
  struct tls_failure failure = take_failure();
  CHECK_EQUAL(failure.cause, cause);
  CHECK_EQUAL(failure.in_handshake, in_handshake);
  CHECK(strcmp(failure.reason, reason) == 0);
  if (strcmp(failure.reason, reason) != 0) printf("# reason: %s\n", failure.reason);
}

/* Runs TESTS over every backend that this kernel has. */
static inline int world_run(const struct check_test *tests, size_t count) {
  identity_make(&authority, "authority.invalid", false, 3600, NULL);
  identity_make(&server, "here.invalid", false, 3600, &authority);
  identity_make(&other, "127.0.0.1", true, 3600, &authority);
  identity_make(&expired, "here.invalid", false, -60, &authority);
  identity_make(&client, "here.invalid", false, 3600, NULL);
  int failed = backends_run(tests, count);
  struct identity *all[] = {&authority, &server, &other, &expired, &client};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) identity_free(all[i]);
  return failed;
}

#endif
