/* Every protocol the C servers speak. The one thing to know: a new one is a file beside this one, a
 * line in the table and its name in `protocol_names`. */
#include "echo.h"

#include <string.h>

static const struct protocol *const protocols[] = {
    &protocol_echo,
};

const struct protocol *protocol_find(const char *name) {
  for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
    if (strcmp(protocols[i]->name, name) == 0) {
      return protocols[i];
    }
  }
  return NULL;
}

const char *protocol_names(void) { return "echo"; }
