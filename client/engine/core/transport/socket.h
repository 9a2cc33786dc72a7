/*
 * socket: the sockets of all transports: how they are opened, what the kernel says of them, and how they are closed.
 * None of it is on the hot path.
 */
#ifndef BROADSIDE_SOCKET_H
#define BROADSIDE_SOCKET_H

#include "transport.h"

/* Opens a socket with the endpoint's options, bound to its source if it has one, or to SOURCE_PORT if that is not 0.
 * FLAGS: those of socket(2), such as SOCK_NONBLOCK. Returns a descriptor or -errno. */
int socket_open(const struct endpoint *endpoint, uint16_t source_port, int flags);

/* The same, a blocking one, for a transport that hands the connect to the kernel. A unix socket is connected already,
 * because a blocking connect to a listener whose queue is full would wait; here that is -EAGAIN. */
int socket_open_blocking(const struct endpoint *endpoint, uint16_t source_port);

/* What the kernel's TCP says of a connection: 0 or -errno; -ENOTCONN where FD is -1. */
int socket_inspect(int fd, struct tcp_info *info);

/* Whether its own address is its peer's: a connect to a dead port of the ephemeral range can connect to itself. */
bool socket_is_self_connected(int fd);

/* Makes close(2) send RST. */
void socket_reset_on_close(int fd);

#endif
