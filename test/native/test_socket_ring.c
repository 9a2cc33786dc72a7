/*
 * test_socket_ring.c: what a ring says of each send and receive: whole, in part, nothing, ended, failed. A build or a
 * kernel without io_uring has no ring.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../client/engine/core/transport/socket_ring.h"
#include "check.h"

#define LARGE (8u * 1024u * 1024u) /* more than the kernel takes from one that is not read */

static char large[LARGE];
static uint64_t started_ns[SOCKET_RING_MOST];
static const struct clock real = {clock_monotonic_ns, NULL};

/* All sends that were added: each begins between the call and its end, and none before the one before it. */
static void send_all(struct socket_ring *ring, unsigned count) {
  uint64_t from_ns = clock_now(&real);
  CHECK_EQUAL(socket_ring_send(ring, &real), count);
  CHECK(started_ns[0] >= from_ns && started_ns[count - 1] <= clock_now(&real));
  for (unsigned k = 1; k < count; k++) CHECK(started_ns[k] >= started_ns[k - 1]);
}

TEST(each_for_itself) {
  struct socket_ring *ring = socket_ring_create();
  if (!ring) return;
  int pairs[5][2];
  for (unsigned i = 0; i < 5; i++) CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pairs[i]), 0);
  while (send(pairs[1][0], large, LARGE, MSG_NOSIGNAL) > 0) {
  }
  close(pairs[2][1]);
  static const size_t lengths[5] = {1, 1, 1, LARGE, 100};
  for (unsigned round = 0; round < 2; round++) {
    for (unsigned i = 0; i < 5; i++) socket_ring_add_send(ring, pairs[i][0], large, lengths[i], &started_ns[i]);
    send_all(ring, 5);
    CHECK_EQUAL(socket_ring_taken(ring, 0), 1);
    CHECK_EQUAL(socket_ring_taken(ring, 1), -EAGAIN);
    CHECK_EQUAL(socket_ring_taken(ring, 2), -EPIPE);
    int32_t part = socket_ring_taken(ring, 3);
    CHECK(round == 0 ? part > 0 && part < (int32_t)LARGE : part == -EAGAIN);
    CHECK_EQUAL(socket_ring_taken(ring, 4), 100);
    CHECK_EQUAL(read(pairs[0][1], large, LARGE), 1);
    CHECK_EQUAL(read(pairs[4][1], large, LARGE), 100);
  }
  for (unsigned i = 0; i < 5; i++) close(pairs[i][0]);
  for (unsigned i = 0; i < 5; i++) {
    if (i != 2) close(pairs[i][1]);
  }
  socket_ring_destroy(ring);
}

TEST(full_again_and_again) {
  struct socket_ring *ring = socket_ring_create();
  if (!ring) return;
  int pair[2];
  CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
  for (unsigned call = 0; call < 1000; call++) {
    for (unsigned i = 0; i < SOCKET_RING_MOST; i++) socket_ring_add_send(ring, pair[0], &large[i], 1, &started_ns[i]);
    send_all(ring, SOCKET_RING_MOST);
    CHECK_EQUAL(read(pair[1], large, LARGE), SOCKET_RING_MOST);
    for (unsigned i = 0; i < SOCKET_RING_MOST; i++) CHECK_EQUAL(socket_ring_taken(ring, i), 1);
  }
  close(pair[0]);
  close(pair[1]);
  socket_ring_destroy(ring);
}

#define SIZE 16u

TEST(receives_from_each) {
  struct socket_ring *ring = socket_ring_create();
  if (!ring) return;
  int pairs[4][2], fds[5];
  uint8_t buffers[5][SIZE];
  int32_t results[5];
  for (unsigned i = 0; i < 4; i++) CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pairs[i]), 0);
  for (unsigned i = 0; i < 4; i++) fds[i] = pairs[i][0];
  fds[4] = -1;
  close(pairs[3][1]);
  CHECK_EQUAL(write(pairs[0][1], "short", 5), 5);
  CHECK_EQUAL(write(pairs[2][1], "more than the buffer holds", 26), 26);
  CHECK(socket_ring_receive(ring, fds, 5, buffers[0], SIZE, results));
  CHECK_EQUAL(results[0], 5);
  CHECK_EQUAL(memcmp(buffers[0], "short", 5), 0);
  CHECK_EQUAL(results[1], -EAGAIN);
  CHECK_EQUAL(results[2], SIZE);
  CHECK_EQUAL(memcmp(buffers[2], "more than the buffer holds", SIZE), 0);
  CHECK_EQUAL(results[3], 0);
  CHECK_EQUAL(results[4], -EBADF);
  socket_ring_add_send(ring, pairs[0][0], "x", 1, &started_ns[0]);
  send_all(ring, 1);
  CHECK(socket_ring_receive(ring, &fds[2], 1, buffers[0], SIZE, results));
  CHECK_EQUAL(results[0], 26 - (int32_t)SIZE);
  for (unsigned i = 0; i < 4; i++) close(pairs[i][0]);
  for (unsigned i = 0; i < 3; i++) close(pairs[i][1]);
  socket_ring_destroy(ring);
}
