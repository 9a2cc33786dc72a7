/*
 * exemplars.c: replacing the worst of a small set; entered rarely, so a linear search does.
 */
#include "exemplars.h"

void exemplars_clear(struct exemplars *exemplars) {
  exemplars->random_count = exemplars->slowest_count = 0;
  exemplars->worst = exemplars->fastest = 0;
  exemplars->key_limit = UINT64_MAX;
  exemplars->slow_limit = 0;
}

static void keep_random(struct exemplars *exemplars, const struct exemplar *exemplar) {
  if (exemplars->random_count < EXEMPLARS_RANDOM) {
    exemplars->random[exemplars->random_count++] = *exemplar;
    if (exemplars->random_count < EXEMPLARS_RANDOM) return;
  } else {
    exemplars->random[exemplars->worst] = *exemplar;
  }
  exemplars->worst = 0;
  for (uint32_t i = 1; i < EXEMPLARS_RANDOM; i++) {
    if (exemplars->random[i].key > exemplars->random[exemplars->worst].key) exemplars->worst = i;
  }
  exemplars->key_limit = exemplars->random[exemplars->worst].key;
}

static void keep_slowest(struct exemplars *exemplars, const struct exemplar *exemplar) {
  if (exemplars->slowest_count < EXEMPLARS_SLOWEST) {
    exemplars->slowest[exemplars->slowest_count++] = *exemplar;
    if (exemplars->slowest_count < EXEMPLARS_SLOWEST) return;
  } else {
    exemplars->slowest[exemplars->fastest] = *exemplar;
  }
  exemplars->fastest = 0;
  for (uint32_t i = 1; i < EXEMPLARS_SLOWEST; i++) {
    if (exemplars->slowest[i].response_ns < exemplars->slowest[exemplars->fastest].response_ns) exemplars->fastest = i;
  }
  exemplars->slow_limit = exemplars->slowest[exemplars->fastest].response_ns + 1;
}

void exemplars_keep(struct exemplars *exemplars, const struct exemplar *exemplar) {
  if (exemplar->key < exemplars->key_limit) keep_random(exemplars, exemplar);
  if (exemplar->response_ns >= exemplars->slow_limit) keep_slowest(exemplars, exemplar);
}
