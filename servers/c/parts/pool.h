/* A pool of threads behind one loop, which is called half-sync/half-async: the loop waits for all connections and
 * submits those that are ready; the next free thread serves a connection with blocking work, for as long as it need not
 * wait for the client, and returns it. Flow: loop, pool_submit, pool_hand_over, queue, thread (serve), pool_return,
 * loop. Only the loop opens and closes connections. Between pool_submit and pool_return a connection belongs to the
 * thread. A thread that re-arms a connection for the loop itself does so between pool_arm_begin and pool_arm_end, and
 * the loop closes nothing before pool_wait_armed. */
#ifndef BROADSIDE_POOL_H
#define BROADSIDE_POOL_H

#include "timeouts.h"

#include <pthread.h>
#include <stdatomic.h>

struct pooled_connection {
  struct timed_connection timed;  /* must be the first member */
  struct pooled_connection *link; /* next in the queue */
  enum session_next next;         /* set when it is returned */
  int64_t served_ns; /* when a thread last finished with it; written only while busy, and only with --idle-timeout */
  atomic_bool busy;  /* served by a thread: from pool_submit to pool_return or pool_arm_begin */
};

struct pool;

struct pool_thread {
  struct pool *pool;
  pthread_mutex_t arming;
  struct worker worker; /* a blocking worker */
};

/* Starts `options->threads` threads. `serve` is called on a thread for each submitted connection, with `of`. Returns
 * NULL after logging the error. */
struct pool *pool_start(const struct options *options,
                        void (*serve)(struct pooled_connection *connection, struct pool_thread *thread, void *of),
                        void *of);
/* Called by the loop: the connection is ready, and goes to a thread with the next pool_hand_over. */
void pool_submit(struct pool *pool, struct pooled_connection *connection);
/* Called by the loop at the end of a turn: passes all submitted connections to the next free threads, with one lock,
 * and wakes no more threads than there are connections. */
void pool_hand_over(struct pool *pool);
/* Called by a thread: returns the connection to the loop, with `next` set. */
void pool_return(struct pool *pool, struct pooled_connection *connection);
/* Readable when connections have been returned. */
int pool_descriptor(const struct pool *pool);
/* Called by the loop: all returned connections, linked, or NULL. */
struct pooled_connection *pool_collect(struct pool *pool);

/* Called by a thread: from here on another thread may serve the connection. Until pool_arm_end only its descriptor may
 * be read, and nothing afterwards. */
void pool_arm_begin(struct pool_thread *thread, struct pooled_connection *connection);
void pool_arm_end(struct pool_thread *thread);
/* Called by the loop: returns when no thread is arming a connection that was returned before the call. */
void pool_wait_armed(struct pool *pool);

/* One read, or one write of the pending reply. */
enum session_next pooled_connection_step(struct pooled_connection *connection, struct worker *worker);

#endif
