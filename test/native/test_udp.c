/*
 * test_udp.c: sockets of UDP on the transport over epoll, against a peer that the test plays itself: what is in flight
 * on one socket is nothing to another, nor to the next connection of its port.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "world.h"

#define SLOTS 64u

static int peer;
static const struct transport_table *const table = &transport_epoll;

/* A socket on a free port of loopback. */
static int bound_socket(struct sockaddr_in *address) {
  socklen_t length = sizeof *address;
  *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  CHECK_EQUAL(bind(fd, (struct sockaddr *)address, length), 0);
  CHECK_EQUAL(getsockname(fd, (struct sockaddr *)address, &length), 0);
  return fd;
}

static void begin(void) {
  struct sockaddr_in address;
  world_begin();
  const struct transport_settings settings = world_settings(SLOTS, &world_events);
  CHECK_EQUAL(table->create(&settings, &world.transport), 0);
  peer = bound_socket(&address);
  world.endpoint =
      (struct endpoint){.family = AF_INET, .transport = SOCK_DGRAM, .address_length = (socklen_t)sizeof address};
  memcpy(&world.endpoint.address, &address, sizeof address);
}

static void end(void) {
  world_end();
  close(peer);
}

/* The id of the request that the slot sends. */
static uint16_t id_of_request(uint32_t slot) {
  static const struct iovec part = {(void *)(uintptr_t) "get", 3};
  uint8_t request[16] = {0};
  table->send(world.transport, slot, &part, 1, &world.slots[slot].started_ns);
  CHECK_EQUAL(recv(peer, request, sizeof request, 0), 8 + 3);
  return (uint16_t)(request[0] << 8 | request[1]);
}

/* A reply that comes late to a port that another slot has got is none that this one awaits. */
TEST(slots_have_ids_of_their_own) {
  static uint8_t seen[UINT16_MAX + 1];
  unsigned different = 0;
  begin();
  memset(seen, 0, sizeof seen);
  for (uint32_t slot = 0; slot < SLOTS; slot++) {
    connect_slot(slot);
    TURN_UNTIL(world.slots[slot].connects == 1);
    uint16_t id = id_of_request(slot);
    different += !seen[id];
    seen[id] = 1;
    CHECK_EQUAL(id_of_request(slot), (uint16_t)(id + 1));
  }
  CHECK(different > SLOTS / 2);
  end();
}

/* The port has had another owner, whose reply comes before the socket is known to be connected. */
TEST(a_stray_is_no_early_data) {
  struct sockaddr_in source;
  const uint8_t reply[] = {0, 1, 0, 0, 0, 1, 0, 0, 'E', 'N', 'D'};
  begin();
  close(bound_socket(&source));
  world.source_port = ntohs(source.sin_port);
  connect_slot(0);
  CHECK_EQUAL(sendto(peer, reply, sizeof reply, 0, (struct sockaddr *)&source, sizeof source), sizeof reply);
  TURN_UNTIL(world.slots[0].connects == 1 && world.transport->strays == 1);
  CHECK(!world.slots[0].has_early_data);
  CHECK_EQUAL(world.slots[0].bytes, 0);
  end();
}

/* Datagrams without content that memcached sends before some replies, more of them than a turn reads. */
TEST(a_flood_of_empty_datagrams_takes_several_turns) {
  enum { EMPTY = 32 };
  struct sockaddr_in source;
  begin();
  close(bound_socket(&source));
  world.source_port = ntohs(source.sin_port);
  connect_slot(0);
  TURN_UNTIL(world.slots[0].connects == 1);
  const uint16_t id = id_of_request(0);
  const uint8_t empty[] = {(uint8_t)(id >> 8), (uint8_t)id, 0, 0, 0, 0, 0, 0};
  const uint8_t reply[] = {(uint8_t)(id >> 8), (uint8_t)id, 0, 0, 0, 1, 0, 0, 'E', 'N', 'D'};
  for (unsigned i = 0; i < EMPTY; i++) {
    CHECK_EQUAL(sendto(peer, empty, sizeof empty, 0, (struct sockaddr *)&source, sizeof source), sizeof empty);
  }
  CHECK_EQUAL(sendto(peer, reply, sizeof reply, 0, (struct sockaddr *)&source, sizeof source), sizeof reply);
  turn(0);
  CHECK_EQUAL(world.slots[0].bytes, 0);
  TURN_UNTIL(world.slots[0].bytes == sizeof reply - sizeof empty);
  CHECK_EQUAL(world.transport->strays, 0);
  end();
}
