/* Simulated work: the time that --work adds to each request; see "Simulated work" in servers/README.md. The times are
 * drawn from a seeded generator, so a restarted server draws the same ones; each thread and process has its own
 * sequence. */
#ifndef BROADSIDE_WORK_H
#define BROADSIDE_WORK_H

#include "../server.h"

struct work {
  const struct work_plan *plan;
  uint64_t state;
  bool blocks; /* this thread serves no other connection: waiting is sleeping */
};

void work_init(struct work *work, const struct work_plan *plan, uint64_t number, bool blocks);
/* Does the work of `requests` requests by sleeping or by using CPU time. For kind wait, if the thread has other
 * connections, it instead returns the nanoseconds after which the work is done. 0: it is done. */
int64_t work_do(struct work *work, unsigned requests);

#endif
