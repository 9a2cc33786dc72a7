/*
 * test_transports_load.c: the rules of transport.h with a thousand connections that are all busy at once, and a long
 * random sequence. The peers are plain system calls in the same thread; only where each is to get its share they are a
 * server in another thread.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "../../client/engine/core/base/splitmix64.h"
#include "loopback.h"
#include "world.h"

#define SLOTS 1000u
#define CHUNK 8000u
#define WHOLE 65536u /* a reply */
#define MEAN_REPLIES (size_t)10
#define FIRST_SOURCE 0x7f010000u /* 127.1.0.0 */

#define MS UINT64_C(1000000)

static const char request[64] = "one that the peer never looks at";

struct slot {
  struct endpoint endpoint; /* a source address of its own: so a peer knows whose it is */
  int peer, connects, closes, reason;
  bool used, up, sending; /* used: from connect() to on_close; the others as the callbacks say */
  size_t bytes, wrong, heard_by_peer, sent_by_peer;
  uint64_t started_ns;
};

static struct slot slots[SLOTS];

/* Callbacks against the rules, and how much is read between two readings of the clock. */
static struct {
  size_t callbacks_wrong;
  size_t bytes_at_one_time, most_at_one_time; /* received between two readings of the clock */
} counts;

static uint64_t counted_clock_ns(void *none) {
  counts.bytes_at_one_time = 0;
  return clock_monotonic_ns(none);
}

/* What peers send, again and again; and once more, so that it is in one piece from any offset on. */
#define PERIOD 65521u
static uint8_t stream[2 * PERIOD];

/* What the peer of SLOT sends at OFFSET; PERIOD bytes are there. */
static const uint8_t *bytes_of(uint32_t slot, size_t offset) { return stream + (slot * 37u + offset) % PERIOD; }

static void fill_stream(void) {
  uint64_t random = 1;
  for (size_t i = 0; i < PERIOD; i++) stream[i] = stream[i + PERIOD] = (uint8_t)splitmix64_next(&random);
}

/* ---- callbacks ---- */

static void hold_to(bool rule) {
  if (!rule || !world.inside) counts.callbacks_wrong++;
}

static void on_connect(void *owner, uint32_t slot) {
  (void)owner;
  hold_to(slots[slot].used && !slots[slot].up);
  slots[slot].up = true;
  slots[slot].connects++;
}

static void on_bytes(void *owner, uint32_t slot, const uint8_t *bytes, size_t length) {
  (void)owner;
  struct slot *self = &slots[slot];
  hold_to(self->up && length > 0);
  counts.bytes_at_one_time += length;
  if (counts.bytes_at_one_time > counts.most_at_one_time) counts.most_at_one_time = counts.bytes_at_one_time;
  for (size_t piece; length > 0; bytes += piece, length -= piece) {
    piece = length < PERIOD ? length : PERIOD;
    self->wrong += memcmp(bytes, bytes_of(slot, self->bytes), piece) != 0;
    self->bytes += piece;
  }
}

static void on_sent(void *owner, uint32_t slot) {
  (void)owner;
  hold_to(slots[slot].up && slots[slot].sending);
  slots[slot].sending = false;
}

static void on_close(void *owner, uint32_t slot, int reason) {
  (void)owner;
  struct slot *self = &slots[slot];
  hold_to(self->used);
  self->used = self->up = self->sending = false;
  self->closes++;
  self->reason = reason;
}

static const struct transport_events events = {
    .on_connect = on_connect, .on_bytes = on_bytes, .on_sent = on_sent, .on_close = on_close};

/* ---- the world ---- */

static struct sockaddr_in address_of(uint32_t host, in_port_t port) {
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(host), .sin_port = port};
}

static void begin_with(const struct transport_events *reported) {
  memset(&counts, 0, sizeof counts);
  world_begin();
  world.clock.now_ns = counted_clock_ns;
  const struct transport_settings settings = world_settings(SLOTS, reported);
  CHECK_EQUAL(table->create(&settings, &world.transport), 0);
  struct endpoint endpoint;
  world.listener = loopback_listen(SOCK_NONBLOCK, 4096, &endpoint);
  for (uint32_t slot = 0; slot < SLOTS; slot++) {
    struct slot *self = &slots[slot];
    struct sockaddr_in source = address_of(FIRST_SOURCE + slot, 0);
    *self = (struct slot){.peer = -1, .endpoint = endpoint};
    self->endpoint.source_length = sizeof source;
    memcpy(&self->endpoint.source, &source, sizeof source);
  }
}

static void begin(void) { begin_with(&events); }

/* Turns until CONDITION holds of every slot, at most 20 s. */
#define TURN_UNTIL_ALL(condition)                                          \
  do {                                                                     \
    uint64_t turn_end = clock_now(&world.clock) + 20 * NS_PER_SECOND;      \
    for (uint32_t at = 0; at < SLOTS; at++) {                              \
      const struct slot *self = &slots[at];                                \
      while (!(condition) && clock_now(&world.clock) < turn_end) turn(MS); \
      if (condition) continue;                                             \
      CHECK(condition);                                                    \
      break;                                                               \
    }                                                                      \
  } while (0)

static void connect_from_source(uint32_t slot) {
  struct slot *self = &slots[slot];
  self->used = true;
  self->bytes = 0;
  table->connect(world.transport, slot, &self->endpoint, 0, &self->started_ns);
}

static void leave(struct slot *self, bool reset) {
  struct linger linger = {1, 0};
  if (self->peer >= 0 && reset) setsockopt(self->peer, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  if (self->peer >= 0) close(self->peer);
  self->peer = -1;
}

/* Accepts what there is; a new peer takes the place of the slot's former one. */
static void accept_all(void) {
  for (;;) {
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    int peer = accept4(world.listener, (struct sockaddr *)&from, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (peer < 0) return;
    struct slot *self = &slots[ntohl(from.sin_addr.s_addr) - FIRST_SOURCE];
    leave(self, false);
    self->peer = peer;
    self->heard_by_peer = self->sent_by_peer = 0;
  }
}

/* The slot's peer sends the next LENGTH bytes, or as many of them as fit. */
static void write_from_peer(uint32_t slot, size_t length) {
  struct slot *self = &slots[slot];
  ssize_t sent = send(self->peer, bytes_of(slot, self->sent_by_peer), length, MSG_NOSIGNAL);
  if (sent > 0) self->sent_by_peer += (size_t)sent;
}

static void send_request(uint32_t slot) {
  struct slot *self = &slots[slot];
  const struct iovec parts[] = {{(void *)(uintptr_t)request, 10}, {(void *)(uintptr_t)(request + 10), 54}};
  self->sending = true;
  if (table->send(world.transport, slot, parts, 2, &self->started_ns) == IO_SENT) self->sending = false;
}

static void send_whole(uint32_t slot) {
  struct slot *self = &slots[slot];
  const struct iovec part = {stream, WHOLE};
  self->sending = true;
  if (table->send(world.transport, slot, &part, 1, &self->started_ns) == IO_SENT) self->sending = false;
}

static void open_all(void) {
  for (uint32_t slot = 0; slot < SLOTS; slot++) connect_from_source(slot);
  TURN_UNTIL_ALL(self->up);
  accept_all();
  for (uint32_t slot = 0; slot < SLOTS; slot++) CHECK(slots[slot].peer >= 0);
}

static void end(void) {
  size_t wrong = 0;
  for (uint32_t slot = 0; slot < SLOTS; slot++) wrong += slots[slot].wrong;
  CHECK_EQUAL(wrong, 0);
  CHECK_EQUAL(counts.callbacks_wrong, 0);
  world_end();
  for (uint32_t slot = 0; slot < SLOTS; slot++) leave(&slots[slot], false);
}

/* ---- tests ---- */

/* What is read later than the rest has a later time: the transport reads the clock between long copies. */
TEST(times_of_long_replies) {
  begin();
  open_all();
  for (uint32_t slot = 0; slot < SLOTS / 10; slot++) write_from_peer(slot, PERIOD);
  TURN_UNTIL_ALL(self->bytes == self->sent_by_peer);
  CHECK(counts.most_at_one_time > 0 && counts.most_at_one_time <= 2 * READ_BYTES);
  end();
}

/* The kernel takes the bytes of one after those of another: their times differ. */
TEST(times_of_long_requests) {
  begin();
  open_all();
  for (uint32_t slot = 0; slot < 16; slot++) send_whole(slot);
  TURN_UNTIL_ALL(!self->sending);
  for (uint32_t slot = 1; slot < 16; slot++) CHECK(slots[slot].started_ns > slots[slot - 1].started_ns);
  end();
}

/* The peer of SLOT sends as much as it reads, as far as that fits. */
static void echo_from_peer(uint32_t slot) {
  struct slot *self = &slots[slot];
  static char heard[WHOLE];
  ssize_t length;
  while ((length = recv(self->peer, heard, sizeof heard, 0)) > 0) self->heard_by_peer += (size_t)length;
  for (size_t before = SIZE_MAX; self->sent_by_peer < self->heard_by_peer && self->sent_by_peer != before;) {
    before = self->sent_by_peer;
    size_t due = self->heard_by_peer - before;
    write_from_peer(slot, due < PERIOD ? due : PERIOD);
  }
}

/* A server of all connections, in a thread of its own. */
static struct {
  pthread_t thread;
  _Atomic bool ends;
} server;

static void *serve(void *none) {
  struct epoll_event ready[SLOTS];
  int watched = epoll_create1(EPOLL_CLOEXEC);
  for (uint32_t slot = 0; slot < SLOTS; slot++) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.u32 = slot};
    if (epoll_ctl(watched, EPOLL_CTL_ADD, slots[slot].peer, &event) != 0) perror("# epoll_ctl");
  }
  while (!atomic_load(&server.ends)) {
    int count = epoll_wait(watched, ready, SLOTS, 20);
    for (int i = 0; i < count; i++) echo_from_peer(ready[i].data.u32);
  }
  close(watched);
  return none;
}

/* Whole replies of all connections, and what they say of each one's share. */
static struct {
  size_t all, late;     /* late: those before which the others had two each */
  size_t before[SLOTS]; /* how many of all there were when a slot last had one */
} replies;

/* Asks again as soon as a reply is whole. */
static void on_bytes_of_replies(void *owner, uint32_t slot, const uint8_t *bytes, size_t length) {
  size_t whole = slots[slot].bytes / WHOLE;
  on_bytes(owner, slot, bytes, length);
  if (slots[slot].bytes / WHOLE == whole) return;
  replies.late += replies.all - replies.before[slot] > 2 * SLOTS;
  replies.before[slot] = ++replies.all;
  send_whole(slot);
}

static const struct transport_events events_of_replies = {
    .on_connect = on_connect, .on_bytes = on_bytes_of_replies, .on_sent = on_sent, .on_close = on_close};

/* Replies that are together far more than the buffers: no connection has less than half of what the mean has, and
 * hardly one waits while the others have several. */
TEST(a_share_for_each) {
  begin_with(&events_of_replies);
  open_all();
  memset(&replies, 0, sizeof replies);
  atomic_store(&server.ends, false);
  CHECK_EQUAL(pthread_create(&server.thread, NULL, serve, NULL), 0);
  for (uint32_t slot = 0; slot < SLOTS; slot++) send_whole(slot);
  uint64_t end_ns = clock_now(&world.clock) + 100 * NS_PER_SECOND;
  while (replies.all < MEAN_REPLIES * SLOTS && clock_now(&world.clock) < end_ns) turn(MS);
  CHECK(replies.all >= MEAN_REPLIES * SLOTS);
  CHECK(replies.late * 50 < replies.all);
  size_t least = SIZE_MAX;
  for (uint32_t slot = 0; slot < SLOTS; slot++) {
    if (slots[slot].bytes / WHOLE < least) least = slots[slot].bytes / WHOLE;
  }
  CHECK(least >= MEAN_REPLIES / 2);
  atomic_store(&server.ends, true);
  pthread_join(server.thread, NULL);
  end();
}

static void a_step(uint32_t slot, uint64_t *random, int *attempts) {
  struct slot *self = &slots[slot];
  uint64_t dice = splitmix64_below(random, 100);
  if (!self->used) {
    connect_from_source(slot);
    attempts[slot]++;
  } else if (!self->up) {
    if (dice < 10) table->close(world.transport, slot, dice < 5 ? IO_RST : IO_FIN);
  } else if (dice < 40) {
    if (!self->sending) send_request(slot);
  } else if (dice < 85) {
    if (self->peer >= 0) write_from_peer(slot, 1 + (size_t)splitmix64_below(random, CHUNK));
  } else if (dice < 92) {
    table->close(world.transport, slot, dice < 88 ? IO_RST : IO_FIN);
  } else {
    leave(self, dice < 96);
  }
}

TEST(a_random_game) {
  uint64_t before = count_descriptors();
  for (uint64_t seed = 1; seed <= 3; seed++) {
    begin();
    uint64_t random = seed;
    static int attempts[SLOTS];
    memset(attempts, 0, sizeof attempts);
    for (int step = 0; step < 60000; step++) {
      a_step((uint32_t)splitmix64_below(&random, SLOTS), &random, attempts);
      if (splitmix64_below(&random, 30) == 0) turn(0);
      if (splitmix64_below(&random, 300) == 0) accept_all();
    }
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
      if (slots[slot].used) table->close(world.transport, slot, IO_RST);
    }
    TURN_UNTIL_ALL(!self->used);
    int opened = 0;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
      CHECK_EQUAL(slots[slot].closes, attempts[slot]);
      CHECK(slots[slot].connects <= attempts[slot]);
      opened += slots[slot].connects;
    }
    CHECK(opened > 2000);
    end();
  }
  CHECK_EQUAL(count_descriptors(), before);
}

int main(void) {
  fill_stream();
  take_descriptors();
  return check_run("");
}
