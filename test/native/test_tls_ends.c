/*
 * test_tls_ends.c: TLS over real sockets: the certificate is checked, and each way in which a connection ends or
 * is never secured has its own reason.
 */
#include "tls_world.h"

static void reset(int fd) {
  const struct linger linger = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  close(fd);
}

/* Whether nothing more comes from the other end, which has sent FIN. */
static bool is_at_end(int fd) {
  uint8_t byte;
  return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

TEST(peers_that_end) {
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

TEST(a_close_notify_is_answered) {
  static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
  for (uint32_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
    begin();
    struct tls_peer *peer = meet(0, &server, versions[i]);
    TURN_UNTIL(world.slots[0].connects == 1 && peer->secured);
    tls_peer_finish(peer);
    ends_with(0, IO_EOF);
    TURN_UNTIL(peer->ended || is_at_end(peer->fd));
    tls_peer_step(peer);
    CHECK(peer->ended && !peer->failed);
    check_no_failure();
    end();
  }
}

TEST(refused) {
  begin();
  close(world.listener);
  world.listener = -1;
  connect_slot(0);
  ends_with(0, -ECONNREFUSED);
  CHECK_EQUAL(world.slots[0].transports + world.slots[0].connects, 0);
  check_no_failure();
  end();
}

TEST(handshakes_that_end) {
  uint8_t byte;
  begin();
  int peer = open_bare(0);
  CHECK_EQUAL(send(peer, "HTTP/1.1 400 Bad Request\r\n\r\n", 28, 0), 28);
  ends_with(0, IO_HANDSHAKE);
  close(peer);
  check_failure(TLS_FAILURE_NOT_TLS, true, "");
  CHECK_EQUAL(world.slots[0].connects, 0);
  end();
  begin();
  peer = open_bare(1);
  shutdown(peer, SHUT_WR);
  ends_with(1, IO_HANDSHAKE);
  close(peer);
  reset(open_bare(2));
  ends_with(2, IO_HANDSHAKE);
  check_failure(TLS_FAILURE_CLOSED, true, ""); /* the first one */
  CHECK_EQUAL(world.slots[1].connects + world.slots[2].connects, 0);
  end();
  begin();
  peer = open_bare(0);
  TURN_UNTIL(recv(peer, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1); /* or the send would fail by EPIPE */
  reset(peer);
  ends_with(0, IO_HANDSHAKE);
  check_failure(TLS_FAILURE_BROKEN, true, "ECONNRESET");
  end();
}

TEST(what_is_no_tls_afterwards) {
  begin();
  struct tls_peer *peer = open_slot(0);
  CHECK_EQUAL(send(peer->fd, "plain words, which are no record of TLS", 39, 0), 39);
  ends_with(0, IO_TLS_ERROR);
  check_failure(TLS_FAILURE_NOT_TLS, false, "");
  end();
}

/* A handshake between these settings and a server with this identity, of one TLS version, fails for CAUSE and REASON;
 * or succeeds, with TLS_FAILURE_NONE. */
static void check_handshake(struct tls_settings tls, const struct identity *identity, int version,
                            enum tls_failure_cause cause, const char *reason) {
  begin_with(tls);
  struct tls_peer *peer = meet(0, identity, version);
  TURN_UNTIL(world.slots[0].connects + world.slots[0].closes == 1);
  CHECK_EQUAL(world.slots[0].closes ? world.slots[0].reason : 0, cause == TLS_FAILURE_NONE ? 0 : IO_HANDSHAKE);
  check_failure(cause, cause != TLS_FAILURE_NONE, reason);
  if (cause != TLS_FAILURE_NONE) TURN_UNTIL(peer->failed || peer->ended);
  end();
}

TEST(certificates) {
  struct tls_settings tls = usual();
  check_handshake(tls, &server, TLS1_3_VERSION, TLS_FAILURE_NONE, "");
  check_handshake(tls, &other, TLS1_3_VERSION, TLS_FAILURE_CERTIFICATE, "HOSTNAME_MISMATCH");
  check_handshake(tls, &expired, TLS1_2_VERSION, TLS_FAILURE_CERTIFICATE, "CERT_HAS_EXPIRED");
  check_handshake(tls, &client, TLS1_3_VERSION, TLS_FAILURE_CERTIFICATE, "DEPTH_ZERO_SELF_SIGNED_CERT");
  tls.server_name = "127.0.0.1";
  check_handshake(tls, &server, TLS1_3_VERSION, TLS_FAILURE_CERTIFICATE, "IP_ADDRESS_MISMATCH");
  check_handshake(tls, &other, TLS1_3_VERSION, TLS_FAILURE_NONE, "");
  tls.authorities = NULL;
  check_handshake(tls, &other, TLS1_3_VERSION, TLS_FAILURE_CERTIFICATE, "UNABLE_TO_GET_ISSUER_CERT_LOCALLY");
  tls.verify = false;
  check_handshake(tls, &expired, TLS1_3_VERSION, TLS_FAILURE_NONE, "");
}

TEST(versions) {
  check_handshake(usual(), &server, TLS1_3_VERSION, TLS_FAILURE_NONE, "");
  check_handshake(usual(), &server, TLS1_2_VERSION, TLS_FAILURE_NONE, "");
  check_handshake(usual(), &server, TLS1_1_VERSION, TLS_FAILURE_ALERT, "70");
}

TEST(a_certificate_of_our_own) {
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
    if (!presents) ends_with(0, IO_TLS_ERROR); /* TLS 1.3: the alert comes after the client's handshake has succeeded */
    if (presents) {
      check_no_failure();
    } else {
      check_failure(TLS_FAILURE_ALERT, false, "116"); /* certificate_required */
    }
    end();
  }
}

/* Twice in the same slot, against one that gives tickets. */
static void check_resumption(int version, bool resume, enum transport_close_mode ending) {
  struct tls_settings tls = usual();
  tls.resume = resume;
  begin_with(tls);
  SSL_CTX *context = tls_peer_context(&server, version, NULL);
  for (int i = 0; i < 3; i++) {
    connect_slot(0);
    TURN_UNTIL(world.slots[0].transports > world.slots[0].closes);
    struct tls_peer *peer = &peers[peer_count++];
    tls_peer_begin(peer, context, accept(world.listener, NULL, NULL));
    TURN_UNTIL(world.slots[0].connects > world.slots[0].closes && peer->secured);
    CHECK_EQUAL(channel_resumed(world.transport, 0), resume && i > 0);
    size_t before = world.slots[0].bytes;
    tls_peer_say(peer, "after the ticket", 16);
    TURN_UNTIL(world.slots[0].bytes == before + 16);
    world.transport->table->close(world.transport, 0, ending);
    TURN_UNTIL(world.slots[0].closes == i + 1);
    CHECK(!channel_resumed(world.transport, 0));
  }
  SSL_CTX_free(context);
  end();
}

TEST(sessions) {
  check_resumption(TLS1_2_VERSION, true, IO_FIN);
  check_resumption(TLS1_3_VERSION, true, IO_FIN);
  check_resumption(TLS1_3_VERSION, true, IO_RST);
  check_resumption(TLS1_3_VERSION, false, IO_FIN);
}

TEST(settings_that_cannot_be) {
  const struct transport_settings settings = world_settings(SLOTS, &events);
  struct transport *transport = NULL;
  struct tls_settings wrong[4] = {{.authorities = "nothing of that kind"},
                                  {.authorities = authority.certificate_pem, .verify = true}, /* for which name? */
                                  {.certificate = client.certificate_pem, .key = server.key_pem},
                                  {.certificate = client.key_pem, .key = client.key_pem}};
  for (unsigned i = 0; i < 4; i++) CHECK_EQUAL(channel_create(table, &settings, &wrong[i], &transport), -EINVAL);
  CHECK(!transport);
}

int main(void) { return tls_world_run(); }
