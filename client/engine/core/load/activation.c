/*
 * activation.c: the slots that are asked are always the first of them: where fewer are, the last leave. One that is not
 * asked any more begins nothing; its transfers may end, then its connection is closed by FIN. It is neither lost nor an
 * error, and comes back when more are asked again.
 */
#include "../connection/engine_state.h"

#define PIECE 64u

static void call_up(struct engine *engine, uint32_t slot) {
  switch ((enum slot_state)engine->slots[slot].state) {
  case SLOT_NEW: attempt_ask(engine, slot); break;
  case SLOT_QUEUED: engine->gauges[GAUGE_QUEUED]++; break; /* it still stands in the queue */
  case SLOT_BUSY: /* its transfers have not ended since it was asked: it may begin more */
    if (engine->flights && flights_have_room(engine, slot)) {
      slot_go_on(engine, slot, WORKLOAD_REPLIED, engine->transport->seen_ns);
    }
    break;
  default: break; /* one that is being closed is asked when it is closed */
  }
}

static void dismiss(struct engine *engine, uint32_t slot) {
  struct slot *self = &engine->slots[slot];
  switch ((enum slot_state)self->state) {
  case SLOT_CONNECTING:
  case SLOT_SECURING:
  case SLOT_GREETING: attempt_abandon(engine, slot); break;
  case SLOT_IDLE: slot_release(engine, slot); break;
  case SLOT_BUSY:
    if (engine->open_loop) open_loop_withdraw(engine, slot);
    break;
  case SLOT_QUEUED: engine->gauges[GAUGE_QUEUED]--; break; /* it leaves the queue when its turn comes */
  case SLOT_BACKOFF:
    engine->gauges[GAUGE_BACKING_OFF]--;
    attempt_rest(engine, slot);
    break;
  case SLOT_PAUSED: attempt_rest(engine, slot); break;
  default: break;
  }
}

bool asked_follow(struct engine *engine, uint64_t at_ns) {
  if (engine_ending(engine)) return false;
  if (at_ns >= engine->change_ns) {
    uint32_t wanted = schedule_slots(&engine->settings.schedule, at_ns);
    engine->wanted = wanted < engine->settings.slots ? wanted : engine->settings.slots;
    engine->change_ns = schedule_change_ns(&engine->settings.schedule, at_ns);
  }
  for (uint32_t i = 0; i < PIECE && engine->asked < engine->wanted; i++) {
    engine->gauges[GAUGE_ASKED]++;
    call_up(engine, engine->asked++);
  }
  for (uint32_t i = 0; i < PIECE && engine->asked > engine->wanted; i++) {
    engine->gauges[GAUGE_ASKED]--;
    dismiss(engine, --engine->asked);
  }
  return engine->asked != engine->wanted;
}
