/*
 * transports.c: the list of io backends. io_uring is in it when the engine was built with liburing.
 */
#include <string.h>

#include "transport.h"

const struct io_table *const io_backends[] = {
    &io_epoll,
#ifdef HAVE_LIBURING
    &io_uring_backend,
#endif
    NULL,
};

const struct io_table *io_find(const char *name) {
  for (size_t i = 0; io_backends[i]; i++) {
    if (strcmp(io_backends[i]->name, name) == 0) return io_backends[i];
  }
  return NULL;
}
