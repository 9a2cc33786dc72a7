/*
 * udp_socket: memcached's protocol over UDP, for the transport over epoll. Each send is one request in one datagram,
 * and a reply is one datagram or more. Each begins with a header of 8 bytes: the request's id, the datagram's number
 * from 0 on, how many the reply has, and 0; each in 2 bytes, big-endian.
 *
 * A connection is a connected socket, which has one request in flight. UDP loses, duplicates and reorders datagrams:
 * a datagram that does not continue the reply to the current request is a stray, which is counted and not delivered.
 * A reply that lost a datagram is never complete: the caller's deadline ends the connection.
 */
#ifndef BROADSIDE_UDP_SOCKET_H
#define BROADSIDE_UDP_SOCKET_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define UDP_SOCKET_HEADER_BYTES 8u

/* The current request of a connection. */
struct udp_request {
  uint16_t id; /* counted on from connection to connection, so that a late reply to an earlier one is recognised; begins
                  at random, because another slot may get the port of this one */
  uint16_t next; /* number of the datagram that continues the reply */
};

/* What udp_socket_receive() returns instead of a length. NOTHING: the datagram is to be skipped. */
enum { UDP_SOCKET_STRAY = 0, UDP_SOCKET_NOTHING = -100000 };

/* Makes REQUEST the next one, which the following udp_socket_send() sends. */
void udp_socket_begin(struct udp_request *request);

/* Sends COUNT iovecs as one datagram. How many of their bytes the kernel took, all of them, or -errno; -ECONNRESET
 * where an earlier datagram found nothing that listens. */
ssize_t udp_socket_send(int fd, const struct iovec *iovecs, unsigned count, const struct udp_request *request);

/* Receives a datagram into BYTES, which has SIZE. Returns the length of what continues the reply to REQUEST, from
 * *CONTENT on, UDP_SOCKET_STRAY, UDP_SOCKET_NOTHING, or -errno as udp_socket_send(). */
ssize_t udp_socket_receive(int fd, uint8_t *bytes, size_t size, struct udp_request *request, const uint8_t **content);

#endif
