/*
 * exemplars: a few single transfers out of very many: some at random and the slowest. Each transfer draws a random
 * key and the smallest keys stay (bottom-k sampling), so that the samples of several workers merge without bias by
 * keeping the smallest keys again. One thread at a time.
 */
#ifndef BROADSIDE_EXEMPLARS_H
#define BROADSIDE_EXEMPLARS_H

#include <stdint.h>

#define RESERVOIR_RANDOM 50u
#define RESERVOIR_SLOWEST 5u

struct single {
  uint64_t key; /* 53 bits, so that it is exact as a double */
  int64_t start_ns;
  uint64_t response_ns;
  uint32_t connection;
  uint8_t status;
};

struct reservoir {
  uint32_t randoms, slowests;
  uint32_t worst;      /* position of the largest key once random[] is full */
  uint32_t fastest;    /* position of the smallest response once slowest[] is full */
  uint64_t key_limit;  /* keys below it enter */
  uint64_t slow_limit; /* responses above it enter */
  struct single random[RESERVOIR_RANDOM];
  struct single slowest[RESERVOIR_SLOWEST];
};

void reservoir_clear(struct reservoir *reservoir);

/* Takes in a transfer that passed one of the two limits. */
void reservoir_keep(struct reservoir *reservoir, const struct single *single);

static inline void reservoir_offer(struct reservoir *reservoir, const struct single *single) {
  if (__builtin_expect(single->key < reservoir->key_limit || single->response_ns >= reservoir->slow_limit, 0)) {
    reservoir_keep(reservoir, single);
  }
}

#endif
