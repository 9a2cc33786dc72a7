/*
 * transport/socket: what every backend does with a socket beside moving bytes: open it as its endpoint says, tell
 * whether it met itself, make its close a RST.
 */
#ifndef BROADSIDE_SOCKET_H
#define BROADSIDE_SOCKET_H

#include "transport.h"

/* A socket with the endpoint's options, bound to its source if it has one; FLAGS such as SOCK_NONBLOCK. A descriptor,
 * or -errno. */
int socket_open(const struct endpoint *endpoint, int flags);

/* The same, one that blocks: for a backend that hands it to the kernel. A unix socket is connected already: the kernel
 * does that at once or not at all, and would wait for a listener whose queue is full (here: -EAGAIN). */
int socket_open_blocking(const struct endpoint *endpoint);

/* What the kernel's TCP says of it: 0 or -errno. */
int socket_inspect(int fd, struct tcp_info *info);

/* A connect to a dead port of the ephemeral range can meet itself: own address = peer's address. */
bool socket_met_itself(int fd);

/* Makes close(2) send a RST. */
void socket_reset_on_close(int fd);

#endif
