/*
 * io/socket.c: system calls of a connection's beginning and end, none of them on the hot path.
 */
#include "socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

int socket_open(const struct io_endpoint *endpoint, int flags) {
  int fd = socket(endpoint->family, endpoint->transport | SOCK_CLOEXEC | flags, 0);
  if (fd < 0) return -errno;
  int on = 1, error = 0;
  if (endpoint->nodelay && endpoint->family != AF_UNIX) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (endpoint->source_length > 0) {
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    if (bind(fd, (const struct sockaddr *)&endpoint->source, endpoint->source_length) != 0) error = -errno;
  }
  if (error) close(fd);
  return error ? error : fd;
}

/* The kernel connects a unix socket at once or not at all; where its listener's queue is full, only a socket that does
 * not block says so. */
static int connect_unix(int fd, const struct io_endpoint *endpoint) {
  int result = -EINTR;
  while (result == -EINTR) {
    result = connect(fd, (const struct sockaddr *)&endpoint->address, endpoint->address_length) == 0 ? 0 : -errno;
  }
  if (!result && fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) != 0) result = -errno;
  return result;
}

int socket_open_blocking(const struct io_endpoint *endpoint) {
  if (endpoint->family != AF_UNIX) return socket_open(endpoint, 0);
  int fd = socket_open(endpoint, SOCK_NONBLOCK), error = fd < 0 ? 0 : connect_unix(fd, endpoint);
  if (error) close(fd);
  return error ? error : fd;
}

int socket_inspect(int fd, struct tcp_info *info) {
  socklen_t length = sizeof *info;
  if (fd < 0) return -ENOTCONN;
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &length) == 0 ? 0 : -errno;
}

bool socket_met_itself(int fd) {
  struct sockaddr_storage own = {0}, peer = {0};
  socklen_t own_length = sizeof own, peer_length = sizeof peer;
  if (getsockname(fd, (struct sockaddr *)&own, &own_length) != 0) return false;
  if (getpeername(fd, (struct sockaddr *)&peer, &peer_length) != 0) return false;
  return own_length == peer_length && memcmp(&own, &peer, own_length) == 0;
}

void socket_reset_on_close(int fd) {
  struct linger linger = {.l_onoff = 1, .l_linger = 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}
