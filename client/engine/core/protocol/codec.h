/*
 * codec: what several codecs need to build requests and parse replies. All inline: no calls, and a codec stays one
 * file.
 */
#ifndef BROADSIDE_CODEC_H
#define BROADSIDE_CODEC_H

#include "../base/splitmix64.h"
#include "protocol.h"

/* The digits of a key's number, for protocols with keys. */
#define KEY_DIGITS 12u
#define KEYS_MAX UINT64_C(1000000000000)

/* A part of a request. Its bytes are only read. */
static inline struct iovec iovec_part(const void *bytes, uint64_t length) {
  return (struct iovec){(void *)(uintptr_t)bytes, (size_t)length};
}

/* What one request carries of the payload, which all requests share. */
struct payload_run {
  size_t offset, bytes;
};

/* Drawn from RANDOM: it begins anywhere, and is as long as the settings allow. */
static inline struct payload_run draw_payload_run(const struct protocol_settings *settings, uint64_t random) {
  struct payload_run run = {(size_t)splitmix64_scaled(random, settings->payload_bytes), settings->payload_bytes};
  if (settings->payload_spread > 0) run.bytes -= (size_t)splitmix64_below(&random, settings->payload_spread + 1);
  return run;
}

/* Whether the settings have BYTES bytes from AT on. */
static inline bool settings_contain(const struct protocol_settings *settings, uint64_t at, uint64_t bytes) {
  return at <= settings->bytes_count && bytes <= settings->bytes_count - at;
}

static inline struct parse_result parse_result_of(enum verdict verdict, size_t consumed) {
  return (struct parse_result){.consumed = consumed, .verdict = verdict};
}

/* A reply that is not complete; CONSUMED: its bytes read so far. */
static inline struct parse_result reply_goes_on(size_t consumed) { return parse_result_of(PARSE_INCOMPLETE, consumed); }

/* A complete reply of the kind CODE. */
static inline struct parse_result complete_reply(enum code code, size_t consumed) {
  return (struct parse_result){.consumed = consumed, .verdict = PARSE_COMPLETE, .code = (uint8_t)code};
}

/* The number of a key < KEYS_MAX in KEY_DIGITS decimal digits. */
static inline void write_key(uint8_t *digits, uint64_t key) {
  for (unsigned i = KEY_DIGITS; i-- > 0; key /= 10) digits[i] = (uint8_t)('0' + key % 10);
}

static inline bool is_space(uint8_t byte) { return byte == ' ' || byte == '\t'; }
static inline bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }
static inline uint8_t ascii_lower(uint8_t byte) { return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte | 0x20) : byte; }

#endif
