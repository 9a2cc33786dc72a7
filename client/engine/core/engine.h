/*
 * engine: owns a share of a leg's slots and drives them through ramp, warm-up, steady state and drain: opens
 * connections along the schedule, moves transfers, takes their times, tries again with back-off, and publishes an
 * interval every second. One thread runs it; any other may ask it to drain or stop, and reads its intervals. Nothing on
 * the hot path allocates, logs, locks, formats or writes a file.
 */
#ifndef BROADSIDE_ENGINE_H
#define BROADSIDE_ENGINE_H

#include "connection/engine_settings.h"
#include "metrics/interval.h"

struct engine;

/* Copies what it needs of SETTINGS. Returns 0 or -errno (-EINVAL: an invalid setting). */
int engine_create(const struct engine_settings *settings, struct engine **engine);

/* The thread that will call engine_run(), before it does: gives it a table of descriptors of its own, so that the limit
 * of descriptors is that of the engine and not shared with the process. The engine's callbacks then run without the
 * process's descriptors; engine_destroy() is due on another thread once this one has ended. Returns 0 or -errno
 * (-ENOTSUP: the transport must share those of the process). */
int engine_own_descriptors(struct engine *engine);

/* Runs the leg from START_NS (absolute; may be in the past) to its end, on the calling thread. Returns 0 or -errno of
 * the transport. Every interval has been published when it returns. */
int engine_run(struct engine *engine, uint64_t start_ns);

/* Any one thread, at most once: the steady state begins at FROM_NS already and ends at TO_NS (relative to the leg's
 * start), or begins now if that is past. Does nothing once it has begun. */
void engine_begin_steady(struct engine *engine, uint64_t from_ns, uint64_t to_ns);

/* Any thread: the leg has these slices from now on, in place of those before. Copies them. Returns 0, -EINVAL (none, or
 * slices_check()) or -ENOMEM. */
int engine_change_slices(struct engine *engine, const struct slices *slices);

/* Any thread: the drain begins at AT_NS (relative to the leg's start), or now if that is past. */
void engine_drain(struct engine *engine, uint64_t at_ns);

/* Any thread: the leg ends at once. */
void engine_stop(struct engine *engine);

/* Any one thread: the intervals published. */
struct intervals *engine_intervals(struct engine *engine);

void engine_destroy(struct engine *engine);

#endif
