/* Associations of a one-to-many SCTP socket: a session for each, the replies that wait for buffer space, and simulated
 * work. The owner of the socket supplies `struct association_operations`. Single-threaded.
 *
 * An association is freed only by associations_remove, when the kernel has reported its end. Its session may be over
 * before: it is shut down or aborted then, and its input is dropped. */
#ifndef BROADSIDE_ASSOCIATIONS_H
#define BROADSIDE_ASSOCIATIONS_H

#include "input_buffer.h"
#include "timeouts.h"

#define ASSOCIATION_BUCKETS 4096

struct association {
  struct timed_connection timed; /* must be the first member */
  struct input_buffer input;     /* arrived while a reply was pending */
  uint32_t id;                   /* unique in its set */
  bool over;                     /* the session is over */
  bool blocked;                  /* in the list of those whose reply waits for buffer space */
  struct association *next;      /* in its bucket */
  struct association *next_blocked, *previous_blocked;
};

struct association_operations {
  /* Sends all `count` bytes as one message and returns true, or sends none. errno is EAGAIN when there is no buffer
   * space; any other error means that the association is about to end. */
  bool (*send)(struct association *association, const unsigned char *bytes, size_t count);
  /* Ends the association after everything has been sent. */
  void (*shut_down)(struct association *association);
  void (*abort)(struct association *association);
};

struct associations {
  const struct association_operations *operations;
  struct worker worker;
  struct timeouts timeouts;
  struct association *buckets[ASSOCIATION_BUCKETS];
  struct association *blocked;
  size_t count;
};

/* `set` is zeroed. */
void associations_init(struct associations *set, const struct options *options,
                       const struct association_operations *operations);
/* NULL without memory. */
struct association *associations_add(struct associations *set, uint32_t id);
/* NULL when it is unknown. */
struct association *associations_find(const struct associations *set, uint32_t id);
void associations_remove(struct associations *set, struct association *association);

/* Whether a reply is pending: a server that can stop reading from one association stops now. */
static inline bool association_is_owed(const struct association *association) {
  return association->timed.session.pending != NULL;
}
/* Answers `count` (1..read_bytes) bytes in the worker's buffer, or keeps them while a reply is pending. An association
 * that sends more than INPUT_BYTES meanwhile is aborted. */
void associations_receive(struct associations *set, struct association *association, size_t count);
/* Tries again to send the pending reply, and answers the input that was kept. */
void associations_resume(struct associations *set, struct association *association);
/* Aborts the association; its end is reported by the kernel as usual. */
void associations_abort(struct associations *set, struct association *association);
/* Serves the ends of simulated work and the idle timeouts. */
void associations_serve_timeouts(struct associations *set);

#endif
