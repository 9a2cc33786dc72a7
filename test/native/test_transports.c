/*
 * test_transports.c: the rules of transport.h over the kernel's sockets, on loopback, against a peer that the test
 * plays itself.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loopback.h"
#include "waits.h"
#include "world.h"

#define SLOTS 64u
#define LARGE (16 * 1024 * 1024) /* more than the kernel takes from one that is not read */

static struct sockaddr_in *address(void) { return (struct sockaddr_in *)(void *)&world.endpoint.address; }

static void begin(void) {
  world_begin();
  const struct transport_settings settings = world_settings(SLOTS, &world_events);
  CHECK_EQUAL(table->create(&settings, &world.transport), 0);
  world.listener = loopback_listen(0, 128, &world.endpoint);
}

static int open_slot(uint32_t slot) {
  connect_slot(slot);
  TURN_UNTIL(world.slots[slot].connects > world.slots[slot].closes);
  int peer = accept(world.listener, NULL, NULL);
  struct timeval patience = {.tv_sec = 20};
  setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return peer;
}

/* Sends, and turns until the transport says that the kernel has it all. */
static void send_whole(uint32_t slot, const struct iovec *parts, unsigned count) {
  int sents = world.slots[slot].sents;
  if (table->send(world.transport, slot, parts, count, &world.slots[slot].started_ns) == IO_SENT) return;
  TURN_UNTIL(world.slots[slot].sents == sents + 1);
}

static void reset(int peer) {
  struct linger linger = {1, 0};
  setsockopt(peer, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  close(peer);
}

TEST(exchange) {
  begin();
  uint64_t before_ns = clock_now(&world.clock);
  int peer = open_slot(3);
  CHECK(world.slots[3].started_ns >= before_ns && world.slots[3].started_ns <= world.transport->seen_ns);
  struct iovec parts[3] = {{"ab", 2}, {"cde", 3}, {"f", 1}};
  send_whole(3, parts, 3);
  char heard[16];
  CHECK_EQUAL(recv(peer, heard, sizeof heard, 0), 6);
  CHECK_EQUAL(memcmp(heard, "abcdef", 6), 0);
  CHECK_EQUAL(send(peer, "xyz", 3, 0), 3);
  TURN_UNTIL(world.slots[3].bytes == 3);
  CHECK_EQUAL(world.slots[3].hash, ('x' * 31 + 'y') * 31 + 'z');
  CHECK(world.transport->seen_ns >= world.slots[3].started_ns);
  struct tcp_info info;
  CHECK_EQUAL(table->inspect(world.transport, 3, &info), 0);
  CHECK_EQUAL(info.tcpi_state, 1); /* established */
  CHECK_EQUAL(table->inspect(world.transport, 4, &info), -ENOTCONN);
  table->close(world.transport, 3, IO_FIN);
  CHECK_EQUAL(world.slots[3].closes, 0);
  TURN_UNTIL(world.slots[3].closes == 1);
  CHECK_EQUAL(world.slots[3].reason, 0);
  CHECK_EQUAL(recv(peer, heard, sizeof heard, 0), 0);
  close(peer);
  world_end();
}

TEST(a_blocked_send) {
  begin();
  int peer = open_slot(0);
  size_t size = 16u * 1024u * 1024u, heard = 0;
  uint8_t *bytes = malloc(size), *buffer = malloc(65536);
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(i * 7 + (i >> 13));
  struct iovec parts[2] = {{bytes, size / 3}, {bytes + size / 3, size - size / 3}};
  CHECK_EQUAL(table->send(world.transport, 0, parts, 2, &world.slots[0].started_ns), IO_PENDING);
  CHECK_EQUAL(world.slots[0].sents, 0);
  bool same = true;
  uint64_t end_ns = clock_now(&world.clock) + 20 * NS_PER_SECOND;
  while (heard < size && clock_now(&world.clock) < end_ns) {
    ssize_t length = recv(peer, buffer, 65536, MSG_DONTWAIT);
    for (ssize_t i = 0; i < length; i++) same = same && buffer[i] == bytes[heard + (size_t)i];
    if (length > 0) heard += (size_t)length;
    turn(0);
  }
  CHECK_EQUAL(heard, size);
  CHECK(same);
  TURN_UNTIL(world.slots[0].sents == 1);
  free(bytes);
  free(buffer);
  close(peer);
  world_end();
}

/* The kernel has taken some of it, and the peer is gone: none of the parts is the last that counts. */
TEST(a_send_that_breaks_off) {
  size_t size = 16u * 1024u * 1024u;
  uint8_t *bytes = calloc(1, size);
  for (unsigned where = 0; where < 3; where++) {
    begin();
    int peer = open_slot(0);
    size_t first = where == 0 ? size : where == 1 ? 1000 : size - 1000;
    struct iovec parts[2] = {{bytes, first}, {bytes + first, size - first}};
    CHECK_EQUAL(table->send(world.transport, 0, parts, where == 0 ? 1 : 2, &world.slots[0].started_ns), IO_PENDING);
    turn(0);
    uint8_t heard[1000];
    CHECK(recv(peer, heard, sizeof heard, 0) > 0);
    reset(peer);
    TURN_UNTIL(world.slots[0].closes == 1);
    CHECK_EQUAL(world.slots[0].sents, 0);
    CHECK(world.slots[0].reason != 0);
    CHECK(world.slots[0].unsent > 0 && world.slots[0].unsent < size);
    world_end();
  }
  free(bytes);
}

/* The peer has replied before it read the request, and is gone: the send fails, and its reply comes. */
TEST(a_reply_before_a_send_that_fails) {
  const struct iovec part = {calloc(1, LARGE), LARGE};
  for (unsigned closes = 0; closes < 2; closes++) {
    begin();
    world.close_on_bytes = closes == 1;
    int peer = open_slot(0);
    send_whole(0, &(struct iovec){"request", 7}, 1);
    CHECK_EQUAL(send(peer, "no, too large", 13, 0), 13);
    close(peer); /* with the request unread: it resets */
    CHECK_EQUAL(table->send(world.transport, 0, &part, 1, &world.slots[0].started_ns), IO_PENDING);
    TURN_UNTIL(world.slots[0].closes == 1);
    CHECK_EQUAL(world.slots[0].bytes, 13);
    CHECK_EQUAL(failure_error_cause(world.slots[0].reason), closes == 1 ? ERROR_OTHER : ERROR_RESET);
    CHECK_EQUAL(world.slots[0].unsent, LARGE);
    int next = open_slot(0); /* its slot is free again */
    CHECK(next >= 0);
    close(next);
    world_end();
  }
  free(part.iov_base);
}

/* The owner closes in the middle of a send: the peer gets exactly what the kernel had taken by then. */
TEST(a_send_that_is_cut_off) {
  begin();
  int peer = open_slot(0);
  uint8_t *bytes = calloc(1, LARGE), *buffer = malloc(65536);
  const struct iovec parts[2] = {{bytes, LARGE / 64}, {bytes + LARGE / 64, LARGE - LARGE / 64}};
  CHECK_EQUAL(table->send(world.transport, 0, parts, 2, &world.slots[0].started_ns), IO_PENDING);
  turn(0);
  ssize_t length = recv(peer, buffer, 1000, 0);
  CHECK(length > 0);
  table->close(world.transport, 0, IO_FIN);
  TURN_UNTIL(world.slots[0].closes == 1);
  size_t heard = 0;
  for (; length > 0; length = recv(peer, buffer, 65536, 0)) heard += (size_t)length;
  CHECK_EQUAL(length, 0);
  CHECK(heard > LARGE / 64 && heard < LARGE);
  CHECK_EQUAL(heard, LARGE - world.slots[0].unsent);
  /* nothing is left of a send that was done, or of one on a connection that is gone */
  close(peer);
  peer = open_slot(0);
  send_whole(0, parts, 1);
  close(peer);
  TURN_UNTIL(world.slots[0].closes == 2);
  CHECK_EQUAL(world.slots[0].unsent, 0);
  free(bytes);
  free(buffer);
  world_end();
}

TEST(bytes_while_a_send_is_blocked) {
  begin();
  int peer = open_slot(0);
  size_t size = 16u * 1024u * 1024u;
  struct iovec part = {calloc(1, size), size};
  CHECK_EQUAL(table->send(world.transport, 0, &part, 1, &world.slots[0].started_ns), IO_PENDING);
  CHECK_EQUAL(send(peer, "early", 5, 0), 5);
  TURN_UNTIL(world.slots[0].bytes == 5);
  CHECK_EQUAL(world.slots[0].sents, 0);
  table->close(world.transport, 0, IO_RST);
  TURN_UNTIL(world.slots[0].closes == 1);
  CHECK_EQUAL(world.slots[0].sents, 0);
  free(part.iov_base);
  close(peer);
  connect_slot(1); /* and before the connect is reported */
  peer = accept(world.listener, NULL, NULL);
  CHECK_EQUAL(send(peer, "early", 5, 0), 5);
  TURN_UNTIL(world.slots[1].connects == 1);
  CHECK(world.slots[1].has_early_data);
  CHECK_EQUAL(world.slots[1].bytes, 5);
  close(peer);
  world_end();
}

/* The peer has ended the stream, which the owner is not told while a send is pending; then the owner closes. */
TEST(closed_after_the_peer) {
  begin();
  int peer = open_slot(1);
  const struct iovec part = {calloc(1, LARGE), LARGE};
  CHECK_EQUAL(table->send(world.transport, 1, &part, 1, &world.slots[1].started_ns), IO_PENDING);
  turn(0);
  CHECK_EQUAL(shutdown(peer, SHUT_WR), 0);
  turn(10 * NS_PER_SECOND);
  table->close(world.transport, 1, IO_FIN);
  TURN_UNTIL(world.slots[1].closes == 1);
  turn(1000000);
  CHECK_EQUAL(world.slots[1].sents, 0);
  CHECK_EQUAL(world.slots[1].closes, 1);
  free(part.iov_base);
  close(peer);
  world_end();
}

TEST(peers_that_end) {
  begin();
  int peer = open_slot(1);
  CHECK_EQUAL(send(peer, "last words", 10, 0), 10);
  close(peer);
  TURN_UNTIL(world.slots[1].closes == 1);
  CHECK_EQUAL(world.slots[1].bytes, 10);
  CHECK_EQUAL(world.slots[1].reason, IO_EOF);
  reset(open_slot(2));
  TURN_UNTIL(world.slots[2].closes == 1);
  CHECK_EQUAL(world.slots[2].reason, -ECONNRESET);
  turn(0);
  CHECK_EQUAL(world.slots[1].closes, 1);
  CHECK_EQUAL(world.slots[2].closes, 1);
  world_end();
}

TEST(refused) {
  begin();
  close(world.listener);
  world.listener = -1;
  connect_slot(0);
  CHECK_EQUAL(world.slots[0].closes, 0); /* never outside turn() */
  TURN_UNTIL(world.slots[0].closes == 1);
  CHECK_EQUAL(world.slots[0].connects, 0);
  CHECK_EQUAL(world.slots[0].reason, -ECONNREFUSED);
  world_end();
}

TEST(out_of_descriptors) {
  begin();
  struct rlimit old, none;
  getrlimit(RLIMIT_NOFILE, &old);
  none = (struct rlimit){3, old.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  connect_slot(0);
  setrlimit(RLIMIT_NOFILE, &old);
  TURN_UNTIL(world.slots[0].closes == 1);
  CHECK_EQUAL(world.slots[0].reason, -EMFILE);
  CHECK_EQUAL(world.slots[0].connects, 0);
  world_end();
}

TEST(closed_before_it_opened) {
  begin();
  connect_slot(0);
  table->close(world.transport, 0, IO_RST);
  table->close(world.transport, 0, IO_RST); /* twice is once */
  TURN_UNTIL(world.slots[0].closes == 1);
  turn(1000000);
  CHECK_EQUAL(world.slots[0].connects, 0);
  CHECK_EQUAL(world.slots[0].closes, 1);
  CHECK_EQUAL(world.slots[0].reason, 0);
  world_end();
}

TEST(closed_inside_a_callback) {
  begin();
  int peer = open_slot(0);
  world.close_on_bytes = true;
  for (int i = 0; i < 8; i++) CHECK_EQUAL(send(peer, "abc", 3, MSG_NOSIGNAL), 3);
  TURN_UNTIL(world.slots[0].closes == 1);
  size_t bytes = world.slots[0].bytes;
  turn(1000000);
  CHECK_EQUAL(world.slots[0].bytes, bytes);
  close(peer);
  world_end();
}

TEST(connected_again_inside_on_close) {
  begin();
  int peer = open_slot(5);
  world.reconnect_on_close = true;
  close(peer);
  TURN_UNTIL(world.slots[5].connects == 2);
  CHECK_EQUAL(world.slots[5].closes, 1);
  peer = accept(world.listener, NULL, NULL);
  CHECK_EQUAL(send(peer, "again", 5, 0), 5);
  TURN_UNTIL(world.slots[5].bytes == 5);
  close(peer);
  world_end();
}

TEST(a_rst_is_a_rst) {
  begin();
  int peer = open_slot(0);
  char heard[4];
  table->close(world.transport, 0, IO_RST);
  TURN_UNTIL(world.slots[0].closes == 1);
  CHECK_EQUAL(recv(peer, heard, sizeof heard, 0), -1);
  CHECK_EQUAL(errno, ECONNRESET);
  close(peer);
  world_end();
}

TEST(to_itself) {
  begin();
  *address() = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  /* a source that is the destination: what a retry against a dead port of the ephemeral range can hit by chance */
  close(world.listener);
  world.listener = -1;
  int probe = socket(AF_INET, SOCK_STREAM, 0);
  socklen_t length = sizeof(struct sockaddr_in);
  CHECK_EQUAL(bind(probe, (struct sockaddr *)address(), length), 0);
  CHECK_EQUAL(getsockname(probe, (struct sockaddr *)address(), &length), 0);
  close(probe);
  world.endpoint.source = world.endpoint.address;
  world.endpoint.source_length = length;
  connect_slot(0);
  TURN_UNTIL(world.slots[0].closes == 1);
  CHECK_EQUAL(world.slots[0].reason, IO_SELF_CONNECTED);
  CHECK_EQUAL(world.slots[0].connects, 0);
  world_end();
}

TEST(many_at_once) {
  begin();
  int peers[SLOTS];
  for (uint32_t slot = 0; slot < SLOTS; slot++) connect_slot(slot);
  for (uint32_t slot = 0; slot < SLOTS; slot++) {
    TURN_UNTIL(world.slots[slot].connects == 1);
    peers[slot] = accept(world.listener, NULL, NULL);
  }
  for (uint32_t slot = 0; slot < SLOTS; slot++) reset(peers[slot]);
  for (uint32_t slot = 0; slot < SLOTS; slot++) TURN_UNTIL(world.slots[slot].closes == 1);
  for (uint32_t slot = 0; slot < SLOTS; slot++) CHECK_EQUAL(world.slots[slot].reason, -ECONNRESET);
  world_end();
}

/* Replies that are there together, of lengths around what a ring reads of each; two peers end after theirs. */
TEST(replies_of_one_turn) {
  static const size_t lengths[] = {1, 2047, 2048, 2049, 4096, 200000, 3, 3};
  enum { COUNT = sizeof lengths / sizeof lengths[0] };
  uint8_t *bytes = malloc(200000);
  int peers[COUNT];
  for (size_t i = 0; i < 200000; i++) bytes[i] = (uint8_t)(i * 7 + (i >> 9));
  begin();
  for (uint32_t slot = 0; slot < COUNT; slot++) peers[slot] = open_slot(slot);
  for (unsigned round = 1; round <= 3; round++) {
    for (uint32_t slot = 0; slot < COUNT; slot++) {
      world.slots[slot].bytes = world.slots[slot].hash = 0;
      CHECK_EQUAL(send(peers[slot], bytes, lengths[slot], 0), (ssize_t)lengths[slot]);
    }
    if (round == 3) close(peers[6]);
    if (round == 3) reset(peers[7]);
    uint64_t from_ns = clock_now(&world.clock);
    for (uint32_t slot = 0; slot < 7; slot++) {
      TURN_UNTIL(world.slots[slot].bytes == lengths[slot]);
      CHECK_EQUAL(world.slots[slot].hash, hash_of(0, bytes, lengths[slot]));
    }
    CHECK(world.transport->seen_ns >= from_ns && world.transport->seen_ns <= clock_now(&world.clock));
  }
  TURN_UNTIL(world.slots[6].closes == 1 && world.slots[7].closes == 1);
  CHECK_EQUAL(world.slots[6].reason, IO_EOF);
  CHECK_EQUAL(world.slots[7].reason, -ECONNRESET);
  for (uint32_t slot = 0; slot < 6; slot++) close(peers[slot]);
  free(bytes);
  world_end();
}

TEST(deadlines_and_wake) {
  begin();
  waits_check(world.transport, &world.clock, turn);
  world_end();
}
