/*
 * test_threads.c: the engine as it is really used, on each io backend, with its threads: one runs it, another reads its
 * cuts and asks it to drain, a third writes the log, and an echo server plays its peer. For ThreadSanitizer above all.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../client/engine/core/engine.h"
#include "check.h"

#define SLOTS 50u

static const struct io_table *table;
static _Atomic bool server_ends;

/* Echoes on every connection until told to end. */
static void *serve(void *argument) {
  struct pollfd polled[SLOTS + 1] = {{.fd = *(int *)argument, .events = POLLIN}};
  nfds_t count = 1;
  char buffer[4096];
  while (!atomic_load(&server_ends)) {
    if (poll(polled, count, 20) <= 0) continue;
    for (nfds_t i = 1; i < count; i++) {
      if (polled[i].fd < 0 || !(polled[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
      ssize_t length = recv(polled[i].fd, buffer, sizeof buffer, 0);
      if (length > 0 && send(polled[i].fd, buffer, (size_t)length, MSG_NOSIGNAL) == length) continue;
      close(polled[i].fd);
      polled[i].fd = -1;
    }
    if ((polled[0].revents & POLLIN) && count <= SLOTS) {
      polled[count++] = (struct pollfd){.fd = accept(polled[0].fd, NULL, NULL), .events = POLLIN};
    }
  }
  for (nfds_t i = 1; i < count; i++) {
    if (polled[i].fd >= 0) close(polled[i].fd);
  }
  return NULL;
}

struct run {
  struct engine *engine;
  struct transfer_log *log;
  struct transfer_log_result result;
  uint64_t start_ns;
  _Atomic bool ended;
  int error;
};

static void *run_engine(void *argument) {
  struct run *run = argument;
  run->error = engine_run(run->engine, run->start_ns);
  transfer_log_close(run->log, &run->result);
  atomic_store(&run->ended, true);
  return NULL;
}

enum ending { AS_PLANNED, DRAINED_EARLY, WARM_EARLY };

static void whole_leg(enum ending ending) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_EQUAL(bind(listener, (struct sockaddr *)&address, length), 0);
  CHECK_EQUAL(listen(listener, 128), 0);
  CHECK_EQUAL(getsockname(listener, (struct sockaddr *)&address, &length), 0);
  pthread_t server, engine;
  atomic_store(&server_ends, false);
  pthread_create(&server, NULL, serve, &listener);

  struct io_endpoint endpoint = {.family = AF_INET, .transport = SOCK_STREAM, .address_length = length};
  memcpy(&endpoint.address, &address, length);
  static const uint8_t payload[100] = "a payload of a hundred bytes";
  const struct schedule_point points[] = {{0, SLOTS, false}};
  struct run run = {.start_ns = clock_monotonic_ns(NULL) + 50000000};
  CHECK_EQUAL(transfer_log_open("/dev/null", 0, &run.log), 0);
  const struct engine_settings settings = {
      .first = 0,
      .stride = 1,
      .slots = SLOTS,
      .endpoints = &endpoint,
      .endpoint_count = 1,
      .io = table,
      .clock = {clock_monotonic_ns, NULL},
      .protocol = &protocol_echo,
      .payload = payload,
      .payload_bytes = sizeof payload,
      .workload = &workload_continuous,
      .schedule = {points, 1},
      .steady_from_ns = ending == WARM_EARLY ? 50 * NS_PER_SECOND : 500000000,
      .steady_to_ns = ending == AS_PLANNED ? 2 * NS_PER_SECOND : 60 * NS_PER_SECOND,
      .warmup_ns = ending == WARM_EARLY ? 50 * NS_PER_SECOND - 500000000 : 0,
      .connect_timeout_ns = 5 * NS_PER_SECOND,
      .transfer_timeout_ns = 5 * NS_PER_SECOND,
      .drain_timeout_ns = 5 * NS_PER_SECOND,
      .cut_every_ns = 50000000,
      .backoff = {1000000, 10000000, 2.0},
      .seed = 1,
      .pipeline = 1,
      .log = run.log,
  };
  CHECK_EQUAL(engine_create(&settings, &run.engine), 0);
  pthread_create(&engine, NULL, run_engine, &run);

  uint64_t transfers = 0, rows = 0, opened = 0, steady = 0;
  bool told = false;
  bool last = false;
  while (!last) {
    const struct cut *cut = cuts_take(engine_cuts(run.engine));
    if (!cut) {
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
      continue;
    }
    transfers += cut->counters[COUNT_TRANSFERS];
    rows += cut->counters[COUNT_LOG_ROWS];
    opened += cut->counters[COUNT_OPENED];
    last = cut->last;
    if (cut->phase == PHASE_STEADY) steady += cut->counters[COUNT_TRANSFERS];
    if (ending == DRAINED_EARLY && transfers > 100) engine_drain(run.engine, 0);
    if (ending == WARM_EARLY && transfers > 100 && !told) {
      uint64_t from_ns = cut->to_ns + 100000000;
      engine_begin_steady(run.engine, from_ns, from_ns + 1500000000);
      told = true;
    }
    cuts_give_back(engine_cuts(run.engine));
  }
  pthread_join(engine, NULL);
  CHECK_EQUAL(run.error, 0);
  CHECK(atomic_load(&run.ended));
  CHECK_EQUAL(opened, SLOTS);
  CHECK(transfers > 100);
  CHECK(ending == DRAINED_EARLY || (steady > 0 && steady < transfers));
  CHECK(run.result.error != 0 || run.result.rows == rows);
  engine_destroy(run.engine);
  atomic_store(&server_ends, true);
  pthread_join(server, NULL);
  close(listener);
}

static void to_the_planned_end(void) { whole_leg(AS_PLANNED); }
static void drained_by_another_thread(void) { whole_leg(DRAINED_EARLY); }
static void warmed_up_as_another_thread_says(void) { whole_leg(WARM_EARLY); }

static const struct check_test tests[] = {
    {"to the planned end", to_the_planned_end},
    {"drained by another thread", drained_by_another_thread},
    {"warmed up as another thread says", warmed_up_as_another_thread_says},
};

int main(void) {
  int failed = 0;
  for (size_t i = 0; io_backends[i]; i++) {
    table = io_backends[i];
    if (table->probe() == 0) failed |= check_run(tests, sizeof tests / sizeof tests[0]);
  }
  return failed;
}
