/*
 * sctp_stack: blocking sockets of SCTP, the kernel's or usrsctp's, as sctp_peer.c uses them.
 */
#ifndef BROADSIDE_SCTP_STACK_H
#define BROADSIDE_SCTP_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum sctp_stack_kind { SCTP_STACK_DATA, SCTP_STACK_ABORT, SCTP_STACK_SHUTDOWN };

/* What receive() returns besides a number of bytes: an association ended, or nothing that matters happened. */
enum { SCTP_STACK_ENDED = -1, SCTP_STACK_ABORTED = -2, SCTP_STACK_NOTHING = -3 };

struct sctp_stack {
  /* A socket on loopback; NULL: it cannot be had. */
  void *(*listen)(uint16_t port, bool is_one_to_many, bool accepts);
  void *(*accept)(void *listener);
  ssize_t (*receive)(void *socket, void *buffer, size_t size, uint32_t *association);
  /* One message, or the end of the association. ASSOCIATION 0: that of a one-to-one socket. */
  void (*send)(void *socket, const void *bytes, size_t length, uint32_t association, enum sctp_stack_kind kind);
  void (*close)(void *socket);
};

extern const struct sctp_stack sctp_stack_kernel, sctp_stack_usrsctp;

#endif
