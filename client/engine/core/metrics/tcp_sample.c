/*
 * tcp_sample.c: what the kernel's TCP says of some open connections at the end of a cut: smoothed round-trip time and
 * retransmissions. At most CUT_TCP_SAMPLES system calls a second, whatever the number of connections.
 */
#include "../base/splitmix64.h"
#include "../connection/engine_state.h"

static void sample(struct engine *engine, uint32_t slot) {
  struct cut *cut = engine->cut;
  struct tcp_info info = {0};
  uint8_t state = engine->slots[slot].state;
  if (cut->rtts == CUT_TCP_SAMPLES || (state != SLOT_IDLE && state != SLOT_BUSY)) return;
  if (engine->io->table->inspect(engine->io, slot, &info) != 0) return;
  cut->counters[COUNT_TCP_SAMPLED]++;
  cut->counters[COUNT_TCP_RETRANSMITTED] += info.tcpi_total_retrans > 0;
  cut->counters[COUNT_TCP_RETRANSMITS] += info.tcpi_total_retrans;
  cut->rtt_ns[cut->rtts++] = (uint64_t)info.tcpi_rtt * 1000;
}

void engine_sample_tcp(struct engine *engine) {
  uint32_t slots = engine->asked;
  if (slots <= CUT_TCP_SAMPLES) {
    for (uint32_t slot = 0; slot < slots; slot++) sample(engine, slot);
    return;
  }
  /* evenly spaced from a random one on, so that none is looked at twice */
  uint64_t first = random_below(&engine->random, slots);
  for (uint64_t i = 0; i < CUT_TCP_SAMPLES; i++) {
    sample(engine, (uint32_t)((first + i * slots / CUT_TCP_SAMPLES) % slots));
  }
}
