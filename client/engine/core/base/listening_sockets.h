/*
 * base/listening_sockets: the TCP sockets of this network namespace that listen, as the kernel's sock_diag(7) tells
 * them: their accept queues, and what was dropped because of these. Any process may ask; it blocks for microseconds.
 */
#ifndef BROADSIDE_BASE_LISTENING_SOCKETS_H
#define BROADSIDE_BASE_LISTENING_SOCKETS_H

#include <stdint.h>
#include <sys/socket.h>

struct listening_socket {
  int family;          /* AF_INET or AF_INET6 */
  uint8_t address[16]; /* in network order; the first four bytes of AF_INET */
  uint16_t port;
  uint32_t inode;   /* names the socket */
  uint32_t queue;   /* connections that wait for accept() */
  uint32_t backlog; /* as the kernel keeps it: what listen() was given, at most net.core.somaxconn */
  uint32_t drops;   /* SYNs and handshakes dropped since it listens; it wraps */
};

typedef void listening_socket_visit(void *context, const struct listening_socket *socket);

/* Calls VISIT for each. 0, or -errno: ENOENT where the kernel has no inet_diag. */
int listening_sockets_read(listening_socket_visit *visit, void *context);

#endif
