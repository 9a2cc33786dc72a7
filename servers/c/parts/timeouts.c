/* See timeouts.h. The clock is read when a timer may have expired, never per request of a server without timers. */
#include "timeouts.h"

void timeouts_init(struct timeouts *timeouts, const struct options *options) {
  const struct work_plan *work = &options->work;
  timeouts->idle_ns = options->idle_ns;
  timeouts->slow = options->idle_ns > 0 && work->any && work->kind != WORK_WAIT;
}

void timeouts_begin_turn(struct timeouts *timeouts) {
  if (timeouts->idle_ns > 0) {
    timeouts->turn_ns = server_now_ns();
  }
}

int64_t timeouts_remaining_ns(const struct timeouts *timeouts) {
  if (timeouts->timers.count == 0 && timeouts->resume_at_ns == 0) {
    return -1;
  }
  const int64_t now = server_now_ns();
  const int64_t left = timer_heap_remaining_ns(&timeouts->timers, now);
  const int64_t pause = timeouts->resume_at_ns > now ? timeouts->resume_at_ns - now : 0;
  return timeouts->resume_at_ns != 0 && (left < 0 || pause < left) ? pause : left;
}

void timeouts_pause_accept(struct timeouts *timeouts, int error) {
  server_log_once("accept: further connections wait in the accept queue", error);
  timeouts->resume_at_ns = server_now_ns() + SERVER_ACCEPT_PAUSE_MS * INT64_C(1000000);
}

bool timeouts_resume_accept(struct timeouts *timeouts) {
  if (timeouts->resume_at_ns == 0 || server_now_ns() < timeouts->resume_at_ns) {
    return false;
  }
  timeouts->resume_at_ns = 0;
  return true;
}

bool timed_connection_open(struct timed_connection *connection, struct timeouts *timeouts, int fd) {
  connection->session.fd = fd;
  timed_connection_touch(connection, timeouts);
  return timeouts->idle_ns == 0 ||
         timer_heap_set(&timeouts->timers, &connection->timer, timeouts->turn_ns + timeouts->idle_ns);
}

bool timed_connection_work(struct timed_connection *connection, struct timeouts *timeouts, int64_t wait_ns) {
  connection->working = true;
  return timer_heap_set(&timeouts->timers, &connection->timer, server_now_ns() + wait_ns);
}

void timed_connection_postpone(struct timed_connection *connection, struct timeouts *timeouts) {
  timed_connection_touch(connection, timeouts);
  timer_heap_set(&timeouts->timers, &connection->timer,
                 server_now_ns() + timeouts->idle_ns); /* it is already in the heap: no memory is needed */
}

void timed_connection_close(struct timed_connection *connection, struct timeouts *timeouts) {
  timer_heap_remove(&timeouts->timers, &connection->timer);
}

struct timed_connection *timeouts_next(struct timeouts *timeouts, enum session_next *next) {
  if (timeouts->timers.count == 0) {
    return NULL;
  }
  const int64_t now = server_now_ns();
  for (struct timer_entry *entry; (entry = timer_heap_expired(&timeouts->timers, now)) != NULL;) {
    struct timed_connection *connection = (struct timed_connection *)entry;
    if (connection->working) {
      connection->working = false;
      connection->moved_ns = now;
      timer_heap_remove(&timeouts->timers, entry);
      const bool kept = timeouts->idle_ns == 0 || timer_heap_set(&timeouts->timers, entry, now + timeouts->idle_ns);
      *next = kept ? SESSION_WRITE : SESSION_CLOSE;
      return connection;
    }
    if (timeouts->turn_ns - connection->moved_ns >= timeouts->idle_ns) {
      *next = SESSION_CLOSE;
      return connection;
    }
    const int64_t at_ns =
        connection->moved_ns + timeouts->idle_ns; /* in the future, otherwise this turn would not end */
    timer_heap_set(&timeouts->timers, entry, at_ns > now ? at_ns : now + 1);
  }
  return NULL;
}
