/*
 * fake_transport.c: a heap of events, ordered by time, then by age. Replies echo the request's bytes, which the event
 * owns. A connection's generation makes the events of an earlier connection on the same slot ineffective.
 */
#include "fake_transport.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum event_kind { EVENT_OPEN, EVENT_BYTES, EVENT_SENT, EVENT_CLOSE };

struct event {
  uint64_t at_ns, order;
  uint32_t slot, generation;
  enum event_kind kind;
  int reason;
  bool has_early_data; /* EVENT_OPEN: the greeting is there already */
  uint8_t *bytes;
  size_t length;
};

struct fake_connection {
  uint32_t generation;
  bool used, open, closing;
  bool sending;         /* a send is pending */
  size_t unsent_bytes;  /* of the last send */
  uint64_t *started_ns; /* of the pending send */
  uint64_t answered_ns; /* the last reply comes then */
  uint32_t sent_bytes;
  bool stamps_sends;
  struct sent_stamp *stamps; /* that were not taken, oldest first */
  size_t stamp_count;
};

struct fake_transport {
  struct transport transport;
  struct transport_settings settings;
  struct fake_world *world;
  struct fake_connection *connections;
  struct event *heap;
  size_t size, capacity;
  uint64_t order;
  bool woken; /* the next turn does not wait */
};

static struct fake_transport *self_of(struct transport *transport) {
  return (struct fake_transport *)(void *)transport;
}

static bool before(const struct event *a, const struct event *b) {
  return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void push(struct fake_transport *self, struct event event) {
  if (self->size == self->capacity) {
    self->capacity = self->capacity ? 2 * self->capacity : 64;
    self->heap = realloc(self->heap, self->capacity * sizeof *self->heap);
  }
  event.order = self->order++;
  event.generation = self->connections[event.slot].generation;
  size_t at = self->size++;
  for (; at > 0 && before(&event, &self->heap[(at - 1) / 2]); at = (at - 1) / 2) {
    self->heap[at] = self->heap[(at - 1) / 2];
  }
  self->heap[at] = event;
}

static struct event pop(struct fake_transport *self) {
  struct event first = self->heap[0], last = self->heap[--self->size];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= self->size) break;
    if (child + 1 < self->size && before(&self->heap[child + 1], &self->heap[child])) child++;
    if (!before(&self->heap[child], &last)) break;
    self->heap[at] = self->heap[child];
    at = child;
  }
  self->heap[at] = last;
  return first;
}

static void fake_connect(struct transport *transport, uint32_t slot, const struct endpoint *endpoint,
                         uint16_t source_port, uint64_t *started_ns) {
  (void)source_port;
  (void)endpoint;
  struct fake_transport *self = self_of(transport);
  struct fake_connection *connection = &self->connections[slot];
  if (connection->used) abort(); /* the engine broke the seam's rule */
  connection->generation++;
  connection->used = true;
  connection->open = connection->closing = connection->sending = false;
  connection->unsent_bytes = 0;
  connection->sent_bytes = 0;
  connection->stamps_sends = false;
  connection->stamp_count = 0;
  self->world->attempts++;
  *started_ns = self->world->now_ns;
  struct fate fate = self->world->attempt ? self->world->attempt(self->world, slot) : self->world->attempt_fate;
  uint64_t at_ns = self->world->now_ns + fate.after_ns;
  bool has_early_data = fate.kind == FATE_SPOKEN;
  if (fate.kind == FATE_OK || has_early_data) {
    push(self, (struct event){.at_ns = at_ns, .slot = slot, .kind = EVENT_OPEN, .has_early_data = has_early_data});
  }
  if (fate.kind == FATE_BRIEF) {
    push(self, (struct event){.at_ns = self->world->now_ns, .slot = slot, .kind = EVENT_OPEN});
  }
  if (fate.kind == FATE_CLOSE || fate.kind == FATE_BRIEF) {
    push(self, (struct event){.at_ns = at_ns, .slot = slot, .kind = EVENT_CLOSE, .reason = fate.reason});
  }
}

static void push_bytes(struct fake_transport *self, uint32_t slot, uint64_t at_ns, const uint8_t *bytes,
                       size_t length) {
  uint8_t *copy = malloc(length + 1);
  memcpy(copy, bytes, length);
  struct event event = {.at_ns = at_ns, .slot = slot, .kind = EVENT_BYTES, .bytes = copy, .length = length};
  push(self, event);
}

void fake_say(struct fake_world *world, uint32_t slot, uint64_t after_ns, const void *bytes, size_t length) {
  push_bytes(self_of(world->transport), slot, world->now_ns + after_ns, bytes, length);
}

void fake_end(struct fake_world *world, uint32_t slot, uint64_t after_ns, int reason) {
  struct event end = {.at_ns = world->now_ns + after_ns, .slot = slot, .kind = EVENT_CLOSE, .reason = reason};
  push(self_of(world->transport), end);
}

/* One request, and one byte more; true when the request counts as sent. */
static bool answer(struct fake_transport *self, uint32_t slot, uint8_t *request, size_t length) {
  struct fake_connection *connection = &self->connections[slot];
  self->world->requests++;
  struct fate fate = self->world->request ? self->world->request(self->world, slot) : self->world->request_fate;
  uint64_t at_ns = self->world->now_ns + fate.after_ns;
  if (at_ns < connection->answered_ns) at_ns = connection->answered_ns;
  connection->answered_ns = at_ns;
  struct event end = {.at_ns = at_ns, .slot = slot, .kind = EVENT_CLOSE, .reason = fate.reason};
  uint8_t surplus = request[length];
  switch (fate.kind) {
  case FATE_BRIEF:
  case FATE_SPOKEN:
  case FATE_NOTHING: break;
  case FATE_CLOSE: push(self, end); break;
  case FATE_WRONG:
    request[length - 1] ^= 1;
    push_bytes(self, slot, at_ns, request, length);
    break;
  case FATE_SURPLUS:
    request[length] = 0x5a;
    push_bytes(self, slot, at_ns, request, length + 1);
    request[length] = surplus;
    break;
  case FATE_HALF:
    push_bytes(self, slot, at_ns, request, length / 2);
    push(self, end);
    break;
  case FATE_BYTES:
    for (size_t i = 0; i < length; i++) push_bytes(self, slot, at_ns - (length - 1 - i), request + i, 1);
    break;
  case FATE_EARLY:
  case FATE_OK: push_bytes(self, slot, at_ns, request, length); break;
  }
  return fate.kind != FATE_EARLY;
}

/* The kernel's stamp of the bytes sent so far. */
static void stamp(struct fake_transport *self, uint32_t slot) {
  struct fake_connection *connection = &self->connections[slot];
  struct fake_world *world = self->world;
  if (!connection->stamps_sends) return;
  world->stamps++;
  if (world->loses_stamps > 0 && world->stamps % world->loses_stamps == 0) {
    world->lost_stamps++;
    return;
  }
  connection->stamps = realloc(connection->stamps, (connection->stamp_count + 1) * sizeof *connection->stamps);
  connection->stamps[connection->stamp_count++] =
      (struct sent_stamp){connection->sent_bytes, world->now_ns + world->leaves_after_ns};
}

static void fake_stamp_sends(struct transport *transport, uint32_t slot, bool stamped) {
  self_of(transport)->connections[slot].stamps_sends = stamped;
}

static bool fake_sent_bytes(struct transport *transport, uint32_t slot, uint32_t *bytes) {
  *bytes = self_of(transport)->connections[slot].sent_bytes;
  return true;
}

static bool fake_take_stamp(struct transport *transport, uint32_t slot, struct sent_stamp *taken) {
  struct fake_connection *connection = &self_of(transport)->connections[slot];
  if (connection->stamp_count == 0) return false;
  *taken = connection->stamps[0];
  connection->stamp_count--;
  memmove(connection->stamps, connection->stamps + 1, connection->stamp_count * sizeof *connection->stamps);
  return true;
}

static enum transport_send fake_send(struct transport *transport, uint32_t slot, const struct iovec *parts,
                                     unsigned count, uint64_t *started_ns) {
  struct fake_transport *self = self_of(transport);
  struct fake_connection *connection = &self->connections[slot];
  struct fake_world *world = self->world;
  size_t bytes = 0;
  for (unsigned i = 0; i < count; i++) bytes += parts[i].iov_len;
  connection->unsent_bytes = bytes;
  if (!connection->open) return IO_PENDING;
  if (connection->sending) abort();
  uint8_t *requests = malloc(bytes + 1);
  for (size_t i = 0, at = 0; i < count; at += parts[i++].iov_len) {
    memcpy(requests + at, parts[i].iov_base, parts[i].iov_len);
  }
  *started_ns = world->now_ns;
  connection->sent_bytes += (uint32_t)bytes;
  stamp(self, slot);
  size_t each = world->request_bytes > 0 ? world->request_bytes : bytes;
  bool sent = true;
  world->sends++;
  if (world->takes && world->takes(world, slot, requests, bytes)) each = bytes + 1;
  for (size_t at = 0; at < bytes && each <= bytes; at += each) sent &= answer(self, slot, requests + at, each);
  free(requests);
  if (sent && world->sends_take_ns == 0) {
    connection->unsent_bytes = 0;
    return IO_SENT;
  }
  connection->sending = true;
  connection->started_ns = started_ns;
  connection->unsent_bytes -= world->taken_bytes < bytes ? world->taken_bytes : bytes;
  if (sent) push(self, (struct event){.at_ns = world->now_ns + world->sends_take_ns, .slot = slot, .kind = EVENT_SENT});
  return IO_PENDING;
}

static void fake_close(struct transport *transport, uint32_t slot, enum transport_close_mode ending) {
  struct fake_transport *self = self_of(transport);
  struct fake_connection *connection = &self->connections[slot];
  if (!connection->used || connection->closing) return;
  if (ending == IO_RST) self->world->resets++;
  if (ending == IO_FIN) self->world->fins++;
  connection->generation++;
  connection->closing = true;
  connection->open = false;
  push(self, (struct event){.at_ns = self->world->now_ns, .slot = slot, .kind = EVENT_CLOSE});
}

static bool concerns(const struct fake_transport *self, const struct event *event) {
  return event->generation == self->connections[event->slot].generation;
}

/* Hands out the bytes of an event and, where they are joined, of those that come with it. */
static void hand_out(struct fake_transport *self, const struct event *event) {
  size_t length = event->length;
  uint8_t *bytes = malloc(length);
  memcpy(bytes, event->bytes, length);
  while (self->world->joins && self->size > 0 && self->heap[0].at_ns == event->at_ns &&
         self->heap[0].slot == event->slot && self->heap[0].kind == EVENT_BYTES && concerns(self, &self->heap[0])) {
    struct event next = pop(self);
    bytes = realloc(bytes, length + next.length);
    memcpy(bytes + length, next.bytes, next.length);
    length += next.length;
    free(next.bytes);
  }
  size_t most = self->world->pieces > 0 ? self->world->pieces : length;
  for (size_t at = 0; at < length && concerns(self, event); at += most) {
    size_t piece = length - at < most ? length - at : most;
    uint8_t *exact = malloc(piece); /* so that AddressSanitizer sees a byte too far */
    memcpy(exact, bytes + at, piece);
    bool says = self->connections[event->slot].stamps_sends && !self->world->hides_arrivals;
    self->transport.arrived_ns = says ? self->world->now_ns - self->world->waits_ns : 0;
    self->settings.events->on_bytes(self->settings.owner, event->slot, exact, piece);
    free(exact);
  }
  free(bytes);
}

/* The greeting, of its own memory. */
static void say_now(struct fake_transport *self, uint32_t slot) {
  size_t length = strlen(self->world->greeting);
  uint8_t *exact = malloc(length);
  memcpy(exact, self->world->greeting, length);
  self->settings.events->on_bytes(self->settings.owner, slot, exact, length);
  free(exact);
}

static void happen(struct fake_transport *self, const struct event *event) {
  struct fake_connection *connection = &self->connections[event->slot];
  const struct transport_events *events = self->settings.events;
  if (concerns(self, event)) {
    switch (event->kind) {
    case EVENT_OPEN:
      connection->open = true;
      connection->answered_ns = 0;
      self->transport.has_early_data = event->has_early_data;
      events->on_connect(self->settings.owner, event->slot);
      self->transport.has_early_data = false;
      if (event->has_early_data && concerns(self, event)) say_now(self, event->slot);
      break;
    case EVENT_BYTES: hand_out(self, event); break;
    case EVENT_SENT:
      connection->sending = false;
      if (self->world->sends_start_late) *connection->started_ns = event->at_ns;
      connection->unsent_bytes = 0;
      self->transport.send_was_blocked = !self->world->sends_start_late;
      events->on_sent(self->settings.owner, event->slot);
      break;
    case EVENT_CLOSE:
      connection->used = connection->open = connection->closing = false;
      connection->generation++; /* nothing follows it */
      events->on_close(self->settings.owner, event->slot, event->reason);
      break;
    }
  }
  free(event->bytes);
}

static int fake_turn(struct transport *transport, uint64_t deadline_ns) {
  struct fake_transport *self = self_of(transport);
  struct fake_world *world = self->world;
  world->turns++;
  uint64_t next_ns = self->size > 0 ? self->heap[0].at_ns : NS_NEVER;
  if (self->woken) deadline_ns = world->now_ns;
  self->woken = false;
  if (deadline_ns < next_ns) next_ns = deadline_ns;
  if (next_ns > world->now_ns) {
    world->now_ns = next_ns;
  } else if (self->size == 0 || self->heap[0].at_ns > world->now_ns) {
    world->now_ns += world->look_ns;
    world->looks++;
  }
  if (world->now_ns > world->end_ns) return -ETIMEDOUT;
  transport->seen_ns = world->now_ns;
  int came = 0;
  while (self->size > 0 && self->heap[0].at_ns <= world->now_ns) {
    struct event event = pop(self);
    came += concerns(self, &event) && !(event.kind == EVENT_CLOSE && event.reason == 0);
    happen(self, &event);
  }
  return came;
}

static size_t fake_unsent_bytes(struct transport *transport, uint32_t slot) {
  return self_of(transport)->connections[slot].unsent_bytes;
}

static int fake_inspect(struct transport *transport, uint32_t slot, struct tcp_info *info) {
  if (!self_of(transport)->connections[slot].open) return -ENOTCONN;
  info->tcpi_rtt = FAKE_RTT_US + slot;
  info->tcpi_total_retrans = slot % 4 == 0 ? 2 : 0;
  return 0;
}

static void fake_wake(struct transport *transport) { self_of(transport)->woken = true; }

static void fake_destroy(struct transport *transport) {
  struct fake_transport *self = self_of(transport);
  for (size_t i = 0; i < self->size; i++) free(self->heap[i].bytes);
  for (uint32_t slot = 0; slot < self->settings.slots; slot++) free(self->connections[slot].stamps);
  free(self->connections);
  free(self->heap);
  free(self);
}

static int fake_create(const struct transport_settings *settings, struct transport **transport) {
  struct fake_transport *self = calloc(1, sizeof *self);
  self->transport.table = &transport_fake;
  self->settings = *settings;
  self->world = settings->context;
  self->world->transport = &self->transport;
  self->connections = calloc(settings->slots, sizeof *self->connections);
  *transport = &self->transport;
  return 0;
}

uint64_t fake_now_ns(void *world) { return ((const struct fake_world *)world)->now_ns; }

const struct transport_table transport_fake = {
    .name = "fake",
    .create = fake_create,
    .connect = fake_connect,
    .send = fake_send,
    .unsent_bytes = fake_unsent_bytes,
    .inspect = fake_inspect,
    .stamp_sends = fake_stamp_sends,
    .sent_bytes = fake_sent_bytes,
    .take_stamp = fake_take_stamp,
    .close = fake_close,
    .turn = fake_turn,
    .wake = fake_wake,
    .destroy = fake_destroy,
};
