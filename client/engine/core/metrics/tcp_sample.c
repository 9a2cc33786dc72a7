/*
 * tcp_sample.c: what the kernel's TCP says of some open connections at the end of a cut: smoothed round-trip time and
 * retransmissions. At most INTERVAL_TCP_SAMPLES system calls a second, whatever the number of connections.
 */
#include "../base/splitmix64.h"
#include "../connection/engine_state.h"

static void sample(struct engine *engine, uint32_t slot) {
  struct interval *interval = engine->interval;
  struct tcp_info info = {0};
  uint8_t state = engine->slots[slot].state;
  if (interval->rtts == INTERVAL_TCP_SAMPLES || (state != SLOT_IDLE && state != SLOT_BUSY)) return;
  if (engine->transport->table->inspect(engine->transport, slot, &info) != 0) return;
  interval->counters[COUNT_TCP_SAMPLED]++;
  interval->counters[COUNT_TCP_RETRANSMITTED] += info.tcpi_total_retrans > 0;
  interval->counters[COUNT_TCP_RETRANSMITS] += info.tcpi_total_retrans;
  interval->rtt_ns[interval->rtts++] = (uint64_t)info.tcpi_rtt * 1000;
}

void engine_sample_tcp(struct engine *engine) {
  uint32_t slots = engine->asked;
  if (slots <= INTERVAL_TCP_SAMPLES) {
    for (uint32_t slot = 0; slot < slots; slot++) sample(engine, slot);
    return;
  }
  /* evenly spaced from a random one on, so that none is looked at twice */
  uint64_t first = splitmix64_below(&engine->random, slots);
  for (uint64_t i = 0; i < INTERVAL_TCP_SAMPLES; i++) {
    sample(engine, (uint32_t)((first + i * slots / INTERVAL_TCP_SAMPLES) % slots));
  }
}
