/*
 * test_send_ring.c: what a ring of sends says of each: taken whole, in part, not at all, failed. A build or a kernel
 * without io_uring has no ring.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../client/engine/core/transport/send_ring.h"
#include "check.h"

#define LARGE (8u * 1024u * 1024u) /* more than the kernel takes from one that is not read */

static char large[LARGE];
static uint64_t started_ns[SEND_RING_MOST];
static const struct clock real = {clock_monotonic_ns, NULL};

/* All sends that were added: each begins between the call and its end, and none before the one before it. */
static void send_all(struct send_ring *ring, unsigned count) {
  uint64_t from_ns = clock_now(&real);
  CHECK_EQUAL(send_ring_send(ring, &real), count);
  CHECK(started_ns[0] >= from_ns && started_ns[count - 1] <= clock_now(&real));
  for (unsigned k = 1; k < count; k++) CHECK(started_ns[k] >= started_ns[k - 1]);
}

TEST(each_for_itself) {
  struct send_ring *ring = send_ring_create();
  if (!ring) return;
  int pairs[5][2];
  for (unsigned i = 0; i < 5; i++) CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pairs[i]), 0);
  while (send(pairs[1][0], large, LARGE, MSG_NOSIGNAL) > 0) {
  }
  close(pairs[2][1]);
  static const size_t lengths[5] = {1, 1, 1, LARGE, 100};
  for (unsigned round = 0; round < 2; round++) {
    for (unsigned i = 0; i < 5; i++) send_ring_add(ring, pairs[i][0], large, lengths[i], &started_ns[i]);
    send_all(ring, 5);
    CHECK_EQUAL(send_ring_taken(ring, 0), 1);
    CHECK_EQUAL(send_ring_taken(ring, 1), -EAGAIN);
    CHECK_EQUAL(send_ring_taken(ring, 2), -EPIPE);
    int32_t part = send_ring_taken(ring, 3);
    CHECK(round == 0 ? part > 0 && part < (int32_t)LARGE : part == -EAGAIN);
    CHECK_EQUAL(send_ring_taken(ring, 4), 100);
    CHECK_EQUAL(read(pairs[0][1], large, LARGE), 1);
    CHECK_EQUAL(read(pairs[4][1], large, LARGE), 100);
  }
  for (unsigned i = 0; i < 5; i++) close(pairs[i][0]);
  for (unsigned i = 0; i < 5; i++) {
    if (i != 2) close(pairs[i][1]);
  }
  send_ring_destroy(ring);
}

TEST(full_again_and_again) {
  struct send_ring *ring = send_ring_create();
  if (!ring) return;
  int pair[2];
  CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
  for (unsigned call = 0; call < 1000; call++) {
    for (unsigned i = 0; i < SEND_RING_MOST; i++) send_ring_add(ring, pair[0], &large[i], 1, &started_ns[i]);
    send_all(ring, SEND_RING_MOST);
    CHECK_EQUAL(read(pair[1], large, LARGE), SEND_RING_MOST);
    for (unsigned i = 0; i < SEND_RING_MOST; i++) CHECK_EQUAL(send_ring_taken(ring, i), 1);
  }
  close(pair[0]);
  close(pair[1]);
  send_ring_destroy(ring);
}
