/*
 * lifetime: how long a connection lives, in transfers and in time. Pure.
 */
#ifndef BROADSIDE_LIFETIME_H
#define BROADSIDE_LIFETIME_H

#include <stdbool.h>
#include <stdint.h>

/* A connection is closed, as planned, once it has begun that many transfers, or when a transfer ends after it has
 * reached that age; then its slot opens the next one. Zeros: no bound. */
struct lifetime {
  uint32_t transfers;
  uint64_t ns;
  bool is_final; /* the slot opens no other one, also where the peer has ended this one as planned */
};

static inline bool lifetime_is_bounded(const struct lifetime *lifetime) {
  return lifetime->transfers > 0 || lifetime->ns > 0;
}

/* Whether a connection that has begun BEGUN transfers may begin no more. */
static inline bool lifetime_is_spent(const struct lifetime *lifetime, uint32_t begun) {
  return lifetime->transfers > 0 && begun >= lifetime->transfers;
}

/* Whether a connection opened at OPENED_NS has reached its age at NOW_NS. */
static inline bool lifetime_is_over(const struct lifetime *lifetime, uint64_t opened_ns, uint64_t now_ns) {
  return lifetime->ns > 0 && now_ns - opened_ns >= lifetime->ns;
}

#endif
