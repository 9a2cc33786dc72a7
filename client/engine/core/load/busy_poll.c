/*
 * busy_poll.c: looking instead of sleeping (busyPoll). A thread that sleeps is woken tens of microseconds late, which
 * would be in every time that it takes; one that looks again and again is not, and uses a whole core for that. The one
 * thing to know: what it spends on looks in vain is counted apart, because it is no work and nobody is held up by it.
 */
#include "../connection/engine_state.h"

/* A look in vain takes a microsecond or so. Of one that took longer the rest was no CPU of this thread: another had its
 * core. */
#define LOOK_MOST_NS UINT64_C(50000)

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Ends the look that began at the last turn, if it found nothing. Only this thread writes. */
static void count_vain(struct spin *self, uint64_t now) {
  if (self->vain_ns == NS_NEVER) return;
  uint64_t spun_ns = atomic_load_explicit(&self->spun_ns, memory_order_relaxed);
  spun_ns += earlier(now - self->vain_ns, LOOK_MOST_NS);
  atomic_store_explicit(&self->spun_ns, spun_ns, memory_order_relaxed);
  self->vain_ns = NS_NEVER;
}

/* When the looking for the next due request begins. */
static uint64_t ahead_ns(const struct engine *engine) {
  if (!engine->open_loop || engine_ending(engine)) return NS_NEVER;
  uint64_t next_ns = open_loop_next_ns(engine->open_loop), before_ns = engine->settings.busy_poll_ns;
  if (next_ns == NS_NEVER) return NS_NEVER;
  return next_ns > before_ns ? next_ns - before_ns : 0;
}

int spin_turn(struct engine *engine, uint64_t now, uint64_t due_ns) {
  struct spin *self = &engine->spin;
  count_vain(self, now);
  bool served = now >= self->due_ns;
  if (served) self->until_ns = now + engine->settings.busy_poll_ns;
  self->due_ns = due_ns;
  uint64_t from_ns = ahead_ns(engine);
  bool looks = now < self->until_ns || now >= from_ns;
  int came = engine->transport->table->turn(engine->transport, looks ? now : earlier(due_ns, from_ns));
  if (came > 0) self->until_ns = engine->transport->seen_ns + engine->settings.busy_poll_ns;
  if (came == 0 && looks && !served) self->vain_ns = now;
  return came;
}

uint64_t engine_spun_ns(const struct engine *engine) {
  return atomic_load_explicit(&engine->spin.spun_ns, memory_order_relaxed);
}
