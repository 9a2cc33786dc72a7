/* The times an event loop keeps for its connections: when the work for one is done, when the idling of
 * another has lasted too long, and when a paused listener is looked at again.
 * The one thing to know: the end of idling is not moved with every byte; it is looked at when it comes,
 * and put off if bytes have moved since. */
#ifndef BROADSIDE_TIMEOUTS_H
#define BROADSIDE_TIMEOUTS_H

#include "../frame/session.h"
#include "timer_heap.h"

/* A connection of an event loop: zeroed, then timed_connection_open. */
struct timed_connection {
  struct timer_entry timer; /* first: the heap's entries are connections */
  struct session session;
  bool working;     /* the reply is due at due.at_ns; else that is when idling may end */
  int64_t moved_ns; /* when bytes moved last; kept only with --idle-timeout */
};

struct timeouts {
  int64_t idle_ns;      /* 0: a connection may idle for ever */
  bool slow;            /* work is done within a turn, so the clock moves on while it lasts */
  int64_t turn_ns;      /* when this turn of the loop began; kept only with --idle-timeout */
  int64_t resume_at_ns; /* 0, or out of descriptors: the listener is not watched until then */
  struct timer_heap timers;
};

void timeouts_init(struct timeouts *timeouts, const struct options *options);
/* At the begin of each turn of the loop: what has come by now is served in it, so idling is judged by this time. */
void timeouts_begin_turn(struct timeouts *timeouts);
/* How long the loop may sleep; -1: until something happens. */
int64_t timeouts_remaining_ns(const struct timeouts *timeouts);
/* The listener is left alone for SERVER_ACCEPT_PAUSE_MS; says once why. */
void timeouts_pause_accept(struct timeouts *timeouts, int error);
/* True when that is over, now. */
bool timeouts_resume_accept(struct timeouts *timeouts);

/* False without memory; it is in no heap then. */
bool timed_connection_open(struct timed_connection *connection, struct timeouts *timeouts, int fd);
/* Its reply is due in `wait_ns`. False without memory. */
bool timed_connection_work(struct timed_connection *connection, struct timeouts *timeouts, int64_t wait_ns);
/* When bytes have moved, and been worked for. */
static inline void timed_connection_touch(struct timed_connection *connection, const struct timeouts *timeouts) {
  connection->moved_ns = timeouts->slow ? server_now_ns() : timeouts->turn_ns;
}
/* It does not idle, whatever the clock says: it is looked at again after another idle time. */
void timed_connection_postpone(struct timed_connection *connection, struct timeouts *timeouts);
/* Before it is freed. */
void timed_connection_close(struct timed_connection *connection, struct timeouts *timeouts);
/* The next connection whose time has come, until NULL: its work is done (SESSION_WRITE), or it has idled too long, or
 * is out of memory (SESSION_CLOSE). */
struct timed_connection *timeouts_next(struct timeouts *timeouts, enum session_next *next);

#endif
