/*
 * transports.c: which transport serves which stack. usrsctp is there where the engine was built with libusrsctp.
 */
#include <string.h>

#include "transport.h"

const struct transport_table *transport_of_stack(const char *stack) {
  if (strcmp(stack, "kernel") == 0) return &transport_epoll;
#ifdef HAVE_USRSCTP
  if (strcmp(stack, "usrsctp") == 0) return &transport_usrsctp;
#endif
  return NULL;
}
