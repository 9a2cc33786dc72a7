/*
 * test_endpoints.c: where a connection goes and what its socket is, over ::1 and unix sockets: an exchange and every
 * way to fail, over real sockets.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "../../client/engine/core/base/failure.h"
#include "../../client/engine/core/transport/socket.h"
#include "loopback.h"
#include "world.h"

#define SLOTS 4u

static char folder[32]; /* of the unix socket */

static void begin(const struct sockaddr *address, socklen_t length, int backlog) {
  world_begin();
  const struct transport_settings settings = world_settings(SLOTS, &world_events);
  CHECK_EQUAL(table->create(&settings, &world.transport), 0);
  world.endpoint = (struct endpoint){.family = address->sa_family, .transport = SOCK_STREAM, .socket.nodelay = true};
  world.endpoint.address_length = length;
  memcpy(&world.endpoint.address, address, length);
  world.listener = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK_EQUAL(bind(world.listener, address, length), 0);
  CHECK_EQUAL(listen(world.listener, backlog), 0);
  CHECK_EQUAL(getsockname(world.listener, (struct sockaddr *)&world.endpoint.address, &length), 0);
}

static void begin_ipv6(void) {
  struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  begin((struct sockaddr *)&address, sizeof address, 16);
}

static void begin_unix(int backlog) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(folder, "/tmp/broadside-XXXXXX");
  CHECK(mkdtemp(folder) != NULL);
  snprintf(address.sun_path, sizeof address.sun_path, "%s/s", folder);
  begin((struct sockaddr *)&address, sizeof address, backlog);
}

static void end(void) {
  world_end();
  if (world.endpoint.family != AF_UNIX) return;
  unlink(((struct sockaddr_un *)(void *)&world.endpoint.address)->sun_path);
  rmdir(folder);
}

static void exchange(void) {
  static const struct iovec hello = {(void *)(uintptr_t) "hello", 5};
  char heard[5] = {0};
  connect_slot(0);
  TURN_UNTIL(world.slots[0].connects == 1);
  int peer = accept(world.listener, NULL, NULL);
  CHECK(peer >= 0);
  table->send(world.transport, 0, &hello, 1, &world.slots[0].started_ns);
  turn(0);
  CHECK_EQUAL(recv(peer, heard, sizeof heard, MSG_WAITALL), 5);
  CHECK_EQUAL(memcmp(heard, "hello", 5), 0);
  CHECK_EQUAL(send(peer, "world", 5, 0), 5);
  TURN_UNTIL(world.slots[0].bytes == 5);
  CHECK_EQUAL(world.slots[0].hash, hash_of(0, (const uint8_t *)"world", 5));
  close(peer);
  TURN_UNTIL(world.slots[0].closes == 1);
  CHECK_EQUAL(world.slots[0].reason, IO_EOF);
  end();
}

/* A turn whose deadline is past does not wait, and tells whether something came. */
TEST(a_look) {
  begin_unix(1);
  connect_slot(0);
  TURN_UNTIL(world.slots[0].connects == 1);
  int peer = accept(world.listener, NULL, NULL), came = 0;
  TURN_UNTIL(turn_to(0) == 0); /* all that opening brought has been handed out */
  CHECK_EQUAL(send(peer, "x", 1, 0), 1);
  for (uint64_t until_ns = clock_now(&world.clock) + 20 * NS_PER_SECOND; came == 0;) {
    CHECK_EQUAL(world.slots[0].bytes, 0);
    came = turn_to(0);
    if (clock_now(&world.clock) > until_ns) break;
  }
  CHECK_EQUAL(came, 1);
  CHECK_EQUAL(world.slots[0].bytes, 1);
  close(peer);
  end();
}

TEST(ipv6_exchange) {
  begin_ipv6();
  exchange();
}

TEST(unix_exchange) {
  begin_unix(16);
  exchange();
}

/* The kernel connects within connect(): that is the start, whenever the result is reported. */
TEST(unix_is_timed_from_its_connect) {
  begin_unix(16);
  uint64_t before_ns = clock_now(&world.clock);
  connect_slot(0);
  uint64_t connected_ns = clock_now(&world.clock);
  TURN_UNTIL(world.slots[0].connects == 1);
  CHECK(world.slots[0].started_ns >= before_ns && world.slots[0].started_ns <= connected_ns);
  struct tcp_info info;
  CHECK(table->inspect(world.transport, 0, &info) < 0);
  end();
}

TEST(ipv6_from_a_source) {
  struct sockaddr_in6 peer_address, loopback = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  socklen_t length = sizeof peer_address;
  begin_ipv6();
  memcpy(&world.endpoint.source, &loopback, sizeof loopback);
  world.endpoint.source_length = sizeof loopback;
  connect_slot(0);
  TURN_UNTIL(world.slots[0].connects == 1);
  int peer = accept(world.listener, (struct sockaddr *)&peer_address, &length);
  CHECK_EQUAL(memcmp(&peer_address.sin6_addr, &loopback.sin6_addr, sizeof loopback.sin6_addr), 0);
  close(peer);
  end();
}

/* One for each reason: no listener at the path, no such path, a full queue. */
TEST(unix_is_refused) {
  begin_unix(0);
  connect_slot(0);
  TURN_UNTIL(world.slots[0].connects == 1);
  connect_slot(1); /* a backlog of 0 holds one */
  TURN_UNTIL(world.slots[1].closes == 1);
  CHECK_EQUAL(world.slots[1].reason, -EAGAIN);
  close(world.listener);
  connect_slot(2);
  TURN_UNTIL(world.slots[2].closes == 1);
  CHECK_EQUAL(world.slots[2].reason, -ECONNREFUSED);
  unlink(((struct sockaddr_un *)(void *)&world.endpoint.address)->sun_path);
  connect_slot(3);
  TURN_UNTIL(world.slots[3].closes == 1);
  CHECK_EQUAL(world.slots[3].reason, -ENOENT);
  for (uint32_t slot = 1; slot < SLOTS; slot++) {
    CHECK_EQUAL(world.slots[slot].connects, 0);
    CHECK_EQUAL(failure_reject_cause(world.slots[slot].reason), REJECT_REFUSED);
  }
  world.listener = -1;
  end();
}

static int number_of(int fd, int level, int option) {
  int number = -1;
  socklen_t length = sizeof number;
  CHECK_EQUAL(getsockopt(fd, level, option, &number, &length), 0);
  return number;
}

static void check_options(int family) {
  struct endpoint endpoint = {.family = family,
                              .transport = SOCK_STREAM,
                              .socket = {.nodelay = true, .reset_on_close = true, .keepalive_s = 7}};
  struct linger linger = {0};
  socklen_t length = sizeof linger;
  int fd = socket_open(&endpoint, 0);
  CHECK(fd >= 0);
  if (family != AF_UNIX) {
    CHECK_EQUAL(number_of(fd, IPPROTO_TCP, TCP_NODELAY), 1);
    CHECK_EQUAL(number_of(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
    CHECK_EQUAL(number_of(fd, IPPROTO_TCP, TCP_KEEPIDLE), 7);
    CHECK_EQUAL(number_of(fd, IPPROTO_TCP, TCP_KEEPINTVL), 7);
    CHECK_EQUAL(getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &length), 0);
    CHECK(linger.l_onoff == 1 && linger.l_linger == 0);
  }
  close(fd);
}

TEST(options_are_set) {
  check_options(AF_INET);
  check_options(AF_INET6);
  check_options(AF_UNIX);
}

TEST(options_are_left_alone) {
  const struct endpoint endpoint = {.family = AF_INET, .transport = SOCK_STREAM};
  int fd = socket_open(&endpoint, 0);
  CHECK_EQUAL(number_of(fd, IPPROTO_TCP, TCP_NODELAY), 0);
  CHECK_EQUAL(number_of(fd, SOL_SOCKET, SO_KEEPALIVE), 0);
  close(fd);
}

/* What cannot be set is no connection. */
TEST(options_that_cannot_be) {
  begin_ipv6();
  world.endpoint.socket.keepalive_s = INT32_MAX;
  connect_slot(0);
  TURN_UNTIL(world.slots[0].closes == 1);
  CHECK_EQUAL(world.slots[0].connects, 0);
  CHECK_EQUAL(world.slots[0].reason, -EINVAL);
  end();
}

/* A port, and it again at once: the connection before it was reset. */
TEST(from_a_port) {
  struct sockaddr_in6 peer_address, source = {.sin6_family = AF_INET6};
  begin_ipv6();
  int probe = socket(AF_INET6, SOCK_STREAM, 0);
  socklen_t length = sizeof source;
  CHECK_EQUAL(bind(probe, (struct sockaddr *)&source, length), 0);
  CHECK_EQUAL(getsockname(probe, (struct sockaddr *)&source, &length), 0);
  close(probe);
  world.source_port = ntohs(source.sin6_port);
  world.endpoint.socket.reset_on_close = true;
  for (int time = 1; time <= 2; time++) {
    connect_slot(0);
    TURN_UNTIL(world.slots[0].connects == time);
    int peer = accept(world.listener, (struct sockaddr *)&peer_address, &length);
    CHECK_EQUAL(peer_address.sin6_port, source.sin6_port);
    table->close(world.transport, 0, IO_FIN);
    TURN_UNTIL(world.slots[0].closes == time);
    char nothing;
    CHECK_EQUAL(recv(peer, &nothing, 1, 0), -1);
    CHECK_EQUAL(errno, ECONNRESET);
    close(peer);
  }
  end();
}

int main(void) { return check_run(""); }
