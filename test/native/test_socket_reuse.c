/*
 * test_socket_reuse.c: connections of slots that have one endpoint for all of theirs: each may use
 * the socket of the one before. What its peer and its owner see of it must not differ from that of a new socket. Only
 * epoll does it.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "loopback.h"
#include "world.h"

#define SLOTS 4u
#define LARGE (16 * 1024 * 1024) /* more than the kernel takes from one that is not read */

/* Whether a slot that we have closed connects again at once. */
static bool reconnects;

static void on_close(void *owner, uint32_t slot, int reason) {
  see_close(owner, slot, reason);
  if (reconnects && reason == 0) connect_slot(slot);
}

static const struct transport_events events = {
    .on_connect = see_connect, .on_bytes = see_bytes, .on_sent = see_sent, .on_close = on_close};

static void begin_stamped(bool stamped) {
  world_begin();
  reconnects = true;
  world.close_on_bytes = true;
  struct transport_settings settings = world_settings(SLOTS, &events);
  settings.stamped.any = stamped;
  settings.has_fixed_endpoints = true;
  CHECK_EQUAL(table->create(&settings, &world.transport), 0);
  world.listener = loopback_listen(0, 128, &world.endpoint);
}

static void begin(void) { begin_stamped(false); }

/* The peer of the slot's next connection, once that is open. */
static int accept_slot(uint32_t slot, int connects) {
  TURN_UNTIL(world.slots[slot].connects == connects);
  int peer = accept(world.listener, NULL, NULL);
  CHECK(peer >= 0);
  return peer;
}

/* Bytes and FIN of the peer arrive together: in one event. */
static void say_and_end(int peer) {
  CHECK_EQUAL(send(peer, "bye", 3, MSG_NOSIGNAL | MSG_MORE), 3);
  CHECK_EQUAL(shutdown(peer, SHUT_WR), 0);
}

/* The peer hears BYTES bytes and then a FIN. */
static void hears_fin(int peer, size_t bytes) {
  char buffer[65536];
  ssize_t length;
  size_t heard = 0;
  while ((length = recv(peer, buffer, sizeof buffer, 0)) > 0) heard += (size_t)length;
  CHECK_EQUAL(length, 0);
  CHECK_EQUAL(heard, bytes);
  close(peer);
}

static int descriptor(uint32_t slot) { return epoll_descriptor(world.transport, slot); }

TEST(many_connections_of_one_socket) {
  begin();
  connect_slot(1);
  int socket_of_first = -1;
  for (int i = 1; i <= 100; i++) {
    int peer = accept_slot(1, i), on = 0;
    socklen_t length = sizeof on;
    if (i == 1) socket_of_first = descriptor(1);
    CHECK_EQUAL(descriptor(1), socket_of_first);
    CHECK_EQUAL(getsockopt(descriptor(1), IPPROTO_TCP, TCP_NODELAY, &on, &length), 0);
    CHECK(on != 0);
    const struct iovec part = {"hello", 5};
    CHECK_EQUAL(table->send(world.transport, 1, &part, 1, &world.slots[1].started_ns), IO_SENT);
    say_and_end(peer);
    TURN_UNTIL(world.slots[1].closes == i);
    CHECK_EQUAL(world.slots[1].reason, 0);
    CHECK_EQUAL(world.slots[1].bytes, 3 * i);
    hears_fin(peer, 5);
  }
  world_end();
}

/* Where the owner does not connect again at once, nothing of the connection is left. */
TEST(without_a_next_connection) {
  begin();
  uint64_t before = count_descriptors();
  reconnects = false;
  connect_slot(0);
  int peer = accept_slot(0, 1);
  say_and_end(peer);
  TURN_UNTIL(world.slots[0].closes == 1);
  hears_fin(peer, 0);
  CHECK_EQUAL(count_descriptors(), before);
  connect_slot(0);
  peer = accept_slot(0, 2);
  close(peer);
  TURN_UNTIL(world.slots[0].closes == 2);
  CHECK_EQUAL(world.slots[0].reason, IO_EOF);
  world_end();
}

/* The peer has not acknowledged all yet: it has not read a large send, which must arrive nevertheless. */
TEST(while_bytes_are_under_way) {
  begin();
  uint8_t *large = calloc(1, LARGE);
  connect_slot(2);
  int peer = accept_slot(2, 1);
  const struct iovec part = {large, LARGE};
  CHECK_EQUAL(table->send(world.transport, 2, &part, 1, &world.slots[2].started_ns), IO_PENDING);
  turn(10000000);
  say_and_end(peer);
  TURN_UNTIL(world.slots[2].closes == 1);
  size_t unsent = world.slots[2].unsent;
  CHECK(unsent > 0 && unsent < LARGE);
  close(accept_slot(2, 2));
  hears_fin(peer, LARGE - unsent);
  free(large);
  world_end();
}

/* Our FIN came first, or the peer's FIN is not known yet: TIME_WAIT is ours, and the port stays in use. */
TEST(closed_before_the_peer) {
  begin();
  connect_slot(3);
  int peer = accept_slot(3, 1);
  CHECK_EQUAL(send(peer, "bye", 3, MSG_NOSIGNAL), 3);
  TURN_UNTIL(world.slots[3].closes == 1);
  hears_fin(peer, 0);
  close(accept_slot(3, 2));
  world_end();
}

TEST(closed_by_rst) {
  begin();
  world.endpoint.socket.reset_on_close = true;
  connect_slot(1);
  for (int i = 1; i <= 10; i++) {
    char heard;
    int peer = accept_slot(1, i);
    CHECK_EQUAL(send(peer, "bye", 3, MSG_NOSIGNAL), 3);
    TURN_UNTIL(world.slots[1].closes == i);
    CHECK_EQUAL(recv(peer, &heard, 1, 0), -1);
    CHECK_EQUAL(errno, ECONNRESET);
    close(peer);
  }
  world_end();
}

/* Each connection comes from the endpoint's source, from a port that the kernel chooses anew. */
TEST(from_a_source) {
  begin();
  struct sockaddr_in source = {.sin_family = AF_INET}, from;
  inet_pton(AF_INET, "127.0.0.5", &source.sin_addr);
  memcpy(&world.endpoint.source, &source, sizeof source);
  world.endpoint.source_length = sizeof source;
  connect_slot(1);
  int socket_of_first = -1, changes = 0;
  uint16_t port = 0;
  for (int i = 1; i <= 10; i++) {
    socklen_t length = sizeof from;
    int peer = accept_slot(1, i);
    if (i == 1) socket_of_first = descriptor(1);
    CHECK_EQUAL(descriptor(1), socket_of_first);
    CHECK_EQUAL(getpeername(peer, (struct sockaddr *)&from, &length), 0);
    CHECK_EQUAL(from.sin_addr.s_addr, source.sin_addr.s_addr);
    changes += from.sin_port != port;
    port = from.sin_port;
    say_and_end(peer);
    TURN_UNTIL(world.slots[1].closes == i);
    hears_fin(peer, 0);
  }
  CHECK(changes >= 5);
  world_end();
}

/* The bytes of each connection are numbered from its first one, also after a connection without stamps. */
TEST(with_timestamps) {
  begin_stamped(true);
  connect_slot(2);
  for (int i = 1; i <= 9; i++) {
    int peer = accept_slot(2, i);
    const struct iovec part = {"hello", 5};
    struct sent_stamp stamp = {0};
    bool is_stamped = i % 3 == 0;
    if (is_stamped) table->stamp_sends(world.transport, 2, true);
    table->send(world.transport, 2, &part, 1, &world.slots[2].started_ns);
    char heard[5];
    CHECK_EQUAL(recv(peer, heard, sizeof heard, MSG_WAITALL), 5);
    if (is_stamped) {
      uint64_t until_ns = clock_now(&world.clock) + 20 * NS_PER_SECOND;
      bool found = false;
      while (!found && clock_now(&world.clock) < until_ns) found = table->take_stamp(world.transport, 2, &stamp);
      CHECK(found);
      CHECK_EQUAL(stamp.bytes, 5);
      table->stamp_sends(world.transport, 2, false);
    }
    say_and_end(peer);
    TURN_UNTIL(world.slots[2].closes == i);
    close(peer);
  }
  world_end();
}

TEST(then_refused) {
  begin();
  connect_slot(0);
  int peer = accept_slot(0, 1);
  close(world.listener);
  world.listener = -1;
  say_and_end(peer);
  TURN_UNTIL(world.slots[0].closes == 1);
  TURN_UNTIL(world.slots[0].closes == 2);
  CHECK_EQUAL(world.slots[0].reason, -ECONNREFUSED);
  CHECK_EQUAL(world.slots[0].connects, 1);
  close(peer);
  world_end();
}
