/*
 * check.c: the tests of a program, in the order of its files.
 */
#include "check.h"

#include <string.h>

int check_failures;
static struct check_test *first, **end = &first;

void check_add(struct check_test *test) {
  *end = test;
  end = &test->next;
}

int check_run(const char *part) {
  int count = 0, failed = 0;
  for (const struct check_test *test = first; test; test = test->next) count += strstr(test->file, part) != NULL;
  printf("1..%d\n", count);
  for (const struct check_test *test = first; test; test = test->next) {
    if (!strstr(test->file, part)) continue;
    check_failures = 0;
    test->run();
    printf("%s %s\n", check_failures ? "not ok" : "ok", test->name);
    fflush(stdout);
    failed += check_failures > 0;
  }
  return failed > 0;
}

__attribute__((weak)) int main(int argc, char **argv) { return check_run(argc > 1 ? argv[1] : ""); }
