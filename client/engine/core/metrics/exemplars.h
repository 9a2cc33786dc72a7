/*
 * exemplars: a few single transfers out of very many: some at random and the slowest. Each transfer draws a random
 * key and the smallest keys stay (bottom-k sampling), so that the samples of several workers merge without bias by
 * keeping the smallest keys again. One thread at a time.
 */
#ifndef BROADSIDE_EXEMPLARS_H
#define BROADSIDE_EXEMPLARS_H

#include <stdint.h>

#define EXEMPLARS_RANDOM 50u
#define EXEMPLARS_SLOWEST 5u

struct exemplar {
  uint64_t key; /* 53 bits, so that it is exact as a double */
  int64_t start_ns;
  uint64_t response_ns;
  uint32_t connection;
  uint8_t status;
};

struct exemplars {
  uint32_t random_count, slowest_count;
  uint32_t worst;      /* position of the largest key once random[] is full */
  uint32_t fastest;    /* position of the smallest response once slowest[] is full */
  uint64_t key_limit;  /* keys below it enter */
  uint64_t slow_limit; /* responses above it enter */
  struct exemplar random[EXEMPLARS_RANDOM];
  struct exemplar slowest[EXEMPLARS_SLOWEST];
};

/* Makes it empty. */
void exemplars_clear(struct exemplars *exemplars);

/* Keeps a transfer that is within one of the two limits. */
void exemplars_keep(struct exemplars *exemplars, const struct exemplar *exemplar);

/* Keeps a transfer if its key is among the smallest, or its response among the slowest. */
static inline void exemplars_offer(struct exemplars *exemplars, const struct exemplar *exemplar) {
  if (__builtin_expect(exemplar->key < exemplars->key_limit || exemplar->response_ns >= exemplars->slow_limit, 0)) {
    exemplars_keep(exemplars, exemplar);
  }
}

#endif
