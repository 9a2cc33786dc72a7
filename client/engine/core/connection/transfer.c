/*
 * transfer.c: the books of one transfer: it begins; it is answered, or it ends without a whole reply. Each that begins
 * ends in exactly one of answered, failed, unfinished.
 */
#include "../base/splitmix64.h"
#include "engine_state.h"

static void log_transfer(struct engine *engine, uint32_t slot, uint64_t from_ns, uint64_t response_ns, uint8_t status) {
  struct exemplar exemplar = {
      .key = splitmix64_next(&engine->random) >> 11,
      .start_ns = (int64_t)(from_ns - engine->settings.t0_ns),
      .response_ns = response_ns,
      .connection = slot_id(engine, slot),
      .status = status,
  };
  exemplars_offer(&engine->interval->exemplars, &exemplar);
  struct transfer_log *log = engine->settings.log;
  if (log && transfer_log_append(log, exemplar.start_ns, (int64_t)response_ns, exemplar.connection, status)) {
    engine_count(engine, COUNT_LOG_ROWS);
  }
}

/* The slot's open connection begins (+1) or ceases (-1) to be asked and unanswered. */
void transfer_unanswered(struct engine *engine, uint32_t slot, int change) {
  engine->gauges[GAUGE_UNANSWERED] += (uint64_t)change;
  if (engine->slots[slot].since_ns >= engine->fresh_from_ns) engine->gauges[GAUGE_FRESH] += (uint64_t)change;
}

void transfer_begun(struct engine *engine, uint32_t slot) {
  struct slot *self = &engine->slots[slot];
  self->state = SLOT_BUSY;
  engine->transfers_left--;
  self->begun++;
  engine->gauges[GAUGE_IN_FLIGHT]++;
  if (!(self->flags & SLOT_ASKED)) transfer_unanswered(engine, slot, 1);
  if (!(self->flags & SLOT_EVER_ASKED)) engine->gauges[GAUGE_NEVER_ANSWERED]++;
  self->flags |= SLOT_ASKED | SLOT_EVER_ASKED;
}

void transfer_fail(struct engine *engine, uint32_t slot, uint64_t from_ns, uint64_t at_ns, uint8_t status) {
  engine->gauges[GAUGE_IN_FLIGHT]--;
  engine_count(engine, status == TRANSFER_UNFINISHED ? COUNT_UNFINISHED : COUNT_FAILED);
  log_transfer(engine, slot, from_ns, at_ns > from_ns ? at_ns - from_ns : 0, status);
}

void transfer_complete(struct engine *engine, uint32_t slot, uint64_t from_ns, uint64_t at_ns, uint8_t code) {
  struct slot *self = &engine->slots[slot];
  if (at_ns < from_ns) at_ns = engine_now_ns(engine); /* sent after the batch was seen, answered within it */
  uint64_t response_ns = at_ns > from_ns ? at_ns - from_ns : 0;
  engine->gauges[GAUGE_IN_FLIGHT]--;
  engine_count(engine, COUNT_TRANSFERS);
  engine_count(engine, COUNT_CODES + code);
  histogram_record(&engine->interval->response, response_ns);
  log_transfer(engine, slot, from_ns, response_ns, TRANSFER_OK);
  if (engine->phase == PHASE_STEADY) self->steady_transfers++;
  if (!(self->flags & SLOT_ANSWERED)) transfer_unanswered(engine, slot, -1);
  if (!(self->flags & SLOT_EVER_ANSWERED)) engine->gauges[GAUGE_NEVER_ANSWERED]--;
  self->flags |= SLOT_ANSWERED | SLOT_EVER_ANSWERED;
  if (!engine->ages) self->failures = 0;
  self->state = SLOT_IDLE;
}

void transfer_arm(struct engine *engine, uint32_t slot, uint64_t started_ns) {
  if (engine->slots[slot].flags & SLOT_ARMED) return;
  slot_set_timer(engine, slot, started_ns + engine->settings.transfer_timeout_ns);
}
