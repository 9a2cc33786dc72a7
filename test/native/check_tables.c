/*
 * check_tables.c: main of a program of several files of tests: runs the tables of all of them, or of those whose names
 * contain the argument.
 */
#include <stddef.h>
#include <string.h>

#include "check.h"

static struct check_table *tables;

void check_add(struct check_table *table) {
  table->next = tables;
  tables = table;
}

int main(int argc, char **argv) {
  int failed = 0;
  for (struct check_table *table = tables; table; table = table->next) {
    if (argc > 1 && !strstr(table->file, argv[1])) continue;
    printf("# %s\n", table->file);
    failed |= table->run();
  }
  return failed;
}
