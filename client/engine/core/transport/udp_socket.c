/*
 * udp_socket.c: datagrams of memcached. Before some replies memcached 1.6 sends a datagram without content that says
 * the reply has 0 datagrams; it is skipped, and not counted as a stray.
 */
#include "udp_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "transport.h"

static uint16_t word_at(const uint8_t *bytes) { return (uint16_t)(bytes[0] << 8 | bytes[1]); }

/* To a connected socket, ICMP's answer that nothing listens there comes with a later call. */
static ssize_t failure(void) { return errno == ECONNREFUSED ? -ECONNRESET : -errno; }

void udp_socket_begin(struct udp_request *request) {
  request->id++;
  request->next = 0;
}

ssize_t udp_socket_send(int fd, const struct iovec *iovecs, unsigned count, const struct udp_request *request) {
  uint8_t header[UDP_SOCKET_HEADER_BYTES] = {(uint8_t)(request->id >> 8), (uint8_t)request->id, 0, 0, 0, 1, 0, 0};
  struct iovec parts[IO_IOVECS_MAX + 1] = {{header, sizeof header}};
  memcpy(&parts[1], iovecs, count * sizeof *iovecs);
  const struct msghdr message = {.msg_iov = parts, .msg_iovlen = count + 1};
  ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
  return sent < 0 ? failure() : sent - (ssize_t)sizeof header;
}

/* The content of a datagram of LENGTH bytes, UDP_SOCKET_STRAY or UDP_SOCKET_NOTHING. */
static ssize_t content_of(const uint8_t *datagram, size_t length, struct udp_request *request) {
  if (length < UDP_SOCKET_HEADER_BYTES || word_at(datagram) != request->id) return UDP_SOCKET_STRAY;
  size_t content = length - UDP_SOCKET_HEADER_BYTES;
  uint16_t number = word_at(datagram + 2), datagrams = word_at(datagram + 4);
  if (content == 0 && datagrams == 0) return UDP_SOCKET_NOTHING;
  if (number != request->next || number >= datagrams || content == 0) return UDP_SOCKET_STRAY;
  request->next++;
  return (ssize_t)content;
}

ssize_t udp_socket_receive(int fd, uint8_t *bytes, size_t size, struct udp_request *request, const uint8_t **content) {
  ssize_t length = recv(fd, bytes, size, 0);
  if (length < 0) return failure();
  *content = bytes + UDP_SOCKET_HEADER_BYTES;
  return content_of(bytes, (size_t)length, request);
}
