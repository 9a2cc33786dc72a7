/*
 * memcached_draws: what both formats of memcached draw: gets and sets by their weights, on keys drawn uniformly. The
 * size of a value follows from its key. All inline, so that a codec stays one file.
 */
#ifndef BROADSIDE_MEMCACHED_DRAWS_H
#define BROADSIDE_MEMCACHED_DRAWS_H

#include <stddef.h>

#include "codec.h"

#define MEMCACHED_KEY_BYTES_MAX 250u

/* Parameters, the first ones of both formats. */
struct memcached_draws {
  uint64_t get_weight; /* gets and sets are drawn in the ratio of their weights */
  uint64_t set_weight;
  uint64_t keys; /* how many there are */
  uint64_t keys_per_get;
  uint64_t sizes;        /* how many sizes of values there are */
  uint64_t prefix_bytes; /* of a key, before its digits */
};

/* Their rows in a table of parameters. */
#define MEMCACHED_DRAWS_PARAMETERS                                                      \
  {"getWeight", PARAMETER_NUMBER, offsetof(struct memcached_draws, get_weight)},        \
      {"setWeight", PARAMETER_NUMBER, offsetof(struct memcached_draws, set_weight)},    \
      {"keys", PARAMETER_NUMBER, offsetof(struct memcached_draws, keys)},               \
      {"keysPerGet", PARAMETER_NUMBER, offsetof(struct memcached_draws, keys_per_get)}, \
      {"sizes", PARAMETER_NUMBER, offsetof(struct memcached_draws, sizes)}, {           \
    "prefixBytes", PARAMETER_NUMBER, offsetof(struct memcached_draws, prefix_bytes)     \
  }

static inline const struct memcached_draws *memcached_draws_of(const struct protocol_settings *settings) {
  return (const void *)settings->parameters.bytes;
}

static inline uint64_t memcached_draw_key(const struct memcached_draws *draws, uint64_t random) {
  return splitmix64_scaled(random, draws->keys);
}

/* Whether the request is a set, from the bits of RANDOM that keys do not need. */
static inline bool memcached_draw_set(const struct memcached_draws *draws, uint64_t random) {
  return splitmix64_scaled(random << 32, draws->get_weight + draws->set_weight) >= draws->get_weight;
}

/* Which of the sizes the value of the key DIGITS has. */
static inline size_t memcached_size_index(const struct memcached_draws *draws, const uint8_t *digits) {
  uint64_t key = 0;
  for (unsigned i = 0; i < KEY_DIGITS; i++) key = 10 * key + (uint64_t)(digits[i] - '0');
  return (size_t)(key % draws->sizes);
}

/* KEY_DIGITS must hold every key, and the counters of a codec every key of a get. */
static inline bool memcached_draws_are_valid(const struct memcached_draws *draws) {
  uint64_t weights = draws->get_weight | draws->set_weight;
  return draws->keys > 0 && draws->keys <= KEYS_MAX && weights > 0 && weights <= UINT32_MAX && draws->sizes > 0 &&
         draws->sizes <= UINT16_MAX && draws->keys_per_get > 0 && draws->keys_per_get <= UINT16_MAX &&
         draws->prefix_bytes <= MEMCACHED_KEY_BYTES_MAX - KEY_DIGITS;
}

#endif
