/*
 * engine_settings: everything an engine needs to know to run its share of a leg.
 */
#ifndef BROADSIDE_ENGINE_SETTINGS_H
#define BROADSIDE_ENGINE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/clock.h"
#include "../load/arrival_times.h"
#include "../load/backoff.h"
#include "../load/lifetime.h"
#include "../load/ramp.h"
#include "../load/slices.h"
#include "../load/workload.h"
#include "../metrics/transfer_log.h"
#include "../protocol/protocol.h"
#include "../transport/channel.h"
#include "../transport/tap.h"
#include "../transport/transport.h"

#define PIPELINE_MOST 4096u /* transfers of a connection in flight at once */

/* timestamps_one_in as shipped: a sample of bounded cost. */
#define TIMESTAMPS_SAMPLE 64u

struct engine_settings {
  /* slot ids first, first + stride, ... ; the engine's own index of a slot is 0 .. slots - 1 */
  uint32_t first, stride, slots;
  const struct endpoint *endpoints; /* slot id i goes to endpoints[i % endpoint_count]; copied */
  uint32_t endpoint_count;
  uint16_t
      source_port; /* slot id i connects from port source_port + i / endpoint_count; 0: from the endpoint's source */
  const struct transport_table *transport;
  void *transport_context;
  const struct tls_settings *tls; /* NULL: plain; not kept */
  struct clock clock;
  const struct protocol *protocol;
  const uint8_t *payload; /* copied, twice over */
  size_t payload_bytes;
  size_t payload_spread;         /* as in struct protocol_settings */
  const uint8_t *protocol_bytes; /* copied; the protocol's file describes them */
  size_t protocol_bytes_count;
  struct protocol_parameters protocol_parameters;
  const struct workload *workload;
  struct workload_settings workload_settings;
  struct schedule schedule;              /* of the engine's own slots; copied */
  struct slices slices;                  /* in which the leg is loaded; open loop: by its rates; copied */
  uint64_t steady_from_ns, steady_to_ns; /* relative to the leg's start */
  uint64_t warmup_ns;                    /* the warm-up is that long and ends at steady_from_ns; 0: none */
  uint64_t connect_timeout_ns, transfer_timeout_ns, drain_timeout_ns, interval_ns;
  struct backoff backoff;
  struct lifetime lifetime;
  double connect_rate;   /* attempts a second of this engine, at most; 0: no bound */
  uint32_t pipeline;     /* transfers of a connection in flight at once, at most; more than 1 needs a workload that
                            sends one request after another */
  struct rates rates;    /* open loop: requests a second of this engine; without points: closed loop. Needs a workload
                            that sends one request after another, or reconnects; copied */
  bool poisson;          /* open loop: requests become due at random instead of evenly spaced times */
  uint64_t rate_from_ns; /* open loop: where the rates begin, relative to the leg's start */
  uint64_t transfers; /* closed loop: that many may begin in this engine; it ends when the last one has. 0: no bound */
  /* Kernel timestamps split one transfer in this many; a power of two; 0: none. Needs a transport that has
     them, TCP, and a protocol with replies. */
  uint32_t timestamps_one_in;
  uint64_t seed;
  uint64_t identity; /* of this engine alone, in this run and others: UUIDs and names of connections follow from it */
  uint64_t first_number; /* of the engine's requests; they are `stride` apart, so that no two of a leg are the same */
  uint64_t t0_ns;        /* the run's zero, on the engine's clock */
  struct transfer_log *log;           /* NULL: none; stays the caller's, who closes it after engine_run */
  void (*on_interval)(void *context); /* an interval was published; on the engine's thread */
  void *on_interval_context;
  struct tap *tap; /* zeroed memory, the caller's: keeps what the first connection exchanges. NULL: nothing is kept */
};

/* 0, or -EINVAL for invalid settings. */
int engine_settings_validate(const struct engine_settings *settings);

/* Copies SETTINGS and what they point at, except `tls`. Returns 0, -ENOMEM or -EINVAL (the protocol's settings cannot
 * be); engine_settings_free() is due in each case. */
int engine_settings_copy(struct engine_settings *copy, struct protocol_settings *protocol_settings,
                         const struct engine_settings *settings);
void engine_settings_free(struct engine_settings *copy, struct protocol_settings *protocol_settings);

#endif
