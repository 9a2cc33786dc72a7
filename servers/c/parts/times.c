/* See times.h. The one thing to know: the clock is read when something is due, never for a request of a
 * server that keeps no times. */
#include "times.h"

void times_start(struct times *times, const struct options *options) {
  const struct work_plan *work = &options->work;
  times->idle_ns = options->idle_ns;
  times->slow = options->idle_ns > 0 && work->any && work->kind != WORK_WAIT;
}

void times_turn(struct times *times) {
  if (times->idle_ns > 0) {
    times->turn_ns = server_now_ns();
  }
}

int64_t times_left_ns(const struct times *times) {
  if (times->due.count == 0 && times->resume_at_ns == 0) {
    return -1;
  }
  const int64_t now = server_now_ns();
  const int64_t left = due_in_ns(&times->due, now);
  const int64_t pause = times->resume_at_ns > now ? times->resume_at_ns - now : 0;
  return times->resume_at_ns != 0 && (left < 0 || pause < left) ? pause : left;
}

void times_pause(struct times *times, int error) {
  server_say_once("accept: the surplus waits in the backlog", error);
  times->resume_at_ns = server_now_ns() + SERVER_ACCEPT_PAUSE_MS * INT64_C(1000000);
}

bool times_resume(struct times *times) {
  if (times->resume_at_ns == 0 || server_now_ns() < times->resume_at_ns) {
    return false;
  }
  times->resume_at_ns = 0;
  return true;
}

bool timed_open(struct timed *connection, struct times *times, int fd) {
  connection->talk.fd = fd;
  timed_moved(connection, times);
  return times->idle_ns == 0 || due_set(&times->due, &connection->due, times->turn_ns + times->idle_ns);
}

bool timed_work(struct timed *connection, struct times *times, int64_t wait_ns) {
  connection->working = true;
  return due_set(&times->due, &connection->due, server_now_ns() + wait_ns);
}

void timed_put_off(struct timed *connection, struct times *times) {
  timed_moved(connection, times);
  due_set(&times->due, &connection->due, server_now_ns() + times->idle_ns); /* it is in already: no memory is needed */
}

void timed_close(struct timed *connection, struct times *times) { due_clear(&times->due, &connection->due); }

struct timed *times_next(struct times *times, enum talk_next *next) {
  if (times->due.count == 0) {
    return NULL;
  }
  const int64_t now = server_now_ns();
  for (struct due_entry *entry; (entry = due_reached(&times->due, now)) != NULL;) {
    struct timed *connection = (struct timed *)entry;
    if (connection->working) {
      connection->working = false;
      connection->moved_ns = now;
      due_clear(&times->due, entry);
      const bool kept = times->idle_ns == 0 || due_set(&times->due, entry, now + times->idle_ns);
      *next = kept ? TALK_WRITE : TALK_CLOSE;
      return connection;
    }
    if (times->turn_ns - connection->moved_ns >= times->idle_ns) {
      *next = TALK_CLOSE;
      return connection;
    }
    const int64_t at_ns = connection->moved_ns + times->idle_ns; /* still to come, or this turn would not end */
    due_set(&times->due, entry, at_ns > now ? at_ns : now + 1);
  }
  return NULL;
}
