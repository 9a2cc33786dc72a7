/*
 * splitmix64: a small seeded generator (splitmix64, Steele, Lea and Flood 2014). Good enough for jitter, payload
 * offsets and sampling keys; not for secrets. State is one word, owned by the caller.
 */
#ifndef BROADSIDE_SPLITMIX64_H
#define BROADSIDE_SPLITMIX64_H

#include <stdint.h>

static inline uint64_t splitmix64_next(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* A random word brought into [0, bound); 0 when bound is 0 (Lemire's multiply-shift; its bias is below bound / 2^64) */
static inline uint64_t splitmix64_scaled(uint64_t random, uint64_t bound) {
  return (uint64_t)(((unsigned __int128)random * bound) >> 64);
}

/* Uniform in [0, bound). */
static inline uint64_t splitmix64_below(uint64_t *state, uint64_t bound) {
  return splitmix64_scaled(splitmix64_next(state), bound);
}

#endif
