/*
 * test_sctp.c: the rules of transport.h over the kernel's SCTP, with one-to-one and one-to-many sockets, against a peer
 * in a process of its own. The kernel must have SCTP.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../client/engine/core/base/failure.h"
#include "../../client/engine/core/transport/sctp_association.h"
#include "../../client/engine/core/transport/sctp_socket.h"
#include "sctp_world.h"
#include "waits.h"

TEST(exchange) {
  begin();
  uint64_t before_ns = clock_now(&world.clock);
  open_slot(3);
  CHECK(world.slots[3].started_ns >= before_ns && world.slots[3].started_ns <= world.transport->seen_ns);
  struct iovec parts[3] = {{"ec", 2}, {"ho", 2}, {"!", 1}};
  CHECK_EQUAL(table->send(world.transport, 3, parts, 3, &world.slots[3].started_ns), IO_SENT);
  TURN_UNTIL(world.slots[3].bytes == 5);
  CHECK_EQUAL(world.slots[3].hash, hash_of(0, (const uint8_t *)"echo!", 5));
  CHECK(world.transport->seen_ns >= world.slots[3].started_ns);
  struct tcp_info info;
  CHECK(table->inspect(world.transport, 3, &info) < 0); /* absent, not zero */
  table->close(world.transport, 3, IO_FIN);
  CHECK_EQUAL(world.slots[3].closes, 0);
  TURN_UNTIL(world.slots[3].closes == 1);
  CHECK_EQUAL(world.slots[3].reason, 0);
  CHECK_EQUAL(world.slots[3].sents, 0);
  end();
}

/* More than SCTP's buffers hold, in both directions, from iovecs that are not where messages begin and end. */
TEST(a_large_transfer) {
  begin();
  uint8_t *bytes = malloc(LARGE);
  for (size_t i = 0; i < LARGE; i++) bytes[i] = (uint8_t)(i * 7 + (i >> 13));
  bytes[0] = PEER_ECHOES;
  struct iovec parts[3] = {{bytes, 10}, {bytes + 10, LARGE / 3}, {bytes + 10 + LARGE / 3, LARGE - LARGE / 3 - 10}};
  open_slot(0);
  CHECK_EQUAL(table->send(world.transport, 0, parts, 3, &world.slots[0].started_ns), IO_PENDING);
  TURN_UNTIL(world.slots[0].bytes == LARGE);
  CHECK_EQUAL(world.slots[0].hash, hash_of(0, bytes, LARGE));
  CHECK_EQUAL(world.slots[0].sents, 1);
  CHECK_EQUAL(world.slots[0].closes, 0);
  CHECK_EQUAL(table->unsent_bytes(world.transport, 0), 0);
  free(bytes);
  end();
}

TEST(peers_that_end) {
  begin();
  open_slot(1);
  say(1, PEER_SHUTS_DOWN);
  TURN_UNTIL(world.slots[1].closes == 1);
  CHECK_EQUAL(world.slots[1].reason, IO_EOF);
  open_slot(2);
  say(2, PEER_ABORTS);
  TURN_UNTIL(world.slots[2].closes == 1);
  CHECK_EQUAL(world.slots[2].reason, -ECONNRESET);
  turn(0);
  CHECK_EQUAL(world.slots[1].closes, 1);
  CHECK_EQUAL(world.slots[2].closes, 1);
  end();
}

TEST(replies_that_break_off) {
  begin();
  open_slot(1);
  say(1, PEER_TRUNCATES);
  TURN_UNTIL(world.slots[1].closes == 1);
  CHECK_EQUAL(world.slots[1].bytes, 3);
  CHECK_EQUAL(world.slots[1].reason, IO_EOF);
  open_slot(2);
  say(2, PEER_ABORTS_IN_A_REPLY);
  TURN_UNTIL(world.slots[2].closes == 1);
  CHECK_EQUAL(world.slots[2].reason, -ECONNRESET);
  end();
}

TEST(an_abort_in_the_middle_of_a_send) {
  begin();
  struct iovec part = {calloc(1, LARGE), LARGE};
  *(uint8_t *)part.iov_base = PEER_ABORTS;
  open_slot(0);
  CHECK_EQUAL(table->send(world.transport, 0, &part, 1, &world.slots[0].started_ns), IO_PENDING);
  TURN_UNTIL(world.slots[0].closes == 1);
  CHECK_EQUAL(failure_error_cause(world.slots[0].reason), ERROR_RESET); /* also -EPIPE, of the send */
  CHECK_EQUAL(world.slots[0].sents, 0);
  CHECK(world.slots[0].unsent > 0 && world.slots[0].unsent < LARGE);
  free(part.iov_base);
  end();
}

/* How we end a connection, as the peer saw it. */
TEST(our_own_ends) {
  begin();
  for (uint32_t slot = 0; slot < 2; slot++) {
    open_slot(slot);
    say(slot, PEER_ECHOES);
    TURN_UNTIL(world.slots[slot].bytes == 1);
    table->close(world.transport, slot, slot == 0 ? IO_FIN : IO_RST);
    table->close(world.transport, slot, IO_RST); /* twice is once */
    TURN_UNTIL(world.slots[slot].closes == 1);
    CHECK_EQUAL(world.slots[slot].reason, 0);
    CHECK_EQUAL(sctp_peer_ending(&remote), slot == 0 ? PEER_SAW_SHUTDOWN : PEER_SAW_ABORT);
  }
  world.endpoint.socket.reset_on_close = true;
  open_slot(2);
  say(2, PEER_IGNORES);
  table->close(world.transport, 2, IO_FIN);
  TURN_UNTIL(world.slots[2].closes == 1);
  CHECK_EQUAL(sctp_peer_ending(&remote), PEER_SAW_ABORT);
  end();
}

/* The transport's end is the end of its connections, too. */
TEST(ended_by_destroy) {
  begin();
  open_slot(0);
  say(0, PEER_ECHOES);
  TURN_UNTIL(world.slots[0].bytes == 1);
  table->destroy(world.transport);
  CHECK_EQUAL(world.slots[0].closes, 0);
  CHECK(sctp_peer_ending(&remote) != 0);
  sctp_peer_kill(&remote);
}

TEST(refused) {
  begin_with(false);
  connect_slot(0);
  CHECK_EQUAL(world.slots[0].closes, 0); /* never outside turn() */
  TURN_UNTIL(world.slots[0].closes == 1);
  CHECK_EQUAL(world.slots[0].connects, 0);
  CHECK_EQUAL(world.slots[0].reason, -ECONNREFUSED);
  end();
}

TEST(closed_before_it_opened) {
  begin();
  connect_slot(0);
  table->close(world.transport, 0, IO_RST);
  TURN_UNTIL(world.slots[0].closes == 1);
  turn(1000000);
  CHECK_EQUAL(world.slots[0].connects, 0);
  CHECK_EQUAL(world.slots[0].closes, 1);
  CHECK_EQUAL(world.slots[0].reason, 0);
  end();
}

TEST(connected_again_inside_on_close) {
  begin();
  open_slot(5);
  world.reconnect_on_close = true;
  say(5, PEER_SHUTS_DOWN);
  TURN_UNTIL(world.slots[5].connects == 2);
  CHECK_EQUAL(world.slots[5].closes, 1);
  say(5, PEER_ECHOES);
  TURN_UNTIL(world.slots[5].bytes == 1);
  end();
}

TEST(many_at_once) {
  begin();
  for (uint32_t slot = 0; slot < SLOTS; slot++) connect_slot(slot);
  for (uint32_t slot = 0; slot < SLOTS; slot++) TURN_UNTIL(world.slots[slot].connects == 1);
  for (uint32_t slot = 0; slot < SLOTS; slot++) say(slot, slot % 2 ? PEER_ABORTS : PEER_ECHOES);
  for (uint32_t slot = 0; slot < SLOTS; slot++) {
    if (slot % 2)
      TURN_UNTIL(world.slots[slot].reason == -ECONNRESET);
    else
      TURN_UNTIL(world.slots[slot].bytes == 1);
  }
  for (uint32_t slot = 0; slot < SLOTS; slot++) CHECK_EQUAL(world.slots[slot].closes, slot % 2);
  end();
}

TEST(deadlines_and_wake) {
  begin();
  waits_check(world.transport, &world.clock, turn);
  end();
}

/* The association that `ace --association` opens, and what it says of it. */
TEST(the_addresses_of_an_association) {
  begin();
  table->destroy(world.transport);
  struct sctp_association found;
  CHECK_EQUAL(sctp_association_inspect(&world.endpoint, 20 * NS_PER_SECOND, &found), 0);
  CHECK(found.local.count >= 1 && found.peer.count >= 1);
  const struct sockaddr_in *peer = (const void *)&found.peer.list[0], *local = (const void *)&found.local.list[0];
  CHECK_EQUAL(peer->sin_family, AF_INET);
  CHECK_EQUAL(ntohs(peer->sin_port), remote.port);
  CHECK_EQUAL(peer->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
  CHECK_EQUAL(local->sin_family, AF_INET);
  CHECK(local->sin_port != 0);
  sctp_peer_kill(&remote);
  CHECK_EQUAL(sctp_association_inspect(&world.endpoint, 20 * NS_PER_SECOND, &found), -ECONNREFUSED);
}

static int run(bool one_to_many) {
  is_one_to_many = one_to_many;
  printf("# %s\n", one_to_many ? "one-to-many" : "one-to-one");
  return check_run("");
}

int main(void) {
  if (sctp_socket_probe() != 0) return 1;
  return run(false) | run(true);
}
