/*
 * stamps.c: which transfers are tried, and which stamps are theirs.
 */
#include "stamps.h"

#include <errno.h>
#include <stdlib.h>

#define STAMPED_LEAST 16u                  /* connections, where there are as many */
#define TRY_AGAIN_NS (NS_PER_SECOND / 200) /* after so long without a try the next request is tried */
#define TRIES_MOST 500u                    /* a second, on average: each takes four system calls */
#define REQUEST_BYTES_MOST 65536u          /* larger ones are not taken at once */
#define STEP_BACK_NS UINT64_C(50000)       /* by which a later stamp may be earlier: clocks are read one by one */
#define READ_AHEAD_NS (10 * NS_PER_SECOND / 1000) /* by which a reply may arrive after its batch of events was seen */

/* TRIED: its stamp is awaited. OMITTED + an enum split_omission: there is none. */
enum sample_state { UNTRIED, TRIED, OMITTED };

struct sample {
  uint64_t left_ns; /* when its request left; 0: not known yet */
  uint32_t bytes;   /* sent_bytes() at its last byte */
  bool late;
  uint8_t state;
};

struct stamps {
  struct stamped_slots slots;
  uint32_t depth, gap;          /* of the windows; requests of stamped slots from one try to the next, on average */
  uint32_t left;                /* ... until the next */
  uint64_t next_ns;             /* it is tried from then on, whatever is left */
  uint32_t least_gap, requests; /* least_gap: as set; requests of stamped slots since from_ns */
  uint64_t from_ns;
  struct sample *samples; /* depth of each stamped slot */
  uint32_t *tried;        /* of each stamped slot: those in flight */
};

struct stamped_slots stamps_slots(const struct engine_settings *settings) {
  struct stamped_slots slots = {.any = settings->timestamps_one_in > 0};
  while (UINT32_C(1) << slots.shift < settings->timestamps_one_in &&
         settings->slots >> (slots.shift + 1) >= STAMPED_LEAST) {
    slots.shift++;
  }
  return slots;
}

int stamps_create(const struct engine_settings *settings, struct stamps **stamps) {
  if (settings->timestamps_one_in == 0) return 0;
  struct stamps *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  self->slots = stamps_slots(settings);
  self->depth = settings->pipeline;
  self->least_gap = self->gap = settings->timestamps_one_in >> self->slots.shift;
  uint32_t count = stamped_slots_count(&self->slots, settings->slots);
  self->samples = calloc((size_t)count * self->depth, sizeof *self->samples);
  self->tried = calloc(count, sizeof *self->tried);
  if (!self->samples || !self->tried) {
    stamps_destroy(self);
    return -ENOMEM;
  }
  *stamps = self;
  return 0;
}

void stamps_destroy(struct stamps *stamps) {
  if (!stamps) return;
  free(stamps->samples);
  free(stamps->tried);
  free(stamps);
}

static inline struct sample *sample_at(const struct stamps *stamps, uint32_t slot, uint32_t place) {
  return &stamps->samples[(size_t)stamped_slots_index(&stamps->slots, slot) * stamps->depth + place];
}

static inline uint32_t *tried_of(const struct stamps *stamps, uint32_t slot) {
  return &stamps->tried[stamped_slots_index(&stamps->slots, slot)];
}

void stamps_open(struct connections *self, uint32_t slot) {
  struct stamps *stamps = self->stamps;
  if (!stamped_slots_has(&stamps->slots, slot)) return;
  for (uint32_t place = 0; place < stamps->depth; place++) *sample_at(stamps, slot, place) = (struct sample){0};
  *tried_of(stamps, slot) = 0;
}

void stamps_made(struct connections *self, uint32_t slot, uint32_t place, bool late) {
  struct stamps *stamps = self->stamps;
  if (stamped_slots_has(&stamps->slots, slot)) *sample_at(stamps, slot, place) = (struct sample){.late = late};
}

/* Once a second: the gap that keeps to TRIES_MOST at the rate of that second. */
static void adapt_gap(struct stamps *stamps, uint64_t now_ns) {
  uint64_t lasted_ns = now_ns - stamps->from_ns;
  stamps->requests++;
  if (lasted_ns < NS_PER_SECOND) return;
  uint64_t gap = stamps->requests * NS_PER_SECOND / lasted_ns / TRIES_MOST;
  stamps->gap = gap > stamps->least_gap ? (uint32_t)gap : stamps->least_gap;
  stamps->requests = 0;
  stamps->from_ns = now_ns;
}

/* Whether it is a request's turn. */
static bool is_due(struct connections *self, struct stamps *stamps) {
  uint64_t now_ns = self->transport->seen_ns;
  if (stamps->least_gap == 1 && stamps->slots.shift == 0) return true; /* every transfer is */
  adapt_gap(stamps, now_ns);
  if (stamps->left > 0) stamps->left--;
  if (stamps->left > 0 && now_ns < stamps->next_ns) return false;
  stamps->left = 1 + (uint32_t)splitmix64_below(&self->random, 2 * stamps->gap - 1);
  stamps->next_ns = now_ns + TRY_AGAIN_NS;
  return true;
}

bool stamps_choose(struct connections *self, uint32_t slot, size_t bytes) {
  struct stamps *stamps = self->stamps;
  if (!stamped_slots_has(&stamps->slots, slot) || !is_due(self, stamps)) return false;
  if (bytes <= REQUEST_BYTES_MOST) self->transport->table->stamp_sends(self->transport, slot, true);
  return true;
}

/* Takes the stamps that are there, or those up to that of WANTED. */
static void take(struct connections *self, uint32_t slot, const struct sample *wanted) {
  struct stamps *stamps = self->stamps;
  struct sample *samples = sample_at(stamps, slot, 0);
  struct sent_stamp stamp;
  while (!(wanted && wanted->left_ns > 0) && self->transport->table->take_stamp(self->transport, slot, &stamp)) {
    uint32_t place = 0;
    while (place < stamps->depth && !(samples[place].state == TRIED && samples[place].bytes == stamp.bytes)) place++;
    if (place < stamps->depth && samples[place].left_ns == 0) samples[place].left_ns = stamp.at_ns; /* the first send */
  }
}

void stamps_take(struct connections *self, uint32_t slot) {
  if (self->stamps) take(self, slot, NULL);
}

static void omit(struct sample *sample, enum split_omission omission) { sample->state = (uint8_t)(OMITTED + omission); }

/* When the last bytes of the send left depended on the peer. */
static void omit_blocked(struct connections *self, uint32_t slot) {
  struct sample *samples = sample_at(self->stamps, slot, 0);
  uint32_t bytes;
  if (!self->transport->table->sent_bytes(self->transport, slot, &bytes)) return;
  for (uint32_t place = 0; place < self->stamps->depth; place++) {
    if (samples[place].state == TRIED && samples[place].bytes == bytes) omit(&samples[place], OMITTED_SEND_BLOCKED);
  }
}

void stamps_send_done(struct connections *self, uint32_t slot) {
  struct stamps *stamps = self->stamps;
  if (!stamped_slots_has(&stamps->slots, slot) || *tried_of(stamps, slot) == 0) return;
  if (self->transport->send_was_blocked) omit_blocked(self, slot);
  take(self, slot, stamps->depth == 1 ? sample_at(stamps, slot, 0) : NULL); /* the usual device took it in the call */
}

void stamps_sent(struct connections *self, uint32_t slot, uint32_t place, uint32_t count, size_t bytes, bool done) {
  struct stamps *stamps = self->stamps;
  struct sample *sample = sample_at(stamps, slot, place);
  if (stamps->gap == 1) { /* the others of the send were to be split, too */
    for (uint32_t i = 1; i < count; i++) {
      uint32_t before = place >= i ? place - i : place + stamps->depth - i;
      omit(sample_at(stamps, slot, before), OMITTED_SENT_TOGETHER);
      ++*tried_of(stamps, slot);
    }
  }
  sample->state = TRIED;
  sample->left_ns = 0;
  ++*tried_of(stamps, slot);
  if (bytes > REQUEST_BYTES_MOST) {
    omit(sample, OMITTED_LARGE_REQUEST);
  } else if (!self->transport->table->sent_bytes(self->transport, slot, &sample->bytes)) {
    omit(sample, OMITTED_SEND_BLOCKED);
  } else if (done) {
    take(self, slot, sample); /* the usual network device took it during the call */
  }
}

/* Whether TIME is before EARLIEST, by more than readings of clocks may differ. */
static bool is_before(uint64_t time_ns, uint64_t earliest_ns) { return time_ns + STEP_BACK_NS < earliest_ns; }

static uint64_t clamp_ns(uint64_t value, uint64_t low, uint64_t high) {
  return value < low ? low : value > high ? high : value;
}

/* True where the stamps give the parts; else *OMISSION says why not. */
static bool split(const struct connections *self, const struct sample *sample, const struct stamps_reply *reply,
                  struct split *parts, enum split_omission *omission) {
  uint64_t left_ns = sample->left_ns, arrived_ns = reply->arrived_ns;
  uint64_t begin_ns = sample->late ? clamp_ns(reply->sent_ns, reply->from_ns, reply->at_ns) : reply->from_ns;
  if (sample->state > TRIED) {
    *omission = (enum split_omission)(sample->state - OMITTED);
  } else if (arrived_ns == ARRIVED_WITH_OTHERS) {
    *omission = OMITTED_READ_TOGETHER;
  } else if (left_ns == 0) {
    *omission = OMITTED_NO_SEND_STAMP;
  } else if (arrived_ns == 0) {
    *omission = OMITTED_NO_REPLY_STAMP;
  } else if (self->transport->clock_stepped_ns >= reply->sent_ns) {
    *omission = OMITTED_CLOCK_STEPPED;
  } else if (is_before(left_ns, reply->sent_ns) || is_before(arrived_ns, left_ns) ||
             arrived_ns > reply->at_ns + READ_AHEAD_NS) {
    *omission = OMITTED_OUT_OF_ORDER;
  } else {
    left_ns = clamp_ns(left_ns, begin_ns, reply->at_ns);
    arrived_ns = clamp_ns(arrived_ns, left_ns, reply->at_ns);
    *parts = (struct split){.connection_wait_ns = begin_ns - reply->from_ns,
                            .send_delay_ns = left_ns - begin_ns,
                            .network_and_server_ns = arrived_ns - left_ns,
                            .receive_delay_ns = reply->at_ns - arrived_ns};
    return true;
  }
  return false;
}

void stamps_reply(struct connections *self, uint32_t slot, uint32_t place, const struct stamps_reply *reply) {
  struct stamps *stamps = self->stamps;
  if (!stamped_slots_has(&stamps->slots, slot)) return;
  struct sample *sample = sample_at(stamps, slot, place);
  struct split parts;
  enum split_omission omission;
  if (sample->state == UNTRIED) return;
  if (sample->state == TRIED && sample->left_ns == 0) take(self, slot, sample);
  if (split(self, sample, reply, &parts, &omission)) {
    recorder_split(&self->recorder, &parts, self->queue != NULL, reply->measured);
  } else if (reply->measured) {
    recorder_split_omitted(&self->recorder, omission);
  }
  sample->state = UNTRIED;
  if (--*tried_of(stamps, slot) > 0 || stamps->gap == 1) return;
  self->transport->table->stamp_sends(self->transport, slot, false);
  if (stamps->depth > 1) take(self, slot, NULL); /* of later requests */
}
