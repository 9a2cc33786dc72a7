/*
 * protocols.c: the list of protocols.
 */
#include <string.h>

#include "protocol.h"

static const struct protocol *const protocols[] = {&protocol_echo, &protocol_volley, &protocol_ace};

const struct protocol *protocol_find(const char *name) {
  for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
    if (strcmp(protocols[i]->name, name) == 0) return protocols[i];
  }
  return NULL;
}
