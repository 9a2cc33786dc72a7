/* See pool.h. Both directions are batched: the connections of a turn of the loop are handed over together, and the loop
 * is woken through an eventfd, once for any number of connections returned since it last looked. */
#include "pool.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct queue {
  struct pooled_connection *first; /* NULL: empty */
  struct pooled_connection *last;
};

struct pool {
  const struct options *options;
  void (*serve)(struct pooled_connection *, struct pool_thread *, void *of);
  void *of;
  struct queue submitted; /* the loop's: what it hands over next */
  long submitted_count;
  pthread_mutex_t lock; /* protects what follows, up to `waiting` */
  pthread_cond_t given;
  struct queue queue; /* for the threads */
  struct pooled_connection *returned;
  long waiting; /* threads waiting for a connection */
  int wake;
  struct pool_thread *threads;
};

static struct pooled_connection *next_submitted(struct pool *pool) {
  pthread_mutex_lock(&pool->lock);
  while (pool->queue.first == NULL) {
    pool->waiting++;
    pthread_cond_wait(&pool->given, &pool->lock);
    pool->waiting--;
  }
  struct pooled_connection *connection = pool->queue.first;
  pool->queue.first = connection->link;
  pthread_mutex_unlock(&pool->lock);
  return connection;
}

static void *run_thread(void *argument) {
  struct pool_thread *thread = argument;
  struct pool *pool = thread->pool;
  for (;;) {
    pool->serve(next_submitted(pool), thread, pool->of);
  }
  return NULL;
}

struct pool *pool_start(const struct options *options,
                        void (*serve)(struct pooled_connection *connection, struct pool_thread *thread, void *of),
                        void *of) {
  struct pool *pool = calloc(1, sizeof *pool);
  struct pool_thread *threads = calloc((size_t)options->threads, sizeof *threads);
  if (pool == NULL || threads == NULL) {
    server_log("cannot start the pool", ENOMEM);
    return NULL;
  }
  pool->threads = threads;
  pool->options = options;
  pool->serve = serve;
  pool->of = of;
  pool->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->given, NULL);
  int error = pool->wake < 0 ? errno : 0;
  for (long i = 0; i < options->threads && error == 0; i++) {
    pthread_t thread;
    threads[i].pool = pool;
    pthread_mutex_init(&threads[i].arming, NULL);
    worker_init(&threads[i].worker, options, (uint64_t)i, true);
    error = pthread_create(&thread, NULL, run_thread, &threads[i]);
  }
  if (error != 0) {
    server_log("cannot start all threads of --threads", error);
    return NULL;
  }
  return pool;
}

/* Appends the connections from `first` to `last`, which are linked. */
static void append(struct queue *queue, struct pooled_connection *first, struct pooled_connection *last) {
  if (queue->first == NULL) {
    queue->first = first;
  } else {
    queue->last->link = first;
  }
  queue->last = last;
}

void pool_submit(struct pool *pool, struct pooled_connection *connection) {
  atomic_exchange(&connection->busy, true); /* also acquires what the last thread wrote before it cleared the flag */
  connection->link = NULL;
  append(&pool->submitted, connection, connection);
  pool->submitted_count++;
}

void pool_hand_over(struct pool *pool) {
  const long count = pool->submitted_count;
  if (count == 0) {
    return;
  }
  pthread_mutex_lock(&pool->lock);
  append(&pool->queue, pool->submitted.first, pool->submitted.last);
  const long waiting = pool->waiting;
  pthread_mutex_unlock(&pool->lock);
  pool->submitted.first = NULL;
  pool->submitted_count = 0;
  /* After the unlock, so that a woken thread need not wait for the lock. */
  if (waiting > 1 && waiting <= count) {
    pthread_cond_broadcast(&pool->given);
  } else {
    for (long i = 0; i < waiting && i < count; i++) {
      pthread_cond_signal(&pool->given);
    }
  }
}

void pool_return(struct pool *pool, struct pooled_connection *connection) {
  pthread_mutex_lock(&pool->lock);
  connection->busy = false;
  const bool first = pool->returned == NULL;
  connection->link = pool->returned;
  pool->returned = connection;
  pthread_mutex_unlock(&pool->lock);
  if (first) {
    eventfd_write(pool->wake, 1);
  }
}

int pool_descriptor(const struct pool *pool) { return pool->wake; }

struct pooled_connection *pool_collect(struct pool *pool) {
  eventfd_t count;
  eventfd_read(pool->wake, &count);
  pthread_mutex_lock(&pool->lock);
  struct pooled_connection *connections = pool->returned;
  pool->returned = NULL;
  pthread_mutex_unlock(&pool->lock);
  return connections;
}

void pool_arm_begin(struct pool_thread *thread, struct pooled_connection *connection) {
  pthread_mutex_lock(&thread->arming);
  connection->served_ns = thread->pool->options->idle_ns > 0 ? server_now_ns() : 0;
  connection->busy = false;
}

void pool_arm_end(struct pool_thread *thread) { pthread_mutex_unlock(&thread->arming); }

void pool_wait_armed(struct pool *pool) {
  for (long i = 0; i < pool->options->threads; i++) {
    pthread_mutex_lock(&pool->threads[i].arming);
    pthread_mutex_unlock(&pool->threads[i].arming);
  }
}

enum session_next pooled_connection_step(struct pooled_connection *connection, struct worker *worker) {
  struct session *session = &connection->timed.session;
  return session->pending == NULL ? session_readable(session, worker) : session_writable(session);
}
