/*
 * check: the smallest harness that does. TEST(name) { ... } defines a test, which check_run() finds by itself; CHECK
 * and CHECK_EQUAL name what failed and go on. check.c has the main of programs that have none.
 */
#ifndef BROADSIDE_CHECK_H
#define BROADSIDE_CHECK_H

#include <inttypes.h>
#include <stdio.h>

extern int check_failures;

#define CHECK(condition)                                       \
  do {                                                         \
    if (!(condition)) {                                        \
      check_failures++;                                        \
      printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
    }                                                          \
  } while (0)

#define CHECK_EQUAL(actual, expected)                                                                         \
  do {                                                                                                        \
    int64_t check_actual = (int64_t)(actual), check_expected = (int64_t)(expected);                           \
    if (check_actual != check_expected) {                                                                     \
      check_failures++;                                                                                       \
      printf("# %s:%d: %s is %" PRId64 ", expected %" PRId64 "\n", __FILE__, __LINE__, #actual, check_actual, \
             check_expected);                                                                                 \
    }                                                                                                         \
  } while (0)

struct check_test {
  const char *file, *name;
  void (*run)(void);
  struct check_test *next;
};

/* Called before main. */
void check_add(struct check_test *test);

/* Runs the tests of files whose names contain PART. Prints "1..COUNT", then "ok NAME" or "not ok NAME" of each. Returns
 * the status for the program to end with. */
int check_run(const char *part);

#define TEST(name)                                                 \
  static void name(void);                                          \
  __attribute__((constructor)) static void name##_is_added(void) { \
    static struct check_test test = {__FILE__, #name, name, NULL}; \
    check_add(&test);                                              \
  }                                                                \
  static void name(void)

#endif
