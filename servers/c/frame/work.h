/* Business work: the time that --work gives each request. See servers/README.md, "Business work".
 * The one thing to know: the times are drawn from a seeded generator, so a server that is started again
 * draws the same ones; each thread and process has a sequence of its own. */
#ifndef BROADSIDE_WORK_H
#define BROADSIDE_WORK_H

#include "../server.h"

struct work {
  const struct work_plan *plan;
  uint64_t state;
  bool blocks; /* nobody else is served by this thread: waiting is sleeping */
};

void work_init(struct work *work, const struct work_plan *plan, uint64_t number, bool blocks);
/* Does the work of so many requests: here and now, by sleeping or by burning CPU; or, where it is of kind wait and the
 * thread has others to serve, returns the nanoseconds after which it is done. 0: it is done. */
int64_t work_do(struct work *work, unsigned requests);

#endif
