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

/* Whether the property KEY is not there, undefined or null. */
bool reader_lacks(struct reader *reader, const char *key);

/* Whether NUMBER is from MIN to MAX; throws when not, and after an earlier failure it is not. */
bool reader_in_range(struct reader *reader, const char *key, double number, double min, double max);

double reader_number(struct reader *reader, const char *key, double min, double max);

/* A whole number from 0 to READER_NS_MAX. */
uint64_t reader_whole(struct reader *reader, const char *key);

bool reader_bool(struct reader *reader, const char *key);

/* From 0 to READER_NS_MAX; a fraction is cut off. */
uint64_t reader_ns(struct reader *reader, const char *key);

/* Into TEXT with room for SIZE bytes, the NUL included. */
void reader_string(struct reader *reader, const char *key, char *text, size_t size);

/* The place of a text in CHOICES, a list that ends with NULL; 0 where the object lacks it. */
size_t reader_choice(struct reader *reader, const char *key, const char *const *choices);

/* The elements of a typed array, which are JavaScript's, and how many there are. */
const uint8_t *reader_bytes(struct reader *reader, const char *key, size_t *length);
const double *reader_doubles(struct reader *reader, const char *key, size_t *length);

enum reader_type {
  READER_U32,    /* a whole number into a uint32_t */
  READER_U64,    /* likewise into a uint64_t */
  READER_NS,     /* a number into a uint64_t; a fraction is cut off */
  READER_INT,    /* likewise into an int */
  READER_DOUBLE, /* a number */
  READER_FLAG,   /* true or false into a bool; neither min nor max */
  READER_BIGINT  /* a bigint into a uint64_t; neither min nor max, and always required */
};

/* A property that becomes a member of a struct. */
struct reader_member {
  const char *key;
  enum reader_type type;
  double min, max;
  size_t offset;
  bool required;
  double usual; /* the value where the object lacks it and need not have it */
};

/* Sets the COUNT members of OBJECT. */
void reader_members(struct reader *reader, const struct reader_member *members, size_t count, void *object);

#endif
