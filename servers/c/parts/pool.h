/* A pool of threads behind one loop: the loop gives away connections that are ready, the next free thread
 * serves one of them for as long as it does not have to wait for the client, and hands it back.
 *
 *     loop --- pool_submit ---> queue ---> a thread: serve ---- pool_return ---> loop
 *
 * The one thing to know: only the loop opens and closes. Between pool_submit and the hand-back a connection is
 * the thread's alone; a thread that arms it for its loop's wait itself does so between pool_arm_begin and
 * pool_arm_end, and the loop closes nothing before pool_wait_armed. */
#ifndef BROADSIDE_POOL_H
#define BROADSIDE_POOL_H

#include "timeouts.h"

#include <pthread.h>
#include <stdatomic.h>

struct pooled_connection {
  struct timed_connection timed;  /* first */
  struct pooled_connection *link; /* the next in a queue */
  enum session_next next;         /* as handed back */
  int64_t served_ns; /* when a thread was done with it; the thread's while busy, kept only with --idle-timeout */
  atomic_bool busy;  /* with a thread: from pool_submit to pool_return or pool_arm_begin */
};

struct pool;

struct pool_thread {
  struct pool *pool;
  pthread_mutex_t arming;
  struct worker worker; /* one that blocks */
};

/* `options->threads` threads. `serve` is called for each connection that was given, on a thread; `of` is handed on to
 * it. NULL after having said why. */
struct pool *pool_start(const struct options *options,
                        void (*serve)(struct pooled_connection *connection, struct pool_thread *thread, void *of),
                        void *of);
/* Loop: to the next free thread. */
void pool_submit(struct pool *pool, struct pooled_connection *connection);
/* Thread: back to the loop, with `next` set. */
void pool_return(struct pool *pool, struct pooled_connection *connection);
/* Becomes readable when something was handed back. */
int pool_descriptor(const struct pool *pool);
/* Loop: all that was handed back, linked, or NULL. */
struct pooled_connection *pool_collect(struct pool *pool);

/* Thread: from here on, another thread may be given the connection; only its descriptor may be read until pool_arm_end,
 * and nothing afterwards. */
void pool_arm_begin(struct pool_thread *thread, struct pooled_connection *connection);
void pool_arm_end(struct pool_thread *thread);
/* Loop: returns when no thread is arming what was handed back before the call. */
void pool_wait_armed(struct pool *pool);

/* One read, or one write of what is owed. */
enum session_next pooled_connection_step(struct pooled_connection *connection, struct worker *worker);

#endif
