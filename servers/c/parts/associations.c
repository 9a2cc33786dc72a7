/* See associations.h. */
#include "associations.h"

#include <errno.h>
#include <stdlib.h>

/* Input kept of an association whose reply is pending: several large requests, since a one-to-many socket cannot stop
 * reading one association. */
#define INPUT_BYTES (4 * 1024 * 1024)

void associations_init(struct associations *set, const struct options *options,
                       const struct association_operations *operations) {
  set->operations = operations;
  worker_init(&set->worker, options, 0, false);
  timeouts_init(&set->timeouts, options);
}

struct association *associations_find(const struct associations *set, uint32_t id) {
  struct association *each = set->buckets[id % ASSOCIATION_BUCKETS];
  while (each != NULL && each->id != id) {
    each = each->next;
  }
  return each;
}

struct association *associations_add(struct associations *set, uint32_t id) {
  struct association *association = calloc(1, sizeof *association);
  if (association == NULL || !timed_connection_open(&association->timed, &set->timeouts, -1)) {
    free(association);
    return NULL;
  }
  association->id = id;
  association->next = set->buckets[id % ASSOCIATION_BUCKETS];
  set->buckets[id % ASSOCIATION_BUCKETS] = association;
  set->count++;
  return association;
}

static void block(struct associations *set, struct association *association) {
  association->blocked = true;
  association->previous_blocked = NULL;
  association->next_blocked = set->blocked;
  if (set->blocked != NULL) {
    set->blocked->previous_blocked = association;
  }
  set->blocked = association;
}

static void unblock(struct associations *set, struct association *association) {
  if (!association->blocked) {
    return;
  }
  association->blocked = false;
  if (association->next_blocked != NULL) {
    association->next_blocked->previous_blocked = association->previous_blocked;
  }
  if (association->previous_blocked != NULL) {
    association->previous_blocked->next_blocked = association->next_blocked;
  } else {
    set->blocked = association->next_blocked;
  }
}

/* The session ends; what it owns is released, except for the association itself. */
static void finish(struct associations *set, struct association *association) {
  struct session *session = &association->timed.session;
  if (session->stops) { /* the client ended before the reply was sent */
    server_stop();
  }
  association->over = true;
  unblock(set, association);
  timed_connection_close(&association->timed, &set->timeouts);
  association->timed.working = false;
  input_buffer_clear(&association->input);
  free(session->pending);
  session->pending = NULL;
}

void associations_remove(struct associations *set, struct association *association) {
  struct association **place = &set->buckets[association->id % ASSOCIATION_BUCKETS];
  while (*place != association) {
    place = &(*place)->next;
  }
  *place = association->next;
  set->count--;
  finish(set, association);
  free(association);
}

void associations_abort(struct associations *set, struct association *association) {
  if (!association->over) {
    finish(set, association);
    set->operations->abort(association);
  }
}

static void shut_down(struct associations *set, struct association *association) {
  finish(set, association);
  set->operations->shut_down(association);
}

/* Called after the last byte of a reply, or when there was none. */
static void written(struct associations *set, struct association *association) {
  if (session_after_write(&association->timed.session) == SESSION_CLOSE) {
    shut_down(set, association);
  }
}

/* An association that cannot send is about to end; its end is reported. */
static void deliver(struct associations *set, struct association *association, const struct reply *reply) {
  if (reply->count == 0 || set->operations->send(association, reply->bytes, reply->count)) {
    written(set, association);
  } else if (errno != EAGAIN || !session_keep(&association->timed.session, reply, 0)) {
    associations_abort(set, association);
  } else {
    block(set, association);
  }
}

static void answer(struct associations *set, struct association *association, size_t count) {
  struct reply reply;
  switch (session_answer(&association->timed.session, &set->worker, set->worker.buffer, count, &reply)) {
  case SESSION_WRITE: deliver(set, association, &reply); break;
  case SESSION_WAIT:
    if (timed_connection_work(&association->timed, &set->timeouts, set->worker.wait_ns)) {
      break;
    } /* fall through */
  default: associations_abort(set, association);
  }
}

void associations_receive(struct associations *set, struct association *association, size_t count) {
  if (association->over) {
    return;
  }
  struct input_buffer *input = &association->input;
  timed_connection_touch(&association->timed, &set->timeouts);
  if (!association_is_owed(association) && !input_buffer_any(input)) {
    answer(set, association, count);
  } else if (input_buffer_left(input) + count > INPUT_BYTES || !input_buffer_append(input, set->worker.buffer, count)) {
    associations_abort(set, association);
  }
}

void associations_resume(struct associations *set, struct association *association) {
  struct session *session = &association->timed.session;
  if (session->pending != NULL) {
    if (association->timed.working) {
      return;
    }
    if (!set->operations->send(association, session->pending, session->pending_count)) {
      if (errno != EAGAIN) {
        associations_abort(set, association);
      } else if (!association->blocked) {
        block(set, association);
      }
      return;
    }
    free(session->pending);
    session->pending = NULL;
    unblock(set, association);
    timed_connection_touch(&association->timed, &set->timeouts);
    written(set, association);
  }
  while (!association->over && !association_is_owed(association) && input_buffer_any(&association->input)) {
    answer(set, association,
           input_buffer_take(&association->input, set->worker.buffer, set->worker.protocol->read_bytes));
  }
}

void associations_serve_timeouts(struct associations *set) {
  enum session_next next;
  for (struct timed_connection *timed; (timed = timeouts_next(&set->timeouts, &next)) != NULL;) {
    struct association *association = (struct association *)timed;
    if (next == SESSION_WRITE) {
      associations_resume(set, association);
    } else {
      shut_down(set, association);
    }
  }
}
