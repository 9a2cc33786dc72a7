/*
 * engine: owns a share of a leg's slots and drives them through ramp, warm-up, steady state and drain: opens
 * connections along the schedule, moves transfers, takes their times, tries again with back-off, and hands over a cut
 * every second. One thread runs it; any other may ask it to drain or stop and reads its cuts. Nothing on the hot path
 * allocates, logs, locks, formats or writes a file.
 */
#ifndef BROADSIDE_ENGINE_H
#define BROADSIDE_ENGINE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "load/arrival_times.h"
#include "load/backoff.h"
#include "load/ramp.h"
#include "load/workload.h"
#include "metrics/interval.h"
#include "metrics/transfer_log.h"
#include "protocol/protocol.h"
#include "transport/channel.h"
#include "transport/transport.h"

#define PIPELINE_MOST 4096u /* transfers of a connection under way at once */

/* How long a connection lives: until it has begun so many transfers, or is so old when one of them has ended (zeros:
 * for ever). Then it is closed, as planned, and opened again. */
struct lifetime {
  uint32_t transfers;
  uint64_t ns;
  enum transport_close_mode ending;
  uint64_t spread_ns; /* each connection lives for up to so much longer, drawn evenly */
};

struct engine_settings {
  /* slot ids first, first + stride, ... ; the engine's own index of a slot is 0 .. slots - 1 */
  uint32_t first, stride, slots;
  const struct endpoint *endpoints; /* slot id i goes to endpoints[i % endpoint_count]; copied */
  uint32_t endpoint_count;
  bool endpoint_each; /* instead, the engine's own slot i goes to endpoints[i]; endpoint_count is slots then */
  const struct transport_table *transport;
  void *transport_context;
  const struct tls_settings *tls; /* NULL: plain; not kept */
  struct clock clock;
  const struct protocol *protocol;
  const uint8_t *payload; /* copied, twice over */
  size_t payload_bytes;
  const uint8_t *protocol_bytes; /* copied; what they and the numbers are, the protocol's file says */
  size_t protocol_bytes_count;
  uint64_t protocol_numbers[PROTOCOL_NUMBERS];
  const struct workload *workload;
  struct workload_settings workload_settings;
  struct schedule schedule;              /* of the engine's own slots; copied */
  uint64_t steady_from_ns, steady_to_ns; /* relative to the leg's start */
  uint64_t warmup_ns;                    /* the last so much before steady_from_ns is the warm-up; 0: none */
  uint64_t connect_timeout_ns, transfer_timeout_ns, drain_timeout_ns, interval_ns;
  struct backoff backoff;
  struct lifetime lifetime;
  double connect_rate;   /* attempts a second at most, of this engine; 0: no bound */
  uint32_t pipeline;     /* transfers of a connection under way at once, at most; more than 1 needs a workload that asks
                            for one after another */
  struct rates rates;    /* open loop: requests a second of this engine; without points: closed loop. Needs a workload
                            that asks for one after another, or reconnects; copied */
  bool poisson;          /* ... at random times instead of evenly spaced ones */
  uint64_t rate_from_ns; /* ... where they begin, relative to the leg's start */
  uint64_t busy_poll_ns; /* so long it looks for what comes instead of sleeping: after each thing that came or was due,
                            and before each request that will be; 0: it sleeps at once */
  uint64_t transfers;    /* that may begin, of this engine; then it ends when the last one has. 0: no bound. Closed
                            loop only */
  uint64_t seed;
  uint64_t t0_ns;                     /* the run's zero, on the engine's clock */
  struct transfer_log *log;           /* NULL: none; stays the caller's, who closes it after engine_run */
  void (*on_interval)(void *context); /* a cut is waiting; on the engine's thread */
  void *on_interval_context;
};

struct engine;

/* Copies what it needs of SETTINGS. Returns 0 or -errno (-EINVAL: a setting cannot be). */
int engine_create(const struct engine_settings *settings, struct engine **engine);

/* Runs the leg from START_NS (absolute; may be in the past) to its end, on the calling thread. Returns 0 or -errno of
 * the transport backend. Every cut has been handed over when it returns. */
int engine_run(struct engine *engine, uint64_t start_ns);

/* Any one thread, at most once: the steady state begins at FROM_NS already and ends at TO_NS (relative to the leg's
 * start), or begins now if that is past. Nothing happens once it has begun. */
void engine_begin_steady(struct engine *engine, uint64_t from_ns, uint64_t to_ns);

/* Any thread: begin the drain at AT_NS (relative to the leg's start) or now if that is past; end at once. */
void engine_drain(struct engine *engine, uint64_t at_ns);
void engine_stop(struct engine *engine);

/* Any thread: for how long it has looked in vain so far, under busy_poll_ns; that much CPU, about (busy_poll.c). */
uint64_t engine_spun_ns(const struct engine *engine);

/* Any one thread: the cuts handed over. */
struct intervals *engine_cuts(struct engine *engine);

void engine_destroy(struct engine *engine);

#endif
