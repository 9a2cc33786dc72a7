/*
 * check: the smallest harness that does. A test is a function; CHECK and CHECK_EQUAL name what failed and go on. A file
 * of tests ends with CHECK_MAIN(list), which is its main, or with CHECK_TABLE(list), which adds them to
 * check_tables.c's. A list prints "1..COUNT", then one "ok NAME" or "not ok NAME" a test.
 */
#ifndef BROADSIDE_CHECK_H
#define BROADSIDE_CHECK_H

#include <inttypes.h>
#include <stdio.h>

static int check_failures;

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
  const char *name;
  void (*run)(void);
};

static inline int check_run(const struct check_test *tests, size_t count) {
  int failed = 0;
  printf("1..%zu\n", count);
  for (size_t i = 0; i < count; i++) {
    check_failures = 0;
    tests[i].run();
    printf("%s %s\n", check_failures ? "not ok" : "ok", tests[i].name);
    fflush(stdout);
    failed += check_failures > 0;
  }
  return failed > 0;
}

#define CHECK_MAIN(tests) \
  int main(void) { return check_run(tests, sizeof(tests) / sizeof((tests)[0])); }

/* The tests of one of the files of a program. */
struct check_table {
  const char *file;
  int (*run)(void);
  struct check_table *next;
};

/* Called before main. */
void check_add(struct check_table *table);

#define CHECK_TABLE(tests)                                                                          \
  static int check_run_table(void) { return check_run(tests, sizeof(tests) / sizeof((tests)[0])); } \
  __attribute__((constructor)) static void check_add_table(void) {                                  \
    static struct check_table table = {__FILE__, check_run_table, NULL};                            \
    check_add(&table);                                                                              \
  }

#endif
