/*
 * engine.c: the loop. Between two turns of transport it crosses boundaries, asks new slots and serves due timers, each
 * in bounded pieces; everything else happens in slot.c, inside a turn.
 */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "connection/engine_state.h"

#define ATTEMPTS_PER_TURN 64u
#define TIMERS_PER_TURN 256u

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t relative(const struct engine *engine, uint64_t now) {
  return now > engine->start_ns ? now - engine->start_ns : 0;
}

static uint64_t phase_end_ns(const struct engine *engine) {
  switch (engine->phase) {
  case PHASE_RAMP: return earlier(engine->warmup_from_ns, engine->drain_at_ns);
  case PHASE_WARMUP: return earlier(engine->steady_from_ns, engine->drain_at_ns);
  case PHASE_STEADY: return engine->drain_at_ns;
  case PHASE_DRAIN: break;
  }
  return NS_NEVER;
}

static enum phase phase_at(const struct engine *engine, uint64_t at_ns) {
  if (at_ns >= engine->drain_at_ns) return PHASE_DRAIN;
  if (at_ns >= engine->steady_from_ns) return PHASE_STEADY;
  return at_ns >= engine->warmup_from_ns ? PHASE_WARMUP : PHASE_RAMP;
}

static void enter_phase(struct engine *engine, uint64_t at_ns) {
  enum phase phase = phase_at(engine, at_ns);
  if (phase <= engine->phase) return;
  engine->phase = phase;
  if (phase == PHASE_DRAIN) engine->drain_end_ns = engine->start_ns + at_ns + engine->settings.drain_timeout_ns;
}

static void begin_cut(struct engine *engine, uint64_t from_ns) {
  uint64_t every_ns = engine->settings.interval_ns;
  engine->interval->from_ns = from_ns;
  engine->interval->phase = engine->phase;
  engine->gauges[GAUGE_FRESH] = 0;
  engine->gauges[GAUGE_MOST_OPEN] = engine->gauges[GAUGE_OPEN];
  engine->fresh_from_ns = engine->start_ns + from_ns;
  engine->boundary_ns = engine->start_ns + earlier((from_ns / every_ns + 1) * every_ns, phase_end_ns(engine));
}

static bool end_cut(struct engine *engine, uint64_t to_ns, bool last) {
  engine->interval->to_ns = to_ns;
  engine->interval->last = last;
  engine_sample_tcp(engine);
  memcpy(engine->interval->gauges, engine->gauges, sizeof engine->gauges);
  const char *failure = channel_failure(engine->transport);
  if (failure) memccpy(engine->interval->notice, failure, '\0', INTERVAL_NOTICE_BYTES - 1);
  if (engine->settings.log) transfer_log_flush(engine->settings.log);
  struct interval *next = interval_publish(engine->intervals);
  if (!next) return false;
  engine->interval = next;
  if (engine->settings.on_interval) engine->settings.on_interval(engine->settings.on_interval_context);
  return true;
}

void engine_cross(struct engine *engine, uint64_t now) {
  while (now >= engine->boundary_ns) {
    uint64_t at_ns = relative(engine, engine->boundary_ns), from_ns = engine->interval->from_ns;
    if (engine->open_loop && at_ns >= engine->drain_at_ns) open_loop_end(engine, engine->start_ns + at_ns);
    bool handed = end_cut(engine, at_ns, false);
    enum phase phase = engine->interval->phase;
    enter_phase(engine, at_ns);
    begin_cut(engine, at_ns);
    if (!handed) {
      engine->interval->from_ns = from_ns;
      engine->interval->phase = phase;
    }
  }
}

/* A phase ends earlier than was planned: so does the cut being filled, now at the earliest. */
static void bring_forward(struct engine *engine, uint64_t now) {
  uint64_t end_ns = engine->start_ns + phase_end_ns(engine);
  if (end_ns < engine->boundary_ns) engine->boundary_ns = end_ns > now ? end_ns : now;
  engine_cross(engine, now);
}

static void hear_steady(struct engine *engine, uint64_t now) {
  uint64_t from_ns = atomic_load_explicit(&engine->steady_request_from_ns, memory_order_acquire);
  if (from_ns >= engine->steady_from_ns || engine->phase > PHASE_WARMUP) return;
  uint64_t to_ns = atomic_load_explicit(&engine->steady_request_to_ns, memory_order_relaxed);
  engine->steady_from_ns = from_ns > relative(engine, now) ? from_ns : relative(engine, now);
  engine->drain_at_ns = earlier(engine->drain_at_ns, to_ns > engine->steady_from_ns ? to_ns : engine->steady_from_ns);
  bring_forward(engine, now);
}

static void hear_requests(struct engine *engine, uint64_t now) {
  hear_steady(engine, now);
  uint64_t at_ns = atomic_load_explicit(&engine->drain_request_ns, memory_order_relaxed);
  bool stop = atomic_load_explicit(&engine->stop_request, memory_order_relaxed);
  if (stop) at_ns = 0;
  if (at_ns < engine->drain_at_ns && engine->phase != PHASE_DRAIN) {
    engine->drain_at_ns = at_ns > relative(engine, now) ? at_ns : relative(engine, now);
    bring_forward(engine, now);
  }
  if (stop && engine->phase == PHASE_DRAIN) engine->drain_end_ns = earlier(engine->drain_end_ns, now);
}

/* Begins attempts that have waited for their turn; true while more are due at once. */
static bool release(struct engine *engine, uint64_t now) {
  uint32_t slot;
  if (!engine->limiter || engine_ending(engine)) return false;
  for (uint32_t i = 0; i < ATTEMPTS_PER_TURN; i++) {
    while (connect_limiter_first(engine->limiter, &slot) && slot >= engine->asked) {
      connect_limiter_drop_first(engine->limiter);
      attempt_rest(engine, slot);
    }
    if (!connect_limiter_take(engine->limiter, now, &slot)) return false;
    attempt_begin(engine, slot);
  }
  return true;
}

static bool serve_timers(struct engine *engine, uint64_t now) {
  uint32_t slot;
  for (uint32_t i = 0; i < TIMERS_PER_TURN; i++) {
    if (!deadlines_take(engine->deadlines, now, &slot)) return false;
    slot_timer(engine, slot);
  }
  return true;
}

static uint64_t next_due_ns(const struct engine *engine) {
  uint64_t due_ns = earlier(engine->boundary_ns, deadlines_next_ns(engine->deadlines));
  if (engine_ending(engine)) return earlier(due_ns, engine->drain_end_ns);
  if (engine->limiter) due_ns = earlier(due_ns, connect_limiter_next_ns(engine->limiter));
  if (engine->open_loop) due_ns = earlier(due_ns, open_loop_next_ns(engine->open_loop));
  return engine->change_ns == NS_NEVER ? due_ns : earlier(due_ns, engine->start_ns + engine->change_ns);
}

static bool ended(const struct engine *engine) {
  return engine->live == 0 && engine->finished == engine->settings.slots;
}

static int run_leg(struct engine *engine) {
  for (;;) {
    uint64_t now = engine_now_ns(engine);
    engine->transport->seen_ns = now;
    if (now >= engine->boundary_ns) engine_cross(engine, now);
    hear_requests(engine, now);
    bool more = asked_follow(engine, relative(engine, now));
    more |= serve_timers(engine, now);
    more |= release(engine, now);
    if (engine->open_loop) more |= open_loop_serve(engine, now);
    if (engine_ending(engine)) more |= drain_step(engine, now);
    if (ended(engine)) return 0;
    uint64_t due_ns = more ? now : next_due_ns(engine);
    int came =
        engine->spins ? spin_turn(engine, now, due_ns) : engine->transport->table->turn(engine->transport, due_ns);
    if (came < 0) return came;
  }
}

static void fill_per_connection(struct engine *engine) {
  for (uint32_t slot = 0; slot < engine->settings.slots; slot++) {
    histogram_record(&engine->interval->per_connection, engine->slots[slot].steady_transfers);
  }
}

int engine_run(struct engine *engine, uint64_t start_ns) {
  engine->start_ns = start_ns;
  engine->boundary_ns = NS_NEVER;
  int error = 0;
  while (!error && engine_now_ns(engine) < start_ns && !atomic_load(&engine->stop_request)) {
    int came = engine->transport->table->turn(engine->transport, start_ns);
    if (came < 0) error = came;
  }
  if (engine_now_ns(engine) < start_ns) engine->start_ns = engine_now_ns(engine); /* stopped before it began */
  if (engine->limiter) { /* engines that share a rate take turns: the second begins where the first's interval is half
                          * over
                          */
    double share = (double)engine->settings.first / (double)engine->settings.stride;
    connect_limiter_begin(engine->limiter,
                          engine->start_ns + (uint64_t)(share * connect_limiter_interval_ns(engine->limiter)));
  }
  uint64_t from_ns = relative(engine, engine_now_ns(engine));
  if (engine->open_loop) { /* one that begins late does not make up for what was due before */
    uint64_t rate_from_ns = engine->settings.rate_from_ns;
    open_loop_begin(engine, from_ns > rate_from_ns ? from_ns - rate_from_ns : 0);
  }
  enter_phase(engine, from_ns);
  begin_cut(engine, from_ns);
  if (!error) error = run_leg(engine);
  uint64_t end = engine_now_ns(engine);
  if (end >= engine->boundary_ns) engine_cross(engine, end);
  fill_per_connection(engine);
  while (!end_cut(engine, relative(engine, end), true)) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* the reader is behind; nothing is measured any more */
  }
  return error;
}

void engine_begin_steady(struct engine *engine, uint64_t from_ns, uint64_t to_ns) {
  atomic_store_explicit(&engine->steady_request_to_ns, to_ns, memory_order_relaxed);
  atomic_store_explicit(&engine->steady_request_from_ns, from_ns, memory_order_release);
  engine->transport->table->wake(engine->transport);
}

void engine_drain(struct engine *engine, uint64_t at_ns) {
  atomic_store(&engine->drain_request_ns, at_ns);
  engine->transport->table->wake(engine->transport);
}

void engine_stop(struct engine *engine) {
  atomic_store(&engine->stop_request, true);
  engine->transport->table->wake(engine->transport);
}

struct intervals *engine_cuts(struct engine *engine) {
  return engine->intervals;
}

/* Copies what the settings point at, so that the caller's may go. */
static int copy_settings(struct engine *engine, const struct engine_settings *settings) {
  engine->settings = *settings;
  engine->settings.tls = NULL;
  engine->secures = settings->tls != NULL;
  struct endpoint *endpoints = malloc(settings->endpoint_count * sizeof *endpoints);
  struct schedule_point *points = malloc((settings->schedule.count + 1) * sizeof *points);
  struct rate_point *rates = malloc((settings->rates.count + 1) * sizeof *rates);
  uint8_t *payload = malloc(2 * settings->payload_bytes + settings->protocol_bytes_count + 1), *bytes;
  engine->settings.endpoints = endpoints;
  engine->settings.schedule.points = points;
  engine->settings.rates.points = rates;
  bytes = payload ? payload + 2 * settings->payload_bytes : NULL;
  engine->protocol_settings =
      (struct protocol_settings){payload, settings->payload_bytes, bytes, settings->protocol_bytes_count, {0}};
  if (!endpoints || !points || !rates || !payload) return -ENOMEM;
  memcpy(endpoints, settings->endpoints, settings->endpoint_count * sizeof *endpoints);
  memcpy(points, settings->schedule.points, settings->schedule.count * sizeof *points);
  if (settings->rates.count > 0) memcpy(rates, settings->rates.points, settings->rates.count * sizeof *rates);
  if (settings->payload_bytes > 0) {
    memcpy(payload, settings->payload, settings->payload_bytes);
    memcpy(payload + settings->payload_bytes, settings->payload, settings->payload_bytes);
  }
  if (settings->protocol_bytes_count > 0) memcpy(bytes, settings->protocol_bytes, settings->protocol_bytes_count);
  memcpy(engine->protocol_settings.numbers, settings->protocol_numbers, sizeof settings->protocol_numbers);
  return protocol_validate(settings->protocol, &engine->protocol_settings) ? 0 : -EINVAL;
}

/* Whether a connection may have several transfers under way. */
static bool can_pipeline(const struct engine_settings *settings) {
  return settings->protocol->pipelined && settings->workload == &workload_continuous &&
         settings->workload_settings.pause_ns == 0 && settings->pipeline <= PIPELINE_MOST;
}

/* Whether requests may come by a schedule. */
static bool can_open(const struct engine_settings *settings) {
  const struct workload *workload = settings->workload;
  return (workload == &workload_continuous || workload == &workload_reconnect) &&
         settings->workload_settings.pause_ns == 0;
}

int engine_create(const struct engine_settings *settings, struct engine **engine) {
  if (settings->slots == 0 || settings->endpoint_count == 0 || settings->payload_bytes > UINT32_MAX ||
      settings->protocol_bytes_count > UINT32_MAX || settings->interval_ns == 0 ||
      settings->warmup_ns > settings->steady_from_ns || !(settings->connect_rate >= 0) ||
      (settings->endpoint_each && settings->endpoint_count != settings->slots) ||
      schedule_check(&settings->schedule) != 0 || settings->pipeline == 0 ||
      (settings->pipeline > 1 && !can_pipeline(settings)) ||
      (settings->rates.count > 0 &&
       (rates_check(&settings->rates) != 0 || !can_open(settings) || settings->transfers > 0))) {
    return -EINVAL;
  }
  struct engine *made = calloc(1, sizeof *made);
  if (!made) return -ENOMEM;
  atomic_init(&made->drain_request_ns, NS_NEVER);
  atomic_init(&made->steady_request_from_ns, NS_NEVER);
  atomic_init(&made->steady_request_to_ns, NS_NEVER);
  made->steady_from_ns = settings->steady_from_ns;
  made->warmup_from_ns = settings->steady_from_ns - settings->warmup_ns;
  made->drain_at_ns = settings->steady_to_ns;
  made->drain_end_ns = NS_NEVER;
  made->lives = settings->lifetime.transfers > 0 || settings->lifetime.ns > 0;
  made->ages = settings->workload->settles_by_age || settings->protocol->one_way;
  made->transfers_left = settings->transfers > 0 ? settings->transfers : UINT64_MAX;
  made->random = settings->seed;
  made->spins = settings->busy_poll_ns > 0;
  made->spin.vain_ns = NS_NEVER;
  int error = copy_settings(made, settings);
  made->slots = aligned_alloc(64, (size_t)settings->slots * sizeof *made->slots);
  if (!error && !made->slots) error = -ENOMEM;
  if (!error) memset(made->slots, 0, (size_t)settings->slots * sizeof *made->slots);
  if (!error) error = deadlines_create(settings->slots, &made->deadlines);
  if (!error && settings->connect_rate > 0)
    error = connect_limiter_create(settings->slots, settings->connect_rate, &made->limiter);
  if (!error && settings->rates.count > 0) error = open_loop_create(settings->slots, &made->open_loop);
  if (!error && (settings->pipeline > 1 || settings->rates.count > 0)) {
    error = flights_create(settings->slots, settings->pipeline, settings->payload_bytes, &made->flights);
  }
  if (!error) error = talks_create(settings, &made->protocol_settings, &made->talks);
  if (!error) error = intervals_create(&made->intervals);
  struct transport_settings transport = {settings->slots, &slot_events, made, &made->settings.clock,
                                         settings->transport_context};
  if (!error) error = channel_create(settings->transport, &transport, settings->tls, &made->transport);
  if (error) {
    engine_destroy(made);
    return error;
  }
  made->interval = intervals_filling(made->intervals);
  *engine = made;
  return 0;
}

void engine_destroy(struct engine *engine) {
  if (!engine) return;
  if (engine->transport) engine->transport->table->destroy(engine->transport);
  deadlines_destroy(engine->deadlines);
  connect_limiter_destroy(engine->limiter);
  flights_destroy(engine->flights);
  open_loop_destroy(engine->open_loop);
  talks_destroy(engine->talks);
  intervals_destroy(engine->intervals);
  free(engine->slots);
  free((void *)(uintptr_t)engine->settings.endpoints);
  free((void *)(uintptr_t)engine->settings.schedule.points);
  free((void *)(uintptr_t)engine->settings.rates.points);
  free((void *)(uintptr_t)engine->protocol_settings.payload);
  free(engine);
}
