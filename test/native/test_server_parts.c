/*
 * test_server_parts.c: parts of the C servers, each alone: the heap of times, durations, business work.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "../../servers/c/frame/work.h"
#include "../../servers/c/parts/input_buffer.h"
#include "../../servers/c/parts/timer_heap.h"
#include "check.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)

/* What frame/main.c has for the others. */
static long process_number;
long server_process_number(void) { return process_number; }

static int64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}
int64_t server_now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

static uint64_t random_state = 1;
static uint64_t splitmix64_below(uint64_t below) { /* xorshift64* (Vigna 2014) */
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return (random_state * UINT64_C(2685821657736338717)) % below;
}

/* The linker puts this in place of realloc (--wrap): timer_heap.c and input_buffer.c call it. */
static bool no_memory;
void *__real_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes) { return no_memory ? NULL : __real_realloc(old, bytes); }

#define ENTRIES 300

/* The same as timer_heap.c in the simplest way: those that are in, sorted. */
struct sorted {
  struct timer_entry *entries[ENTRIES];
  size_t count;
};

static void sorted_take(struct sorted *sorted, const struct timer_entry *entry) {
  size_t i = 0;
  while (i < sorted->count && sorted->entries[i] != entry) i++;
  if (i == sorted->count) return;
  memmove(sorted->entries + i, sorted->entries + i + 1, (--sorted->count - i) * sizeof *sorted->entries);
}

static void sorted_put(struct sorted *sorted, struct timer_entry *entry, int64_t at_ns) {
  size_t i = sorted->count++;
  for (; i > 0 && sorted->entries[i - 1]->at_ns > at_ns; i--) sorted->entries[i] = sorted->entries[i - 1];
  sorted->entries[i] = entry;
}

static bool heap_equals(const struct timer_heap *heap, const struct sorted *sorted) {
  bool same = heap->count == sorted->count;
  for (size_t place = 1; same && place <= heap->count; place++) {
    same = heap->entries[place]->place == place &&
           (place == 1 || heap->entries[place / 2]->at_ns <= heap->entries[place]->at_ns);
  }
  const int64_t now = (int64_t)splitmix64_below(1200);
  const int64_t first = sorted->count == 0 ? -1 : sorted->entries[0]->at_ns;
  const struct timer_entry *reached = timer_heap_expired(heap, now);
  same = same && (reached ? reached->at_ns == first && first <= now : first < 0 || first > now);
  return same && timer_heap_remaining_ns(heap, now) == (first < 0 ? -1 : first > now ? first - now : 0);
}

TEST(due_is_a_sorted_array) {
  static struct timer_entry entries[ENTRIES];
  static struct sorted sorted;
  struct timer_heap timers = {.entries = NULL};
  for (int i = 0; i < 50000; i++) {
    /* It fills and empties in turns, so that all sizes are had. */
    struct timer_entry *entry = &entries[splitmix64_below(ENTRIES)];
    const bool clears = splitmix64_below(10) < (i / 5000 % 2 == 0 ? 2 : 7);
    const int64_t at_ns = (int64_t)splitmix64_below(1000);
    sorted_take(&sorted, entry);
    if (clears) {
      timer_heap_remove(&timers, entry);
      CHECK_EQUAL(entry->place, 0);
    } else {
      sorted_put(&sorted, entry, at_ns);
      CHECK(timer_heap_set(&timers, entry, at_ns));
      CHECK_EQUAL(entry->at_ns, at_ns);
    }
    if (!heap_equals(&timers, &sorted)) {
      CHECK_EQUAL(i, -1);
      break;
    }
  }
  int64_t before = -1;
  for (struct timer_entry *entry; (entry = timer_heap_expired(&timers, 1000)) != NULL;
       timer_heap_remove(&timers, entry)) {
    CHECK(entry->at_ns >= before);
    before = entry->at_ns;
  }
  CHECK_EQUAL(timers.count, 0);
  CHECK_EQUAL(timer_heap_remaining_ns(&timers, 0), -1);
  free(timers.entries);
}

TEST(due_without_memory) {
  static struct timer_entry entries[ENTRIES];
  struct timer_heap timers = {.entries = NULL};
  no_memory = true;
  CHECK(!timer_heap_set(&timers, &entries[0], 5));
  CHECK_EQUAL(entries[0].place, 0);
  CHECK_EQUAL(timer_heap_remaining_ns(&timers, 0), -1);
  no_memory = false;
  size_t filled = 0;
  for (; filled < ENTRIES && (timers.count == 0 || timers.count + 1 < timers.room); filled++) {
    CHECK(timer_heap_set(&timers, &entries[filled], (int64_t)(1000 - filled)));
  }
  CHECK(filled < ENTRIES);
  no_memory = true;
  CHECK(!timer_heap_set(&timers, &entries[filled], 1));
  CHECK_EQUAL(entries[filled].place, 0);
  CHECK_EQUAL(timers.count, filled);
  CHECK(timer_heap_set(&timers, &entries[0], 2)); /* to be moved takes none */
  CHECK(timer_heap_expired(&timers, 2) == &entries[0]);
  no_memory = false;
  free(timers.entries);
}

TEST(durations) {
  static const struct {
    const char *text;
    int64_t ns;
  } right[] = {{"0ns", 0},
               {"1ns", 1},
               {"250us", 250000},
               {"30ms", 30 * MS},
               {"1.5ms", 1500000},
               {"0.5us", 500},
               {"1.5s", 3 * SECOND / 2},
               {"3600s", 3600 * SECOND},
               {"0ms", 0},
               {"007s", 7 * SECOND},
               {"0.000001s", 1000},
               {"0.3ns", 0},
               {"3599.999999999s", 3600 * SECOND - 1}};
  static const char *const wrong[] = {"",
                                      "5",
                                      "ms",
                                      ".5ms",
                                      "-1ms",
                                      "+1ms",
                                      " 1ms",
                                      "1 ms",
                                      "1ms ",
                                      "1h",
                                      "1m",
                                      "1Ms",
                                      "1e3ms",
                                      "0x1ms",
                                      "infs",
                                      "nanms",
                                      "1..5s",
                                      "1.2.3s",
                                      "1,5s",
                                      "3601s",
                                      "3600.1s",
                                      "3600001ms",
                                      "99999999999999999999s",
                                      "1s1ms",
                                      "1nss"};
  for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
    if (duration_parse(right[i].text) != right[i].ns) printf("# %s\n", right[i].text);
    CHECK_EQUAL(duration_parse(right[i].text), right[i].ns);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    if (duration_parse(wrong[i]) != -1) printf("# %s\n", wrong[i]);
    CHECK_EQUAL(duration_parse(wrong[i]), -1);
  }
}

static const struct work_plan from_30_to_50 = {
    .any = true, .kind = WORK_WAIT, .min_ns = 30 * MS, .max_ns = 50 * MS, .seed = 1};

#define DRAWS 100000

/* The draws of one thread of one process, told by the first of them and by their sum. */
static int64_t draw(uint64_t seed, long process, uint64_t number, int64_t *first) {
  struct work_plan plan = from_30_to_50;
  struct work work;
  int64_t sum = 0;
  plan.seed = seed;
  process_number = process;
  work_init(&work, &plan, number, false);
  process_number = 0;
  for (int i = 0; i < DRAWS; i++) {
    const int64_t ns = work_do(&work, 1);
    if (ns < plan.min_ns || ns > plan.max_ns) CHECK_EQUAL(ns, plan.min_ns);
    if (i == 0) *first = ns;
    sum += ns;
  }
  return sum;
}

TEST(the_same_seed_draws_the_same) {
  int64_t first, again, other;
  const int64_t sum = draw(1, 0, 0, &first);
  CHECK_EQUAL(draw(1, 0, 0, &again), sum);
  CHECK_EQUAL(again, first);
  CHECK(draw(2, 0, 0, &other) != sum && other != first);
  CHECK(draw(1, 1, 0, &other) != sum && other != first);
  CHECK(draw(1, 0, 1, &other) != sum && other != first);
}

TEST(draws_are_uniform) {
  struct work work;
  int64_t first, sum = draw(1, 0, 0, &first);
  int seen[20] = {0};
  CHECK(llabs(sum / DRAWS - 40 * MS) < 40 * MS / 1000); /* the deviation of the mean is 5.8 ms / sqrt(100,000) */
  work_init(&work, &from_30_to_50, 7, false);
  for (int i = 0; i < DRAWS; i++) {
    const int64_t over = work_do(&work, 1) - 30 * MS;
    seen[over == 20 * MS ? 19 : over / MS]++;
  }
  for (int i = 0; i < 20; i++) CHECK(abs(seen[i] - DRAWS / 20) < 400); /* six deviations */
}

TEST(every_time_of_a_narrow_range_comes) {
  const struct work_plan plan = {.any = true, .kind = WORK_WAIT, .min_ns = 5, .max_ns = 7, .seed = 3};
  struct work work;
  int seen[3] = {0};
  work_init(&work, &plan, 0, false);
  for (int i = 0; i < 3000; i++) {
    const int64_t ns = work_do(&work, 1);
    if (ns >= 5 && ns <= 7) seen[ns - 5]++;
  }
  CHECK_EQUAL(seen[0] + seen[1] + seen[2], 3000);
  for (int i = 0; i < 3; i++) CHECK(abs(seen[i] - 1000) < 160);
}

TEST(requests_of_one_read_add_up) {
  struct work one, many;
  int64_t sum = 0;
  work_init(&one, &from_30_to_50, 0, false);
  work_init(&many, &from_30_to_50, 0, false);
  for (int i = 0; i < 17; i++) sum += work_do(&one, 1);
  CHECK_EQUAL(work_do(&many, 17), sum);
  CHECK_EQUAL(work_do(&many, 0), 0);
  CHECK_EQUAL(work_do(&many, 1), work_do(&one, 1));
  static const struct work_plan none = {.any = false};
  work_init(&one, &none, 0, false);
  CHECK_EQUAL(work_do(&one, 1000), 0);
}

/* How long `requests` of work take, by the wall's clock and by the thread's. */
static int64_t time_of(enum work_kind kind, bool blocks, int64_t *cpu_ns) {
  const struct work_plan plan = {.any = true, .kind = kind, .min_ns = 20 * MS, .max_ns = 20 * MS, .seed = 1};
  struct work work;
  work_init(&work, &plan, 0, blocks);
  const int64_t began = server_now_ns(), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const int64_t left = work_do(&work, 2);
  *cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
  CHECK_EQUAL(left, kind == WORK_WAIT && !blocks ? 40 * MS : 0);
  return server_now_ns() - began;
}

TEST(who_blocks_sleeps) {
  int64_t cpu_ns;
  CHECK(time_of(WORK_BLOCK, false, &cpu_ns) >= 40 * MS);
  CHECK(cpu_ns < 20 * MS);
  CHECK(time_of(WORK_BLOCK, true, &cpu_ns) >= 40 * MS);
  CHECK(time_of(WORK_WAIT, true, &cpu_ns) >= 40 * MS);
  CHECK(cpu_ns < 20 * MS);
  time_of(WORK_WAIT, false, &cpu_ns);
  CHECK(cpu_ns < 20 * MS);
}

static void *spin_once(void *cpu_ns) {
  time_of(WORK_SPIN, false, cpu_ns);
  return NULL;
}

/* Three threads on one CPU: none of them gets away with the time in which another had it. */
TEST(who_spins_uses_the_time_of_the_cpu) {
  enum { THREADS = 3 };
  pthread_t threads[THREADS];
  int64_t cpu_ns[THREADS];
  cpu_set_t all, one;
  CHECK_EQUAL(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  }
  CHECK_EQUAL(sched_setaffinity(0, sizeof one, &one), 0);
  const int64_t began = server_now_ns();
  for (int i = 0; i < THREADS; i++) CHECK_EQUAL(pthread_create(&threads[i], NULL, spin_once, &cpu_ns[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    CHECK(cpu_ns[i] >= 40 * MS && cpu_ns[i] < 100 * MS);
  }
  CHECK(server_now_ns() - began >= THREADS * 40 * MS);
  sched_setaffinity(0, sizeof all, &all);
}

/* Never empty, it holds what was not taken, in order, and no memory for the rest. */
TEST(input_that_is_never_empty) {
  struct input_buffer input = {0};
  unsigned char piece[100], taken[90], next_in = 0, next_out = 0;
  size_t pending = 0;
  for (int round = 0; round < 1000; round++) {
    size_t added = pending < 500 ? 100 : 80;
    for (size_t i = 0; i < added; i++) piece[i] = next_in++;
    CHECK(input_buffer_append(&input, piece, added));
    CHECK_EQUAL(input_buffer_take(&input, taken, sizeof taken), sizeof taken);
    for (size_t i = 0; i < sizeof taken; i++) CHECK_EQUAL(taken[i], next_out++);
    pending += added - sizeof taken;
    CHECK_EQUAL(input_buffer_left(&input), pending);
    CHECK(input.count < 1000);
  }
  no_memory = true;
  CHECK(!input_buffer_append(&input, piece, 1));
  no_memory = false;
  CHECK_EQUAL(input_buffer_left(&input), pending);
  while (pending > 0) pending -= input_buffer_take(&input, taken, sizeof taken);
  CHECK(!input_buffer_any(&input));
}
