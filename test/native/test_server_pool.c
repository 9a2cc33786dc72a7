/*
 * test_server_pool.c: the pool of threads of the C servers: what a turn of the loop submits costs one lock, and wakes
 * no more threads than can serve it.
 */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>

#include "../../servers/c/parts/pool.h"
#include "check.h"

#define THREADS 3

/* What pool.c calls of the frame. */
void server_log(const char *what, int error) { printf("# %s: %d\n", what, error); }
int64_t server_now_ns(void) { return 0; }
void worker_init(struct worker *worker, const struct options *options, uint64_t number, bool blocks) {
  (void)options, (void)number, (void)blocks;
  worker->drained = true;
}
enum session_next session_readable(struct session *session, struct worker *worker) {
  (void)session, (void)worker;
  return SESSION_CLOSE;
}
enum session_next session_writable(struct session *session) {
  (void)session;
  return SESSION_CLOSE;
}

/* Calls of the thread that plays the loop. The linker puts these functions in place of those of the library (--wrap).
 */
static _Thread_local bool is_loop;
static int locks, wake_ups;
/* Threads of the pool that wait, or are about to and hold the lock until they do. */
static atomic_int waiting;
static sem_t waits; /* posted by each of them */

int __real_pthread_mutex_lock(pthread_mutex_t *lock);
int __real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock);
int __real_pthread_cond_signal(pthread_cond_t *condition);
int __real_pthread_cond_broadcast(pthread_cond_t *condition);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock);
int __wrap_pthread_cond_signal(pthread_cond_t *condition);
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition);

int __wrap_pthread_mutex_lock(pthread_mutex_t *lock) {
  locks += is_loop;
  return __real_pthread_mutex_lock(lock);
}
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock) {
  waiting++;
  sem_post(&waits);
  const int error = __real_pthread_cond_wait(condition, lock);
  waiting--;
  return error;
}
int __wrap_pthread_cond_signal(pthread_cond_t *condition) {
  wake_ups += is_loop;
  return __real_pthread_cond_signal(condition);
}
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition) {
  wake_ups += is_loop;
  return __real_pthread_cond_broadcast(condition);
}

struct served {
  sem_t begun, may_end;
  struct pool *pool;
};

static void serve(struct pooled_connection *connection, struct pool_thread *thread, void *of) {
  struct served *served = of;
  (void)thread;
  sem_post(&served->begun);
  sem_wait(&served->may_end);
  connection->timed.moved_ns++; /* how often it was served */
  pool_return(served->pool, connection);
}

static void wait_times(sem_t *semaphore, int times) {
  while (times-- > 0) sem_wait(semaphore);
}

static void wait_until_idle(void) {
  while (waiting < THREADS) sem_wait(&waits);
}

static void submit(struct pool *pool, struct pooled_connection *connections, int count) {
  locks = wake_ups = 0;
  for (int i = 0; i < count; i++) pool_submit(pool, &connections[i]);
  pool_hand_over(pool);
}

/* Ends `count` of those that are served, and checks that each connection has come back once. */
static void collect(struct served *served, int count) {
  int returned = 0;
  for (int i = 0; i < count; i++) sem_post(&served->may_end);
  while (returned < count) {
    struct pollfd wake = {.fd = pool_descriptor(served->pool), .events = POLLIN};
    CHECK_EQUAL(poll(&wake, 1, -1), 1);
    for (struct pooled_connection *each = pool_collect(served->pool); each != NULL; each = each->link) {
      CHECK_EQUAL(each->timed.moved_ns, 1);
      CHECK(!each->busy);
      each->timed.moved_ns = 0;
      returned++;
    }
  }
  CHECK_EQUAL(returned, count);
}

TEST(a_turn_is_handed_over_at_once) {
  static const struct options options = {.threads = THREADS};
  static struct served served;
  static struct pooled_connection connections[10];
  is_loop = true;
  sem_init(&waits, 0, 0);
  sem_init(&served.begun, 0, 0);
  sem_init(&served.may_end, 0, 0);
  served.pool = pool_start(&options, serve, &served);
  wait_until_idle();

  submit(served.pool, connections, 0);
  CHECK_EQUAL(locks, 0);

  submit(served.pool, connections, 1); /* all threads wait */
  CHECK_EQUAL(locks, 1);
  CHECK_EQUAL(wake_ups, 1);
  wait_times(&served.begun, 1);
  submit(served.pool, connections + 1, 2); /* two threads wait: one call wakes both */
  CHECK_EQUAL(locks, 1);
  CHECK_EQUAL(wake_ups, 1);
  wait_times(&served.begun, 2);
  submit(served.pool, connections + 3, 7); /* no thread waits */
  CHECK_EQUAL(locks, 1);
  CHECK_EQUAL(wake_ups, 0);
  collect(&served, 10);
  wait_times(&served.begun, 7);
  wait_until_idle();

  submit(served.pool, connections, 2); /* fewer than wait */
  CHECK_EQUAL(locks, 1);
  CHECK_EQUAL(wake_ups, 2);
  collect(&served, 2);
}
