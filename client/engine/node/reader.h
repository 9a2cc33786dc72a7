/*
 * node/reader: reads the properties of a JavaScript object. JavaScript's thread only.
 *
 * Input is checked: a property that is missing or of another type throws a TypeError, one out of its range a
 * RangeError, both with code EINVAL and its name in data.setting. A RangeError also has data.value, and for a number
 * data.min and data.max. The reader remembers the first failure; from then on every function returns 0, false or NULL,
 * so that one look at `failed` at the end is enough.
 */
#ifndef BROADSIDE_NODE_READER_H
#define BROADSIDE_NODE_READER_H

#include <node_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READER_NS_MAX (1ull << 53) /* times and sizes are doubles, exact up to here: 104 days in ns */

struct reader {
  napi_env env;
  napi_value object;
  bool failed;
};

/* Throw for the property KEY, the first time. EXPECTED: what it must be, such as "a number". */
void reader_fail_type(struct reader *reader, const char *key, const char *expected);
void reader_fail_range(struct reader *reader, const char *key, double number, double min, double max);
void reader_fail_text(struct reader *reader, const char *key, const char *text, const char *expected);

napi_value reader_value(struct reader *reader, const char *key);

/* Whether NUMBER is from MIN to MAX; throws when not, and after an earlier failure it is not. */
bool reader_in_range(struct reader *reader, const char *key, double number, double min, double max);

double reader_number(struct reader *reader, const char *key, double min, double max);

/* A whole number. */
uint32_t reader_u32(struct reader *reader, const char *key, uint32_t min);

/* A whole number from 0 to READER_NS_MAX. */
uint64_t reader_whole(struct reader *reader, const char *key);

bool reader_bool(struct reader *reader, const char *key);

/* From 0 to READER_NS_MAX; a fraction is cut off. */
uint64_t reader_ns(struct reader *reader, const char *key);

uint64_t reader_u64_bigint(struct reader *reader, const char *key);

/* Into TEXT with room for SIZE bytes, the NUL included. */
void reader_string(struct reader *reader, const char *key, char *text, size_t size);

/* The elements of a typed array, which are JavaScript's, and how many there are. */
const uint8_t *reader_bytes(struct reader *reader, const char *key, size_t *length);
const double *reader_doubles(struct reader *reader, const char *key, size_t *length);

#endif
