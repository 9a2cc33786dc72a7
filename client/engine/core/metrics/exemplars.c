/*
 * exemplars.c: replacing the worst of a small set; entered rarely, so a linear search does.
 */
#include "exemplars.h"

void reservoir_clear(struct reservoir *reservoir) {
  reservoir->randoms = reservoir->slowests = 0;
  reservoir->worst = reservoir->fastest = 0;
  reservoir->key_limit = UINT64_MAX;
  reservoir->slow_limit = 0;
}

static void keep_random(struct reservoir *reservoir, const struct single *single) {
  if (reservoir->randoms < RESERVOIR_RANDOM) {
    reservoir->random[reservoir->randoms++] = *single;
    if (reservoir->randoms < RESERVOIR_RANDOM) return;
  } else {
    reservoir->random[reservoir->worst] = *single;
  }
  reservoir->worst = 0;
  for (uint32_t i = 1; i < RESERVOIR_RANDOM; i++) {
    if (reservoir->random[i].key > reservoir->random[reservoir->worst].key) reservoir->worst = i;
  }
  reservoir->key_limit = reservoir->random[reservoir->worst].key;
}

static void keep_slowest(struct reservoir *reservoir, const struct single *single) {
  if (reservoir->slowests < RESERVOIR_SLOWEST) {
    reservoir->slowest[reservoir->slowests++] = *single;
    if (reservoir->slowests < RESERVOIR_SLOWEST) return;
  } else {
    reservoir->slowest[reservoir->fastest] = *single;
  }
  reservoir->fastest = 0;
  for (uint32_t i = 1; i < RESERVOIR_SLOWEST; i++) {
    if (reservoir->slowest[i].response_ns < reservoir->slowest[reservoir->fastest].response_ns) reservoir->fastest = i;
  }
  reservoir->slow_limit = reservoir->slowest[reservoir->fastest].response_ns + 1;
}

void reservoir_keep(struct reservoir *reservoir, const struct single *single) {
  if (single->key < reservoir->key_limit) keep_random(reservoir, single);
  if (single->response_ns >= reservoir->slow_limit) keep_slowest(reservoir, single);
}
