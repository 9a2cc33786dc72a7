/*
 * tcp_sample.c: which connections are sampled.
 */
#include "tcp_sample.h"

static void sample(struct connections *self, struct interval *interval, uint32_t slot) {
  struct tcp_info info = {0};
  uint8_t state = self->slots[slot].state;
  if (state != SLOT_IDLE && state != SLOT_BUSY) return;
  if (self->transport->table->inspect(self->transport, slot, &info) == 0) recorder_tcp_info(interval, &info);
}

void tcp_sample(struct connections *self, struct interval *interval) {
  uint32_t slots = self->ramp.active;
  if (slots <= INTERVAL_TCP_SAMPLES) {
    for (uint32_t slot = 0; slot < slots; slot++) sample(self, interval, slot);
    return;
  }
  /* evenly spaced from a random one on, so that none is sampled twice */
  uint64_t first = splitmix64_below(&self->random, slots);
  for (uint64_t i = 0; i < INTERVAL_TCP_SAMPLES; i++) {
    sample(self, interval, (uint32_t)((first + i * slots / INTERVAL_TCP_SAMPLES) % slots));
  }
}
