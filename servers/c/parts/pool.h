/* A pool of threads behind one loop: the loop gives away connections that are ready, the next free thread
 * serves one of them for as long as it does not have to wait for the client, and hands it back.
 *
 *     loop --- pool_give ---> queue ---> a thread: serve ---- pool_hand_back ---> loop
 *
 * The one thing to know: only the loop opens and closes. Between pool_give and the hand-back (or whatever
 * arms the connection again) it is the thread's alone. */
#ifndef BROADSIDE_POOL_H
#define BROADSIDE_POOL_H

#include "times.h"

#include <stdatomic.h>

struct pooled {
  struct timed timed;  /* first */
  struct pooled *link; /* the next in a queue */
  enum talk_next next; /* as handed back */
  atomic_bool busy;    /* with a thread: set by pool_give, for `serve` or pool_hand_back to clear */
};

struct pool;

/* `options->threads` threads. `serve` is called for each connection that was given, on a thread, with that thread's
 * desk, which blocks; `of` is handed on to it. NULL after having said why. */
struct pool *pool_start(const struct options *options, void (*serve)(struct pooled *, struct desk *, void *of),
                        void *of);
/* Loop: to the next free thread. */
void pool_give(struct pool *pool, struct pooled *connection);
/* Thread: back to the loop, with `next` set. */
void pool_hand_back(struct pool *pool, struct pooled *connection);
/* Becomes readable when something was handed back. */
int pool_descriptor(const struct pool *pool);
/* Loop: all that was handed back, linked, or NULL. */
struct pooled *pool_take_back(struct pool *pool);

/* One read, or one write of what is owed. */
enum talk_next pooled_step(struct pooled *connection, struct desk *desk);

#endif
