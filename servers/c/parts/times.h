/* The times an event loop keeps for its connections: when the work for one is done, when the idling of
 * another has lasted too long, and when a paused listener is looked at again.
 * The one thing to know: the end of idling is not moved with every byte; it is looked at when it comes,
 * and put off if bytes have moved since. */
#ifndef BROADSIDE_TIMES_H
#define BROADSIDE_TIMES_H

#include "../frame/talk.h"
#include "due.h"

/* A connection of an event loop: zeroed, then timed_open. */
struct timed {
  struct due_entry due; /* first: the heap's entries are connections */
  struct talk talk;
  bool working;     /* the reply is due at due.at_ns; else that is when idling may end */
  int64_t moved_ns; /* when bytes moved last; kept only with --idle-timeout */
};

struct times {
  int64_t idle_ns;      /* 0: a connection may idle for ever */
  bool slow;            /* work is done within a turn, so the clock moves on while it lasts */
  int64_t turn_ns;      /* when this turn of the loop began; kept only with --idle-timeout */
  int64_t resume_at_ns; /* 0, or out of descriptors: the listener is not watched until then */
  struct due due;
};

void times_start(struct times *times, const struct options *options);
/* At the begin of each turn of the loop: what has come by now is served in it, so idling is judged by this time. */
void times_turn(struct times *times);
/* How long the loop may sleep; -1: until something happens. */
int64_t times_left_ns(const struct times *times);
/* The listener is left alone for SERVER_ACCEPT_PAUSE_MS; says once why. */
void times_pause(struct times *times, int error);
/* True when that is over, now. */
bool times_resume(struct times *times);

/* False without memory; it is in no heap then. */
bool timed_open(struct timed *connection, struct times *times, int fd);
/* Its reply is due in `wait_ns`. False without memory. */
bool timed_work(struct timed *connection, struct times *times, int64_t wait_ns);
/* When bytes have moved, and been worked for. */
static inline void timed_moved(struct timed *connection, const struct times *times) {
  connection->moved_ns = times->slow ? server_now_ns() : times->turn_ns;
}
/* It does not idle, whatever the clock says: it is looked at again after another idle time. */
void timed_put_off(struct timed *connection, struct times *times);
/* Before it is freed. */
void timed_close(struct timed *connection, struct times *times);
/* The next connection whose time has come, until NULL: its work is done (TALK_WRITE), or it has idled too long, or is
 * out of memory (TALK_CLOSE). */
struct timed *times_next(struct times *times, enum talk_next *next);

#endif
