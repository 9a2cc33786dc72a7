/*
 * test_threads.c: the engine as it is really used, with its threads: one runs it, another
 * reads its cuts and asks it to drain, a third writes the log, and an echo server plays its peer. For ThreadSanitizer
 * above all.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "loopback.h"
#include "peers.h"

#define SLOTS 50u
#define RATE 2000

struct run {
  struct engine *engine;
  struct transfer_log *log;
  struct transfer_log_result result;
  uint64_t start_ns;
  _Atomic bool ended;
  bool has_own_descriptors;
  int error, policy; /* of the engine's thread, when the leg is over */
};

static void *run_engine(void *argument) {
  struct run *run = argument;
  run->error = run->has_own_descriptors ? engine_own_descriptors(run->engine) : 0;
  if (!run->error) run->error = engine_run(run->engine, run->start_ns);
  run->policy = sched_getscheduler(0);
  transfer_log_close(run->log, &run->result);
  atomic_store(&run->ended, true);
  return NULL;
}

enum ending { AS_PLANNED, DRAINED_EARLY, WARM_EARLY, DRAINED_WITH_OWN_DESCRIPTORS };

/* How many descriptors this thread's table has. */
static unsigned descriptors(void) {
  DIR *folder = opendir("/proc/thread-self/fd");
  unsigned count = 0;
  CHECK(folder);
  while (readdir(folder)) count++;
  closedir(folder);
  return count;
}

/* The peers' ends are in the process's table and the engine's are not. Nor does the engine's hold this pipe open. */
static void are_apart(int pipe_ends[2]) {
  char byte;
  CHECK(descriptors() < 2 * SLOTS);
  close(pipe_ends[1]);
  CHECK_EQUAL(read(pipe_ends[0], &byte, 1), 0);
  close(pipe_ends[0]);
}

static void whole_leg(enum ending ending) {
  struct endpoint endpoint;
  struct peers peers = {.listener = loopback_listen(0, 128, &endpoint), .hear = peers_echo};
  pthread_t engine;
  endpoint.socket.nodelay = false;
  peers_start(&peers);
  static const uint8_t payload[100] = "a payload of a hundred bytes";
  const struct schedule_point points[] = {{0, SLOTS, false}};
  struct run run = {.start_ns = clock_monotonic_ns(NULL) + 50000000};
  CHECK_EQUAL(transfer_log_open("/dev/null", NULL, 0, &run.log), 0);
  struct engine_settings settings = loopback_settings(&endpoint, SLOTS);
  settings.protocol = &protocol_echo;
  settings.payload = payload;
  settings.payload_bytes = sizeof payload;
  settings.workload = &workload_continuous;
  settings.schedule = (struct schedule){points, 1};
  const struct rate_point rates[] = {{0, RATE, false}};
  if (ending == AS_PLANNED || ending == WARM_EARLY) settings.rates = (struct rates){rates, 1}; /* it ends by time */
  settings.steady_from_ns = ending == WARM_EARLY ? 50 * NS_PER_SECOND : 500000000;
  settings.steady_to_ns = ending == AS_PLANNED ? NS_PER_SECOND : 60 * NS_PER_SECOND;
  settings.warmup_ns = ending == WARM_EARLY ? 50 * NS_PER_SECOND - 500000000 : 0;
  settings.interval_ns = 50000000;
  settings.backoff = (struct backoff){1000000, 10000000, 2.0};
  settings.log = run.log;
  CHECK_EQUAL(engine_create(&settings, &run.engine), 0);
  int pipe_ends[2];
  run.has_own_descriptors = ending == DRAINED_WITH_OWN_DESCRIPTORS;
  if (run.has_own_descriptors) CHECK_EQUAL(pipe(pipe_ends), 0);
  pthread_create(&engine, NULL, run_engine, &run);

  uint64_t transfers = 0, rows = 0, opened = 0, steady = 0;
  bool told = false;
  bool last = false;
  while (!last) {
    const struct interval *interval = interval_take(engine_intervals(run.engine));
    if (!interval) {
      /* no semaphore: it would order the threads where the ring itself fails to, and hide that from ThreadSanitizer */
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
      continue;
    }
    transfers += interval->counters[COUNT_TRANSFERS];
    rows += interval->counters[COUNT_LOG_ROWS];
    opened += interval->counters[COUNT_OPENED];
    last = interval->last;
    if (interval->phase == PHASE_STEADY) steady += interval->counters[COUNT_TRANSFERS];
    if (ending == DRAINED_EARLY && transfers > 100) engine_drain(run.engine, 0);
    if (run.has_own_descriptors && opened == SLOTS && !told) {
      are_apart(pipe_ends);
      told = true;
    }
    if (run.has_own_descriptors && told && transfers > 100) engine_drain(run.engine, 0);
    if (ending == WARM_EARLY && transfers > 100 && !told) {
      uint64_t from_ns = interval->to_ns + 100000000;
      engine_begin_steady(run.engine, from_ns, from_ns + 500000000);
      told = true;
    }
    interval_release(engine_intervals(run.engine));
  }
  pthread_join(engine, NULL);
  CHECK_EQUAL(run.error, 0);
  CHECK_EQUAL(run.policy, SCHED_BATCH);
  CHECK(atomic_load(&run.ended));
  CHECK_EQUAL(opened, SLOTS);
  CHECK(transfers > 100);
  CHECK(ending == DRAINED_EARLY || run.has_own_descriptors || (steady > 0 && steady < transfers));
  CHECK(run.result.error != 0 || run.result.rows == rows);
  engine_destroy(run.engine);
  peers_stop(&peers);
}

TEST(to_the_planned_end) { whole_leg(AS_PLANNED); }
TEST(drained_by_another_thread) { whole_leg(DRAINED_EARLY); }
TEST(warmed_up_as_another_thread_says) { whole_leg(WARM_EARLY); }

/* Not for ThreadSanitizer, which takes equal numbers in two tables for one descriptor. */
#ifndef __SANITIZE_THREAD__
TEST(with_descriptors_of_its_own) { whole_leg(DRAINED_WITH_OWN_DESCRIPTORS); }
#endif
