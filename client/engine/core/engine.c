/*
 * engine.c: the loop, on one page: run_leg(). Each turn pulls what its sources have, within a budget each, so that
 * replies are read in time; then the transport delivers its events (transport_events.c); then the work that is due at
 * the boundaries of intervals.
 */
#include "engine.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/descriptor_table.h"
#include "connection/connection.h"
#include "connection/tcp_sample.h"
#include "engine_control.h"
#include "load/drain.h"

#define RAMP_PER_TURN 64u
#define DEADLINES_PER_TURN 256u
#define CONNECTS_PER_TURN 64u
#define REQUESTS_PER_TURN 256u
#define DRAIN_PER_TURN 256u

struct engine {
  struct connections connections;
  struct drain drain;
  bool drain_begun;              /* begin_drain() has run */
  uint64_t strays;               /* of the transport, that are reported */
  struct ordered_slices *slices; /* those in use, where they replaced the ones of the settings; NULL otherwise */
  struct engine_control control;
};

/* Each source returns whether its budget is spent: there may be more to do at once. */

static bool follow_ramp(struct connections *connections, uint64_t now_ns) {
  struct recorder *recorder = &connections->recorder;
  uint32_t slot;
  uint64_t leg_ns = now_ns > recorder->start_ns ? now_ns - recorder->start_ns : 0;
  for (unsigned i = 0; i < RAMP_PER_TURN; i++) {
    switch (ramp_next(&connections->ramp, leg_ns, &slot)) {
    case RAMP_NONE: return false;
    case RAMP_ADD:
      recorder_slot_activated(recorder);
      connection_event(connections, slot, SLOT_ACTIVATE, now_ns);
      break;
    case RAMP_REMOVE:
      recorder_slot_deactivated(recorder);
      connection_event(connections, slot, SLOT_DEACTIVATE, now_ns);
      break;
    }
  }
  return true;
}

static bool serve_deadlines(struct connections *connections, uint64_t now_ns) {
  uint32_t slot;
  unsigned budget = DEADLINES_PER_TURN;
  while (deadlines_take(connections->deadlines, now_ns, &budget, &slot)) {
    connection_event(connections, slot, SLOT_DEADLINE, connections_now_ns(connections));
  }
  return budget == 0;
}

static bool release_connects(struct connections *connections, uint64_t now_ns) {
  struct connect_limiter *limiter = connections->limiter;
  uint32_t slot;
  if (!limiter) return false;
  for (unsigned i = 0; i < CONNECTS_PER_TURN; i++) {
    /* those that were deactivated while they waited do not count against the rate */
    while (connect_limiter_first(limiter, &slot) && !ramp_is_active(&connections->ramp, slot)) {
      connect_limiter_drop_first(limiter);
      connection_event(connections, slot, SLOT_RELEASE, now_ns);
    }
    if (!connect_limiter_take(limiter, now_ns, &slot)) return false;
    connection_event(connections, slot, SLOT_RELEASE, now_ns);
  }
  return true;
}

static bool send_due_requests(struct connections *connections, uint64_t now_ns) {
  uint32_t slot;
  if (!connections->queue) return false;
  for (unsigned i = 0; i < REQUESTS_PER_TURN; i++) {
    enum request_queue_step step = request_queue_next(connections->queue, now_ns, &slot);
    if (step == QUEUE_NONE) return false;
    recorder_request_due(&connections->recorder);
    if (step == QUEUE_ASSIGNED) connection_request(connections, slot, now_ns);
  }
  return true;
}

static bool drain_some(struct engine *engine, uint64_t now_ns) {
  uint32_t slot;
  if (engine_control_stops(&engine->control)) {
    engine->drain.deadline_ns = earlier_ns(engine->drain.deadline_ns, now_ns);
  }
  for (unsigned i = 0; i < DRAIN_PER_TURN; i++) {
    switch (drain_next(&engine->drain, now_ns, &slot)) {
    case DRAIN_NONE: return false;
    case DRAIN_BEGIN: connection_event(&engine->connections, slot, SLOT_DRAIN, now_ns); break;
    case DRAIN_CUT: connection_event(&engine->connections, slot, SLOT_CUT, now_ns); break;
    }
  }
  return true;
}

/* The drain has begun: its deadline is known, and what is due is unsent. */
static void begin_drain(struct engine *engine) {
  struct connections *connections = &engine->connections;
  uint64_t began_ns = connections->recorder.drain_began_ns, due, unsent;
  engine->drain_begun = true;
  engine->drain.deadline_ns = earlier_ns(engine->drain.deadline_ns, began_ns + connections->settings.drain_timeout_ns);
  if (!connections->queue) return;
  unsent = request_queue_end(connections->queue, began_ns, &due);
  recorder_requests_unsent(&connections->recorder, due, unsent);
}

/* The work that is due at the boundaries of intervals. */
static void publish_intervals(struct engine *engine) {
  struct connections *connections = &engine->connections;
  const struct engine_settings *settings = &connections->settings;
  struct recorder *recorder = &connections->recorder;
  if (!recorder_take_crossed(recorder)) return;
  if (recorder->phase == PHASE_DRAIN && !engine->drain_begun) begin_drain(engine);
  if (settings->log) transfer_log_flush(settings->log);
  for (struct interval *interval; (interval = recorder_ended(recorder));) {
    struct tls_failure failure;
    if (channel_take_failure(connections->transport, &failure)) recorder_tls_failure(interval, &failure);
    tcp_sample(connections, interval);
    recorder_strays(interval, connections->transport->strays - engine->strays);
    engine->strays = connections->transport->strays;
    recorder_publish(recorder);
    if (settings->on_interval) settings->on_interval(settings->on_interval_context);
  }
}

/* From now on the slices that were requested. What waits for the next slice waits for one of these, or begins at once
 * where one is loaded now. */
static void change_slices(struct engine *engine, uint64_t now_ns) {
  struct ordered_slices *ordered = engine_control_take_slices(&engine->control);
  if (!ordered) return;
  struct connections *connections = &engine->connections;
  struct slice_cursor *cursor = &connections->slice;
  uint64_t awaited_ns = cursor->next_ns;
  slice_cursor_begin(cursor, &(struct slices){ordered->list, ordered->count}, cursor->leg_start_ns);
  free(engine->slices);
  engine->slices = ordered;
  uint64_t resume_ns = slice_loaded_from_ns(cursor, now_ns);
  deadlines_move(connections->deadlines, awaited_ns, awaited_ns + SLICE_SERVED_NS, resume_ns);
}

/* When there is something to do at the latest. */
static inline uint64_t next_due_ns(const struct engine *engine) {
  const struct connections *connections = &engine->connections;
  const struct recorder *recorder = &connections->recorder;
  uint64_t due_ns = earlier_ns(recorder->boundary_ns, deadlines_next_ns(connections->deadlines));
  if (connections_are_ending(connections)) return earlier_ns(due_ns, engine->drain.deadline_ns);
  if (connections->limiter) due_ns = earlier_ns(due_ns, connect_limiter_next_ns(connections->limiter));
  if (connections->queue) due_ns = earlier_ns(due_ns, request_queue_next_ns(connections->queue));
  uint64_t change_ns = connections->ramp.change_ns;
  return change_ns == NS_NEVER ? due_ns : earlier_ns(due_ns, recorder->start_ns + change_ns);
}

static int run_leg(struct engine *engine) {
  struct connections *connections = &engine->connections;
  for (;;) {
    uint64_t now_ns = connections_now_ns(connections);
    connections->transport->seen_ns = now_ns;
    recorder_advance(&connections->recorder, now_ns);
    engine_control_poll(&engine->control, &connections->recorder, now_ns);
    change_slices(engine, now_ns);
    publish_intervals(engine);
    bool more = !connections_are_ending(connections) && follow_ramp(connections, now_ns);
    more |= serve_deadlines(connections, now_ns);
    if (connections_are_ending(connections)) {
      more |= drain_some(engine, now_ns);
    } else {
      more |= release_connects(connections, now_ns);
      more |= send_due_requests(connections, now_ns);
    }
    if (connections_are_finished(connections)) return 0;
    more |= connections->recorder.crossed; /* the work of a boundary is due at once */
    int events = connections->transport->table->turn(connections->transport, more ? now_ns : next_due_ns(engine));
    if (events < 0) return events;
  }
}

/* Waits for the leg's start, or for engine_stop(). */
static int wait_for_start(struct engine *engine, uint64_t start_ns) {
  struct connections *connections = &engine->connections;
  while (connections_now_ns(connections) < start_ns && !engine_control_stops(&engine->control)) {
    int events = connections->transport->table->turn(connections->transport, start_ns);
    if (events < 0) return events;
  }
  return 0;
}

/* Engines that share a rate take turns: the second of two begins where the first one's interval is half over. An engine
 * that begins late does not make up for what was due before. */
static void begin_sources(struct connections *connections, uint64_t start_ns, uint64_t now_ns) {
  struct engine_settings *settings = &connections->settings;
  settings->workload_settings.first_request_ns += start_ns;
  slice_cursor_begin(&connections->slice, &settings->slices, start_ns);
  double share = (double)settings->first / (double)settings->stride;
  if (connections->limiter) {
    double later_ns = share * connect_limiter_interval_ns(connections->limiter);
    connect_limiter_begin(connections->limiter, start_ns + (uint64_t)later_ns);
  }
  if (connections->queue) {
    uint64_t rate_from_ns = start_ns + settings->rate_from_ns;
    request_queue_begin(connections->queue, &(struct request_queue_begin){
                                                .rates = &settings->rates,
                                                .from_ns = rate_from_ns,
                                                .later_ns = now_ns > rate_from_ns ? now_ns - rate_from_ns : 0,
                                                .share = share,
                                                .poisson = settings->poisson,
                                                .seed = settings->seed,
                                            });
  }
}

int engine_own_descriptors(struct engine *engine) {
  struct transport *transport = engine->connections.transport;
  if (transport->descriptor_count == 0) return -ENOTSUP;
  int error = descriptor_table_own(transport->descriptors, transport->descriptor_count);
  if (!error) transport->has_own_table = true;
  return error;
}

/* A reply that wakes this thread then does not preempt a server on the same core: the replies behind it come, too,
 * before they are read. Only from the usual policy; another was chosen for this process. */
static void use_batch_policy(void) {
  if (sched_getscheduler(0) == SCHED_OTHER) sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0});
}

int engine_run(struct engine *engine, uint64_t start_ns) {
  use_batch_policy();
  struct connections *connections = &engine->connections;
  struct recorder *recorder = &connections->recorder;
  int error = wait_for_start(engine, start_ns);
  uint64_t now_ns = connections_now_ns(connections);
  if (now_ns < start_ns) start_ns = now_ns; /* stopped before it began */
  begin_sources(connections, start_ns, now_ns);
  recorder_begin(recorder, start_ns, now_ns);
  if (recorder->phase == PHASE_DRAIN) begin_drain(engine);
  if (!error) error = run_leg(engine);
  uint64_t end_ns = connections_now_ns(connections);
  recorder_advance(recorder, end_ns);
  for (uint32_t slot = 0; slot < connections->settings.slots; slot++) {
    recorder_slot_total(recorder, slot, connections->settings.slots, connections->slots[slot].steady_transfers);
  }
  recorder_end(recorder, end_ns);
  publish_intervals(engine);
  return error;
}

void engine_begin_steady(struct engine *engine, uint64_t from_ns, uint64_t to_ns) {
  atomic_store_explicit(&engine->control.steady_to_ns, to_ns, memory_order_relaxed);
  atomic_store_explicit(&engine->control.steady_from_ns, from_ns, memory_order_release);
  engine->connections.transport->table->wake(engine->connections.transport);
}

int engine_change_slices(struct engine *engine, const struct slices *slices) {
  if (slices->count == 0 || slices_check(slices) != 0) return -EINVAL;
  struct ordered_slices *ordered = malloc(sizeof *ordered + slices->count * sizeof *ordered->list);
  if (!ordered) return -ENOMEM;
  ordered->count = slices->count;
  memcpy(ordered->list, slices->list, slices->count * sizeof *ordered->list);
  free(atomic_exchange(&engine->control.slices, ordered));
  engine->connections.transport->table->wake(engine->connections.transport);
  return 0;
}

void engine_drain(struct engine *engine, uint64_t at_ns) {
  atomic_store(&engine->control.drain_at_ns, at_ns);
  engine->connections.transport->table->wake(engine->connections.transport);
}

void engine_stop(struct engine *engine) {
  atomic_store(&engine->control.stop, true);
  engine->connections.transport->table->wake(engine->connections.transport);
}

struct intervals *engine_intervals(struct engine *engine) {
  return engine->connections.recorder.intervals;
}

int engine_create(const struct engine_settings *settings, struct engine **engine) {
  int error = engine_settings_validate(settings);
  if (error) return error;
  struct engine *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  engine_control_init(&self->control);
  self->drain = (struct drain){.slots = settings->slots, .deadline_ns = NS_NEVER};
  error = connections_create(&self->connections, settings);
  if (error) {
    engine_destroy(self);
    return error;
  }
  *engine = self;
  return 0;
}

void engine_destroy(struct engine *engine) {
  if (!engine) return;
  connections_destroy(&engine->connections);
  free(atomic_load(&engine->control.slices));
  free(engine->slices);
  free(engine);
}
