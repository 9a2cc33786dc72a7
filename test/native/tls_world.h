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
#include "loopback.h"
#include "tls_peer.h"
#include "world.h"

#define SLOTS 16u

static struct identity authority, server, other, expired, client;

/* The peers that play the server, in the order in which they were accepted. */
static struct tls_peer peers[SLOTS];

/* How many of them there are. */
static uint32_t peer_count;

/* Whether a slot sends a request as soon as it is open. */
static bool send_on_connect;

static inline void on_transport(void *owner, uint32_t slot) {
  CHECK(owner == &world && world.inside);
  CHECK_EQUAL(world.slots[slot].transports, world.slots[slot].closes);
  CHECK(world.transport->seen_ns >= world.slots[slot].started_ns);
  world.slots[slot].transports++;
  world.slots[slot].transport_ns = world.transport->seen_ns;
}

static inline void on_connect(void *owner, uint32_t slot) {
  CHECK_EQUAL(world.slots[slot].transports, world.slots[slot].closes + 1);
  CHECK(world.slots[slot].started_ns >= world.slots[slot].transport_ns); /* stamped again */
  see_connect(owner, slot);
  if (!send_on_connect) return;
  const struct iovec part = {"at once", 7};
  world.transport->table->send(world.transport, slot, &part, 1, &world.slots[slot].started_ns);
}

static const struct transport_events events = {.on_connect = on_connect,
                                               .on_bytes = see_bytes,
                                               .on_sent = see_sent,
                                               .on_close = see_close,
                                               .on_transport = on_transport};

static inline void step_peers(void) {
  for (uint32_t i = 0; i < peer_count; i++) tls_peer_step(&peers[i]);
}

/* What a test asks for unless it asks for something else. */
static inline struct tls_settings usual(void) {
  return (struct tls_settings){.authorities = authority.certificate_pem, .server_name = "here.invalid", .verify = true};
}

/* The transport may have more slots than the test uses. */
static inline void begin_with_slots(struct tls_settings tls, uint32_t slots) {
  world_begin();
  world.after_turn = step_peers;
  peer_count = 0;
  send_on_connect = false;
  const struct transport_settings settings = world_settings(slots, &events);
  CHECK_EQUAL(channel_create(table, &settings, &tls, &world.transport), 0);
  world.listener = loopback_listen(0, 128, &world.endpoint);
}

static inline void begin_with(struct tls_settings tls) { begin_with_slots(tls, SLOTS); }

static inline void begin(void) { begin_with(usual()); }

static inline void end(void) {
  world_end();
  for (uint32_t i = 0; i < peer_count; i++) tls_peer_end(&peers[i]);
}

/* Connects, with a peer whose end the test plays with bare system calls. */
static inline int open_bare(uint32_t slot) {
  connect_slot(slot);
  TURN_UNTIL(world.slots[slot].transports > world.slots[slot].closes);
  return accept(world.listener, NULL, NULL);
}

static inline struct tls_peer *accept_peer(const struct identity *identity, int version,
                                           const struct identity *clients) {
  SSL_CTX *context = tls_peer_context(identity, version, clients);
  struct tls_peer *peer = &peers[peer_count++];
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

/* Runs the tests with certificates. */
static inline int tls_world_run(void) {
  identity_make(&authority, "authority.invalid", false, 3600, NULL);
  identity_make(&server, "here.invalid", false, 3600, &authority);
  identity_make(&other, "127.0.0.1", true, 3600, &authority);
  identity_make(&expired, "here.invalid", false, -60, &authority);
  identity_make(&client, "here.invalid", false, 3600, NULL);
  int failed = check_run("");
  struct identity *all[] = {&authority, &server, &other, &expired, &client};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) identity_free(all[i]);
  return failed;
}

#endif
