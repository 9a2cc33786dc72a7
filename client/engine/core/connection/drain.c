/*
 * drain.c: the end of a leg, by time or because as many transfers have begun as were to. No new transfer starts; idle
 * connections are closed, attempts in flight are abandoned, transfers in flight get the drain's time and are cut short
 * after it. In bounded pieces, so that replies are still read in time.
 */
#include "engine_state.h"

#define PIECE 256u

static void begin_to_end(struct engine *engine, uint32_t slot) {
  struct slot *self = &engine->slots[slot];
  switch (self->state) {
  case SLOT_NEW:
    self->state = SLOT_FINISHED;
    engine->finished++;
    break;
  case SLOT_CONNECTING:
  case SLOT_SECURING:
  case SLOT_GREETING: attempt_abandon(engine, slot); break;
  case SLOT_IDLE: slot_finish(engine, slot, IO_FIN); break;
  case SLOT_QUEUED: attempt_leave_queue(engine, slot); break;
  case SLOT_BACKOFF:
  case SLOT_PAUSED:
    if (self->state == SLOT_BACKOFF) engine->gauges[GAUGE_BACKING_OFF]--;
    deadlines_clear(engine->deadlines, slot);
    self->state = SLOT_FINISHED;
    engine->finished++;
    break;
  default: break;
  }
}

bool drain_step(struct engine *engine, uint64_t now) {
  for (uint32_t i = 0; i < PIECE && engine->drain_cursor < engine->settings.slots; i++) {
    begin_to_end(engine, engine->drain_cursor++);
  }
  if (engine->drain_cursor < engine->settings.slots) return true;
  if (now < engine->drain_end_ns) return false;
  for (uint32_t i = 0; i < PIECE && engine->deadline_cursor < engine->settings.slots; i++) {
    uint32_t slot = engine->deadline_cursor++;
    if (engine->slots[slot].state == SLOT_BUSY) slot_cut_short(engine, slot, now);
    if (engine->slots[slot].state == SLOT_IDLE) slot_finish(engine, slot, IO_RST); /* an answer is being sent */
  }
  return engine->deadline_cursor < engine->settings.slots;
}
