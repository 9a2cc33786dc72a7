/*
 * reconnect.c: connect, one transfer, FIN, and the same again: what a server without keep-alive sees. The end
 * of such a connection is planned: it is neither lost nor an error, and no back-off follows it.
 */
#include "workload.h"

static struct workload_answer next(const struct workload_settings *settings, enum workload_event event, uint64_t now_ns,
                                   uint64_t started_ns) {
  (void)settings;
  (void)now_ns;
  (void)started_ns;
  return (struct workload_answer){event == WORKLOAD_REPLIED ? WORKLOAD_RECONNECT : WORKLOAD_REQUEST, 0};
}

const struct workload workload_reconnect = {.name = "reconnect", .next = next};
