/*
 * sctp_socket: the kernel's SCTP sockets, where they differ from TCP's. A one-to-one socket (SOCK_STREAM) is used like
 * one of TCP, but a send is one message, so it must not be too long. A one-to-many socket (SOCK_SEQPACKET) holds one
 * association here; SCTP's notifications say when it is up and why it ended. Boundaries of messages mean nothing.
 */
#ifndef BROADSIDE_SCTP_SOCKET_H
#define BROADSIDE_SCTP_SOCKET_H

#include <sys/types.h>

#include "sctp_association.h"
#include "transport.h"

/* What sctp_socket_receive() returns besides a number of bytes and -errno. */
enum { SCTP_SOCKET_EOF = 0, SCTP_SOCKET_UP = -100000, SCTP_SOCKET_NOTHING = -100001 };

/* Whether this kernel has SCTP: 0 or -errno. */
int sctp_socket_probe(void);

/* Sets the options of SCTP that the endpoint asks for, before the connect. 0 or -errno. */
int sctp_socket_prepare(int fd, const struct endpoint *endpoint);

/* Sends the first bytes of COUNT iovecs as one message, at most 64 KiB; of a one-to-many socket, one packet.
 * ASSOCIATION: that of a one-to-many socket, or 0. Returns how many bytes the kernel took, or -errno. */
ssize_t sctp_socket_send(int fd, const struct iovec *iovecs, unsigned count, int32_t association);

/* Reads a one-to-many socket: bytes, or a notification. UP: *ASSOCIATION is open. EOF: the peer has shut it down.
 * NOTHING: a notification that changes nothing. -errno: why it ended; -EAGAIN: nothing is there. */
ssize_t sctp_socket_receive(int fd, uint8_t *buffer, size_t size, int32_t *association);

/* The addresses of both ends of the only association of a socket. 0 or -errno. */
int sctp_socket_addresses(int fd, struct sctp_association *association);

#endif
