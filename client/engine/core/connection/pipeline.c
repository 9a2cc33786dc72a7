/*
 * pipeline.c: a ring of transfers for each slot. The times of a batch stand in one place until the kernel has it all,
 * as transport writes when it was submitted at one place; from then on they are in each of its transfers.
 */
#include "pipeline.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "../base/splitmix64.h"
#include "engine_state.h"

#define STAGE_MOST 16384u /* bytes of small requests that are copied together, a connection */
#define FRAME_BYTES 64u   /* what a request is longer than its payload, at a guess */

struct flight {
  uint64_t started_ns, due_ns; /* due_ns: in open loop */
  alignas(8) uint8_t state[PROTOCOL_STATE_BYTES];
};

struct ring {
  uint64_t sent_ns;     /* of the batch that is being sent, or the last one */
  uint32_t head, count; /* the oldest; how many */
  uint32_t batch;       /* the youngest so many are being sent */
  size_t bytes;         /* of the batch */
};

struct flights {
  uint32_t depth, stage_bytes;
  struct ring *rings;
  struct flight *flights; /* depth of each slot, one slot after another */
  uint8_t *stages;        /* stage_bytes of each slot; NULL without a depth to share them */
};

int flights_create(uint32_t slots, uint32_t depth, size_t request_bytes, struct flights **flights) {
  struct flights *made = calloc(1, sizeof *made);
  if (!made) return -ENOMEM;
  size_t together = depth * (request_bytes + FRAME_BYTES);
  made->depth = depth;
  made->stage_bytes = depth == 1 ? 0 : together < STAGE_MOST ? (uint32_t)together : STAGE_MOST;
  made->rings = calloc(slots, sizeof *made->rings);
  made->flights = calloc((size_t)slots * depth, sizeof *made->flights);
  if (made->stage_bytes > 0) made->stages = malloc((size_t)slots * made->stage_bytes);
  if (!made->rings || !made->flights || (made->stage_bytes > 0 && !made->stages)) {
    flights_destroy(made);
    return -ENOMEM;
  }
  *flights = made;
  return 0;
}

void flights_destroy(struct flights *flights) {
  if (!flights) return;
  free(flights->rings);
  free(flights->flights);
  free(flights->stages);
  free(flights);
}

/* The slot's transfer number INDEX from the oldest on; one past the youngest is the next. */
static struct flight *flight_at(const struct flights *flights, uint32_t slot, uint32_t index) {
  uint32_t place = flights->rings[slot].head + index;
  if (place >= flights->depth) place -= flights->depth;
  return &flights->flights[(size_t)slot * flights->depth + place];
}

/* Whether that one is in the batch that is being sent. */
static bool is_being_sent(const struct ring *ring, uint32_t index) { return index + ring->batch >= ring->count; }

static uint64_t started_ns(const struct flights *flights, uint32_t slot, uint32_t index) {
  const struct ring *ring = &flights->rings[slot];
  return is_being_sent(ring, index) ? ring->sent_ns : flight_at(flights, slot, index)->started_ns;
}

/* Where the response time begins. */
static uint64_t from_ns(const struct engine *engine, uint32_t slot, uint32_t index) {
  if (engine->open_loop) return flight_at(engine->flights, slot, index)->due_ns;
  return started_ns(engine->flights, slot, index);
}

/* What the protocol knows of the transfer. With a depth of one it is the connection's only one; else each request finds
 * what the request before it left. */
static void *state_of(const struct engine *engine, uint32_t slot, struct flight *flight) {
  return engine->flights->depth == 1 ? engine->slots[slot].protocol_state : flight->state;
}

void flights_opened(struct engine *engine, uint32_t slot) {
  engine->flights->rings[slot] = (struct ring){0};
  engine->slots[slot].state = SLOT_IDLE; /* in open loop nothing may be due yet */
}

bool flights_have_room(const struct engine *engine, uint32_t slot) {
  return engine->flights->rings[slot].count < engine->flights->depth && !(engine->slots[slot].flags & SLOT_SENDING);
}

uint64_t flights_oldest_ns(const struct engine *engine, uint32_t slot) { return started_ns(engine->flights, slot, 0); }

/* Makes the next request, which counts as begun from here on. Returns the number of PARTS, and their BYTES. */
static unsigned make_request(struct engine *engine, uint32_t slot, struct iovec parts[3], size_t *bytes) {
  struct flights *flights = engine->flights;
  struct ring *ring = &flights->rings[slot];
  struct slot *self = &engine->slots[slot];
  struct flight *flight = flight_at(flights, slot, ring->count);
  void *state = state_of(engine, slot, flight);
  if (state == flight->state) memcpy(state, self->protocol_state, PROTOCOL_STATE_BYTES);
  unsigned used =
      engine->settings.protocol->request(state, &engine->protocol_settings, splitmix64_next(&engine->random), parts);
  if (state == flight->state) memcpy(self->protocol_state, state, PROTOCOL_STATE_BYTES);
  if (engine->open_loop) flight->due_ns = open_loop_take(engine);
  ring->count++;
  ring->batch++;
  *bytes = 0;
  for (unsigned i = 0; i < used; i++) *bytes += parts[i].iov_len;
  ring->bytes += *bytes;
  transfer_begun(engine, slot);
  return used;
}

/* The kernel has the batch: its transfers get their time. */
static void end_batch(struct engine *engine, uint32_t slot) {
  struct ring *ring = &engine->flights->rings[slot];
  uint32_t first = ring->batch < ring->count ? ring->count - ring->batch : 0;
  for (uint32_t i = first; i < ring->count; i++) flight_at(engine->flights, slot, i)->started_ns = ring->sent_ns;
  engine->interval->counters[COUNT_BYTES_SENT] += ring->bytes;
  ring->batch = 0;
  ring->bytes = 0;
}

static void send_batch(struct engine *engine, uint32_t slot, const struct iovec *parts, unsigned count) {
  struct ring *ring = &engine->flights->rings[slot];
  ring->sent_ns = engine->transport->seen_ns;
  if (engine->transport->table->send(engine->transport, slot, parts, count, &ring->sent_ns) == IO_SENT) {
    end_batch(engine, slot);
  } else {
    engine->slots[slot].flags |= SLOT_SENDING;
  }
}

static bool may_begin(const struct engine *engine, uint32_t slot) {
  return flights_have_room(engine, slot) && engine->transfers_left > 0 && !slot_is_spent(engine, slot) &&
         (!engine->open_loop || open_loop_waits(engine->open_loop));
}

bool flights_begin(struct engine *engine, uint32_t slot) {
  struct flights *flights = engine->flights;
  struct iovec parts[IO_IOVECS_MAX];
  uint8_t *stage = flights->stages ? flights->stages + (size_t)slot * flights->stage_bytes : NULL;
  size_t staged = 0;
  while (may_begin(engine, slot)) {
    size_t bytes;
    unsigned used = make_request(engine, slot, &parts[1], &bytes);
    bool more = may_begin(engine, slot);
    if (staged + bytes <= flights->stage_bytes && (more || staged > 0)) {
      for (unsigned i = 1; i <= used; staged += parts[i++].iov_len) {
        memcpy(stage + staged, parts[i].iov_base, parts[i].iov_len);
      }
      if (more) continue;
      used = 0;
    }
    parts[0] = (struct iovec){stage, staged};
    if (staged > 0) {
      send_batch(engine, slot, parts, used + 1);
    } else {
      send_batch(engine, slot, &parts[1], used);
    }
    staged = 0;
    if (engine->settings.protocol->one_way && !(engine->slots[slot].flags & SLOT_SENDING)) {
      flights_complete(engine, slot, engine_notices(engine), CODE_NONE);
      return true;
    }
  }
  if (flights->rings[slot].count > 0) transfer_arm(engine, slot, started_ns(flights, slot, 0));
  bool free = flights_have_room(engine, slot) && !slot_is_spent(engine, slot);
  if (engine->open_loop && free) open_loop_offer(engine, slot);
  return false;
}

void flights_sent(struct engine *engine, uint32_t slot) {
  end_batch(engine, slot);
  bool one_way = engine->settings.protocol->one_way;
  if (one_way) flights_complete(engine, slot, engine->transport->seen_ns, CODE_NONE);
  if ((one_way || engine->slots[slot].state == SLOT_BUSY) && flights_have_room(engine, slot)) {
    slot_go_on(engine, slot, WORKLOAD_REPLIED, engine->transport->seen_ns);
  }
}

void flights_complete(struct engine *engine, uint32_t slot, uint64_t at_ns, uint8_t code) {
  struct flights *flights = engine->flights;
  struct ring *ring = &flights->rings[slot];
  uint64_t sent_ns = started_ns(flights, slot, 0), since_ns = from_ns(engine, slot, 0);
  if (at_ns < sent_ns) at_ns = engine_now_ns(engine); /* sent after the batch was seen, answered within it */
  ring->head = ring->head + 1 == flights->depth ? 0 : ring->head + 1;
  ring->count--;
  transfer_complete(engine, slot, since_ns, at_ns, code);
  if (engine->open_loop) histogram_record(&engine->interval->service, at_ns > sent_ns ? at_ns - sent_ns : 0);
  if (ring->count > 0) engine->slots[slot].state = SLOT_BUSY;
}

void flights_reply(struct engine *engine, uint32_t slot, const uint8_t *bytes, size_t length, uint64_t at_ns) {
  struct slot *self = &engine->slots[slot];
  const struct ring *ring = &engine->flights->rings[slot];
  bool closes = false;
  for (struct parse_result result; length > 0; bytes += result.consumed, length -= result.consumed) {
    if (ring->count == 0 || closes) break; /* more than was asked for, or than was announced */
    void *state = state_of(engine, slot, flight_at(engine->flights, slot, 0));
    result = engine->settings.protocol->reply(state, &engine->protocol_settings, bytes, length);
    if (result.verdict == PARSE_INCOMPLETE) {
      length = result.consumed;
      continue;
    }
    if (result.verdict == PARSE_COMPLETE_IF_IDLE) {
      talk_heard(engine, slot, flights_oldest_ns(engine, slot), result, at_ns);
      return;
    }
    if (result.verdict == PARSE_RESPOND && talk_answer(engine, slot, state, bytes, result)) continue;
    bool early = ring->batch > 0 && ring->count == 1 && !result.closes; /* answered before it was asked */
    if (result.verdict != PARSE_COMPLETE || early) {
      slot_spoil(engine, slot, at_ns, result.verdict == PARSE_MISMATCH ? ERROR_CORRUPT : ERROR_PROTOCOL);
      return;
    }
    flights_complete(engine, slot, at_ns, result.code);
    closes = result.closes;
  }
  if (length > 0 && (closes || !slot_hear(engine, slot, bytes, length, at_ns))) {
    if (self->state != SLOT_CLOSING) slot_spoil(engine, slot, at_ns, ERROR_PROTOCOL);
  } else if (closes && ring->count > 0) {
    slot_spoil(engine, slot, at_ns, ERROR_CLOSED);
  } else if (closes) {
    slot_close_anew(engine, slot, at_ns);
  } else if (flights_have_room(engine, slot)) {
    slot_go_on(engine, slot, WORKLOAD_REPLIED, at_ns);
  }
}

bool flights_end(struct engine *engine, uint32_t slot, uint64_t at_ns) {
  void *state = state_of(engine, slot, flight_at(engine->flights, slot, 0));
  struct parse_result result = engine->settings.protocol->end(state, &engine->protocol_settings);
  if (result.verdict != PARSE_COMPLETE) return false;
  flights_complete(engine, slot, at_ns, result.code);
  return engine->flights->rings[slot].count == 0;
}

void flights_fail(struct engine *engine, uint32_t slot, uint64_t at_ns, uint8_t status) {
  struct ring *ring = &engine->flights->rings[slot];
  for (uint32_t i = 0; i < ring->count; i++) {
    transfer_fail(engine, slot, from_ns(engine, slot, i), at_ns, status);
  }
  ring->count = 0;
  ring->batch = 0;
}
