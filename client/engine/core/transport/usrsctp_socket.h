/*
 * usrsctp_socket: one of usrsctp's sockets with one association, one-to-one or one-to-many. Both are read alike: SCTP's
 * notifications say when the association is up and why it ended.
 */
#ifndef BROADSIDE_USRSCTP_SOCKET_H
#define BROADSIDE_USRSCTP_SOCKET_H

#include <sys/types.h>

#include "sctp_socket.h"

struct socket; /* usrsctp's */

/* A non-blocking socket with the endpoint's options. 0 or -errno. */
int usrsctp_socket_open(const struct endpoint *endpoint, struct socket **socket);

/* Begins its association with the endpoint, through the channel that usrsctp knows as ADDRESS, from SOURCE_PORT unless
 * that is 0. 0 or -errno. */
int usrsctp_socket_connect(struct socket *socket, const struct endpoint *endpoint, void *address, uint16_t source_port);

/* Sends one message. Returns how many bytes were taken, or -errno. */
ssize_t usrsctp_socket_send(struct socket *socket, uint32_t association, const uint8_t *bytes, size_t length);

/* Reads bytes or a notification; returns what sctp_socket_receive() does. */
ssize_t usrsctp_socket_receive(struct socket *socket, uint8_t *buffer, size_t size, uint32_t *association);

/* Lets go of the socket; what is left of the association ends inside usrsctp: by an ABORT if RESET, else a SHUTDOWN. */
void usrsctp_socket_close(struct socket *socket, bool reset);

#endif
