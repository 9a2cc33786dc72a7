/*
 * test_memory.c: what the engine costs in memory, over loopback. Method: each measurement is
 * a process of its own, in which nothing but the engine allocates; its peer, an echo server, is a second one. The heap
 * in use (mallinfo2, mapped blocks included) is exact; resident memory (/proc/self/statm) is what people see, and comes
 * in pages. A slope is the difference of two such processes by the difference of their connections, so that what does
 * not depend on their number falls out. The kernel's memory for sockets is no process's and not in it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loopback.h"

#define MS UINT64_C(1000000)
#define STORMS 3u
#define FEW 1000u
#define MANY 10000u
#define SLOPE_BYTES 200u   /* of a connection: the must */
#define PAGES_BYTES 262144 /* resident memory comes in pages: other response times touch others of the histograms */

/* ---- the peer ---- */

struct peer {
  pid_t pid;
  int order; /* 'd': drop all and refuse, 'l': listen again; its end ends the peer */
  struct sockaddr_in address;
};

#define MOST_DESCRIPTORS (int)(MANY + 100)
static bool connected[MOST_DESCRIPTORS]; /* of the peer, by descriptor */

static int bound_socket(struct sockaddr_in *address) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
  socklen_t length = sizeof *address;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (struct sockaddr *)address, length) != 0) _exit(3);
  if (getsockname(fd, (struct sockaddr *)address, &length) != 0) _exit(3);
  return fd;
}

static void watch(int poller, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) != 0) _exit(3);
}

static void accept_all(int poller, int listener) {
  for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
    if (fd >= MOST_DESCRIPTORS) _exit(3);
    watch(poller, fd);
    connected[fd] = true;
  }
}

static void drop_all(void) {
  for (int fd = 0; fd < MOST_DESCRIPTORS; fd++) {
    if (connected[fd]) close(fd);
    connected[fd] = false;
  }
}

static void serve(int orders, int listener, struct sockaddr_in *address) {
  int poller = epoll_create1(EPOLL_CLOEXEC);
  watch(poller, orders);
  watch(poller, listener);
  struct epoll_event events[256];
  for (char buffer[4096], order;;) {
    int count = epoll_wait(poller, events, sizeof events / sizeof events[0], -1);
    if (count < 0) _exit(3);
    bool ordered = false, asked = false;
    for (int i = 0; i < count; i++) {
      int fd = events[i].data.fd;
      ordered |= fd == orders;
      asked |= fd == listener;
      if (!connected[fd]) continue;
      ssize_t length = recv(fd, buffer, sizeof buffer, 0);
      if (length > 0 && send(fd, buffer, (size_t)length, MSG_NOSIGNAL) == length) continue;
      if (length < 0 && errno == EAGAIN) continue;
      close(fd);
      connected[fd] = false;
    }
    if (asked) accept_all(poller, listener);
    if (!ordered) continue;
    if (read(orders, &order, 1) != 1) _exit(0);
    if (order == 'd') {
      close(listener);
      drop_all();
    } else {
      listener = bound_socket(address);
      if (listen(listener, 4096) != 0) _exit(3);
      watch(poller, listener);
    }
  }
}

static struct peer peer_start(void) {
  struct peer peer = {.address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
  int orders[2], holder = bound_socket(&peer.address); /* reserves the port without listening */
  int listener = bound_socket(&peer.address);
  if (pipe2(orders, O_CLOEXEC) != 0 || listen(listener, 4096) != 0) _exit(3);
  peer.pid = fork();
  if (peer.pid == 0) {
    close(orders[1]);
    serve(orders[0], listener, &peer.address);
  }
  close(orders[0]);
  close(listener);
  close(holder);
  peer.order = orders[1];
  return peer;
}

/* ---- a measurement ---- */

struct reading {
  uint64_t heap, resident, descriptors;
};

struct measurement {
  struct engine *engine;
  struct peer peer;
  uint32_t slots, storms; /* to go through */
  int results;            /* where to write this to */
  bool dead;
  uint32_t calm; /* cuts in a row in which all are open and served */
  uint32_t count;
  struct reading readings[STORMS + 1]; /* before the first storm, and after each */
};

static struct reading read_use(void) {
  struct mallinfo2 heap = mallinfo2();
  struct reading reading = {.heap = heap.uordblks + heap.hblkhd};
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%*u %lu", &pages) != 1) _exit(3);
  fclose(file);
  reading.resident = pages * (uint64_t)sysconf(_SC_PAGESIZE);
  reading.descriptors = count_descriptors();
  return reading;
}

static void give_order(struct measurement *self, char order) {
  if (write(self->peer.order, &order, 1) != 1) _exit(3);
  self->dead = order == 'd';
  self->calm = 0;
}

/* Ends the process; that ends the peer. */
static void report(const struct measurement *self) {
  _exit(write(self->results, self, sizeof *self) == (ssize_t)sizeof *self ? 0 : 3);
}

static void look(struct measurement *self, const struct interval *interval) {
  if (self->dead) {
    if (interval->gauges[GAUGE_OPEN] == 0 && interval->counters[COUNT_REJECTS + REJECT_REFUSED] >= self->slots / 2) {
      give_order(self, 'l');
    }
    return;
  }
  bool all = interval->gauges[GAUGE_OPEN] == self->slots && interval->gauges[GAUGE_UNANSWERED] == 0;
  self->calm = all ? self->calm + 1 : 0;
  if (self->calm < 5 || self->count > self->storms) return;
  self->readings[self->count++] = read_use();
  if (self->count <= self->storms) {
    give_order(self, 'd');
  } else {
    engine_stop(self->engine);
  }
}

static void take_cuts(void *context) {
  struct measurement *self = context;
  for (const struct interval *interval; (interval = interval_take(engine_intervals(self->engine)));) {
    if (!interval->last) look(self, interval);
    interval_release(engine_intervals(self->engine));
  }
}

/* Holds the connections, each with a transfer every 300 ms, and goes through the storms. In a process of its own. */
static void hold(struct measurement *self) {
  self->peer = peer_start();
  struct endpoint endpoint = {.family = AF_INET, .transport = SOCK_STREAM, .socket.nodelay = true};
  endpoint.address_length = sizeof self->peer.address;
  memcpy(&endpoint.address, &self->peer.address, sizeof self->peer.address);
  static const uint8_t payload[64] = "a payload";
  const struct schedule_point points[] = {{500 * MS, self->slots, true}};
  const struct engine_settings settings = {
      .stride = 1,
      .slots = self->slots,
      .endpoints = &endpoint,
      .endpoint_count = 1,
      .transport = table,
      .clock = {clock_monotonic_ns, NULL},
      .protocol = &protocol_echo,
      .payload = payload,
      .payload_bytes = sizeof payload,
      .workload = &workload_hold,
      .workload_settings = {.heartbeat_ns = 300 * MS},
      .schedule = {points, 1},
      .steady_from_ns = 1000 * MS,
      .steady_to_ns = 60 * NS_PER_SECOND,
      .connect_timeout_ns = 10 * NS_PER_SECOND,
      .transfer_timeout_ns = 10 * NS_PER_SECOND,
      .drain_timeout_ns = NS_PER_SECOND,
      .interval_ns = 100 * MS,
      .backoff = {20 * MS, 200 * MS, 2.0},
      .seed = 1,
      .pipeline = 1,
      .on_interval = take_cuts,
      .on_interval_context = self,
  };
  read_use(); /* what reading takes for itself, it takes now */
  if (engine_create(&settings, &self->engine) != 0) _exit(3);
  if (engine_run(self->engine, clock_monotonic_ns(NULL)) != 0) _exit(3);
  engine_destroy(self->engine);
  close(self->peer.order);
  if (waitpid(self->peer.pid, NULL, 0) != self->peer.pid) _exit(3);
}

static struct measurement measure(uint32_t slots, uint32_t storms) {
  struct measurement result = {.slots = slots, .storms = storms};
  int results[2];
  CHECK_EQUAL(pipe(results), 0);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    result.results = results[1];
    hold(&result);
    report(&result);
  }
  int status = -1;
  close(results[1]);
  CHECK_EQUAL(read(results[0], &result, sizeof result), sizeof result);
  waitpid(child, &status, 0);
  CHECK_EQUAL(status, 0);
  close(results[0]);
  CHECK_EQUAL(result.count, storms + 1);
  return result;
}

/* ---- tests ---- */

TEST(bytes_of_a_connection) {
  struct reading few = measure(FEW, 0).readings[0], many = measure(MANY, 0).readings[0];
  printf("# %s: a connection takes %.1f bytes of heap, %.1f of resident memory\n", table->name,
         (double)(many.heap - few.heap) / (MANY - FEW), ((double)many.resident - (double)few.resident) / (MANY - FEW));
  CHECK_EQUAL(many.descriptors - few.descriptors, MANY - FEW);
  CHECK(many.heap > few.heap);
  CHECK(many.heap - few.heap <= (uint64_t)SLOPE_BYTES * (MANY - FEW));
  CHECK(many.resident <= few.resident + (uint64_t)SLOPE_BYTES * (MANY - FEW) + PAGES_BYTES);
}

TEST(storms_add_nothing) {
  struct measurement storms = measure(FEW, STORMS);
  for (uint32_t i = 1; i <= STORMS; i++) {
    CHECK_EQUAL(storms.readings[i].heap, storms.readings[0].heap);
    CHECK_EQUAL(storms.readings[i].descriptors, storms.readings[0].descriptors);
    printf("# %s: %" PRIu64 " bytes resident after storm %u\n", table->name, storms.readings[i].resident, i);
  }
  CHECK(storms.readings[STORMS].resident <= storms.readings[1].resident + PAGES_BYTES);
}

int main(void) {
  take_descriptors();
  return check_run("");
}
