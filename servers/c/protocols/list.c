/* Finds a protocol by its name. volley has a second form, selected by --volley-stop. */
#include "protocols.h"

#include <stdio.h>
#include <string.h>

static const struct protocol *const protocols[] = {
    &protocol_echo,
    &protocol_volley,
    &protocol_ace,
    &protocol_http,
};
#define PROTOCOL_COUNT (sizeof protocols / sizeof protocols[0])

const struct protocol *protocol_find(const char *name) {
  for (size_t i = 0; i < PROTOCOL_COUNT; i++) {
    if (strcmp(protocols[i]->name, name) == 0) {
      return protocols[i];
    }
  }
  return NULL;
}

const struct protocol *protocol_with_stop(const struct protocol *protocol) {
  return protocol == &protocol_volley ? &protocol_volley_stop : NULL;
}

const char *protocol_names(void) {
  static char names[128];
  size_t count = 0;
  for (size_t i = 0; i < PROTOCOL_COUNT; i++) {
    count += (size_t)snprintf(names + count, sizeof names - count, "%s%s", i == 0 ? "" : ", ", protocols[i]->name);
  }
  return names;
}
