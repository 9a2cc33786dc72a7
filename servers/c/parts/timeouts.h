/* The timers of an event loop: the end of simulated work, idle timeouts, and the end of an accept pause. An idle
 * timeout is not moved with every byte; when it expires it is postponed if bytes have moved since. */
#ifndef BROADSIDE_TIMEOUTS_H
#define BROADSIDE_TIMEOUTS_H

#include "../frame/session.h"
#include "timer_heap.h"

/* A connection of an event loop: zeroed, then initialised by timed_connection_open. */
struct timed_connection {
  struct timer_entry timer; /* must be first: heap entries are cast to connections */
  struct session session;
  bool working;     /* timer.at_ns is the end of the work; otherwise it is when idleness is checked */
  int64_t moved_ns; /* when bytes last moved; maintained only with --idle-timeout */
};

struct timeouts {
  int64_t idle_ns;      /* 0: no idle timeout */
  bool slow;            /* work is done within a turn, so the clock advances during it */
  int64_t turn_ns;      /* when this turn of the loop began; maintained only with --idle-timeout */
  int64_t resume_at_ns; /* not 0: out of descriptors, the listener is not watched until then */
  struct timer_heap timers;
};

void timeouts_init(struct timeouts *timeouts, const struct options *options);
/* Called at the start of each turn of the loop. Idleness is judged by this time, because everything that has arrived by
 * then is served in the turn. */
void timeouts_begin_turn(struct timeouts *timeouts);
/* How long the loop may sleep; -1: until an event. */
int64_t timeouts_remaining_ns(const struct timeouts *timeouts);
/* Stops accepting for SERVER_ACCEPT_PAUSE_MS; logs the reason once. */
void timeouts_pause_accept(struct timeouts *timeouts, int error);
/* Whether the pause has just ended. */
bool timeouts_resume_accept(struct timeouts *timeouts);

/* Returns false without memory; it is not in the heap then. */
bool timed_connection_open(struct timed_connection *connection, struct timeouts *timeouts, int fd);
/* The reply is sent after `wait_ns`. Returns false without memory. */
bool timed_connection_work(struct timed_connection *connection, struct timeouts *timeouts, int64_t wait_ns);
/* Called after bytes have moved and their work is done. */
static inline void timed_connection_touch(struct timed_connection *connection, const struct timeouts *timeouts) {
  connection->moved_ns = timeouts->slow ? server_now_ns() : timeouts->turn_ns;
}
/* The connection is not idle, whatever the clock says: it is checked again after another idle timeout. */
void timed_connection_postpone(struct timed_connection *connection, struct timeouts *timeouts);
/* Call before freeing it. */
void timed_connection_close(struct timed_connection *connection, struct timeouts *timeouts);
/* The next connection whose timer has expired, or NULL: its work is done (SESSION_WRITE), or it has been idle for too
 * long or there is no memory (SESSION_CLOSE). */
struct timed_connection *timeouts_next(struct timeouts *timeouts, enum session_next *next);

#endif
