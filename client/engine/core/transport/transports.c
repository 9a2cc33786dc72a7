/*
 * transports.c: the list of transports. io_uring is in it where the engine was built with liburing; usrsctp is found
 * where it was built with libusrsctp.
 */
#include <string.h>

#include "transport.h"

const struct transport_table *const transports[] = {
    &transport_epoll,
#ifdef HAVE_LIBURING
    &transport_io_uring,
#endif
    NULL,
};

const struct transport_table *transport_find(const char *name) {
  for (size_t i = 0; transports[i]; i++) {
    if (strcmp(transports[i]->name, name) == 0) return transports[i];
  }
#ifdef HAVE_USRSCTP
  if (strcmp(transport_usrsctp.name, name) == 0) return &transport_usrsctp;
#endif
  return NULL;
}
