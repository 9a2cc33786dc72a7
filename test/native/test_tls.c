/*
 * test_tls.c: TLS over every real backend: the rules of io hold for it as for any other, the certificate is checked,
 * and each way in which it fails has its own reason. The peer is in the same thread.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../client/engine/core/channel/channel.h"
#include "check.h"
#include "tls_peer.h"

#define SLOTS 16u
#define NOT_YET 1000000
#define LARGE (5u * 1024u * 1024u + 1234u)

static const struct io_table *table;
static struct identity authority, server, other, expired, client;

static struct {
  struct io *io;
  struct clock clock;
  struct {
    int transports, connects, sents, closes, reason;
    size_t bytes, hash;
    uint64_t started_ns, transport_ns, connect_ns;
  } slots[SLOTS];
  bool inside, close_on_bytes, reconnect_on_close, send_on_connect;
  struct io_endpoint endpoint;
  int listener;
  struct tls_peer peers[SLOTS];
  uint32_t peer_count;
} world;

static void on_transport(void *owner, uint32_t slot) {
  CHECK(owner == &world && world.inside);
  CHECK_EQUAL(world.slots[slot].transports, world.slots[slot].closes);
  CHECK(world.io->seen_ns >= world.slots[slot].started_ns);
  world.slots[slot].transports++;
  world.slots[slot].transport_ns = world.io->seen_ns;
}

static void on_connect(void *owner, uint32_t slot) {
  CHECK(owner == &world && world.inside);
  CHECK_EQUAL(world.slots[slot].transports, world.slots[slot].closes + 1);
  CHECK(world.slots[slot].started_ns >= world.slots[slot].transport_ns); /* stamped again */
  world.slots[slot].connects++;
  world.slots[slot].connect_ns = world.io->seen_ns;
  if (!world.send_on_connect) return;
  const struct iovec part = {"at once", 7};
  world.io->table->send(world.io, slot, &part, 1, &world.slots[slot].started_ns);
}

static void on_bytes(void *owner, uint32_t slot, const uint8_t *bytes, size_t length) {
  CHECK(owner == &world && world.inside && length > 0);
  CHECK_EQUAL(world.slots[slot].closes + 1, world.slots[slot].connects);
  world.slots[slot].bytes += length;
  for (size_t i = 0; i < length; i++) world.slots[slot].hash = world.slots[slot].hash * 31 + bytes[i];
  if (world.close_on_bytes) world.io->table->close(world.io, slot, IO_FIN);
}

static void on_sent(void *owner, uint32_t slot) {
  CHECK(owner == &world && world.inside);
  world.slots[slot].sents++;
}

static void connect_slot(uint32_t slot) {
  world.io->table->connect(world.io, slot, &world.endpoint, &world.slots[slot].started_ns);
}

static void on_close(void *owner, uint32_t slot, int reason) {
  CHECK(owner == &world && world.inside);
  world.slots[slot].closes++;
  world.slots[slot].reason = reason;
  if (world.reconnect_on_close) {
    world.reconnect_on_close = false;
    connect_slot(slot);
  }
}

static const struct io_events events = {on_connect, on_bytes, on_sent, on_close, on_transport};

/* What a test asks for unless it asks for something else. */
static struct tls_settings usual(void) {
  return (struct tls_settings){.authorities = authority.certificate_pem, .server_name = "here.invalid", .verify = true};
}

static void begin_with(struct tls_settings tls) {
  memset(&world, 0, sizeof world);
  world.clock = (struct clock){clock_monotonic_ns, NULL};
  for (uint32_t slot = 0; slot < SLOTS; slot++) world.slots[slot].reason = NOT_YET;
  const struct io_settings settings = {SLOTS, &events, &world, &world.clock, NULL};
  CHECK_EQUAL(channel_create(table, &settings, &tls, &world.io), 0);
  world.endpoint = (struct io_endpoint){.family = AF_INET, .transport = SOCK_STREAM, .nodelay = true};
  socklen_t length = world.endpoint.address_length = sizeof(struct sockaddr_in);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  world.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK_EQUAL(bind(world.listener, (struct sockaddr *)&address, length), 0);
  CHECK_EQUAL(listen(world.listener, 128), 0);
  CHECK_EQUAL(getsockname(world.listener, (struct sockaddr *)&world.endpoint.address, &length), 0);
}

static void begin(void) { begin_with(usual()); }

static void end(void) {
  world.io->table->destroy(world.io);
  for (uint32_t i = 0; i < world.peer_count; i++) tls_peer_end(&world.peers[i]);
  if (world.listener >= 0) close(world.listener);
}

static void turn(uint64_t wait_ns) {
  world.inside = true;
  CHECK_EQUAL(world.io->table->turn(world.io, clock_now(&world.clock) + wait_ns), 0);
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
static int open_bare(uint32_t slot) {
  connect_slot(slot);
  TURN_UNTIL(world.slots[slot].transports > world.slots[slot].closes);
  return accept(world.listener, NULL, NULL);
}

static struct tls_peer *accept_peer(const struct identity *identity, int version, const struct identity *clients) {
  SSL_CTX *context = tls_peer_context(identity, version, clients);
  struct tls_peer *peer = &world.peers[world.peer_count++];
  tls_peer_begin(peer, context, accept(world.listener, NULL, NULL));
  SSL_CTX_free(context);
  return peer;
}

static struct tls_peer *meet(uint32_t slot, const struct identity *identity, int version) {
  connect_slot(slot);
  TURN_UNTIL(world.slots[slot].transports > world.slots[slot].closes);
  return accept_peer(identity, version, NULL);
}

static struct tls_peer *open_slot(uint32_t slot) {
  struct tls_peer *peer = meet(slot, &server, TLS1_3_VERSION);
  TURN_UNTIL(world.slots[slot].connects > world.slots[slot].closes && peer->secured);
  return peer;
}

static size_t hash_of(const uint8_t *bytes, size_t length) {
  size_t hash = 0;
  for (size_t i = 0; i < length; i++) hash = hash * 31 + bytes[i];
  return hash;
}

static uint8_t *large_bytes(void) {
  uint8_t *bytes = malloc(LARGE);
  for (size_t i = 0; i < LARGE; i++) bytes[i] = (uint8_t)(i * 7 + (i >> 13));
  return bytes;
}

static void ends_with(uint32_t slot, int reason) {
  TURN_UNTIL(world.slots[slot].closes == 1);
  CHECK_EQUAL(world.slots[slot].reason, reason);
}

/* ---- the rules of io ---- */

static void exchange(int version) {
  begin();
  struct tls_peer *peer = meet(3, &server, version);
  TURN_UNTIL(world.slots[3].connects == 1);
  CHECK(world.slots[3].connect_ns >= world.slots[3].started_ns);
  uint64_t before_ns = clock_now(&world.clock);
  const struct iovec parts[3] = {{"ab", 2}, {"cde", 3}, {"f", 1}};
  bool sent = world.io->table->send(world.io, 3, parts, 3, &world.slots[3].started_ns) == IO_SENT;
  TURN_UNTIL(sent || world.slots[3].sents == 1);
  TURN_UNTIL(peer->heard == 6);
  CHECK(world.slots[3].started_ns >= before_ns && world.slots[3].started_ns <= world.io->seen_ns);
  CHECK_EQUAL(peer->hash, hash_of((const uint8_t *)"abcdef", 6));
  tls_peer_say(peer, "xyz", 3);
  TURN_UNTIL(world.slots[3].bytes == 3);
  CHECK_EQUAL(world.slots[3].hash, hash_of((const uint8_t *)"xyz", 3));
  CHECK(strcmp(SSL_get_servername(peer->ssl, TLSEXT_NAMETYPE_host_name), "here.invalid") == 0);
  struct tcp_info info;
  CHECK_EQUAL(world.io->table->inspect(world.io, 3, &info), 0);
  world.io->table->close(world.io, 3, IO_FIN);
  CHECK_EQUAL(world.slots[3].closes, 0);
  ends_with(3, 0);
  TURN_UNTIL(peer->ended); /* told, not just gone */
  CHECK(!channel_failure(world.io));
  end();
}

static void exchange_of_1_2(void) { exchange(TLS1_2_VERSION); }
static void exchange_of_1_3(void) { exchange(TLS1_3_VERSION); }

static void requests_go_out_with_the_handshake(void) {
  begin();
  world.send_on_connect = true;
  struct tls_peer *peer = meet(0, &server, TLS1_3_VERSION);
  TURN_UNTIL(peer->heard == 7);
  CHECK_EQUAL(peer->hash, hash_of((const uint8_t *)"at once", 7));
  end();
}

static void a_blocked_send(void) {
  begin();
  struct tls_peer *peer = open_slot(0);
  uint8_t *bytes = large_bytes();
  struct iovec parts[4] = {{bytes, 7}, {bytes + 7, 20000}, {bytes + 20007, 0}, {bytes + 20007, LARGE - 20007}};
  CHECK_EQUAL(world.io->table->send(world.io, 0, parts, 4, &world.slots[0].started_ns), IO_PENDING);
  memset(parts, 0, sizeof parts); /* the bytes stay, the list of them need not */
  CHECK_EQUAL(world.slots[0].sents, 0);
  TURN_UNTIL(peer->heard == LARGE);
  CHECK_EQUAL(peer->hash, hash_of(bytes, LARGE));
  TURN_UNTIL(world.slots[0].sents == 1);
  free(bytes);
  end();
}

static void bytes_while_a_send_is_blocked(void) {
  begin();
  open_slot(0);
  struct tls_peer peer = world.peers[--world.peer_count]; /* it reads no more */
  uint8_t *bytes = large_bytes();
  const struct iovec part = {bytes, LARGE};
  CHECK_EQUAL(world.io->table->send(world.io, 0, &part, 1, &world.slots[0].started_ns), IO_PENDING);
  tls_peer_say(&peer, "early", 5);
  char *made;
  long length = BIO_get_mem_data(SSL_get_wbio(peer.ssl), &made);
  CHECK_EQUAL(send(peer.fd, made, (size_t)length, 0), length);
  TURN_UNTIL(world.slots[0].bytes == 5);
  CHECK_EQUAL(world.slots[0].sents, 0);
  world.io->table->close(world.io, 0, IO_RST);
  ends_with(0, 0);
  CHECK_EQUAL(world.slots[0].sents, 0);
  free(bytes);
  tls_peer_end(&peer);
  end();
}

static void a_large_reply(void) {
  begin();
  struct tls_peer *peer = open_slot(0);
  uint8_t *bytes = large_bytes();
  tls_peer_say(peer, bytes, LARGE);
  TURN_UNTIL(world.slots[0].bytes == LARGE);
  CHECK_EQUAL(world.slots[0].hash, hash_of(bytes, LARGE));
  free(bytes);
  end();
}

static void byte_by_byte(void) {
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

static void half_close(void) {
  begin();
  struct tls_peer *peer = open_slot(0);
  world.io->table->shutdown_write(world.io, 0);
  TURN_UNTIL(peer->ended);
  tls_peer_say(peer, "still here", 10);
  TURN_UNTIL(world.slots[0].bytes == 10);
  CHECK_EQUAL(world.slots[0].closes, 0);
  tls_peer_finish(peer);
  ends_with(0, IO_EOF);
  end();
}

static void keys_that_change(void) {
  begin();
  struct tls_peer *peer = open_slot(0);
  for (unsigned i = 0; i < 5; i++) {
    SSL_key_update(peer->ssl, SSL_KEY_UPDATE_REQUESTED);
    tls_peer_say(peer, "news", 4);
    TURN_UNTIL(world.slots[0].bytes == 4 * (i + 1));
    const struct iovec part = {"thanks", 6};
    world.io->table->send(world.io, 0, &part, 1, &world.slots[0].started_ns);
    TURN_UNTIL(peer->heard == 6 * (i + 1));
  }
  CHECK_EQUAL(world.slots[0].closes, 0);
  end();
}

static void closed_before_it_was_secured(void) {
  begin();
  connect_slot(0);
  world.io->table->close(world.io, 0, IO_RST);
  world.io->table->close(world.io, 0, IO_RST);
  ends_with(0, 0);
  int peer = open_bare(1);
  world.io->table->close(world.io, 1, IO_RST);
  ends_with(1, 0);
  CHECK_EQUAL(world.slots[0].connects + world.slots[1].connects, 0);
  close(peer);
  end();
}

static void closed_inside_a_callback(void) {
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

static void connected_again_inside_on_close(void) {
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

static void many_at_once(void) {
  begin();
  world.send_on_connect = true;
  for (uint32_t slot = 0; slot < SLOTS; slot++) connect_slot(slot);
  for (uint32_t slot = 0; slot < SLOTS; slot++) {
    TURN_UNTIL(world.slots[slot].transports == 1);
    accept_peer(&server, slot % 2 ? TLS1_2_VERSION : TLS1_3_VERSION, NULL);
  }
  for (uint32_t slot = 0; slot < SLOTS; slot++) TURN_UNTIL(world.slots[slot].connects == 1);
  for (uint32_t peer = 0; peer < SLOTS; peer++) TURN_UNTIL(world.peers[peer].heard == 7);
  end();
}

/* ---- what fails ---- */

static void reset(int fd) {
  const struct linger linger = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  close(fd);
}

static void peers_that_end(void) {
  begin();
  struct tls_peer *peer = open_slot(0);
  tls_peer_say(peer, "last words", 10);
  tls_peer_finish(peer);
  ends_with(0, IO_EOF);
  CHECK_EQUAL(world.slots[0].bytes, 10);
  peer = open_slot(1);
  close(peer->fd);
  peer->fd = -1;
  ends_with(1, IO_TRUNCATED); /* an attacker could have cut it */
  peer = open_slot(2);
  reset(peer->fd);
  peer->fd = -1;
  ends_with(2, -ECONNRESET);
  end();
}

static void refused(void) {
  begin();
  close(world.listener);
  world.listener = -1;
  connect_slot(0);
  ends_with(0, -ECONNREFUSED);
  CHECK_EQUAL(world.slots[0].transports + world.slots[0].connects, 0);
  CHECK(!channel_failure(world.io));
  end();
}

static void handshakes_that_end(void) {
  begin();
  int peer = open_bare(0);
  CHECK_EQUAL(send(peer, "HTTP/1.1 400 Bad Request\r\n\r\n", 28, 0), 28);
  ends_with(0, IO_HANDSHAKE);
  close(peer);
  const char *failure = channel_failure(world.io);
  CHECK(failure && strcmp(failure, "in the handshake: wrong version number") == 0);
  CHECK(!channel_failure(world.io)); /* told once */
  peer = open_bare(1);
  shutdown(peer, SHUT_WR);
  ends_with(1, IO_HANDSHAKE);
  close(peer);
  reset(open_bare(2));
  ends_with(2, IO_HANDSHAKE);
  CHECK_EQUAL(world.slots[0].connects + world.slots[1].connects + world.slots[2].connects, 0);
  end();
}

static void what_is_no_tls_afterwards(void) {
  begin();
  struct tls_peer *peer = open_slot(0);
  CHECK_EQUAL(send(peer->fd, "plain words, which are no record of TLS", 39, 0), 39);
  ends_with(0, IO_SPOILED);
  const char *failure = channel_failure(world.io);
  CHECK(failure && strncmp(failure, "after the handshake: ", 21) == 0);
  end();
}

/* The reason that a handshake with such settings and such a server ends with; 0: it does not. FAILURE: the words. */
static void check_handshake(struct tls_settings tls, const struct identity *identity, int version, int reason,
                            const char *failure) {
  begin_with(tls);
  struct tls_peer *peer = meet(0, identity, version);
  TURN_UNTIL(world.slots[0].connects + world.slots[0].closes == 1);
  CHECK_EQUAL(world.slots[0].closes ? world.slots[0].reason : 0, reason);
  const char *told = channel_failure(world.io);
  if (failure) {
    CHECK(told && strstr(told, failure));
    if (told && !strstr(told, failure)) printf("# told: %s\n", told);
  } else {
    CHECK(!told);
  }
  if (reason) TURN_UNTIL(peer->failed || peer->ended);
  end();
}

static void certificates(void) {
  struct tls_settings tls = usual();
  check_handshake(tls, &server, TLS1_3_VERSION, 0, NULL);
  check_handshake(tls, &other, TLS1_3_VERSION, IO_HANDSHAKE, "not accepted: hostname mismatch");
  check_handshake(tls, &expired, TLS1_2_VERSION, IO_HANDSHAKE, "not accepted: certificate has expired");
  check_handshake(tls, &client, TLS1_3_VERSION, IO_HANDSHAKE, "not accepted: self-signed certificate");
  tls.server_name = "127.0.0.1";
  check_handshake(tls, &server, TLS1_3_VERSION, IO_HANDSHAKE, "not accepted: IP address mismatch");
  check_handshake(tls, &other, TLS1_3_VERSION, 0, NULL);
  tls.authorities = NULL;
  check_handshake(tls, &other, TLS1_3_VERSION, IO_HANDSHAKE, "not accepted: unable to get local issuer certificate");
  tls.verify = false;
  check_handshake(tls, &expired, TLS1_3_VERSION, 0, NULL);
}

static void versions(void) {
  struct tls_settings tls = usual();
  tls.oldest = 13;
  check_handshake(tls, &server, TLS1_3_VERSION, 0, NULL);
  check_handshake(tls, &server, TLS1_2_VERSION, IO_HANDSHAKE, "protocol version");
  tls = (struct tls_settings){.newest = 12, .ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256"};
  check_handshake(tls, &server, TLS1_2_VERSION, 0, NULL);
  check_handshake(tls, &server, TLS1_3_VERSION, IO_HANDSHAKE, "protocol version");
}

static void a_certificate_of_our_own(void) {
  struct tls_settings tls = usual();
  tls.certificate = client.certificate_pem;
  tls.key = client.key_pem;
  for (int presents = 0; presents < 2; presents++) {
    begin_with(presents ? tls : usual());
    connect_slot(0);
    TURN_UNTIL(world.slots[0].transports == 1);
    struct tls_peer *peer = accept_peer(&server, TLS1_3_VERSION, &client);
    TURN_UNTIL(peer->secured || peer->failed);
    CHECK_EQUAL(peer->secured, presents);
    if (!presents) ends_with(0, IO_SPOILED); /* TLS 1.3: the client is told when it thinks that all is well */
    const char *failure = channel_failure(world.io);
    CHECK(presents ? !failure : failure && strstr(failure, "certificate required"));
    end();
  }
}

static void settings_that_cannot_be(void) {
  const struct io_settings settings = {SLOTS, &events, &world, &world.clock, NULL};
  struct io *io = NULL;
  struct tls_settings wrong[4] = {{.authorities = "nothing of that kind"},
                                  {.certificate = client.certificate_pem, .key = server.key_pem},
                                  {.certificate = client.key_pem, .key = client.key_pem},
                                  {.ciphers = "NO-SUCH-CIPHER"}};
  for (unsigned i = 0; i < 4; i++) CHECK_EQUAL(channel_create(table, &settings, &wrong[i], &io), -EINVAL);
  CHECK(!io);
}

static const struct check_test tests[] = {
    {"an exchange over TLS 1.2", exchange_of_1_2},
    {"an exchange over TLS 1.3", exchange_of_1_3},
    {"requests go out with the handshake", requests_go_out_with_the_handshake},
    {"a blocked send", a_blocked_send},
    {"bytes while a send is blocked", bytes_while_a_send_is_blocked},
    {"a large reply", a_large_reply},
    {"byte by byte", byte_by_byte},
    {"half close", half_close},
    {"keys that change", keys_that_change},
    {"closed before it was secured", closed_before_it_was_secured},
    {"closed inside a callback", closed_inside_a_callback},
    {"connected again inside on_close", connected_again_inside_on_close},
    {"many at once", many_at_once},
    {"peers that end", peers_that_end},
    {"refused", refused},
    {"handshakes that end", handshakes_that_end},
    {"what is no TLS afterwards", what_is_no_tls_afterwards},
    {"certificates", certificates},
    {"versions", versions},
    {"a certificate of our own", a_certificate_of_our_own},
    {"settings that cannot be", settings_that_cannot_be},
};

int main(void) {
  int failed = 0;
  identity_make(&authority, "authority.invalid", false, 3600, NULL);
  identity_make(&server, "here.invalid", false, 3600, &authority);
  identity_make(&other, "127.0.0.1", true, 3600, &authority);
  identity_make(&expired, "here.invalid", false, -60, &authority);
  identity_make(&client, "here.invalid", false, 3600, NULL);
  for (size_t i = 0; io_backends[i]; i++) {
    table = io_backends[i];
    printf("# %s: probe %d\n", table->name, table->probe());
    if (table->probe() != 0) continue; /* this kernel cannot; native.test.js counts */
    failed |= check_run(tests, sizeof tests / sizeof tests[0]);
  }
  struct identity *all[] = {&authority, &server, &other, &expired, &client};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) identity_free(all[i]);
  return failed;
}
