/*
 * test_tls.c: TLS over real sockets: the rules of transport hold for it as for any other.
 */
#include <openssl/err.h>

#include "../../client/engine/core/transport/tls_session.h"
#include "tls_world.h"

#define LARGE (5u * 1024u * 1024u + 1234u)

static uint8_t *large_bytes(void) {
  uint8_t *bytes = malloc(LARGE);
  for (size_t i = 0; i < LARGE; i++) bytes[i] = (uint8_t)(i * 7 + (i >> 13));
  return bytes;
}

/* Allocations of OpenSSL that are as large as the buffer of a record. */
static unsigned large_allocations;

static void *count_malloc(size_t size, const char *file, int line) {
  (void)file, (void)line;
  large_allocations += size >= 16384;
  return malloc(size);
}

static void *count_realloc(void *memory, size_t size, const char *file, int line) {
  (void)file, (void)line;
  large_allocations += size >= 16384;
  return realloc(memory, size);
}

static void count_free(void *memory, const char *file, int line) {
  (void)file, (void)line;
  free(memory);
}

static void exchange(int version) {
  begin();
  struct tls_peer *peer = meet(3, &server, version);
  TURN_UNTIL(world.slots[3].connects == 1);
  CHECK(world.slots[3].connect_ns >= world.slots[3].started_ns);
  uint64_t before_ns = clock_now(&world.clock);
  const struct iovec parts[3] = {{"ab", 2}, {"cde", 3}, {"f", 1}};
  bool sent = world.transport->table->send(world.transport, 3, parts, 3, &world.slots[3].started_ns) == IO_SENT;
  TURN_UNTIL(sent || world.slots[3].sents == 1);
  TURN_UNTIL(peer->heard == 6);
  CHECK(world.slots[3].started_ns >= before_ns && world.slots[3].started_ns <= world.transport->seen_ns);
  CHECK_EQUAL(peer->hash, hash_of(0, (const uint8_t *)"abcdef", 6));
  tls_peer_say(peer, "xyz", 3);
  TURN_UNTIL(world.slots[3].bytes == 3);
  CHECK_EQUAL(world.slots[3].hash, hash_of(0, (const uint8_t *)"xyz", 3));
  CHECK(strcmp(SSL_get_servername(peer->ssl, TLSEXT_NAMETYPE_host_name), "here.invalid") == 0);
  struct tcp_info info;
  CHECK_EQUAL(world.transport->table->inspect(world.transport, 3, &info), 0);
  world.transport->table->close(world.transport, 3, IO_FIN);
  CHECK_EQUAL(world.slots[3].closes, 0);
  ends_with(3, 0);
  TURN_UNTIL(peer->ended); /* told, not just gone */
  check_no_failure();
  end();
}

TEST(exchange_of_1_2) { exchange(TLS1_2_VERSION); }
TEST(exchange_of_1_3) { exchange(TLS1_3_VERSION); }

/* How many buffers of records are allocated in TRANSFERS of one connection, after the first two. The peer keeps its. */
static unsigned allocations_of(uint32_t slots, unsigned transfers) {
  begin_with_slots(usual(), slots);
  struct tls_peer *peer = meet(0, &server, TLS1_3_VERSION);
  TURN_UNTIL(world.slots[0].connects == 1);
  unsigned before = 0;
  const struct iovec part = {"request", 7};
  for (unsigned i = 1; i <= transfers + 2; i++) {
    int sents = world.slots[0].sents;
    bool sent = world.transport->table->send(world.transport, 0, &part, 1, &world.slots[0].started_ns) == IO_SENT;
    TURN_UNTIL(sent || world.slots[0].sents == sents + 1);
    TURN_UNTIL(peer->heard == i * 7);
    tls_peer_say(peer, "reply", 5);
    TURN_UNTIL(world.slots[0].bytes == i * 5);
    if (i == 2) before = large_allocations;
  }
  unsigned allocations = large_allocations - before;
  end();
  return allocations;
}

TEST(a_transfer_allocates_no_buffer) {
  CHECK_EQUAL(allocations_of(1999, 20), 0);
  CHECK(allocations_of(2000, 20) >= 20);
}

TEST(requests_go_out_with_the_handshake) {
  begin();
  send_on_connect = true;
  struct tls_peer *peer = meet(0, &server, TLS1_3_VERSION);
  TURN_UNTIL(peer->heard == 7);
  CHECK_EQUAL(peer->hash, hash_of(0, (const uint8_t *)"at once", 7));
  end();
}

TEST(a_blocked_send) {
  begin();
  struct tls_peer *peer = open_slot(0);
  uint8_t *bytes = large_bytes();
  struct iovec parts[4] = {{bytes, 7}, {bytes + 7, 20000}, {bytes + 20007, 0}, {bytes + 20007, LARGE - 20007}};
  CHECK_EQUAL(world.transport->table->send(world.transport, 0, parts, 4, &world.slots[0].started_ns), IO_PENDING);
  memset(parts, 0, sizeof parts); /* the bytes stay, the list of them need not */
  CHECK_EQUAL(world.slots[0].sents, 0);
  TURN_UNTIL(peer->heard == LARGE);
  CHECK_EQUAL(peer->hash, hash_of(0, bytes, LARGE));
  TURN_UNTIL(world.slots[0].sents == 1);
  free(bytes);
  end();
}

TEST(bytes_while_a_send_is_blocked) {
  begin();
  open_slot(0);
  struct tls_peer peer = peers[--peer_count]; /* it reads no more */
  uint8_t *bytes = large_bytes();
  const struct iovec part = {bytes, LARGE};
  CHECK_EQUAL(world.transport->table->send(world.transport, 0, &part, 1, &world.slots[0].started_ns), IO_PENDING);
  tls_peer_say(&peer, "early", 5);
  char *made;
  long length = BIO_get_mem_data(SSL_get_wbio(peer.ssl), &made);
  CHECK_EQUAL(send(peer.fd, made, (size_t)length, 0), length);
  TURN_UNTIL(world.slots[0].bytes == 5);
  CHECK_EQUAL(world.slots[0].sents, 0);
  world.transport->table->close(world.transport, 0, IO_RST);
  ends_with(0, 0);
  CHECK_EQUAL(world.slots[0].sents, 0);
  free(bytes);
  tls_peer_end(&peer);
  end();
}

/* What the peer decrypts is what was taken, and at most one buffer more, of which the kernel took a part. */
TEST(a_send_that_is_cut_off) {
  begin();
  struct tls_peer *peer = open_slot(0);
  uint8_t *bytes = large_bytes();
  const struct iovec part = {bytes, LARGE};
  CHECK_EQUAL(world.transport->table->send(world.transport, 0, &part, 1, &world.slots[0].started_ns), IO_PENDING);
  TURN_UNTIL(peer->heard > LARGE / 100);
  world.transport->table->close(world.transport, 0, IO_FIN);
  TURN_UNTIL(world.slots[0].closes == 1);
  uint8_t byte;
  TURN_UNTIL(recv(peer->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0); /* it has read all there is */
  size_t taken = LARGE - world.slots[0].unsent;
  CHECK(taken > LARGE / 100 && taken < LARGE);
  CHECK(peer->heard >= taken && peer->heard < taken + 4u * TLS_PLAIN_MAX);
  free(bytes);
  end();
}

TEST(a_large_reply) {
  begin();
  struct tls_peer *peer = open_slot(0);
  uint8_t *bytes = large_bytes();
  tls_peer_say(peer, bytes, LARGE);
  TURN_UNTIL(world.slots[0].bytes == LARGE);
  CHECK_EQUAL(world.slots[0].hash, hash_of(0, bytes, LARGE));
  free(bytes);
  end();
}

TEST(byte_by_byte) {
  begin();
  struct tls_peer *peer = meet(0, &server, TLS1_3_VERSION);
  peer->piece = 1;
  TURN_UNTIL(world.slots[0].connects == 1 && peer->secured);
  tls_peer_say(peer, "in small pieces", 15);
  tls_peer_finish(peer);
  TURN_UNTIL(world.slots[0].bytes == 15);
  ends_with(0, IO_EOF);
  end();
}

TEST(keys_that_change) {
  begin();
  struct tls_peer *peer = open_slot(0);
  for (unsigned i = 0; i < 5; i++) {
    SSL_key_update(peer->ssl, SSL_KEY_UPDATE_REQUESTED);
    tls_peer_say(peer, "news", 4);
    TURN_UNTIL(world.slots[0].bytes == 4 * (i + 1));
    const struct iovec part = {"thanks", 6};
    world.transport->table->send(world.transport, 0, &part, 1, &world.slots[0].started_ns);
    TURN_UNTIL(peer->heard == 6 * (i + 1));
  }
  CHECK_EQUAL(world.slots[0].closes, 0);
  end();
}

/* An error that something else has left behind in this thread is none of the connection. */
TEST(errors_of_others) {
  begin();
  struct tls_peer *peer = meet(0, &server, TLS1_3_VERSION);
  bool said = false;
  uint64_t end_ns = clock_now(&world.clock) + 10 * NS_PER_SECOND;
  while (world.slots[0].bytes < 4 && world.slots[0].closes == 0 && clock_now(&world.clock) < end_ns) {
    ERR_raise(ERR_LIB_SSL, SSL_R_BAD_LENGTH);
    CHECK(turn_to(clock_now(&world.clock) + 1000000) >= 0);
    ERR_clear_error(); /* the peer is in the same thread */
    if (peer->secured && !said) tls_peer_say(peer, "news", 4);
    said |= peer->secured;
    tls_peer_step(peer);
  }
  CHECK_EQUAL(world.slots[0].bytes, 4);
  CHECK_EQUAL(world.slots[0].closes, 0);
  check_no_failure();
  end();
}

/* Three buffers that stay unused for a whole span of time. */
TEST(unused_buffers_are_freed) {
  struct tls_buffers buffers = {0};
  for (int i = 0; i < 3; i++) tls_buffers_give_back(&buffers, malloc(sizeof(struct tls_buffer)));
  tls_buffers_begin_span(&buffers);
  tls_buffers_trim(&buffers);
  CHECK_EQUAL(buffers.count, 3); /* they were not unused all the time before */
  tls_buffers_begin_span(&buffers);
  tls_buffers_trim(&buffers);
  CHECK_EQUAL(buffers.count, 0);
  CHECK(!buffers.first);
  tls_buffers_give_back(&buffers, malloc(sizeof(struct tls_buffer)));
  tls_buffers_give_back(&buffers, NULL);
  CHECK_EQUAL(buffers.count, 1);
  tls_buffers_free(&buffers);
}

TEST(closed_before_it_was_secured) {
  begin();
  connect_slot(0);
  world.transport->table->close(world.transport, 0, IO_RST);
  world.transport->table->close(world.transport, 0, IO_RST);
  ends_with(0, 0);
  int peer = open_bare(1);
  world.transport->table->close(world.transport, 1, IO_RST);
  ends_with(1, 0);
  CHECK_EQUAL(world.slots[0].connects + world.slots[1].connects, 0);
  close(peer);
  end();
}

TEST(closed_inside_a_callback) {
  begin();
  struct tls_peer *peer = open_slot(0);
  world.close_on_bytes = true;
  for (int i = 0; i < 8; i++) tls_peer_say(peer, "abc", 3);
  ends_with(0, 0);
  size_t bytes = world.slots[0].bytes;
  turn(1000000);
  CHECK_EQUAL(world.slots[0].bytes, bytes);
  end();
}

TEST(connected_again_inside_on_close) {
  begin();
  struct tls_peer *peer = open_slot(5);
  world.reconnect_on_close = true;
  tls_peer_finish(peer);
  TURN_UNTIL(world.slots[5].transports == 2);
  peer = accept_peer(&server, TLS1_3_VERSION, NULL);
  TURN_UNTIL(world.slots[5].connects == 2 && peer->secured);
  tls_peer_say(peer, "again", 5);
  TURN_UNTIL(world.slots[5].bytes == 5);
  CHECK_EQUAL(world.slots[5].closes, 1);
  end();
}

int main(void) {
  if (CRYPTO_set_mem_functions(count_malloc, count_realloc, count_free) != 1) return 1;
  return tls_world_run();
}
