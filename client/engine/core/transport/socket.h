/*
 * socket: the sockets of all transports: how they are opened, what the kernel says of them, and how they are closed.
 * None of it is on the hot path.
 */
#ifndef BROADSIDE_SOCKET_H
#define BROADSIDE_SOCKET_H

#include "transport.h"

/* Opens a non-blocking socket with the endpoint's options, bound to its source if it has one, or to SOURCE_PORT if that
 * is not 0. Returns a descriptor or -errno. */
int socket_open(const struct endpoint *endpoint, uint16_t source_port);

/* What the kernel's TCP says of a connection: 0 or -errno; -ENOTCONN where FD is -1. */
int socket_inspect(int fd, struct tcp_info *info);

/* The ports that the kernel chooses from when a socket connects. Reads them of this network namespace; all, where it
 * does not say. */
struct port_range {
  uint16_t first, last;
};
struct port_range socket_ephemeral_ports(void);

/* Whether a connection to ENDPOINT from SOURCE_PORT (as in socket_open) can have the peer's address as its own: where
 * the target's port is SOURCE_PORT, or one that the kernel may choose. */
bool socket_may_be_self_connected(const struct port_range *ephemeral, const struct endpoint *endpoint,
                                  uint16_t source_port);

/* Whether its own address is its peer's: a connect to a dead port of the ephemeral range can connect to itself. */
bool socket_is_self_connected(int fd);

/* Makes close(2) send RST. */
void socket_reset_on_close(int fd);

/* How the socket of a connection that we close can connect again, with its options: not at all; once its FIN is
 * acknowledged; or after a RST. */
enum socket_reuse { REUSE_NEVER, REUSE_AFTER_FIN, REUSE_AFTER_RST };

/* How a socket that socket_open() opened with the same arguments can. */
enum socket_reuse socket_reuse_of(const struct endpoint *endpoint, uint16_t source_port);

/* Ends the connection of a socket as close(2) does, by the FIN or the RST of REUSE, and keeps the socket. False: it can
 * only be closed. */
bool socket_end(int fd, enum socket_reuse reuse);

/* Prepares a socket for its next connection, after socket_end(). False: it can only be closed, because its peer has not
 * acknowledged the FIN yet. */
bool socket_prepare_again(int fd, enum socket_reuse reuse);

#endif
