/*
 * blocking_sctp: blocking sockets of SCTP, as sctp_peer.c uses them.
 */
#ifndef BROADSIDE_BLOCKING_SCTP_H
#define BROADSIDE_BLOCKING_SCTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum blocking_kind { BLOCKING_DATA, BLOCKING_ABORT, BLOCKING_SHUTDOWN };

/* What blocking_receive() returns besides a number of bytes: an association ended, or nothing that matters happened. */
enum { BLOCKING_ENDED = -1, BLOCKING_ABORTED = -2, BLOCKING_NOTHING = -3 };

struct blocking_socket;

/* A socket on loopback; NULL: it cannot be had. */
struct blocking_socket *blocking_listen(uint16_t port, bool is_one_to_many, bool accepts);
struct blocking_socket *blocking_accept(struct blocking_socket *listener);
ssize_t blocking_receive(struct blocking_socket *socket, void *buffer, size_t size, uint32_t *association);

/* One message, or the end of the association. ASSOCIATION 0: that of a one-to-one socket. */
void blocking_send(struct blocking_socket *socket, const void *bytes, size_t length, uint32_t association,
                   enum blocking_kind kind);
void blocking_close(struct blocking_socket *socket);

#endif
