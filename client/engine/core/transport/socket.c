/*
 * socket.c: the system calls that begin and end a connection.
 */
#include "socket.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sctp_socket.h"

/* An option whose value is an int. 0 leaves it to the kernel. */
static int set_number(int fd, int level, int option, int number) {
  return number == 0 || setsockopt(fd, level, option, &number, sizeof number) == 0 ? 0 : -errno;
}

/* SO_LINGER with no time: close(2) sends RST. With a time it would block the engine's thread. */
static int set_reset_on_close(int fd) {
  const struct linger linger = {.l_onoff = 1, .l_linger = 0};
  return setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger) == 0 ? 0 : -errno;
}

static int set_tcp(int fd, const struct endpoint *endpoint) {
  const struct socket_options *options = &endpoint->socket;
  int error = set_number(fd, IPPROTO_TCP, TCP_NODELAY, options->nodelay);
  if (!error) error = set_number(fd, SOL_SOCKET, SO_KEEPALIVE, options->keepalive_s > 0);
  if (!error) error = set_number(fd, IPPROTO_TCP, TCP_KEEPIDLE, options->keepalive_s);
  return error ? error : set_number(fd, IPPROTO_TCP, TCP_KEEPINTVL, options->keepalive_s);
}

/* The options of what is above IP. */
static int set_transport(int fd, const struct endpoint *endpoint) {
  int error = 0;
  if (endpoint->protocol == IPPROTO_SCTP)
    error = sctp_socket_prepare(fd, endpoint);
  else if (endpoint->transport == SOCK_STREAM)
    error = set_tcp(fd, endpoint);
  return !error && endpoint->socket.reset_on_close ? set_reset_on_close(fd) : error;
}

/* The endpoint's source, with another port unless that is 0; without an address it is any. Returns its length, 0: the
 * kernel is to choose. */
static socklen_t source_of(const struct endpoint *endpoint, uint16_t port, struct sockaddr_storage *source) {
  *source = endpoint->source;
  if (port == 0 || endpoint->family == AF_UNIX) return endpoint->source_length;
  source->ss_family = (sa_family_t)endpoint->family;
  ((struct sockaddr_in *)(void *)source)->sin_port = htons(port); /* IPv6's port is there, too */
  return endpoint->family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

/* Without a given port, the kernel chooses one at connect, where it need not be free for all destinations. A given port
 * may still be in TIME_WAIT. */
static int bind_source(int fd, const struct sockaddr_storage *source, socklen_t length) {
  bool any = ((const struct sockaddr_in *)(const void *)source)->sin_port == 0;
  int error = set_number(fd, any ? IPPROTO_IP : SOL_SOCKET, any ? IP_BIND_ADDRESS_NO_PORT : SO_REUSEADDR, 1);
  if (error && !any) return error;
  return bind(fd, (const struct sockaddr *)source, length) == 0 ? 0 : -errno;
}

int socket_open(const struct endpoint *endpoint, uint16_t source_port) {
  struct sockaddr_storage source;
  socklen_t length = source_of(endpoint, source_port, &source);
  int fd = socket(endpoint->family, endpoint->transport | SOCK_CLOEXEC | SOCK_NONBLOCK, endpoint->protocol);
  if (fd < 0) return -errno;
  int error = endpoint->family == AF_UNIX ? 0 : set_transport(fd, endpoint);
  if (!error && length > 0) error = bind_source(fd, &source, length);
  if (error) close(fd);
  return error ? error : fd;
}

int socket_inspect(int fd, struct tcp_info *info) {
  socklen_t length = sizeof *info;
  if (fd < 0) return -ENOTCONN;
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &length) == 0 ? 0 : -errno;
}

struct port_range socket_ephemeral_ports(void) {
  unsigned first = 0, last = UINT16_MAX;
  FILE *file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
  if (file && fscanf(file, "%u %u", &first, &last) != 2) last = first = UINT_MAX;
  if (file) fclose(file);
  bool is_range = first <= last && last <= UINT16_MAX;
  return is_range ? (struct port_range){(uint16_t)first, (uint16_t)last} : (struct port_range){0, UINT16_MAX};
}

static uint16_t port_of(const struct sockaddr_storage *address) {
  return ntohs(((const struct sockaddr_in *)(const void *)address)->sin_port); /* IPv6's port is there, too */
}

bool socket_may_be_self_connected(const struct port_range *ephemeral, const struct endpoint *endpoint,
                                  uint16_t source_port) {
  if (endpoint->family == AF_UNIX) return false;
  uint16_t target = port_of(&endpoint->address);
  if (source_port == 0 && endpoint->source_length > 0) source_port = port_of(&endpoint->source);
  if (source_port != 0) return source_port == target;
  return target >= ephemeral->first && target <= ephemeral->last;
}

bool socket_is_self_connected(int fd) {
  struct sockaddr_storage own = {0}, peer = {0};
  socklen_t own_length = sizeof own, peer_length = sizeof peer;
  if (getsockname(fd, (struct sockaddr *)&own, &own_length) != 0) return false;
  if (getpeername(fd, (struct sockaddr *)&peer, &peer_length) != 0) return false;
  return own_length == peer_length && memcmp(&own, &peer, own_length) == 0;
}

void socket_reset_on_close(int fd) { set_reset_on_close(fd); }

enum socket_reuse socket_reuse_of(const struct endpoint *endpoint, uint16_t source_port) {
  bool is_tcp = endpoint->family != AF_UNIX && endpoint->transport == SOCK_STREAM && endpoint->protocol != IPPROTO_SCTP;
  bool has_port = source_port != 0 || (endpoint->source_length > 0 && port_of(&endpoint->source) != 0);
  if (!is_tcp || has_port) return REUSE_NEVER;
  return endpoint->socket.reset_on_close ? REUSE_AFTER_RST : REUSE_AFTER_FIN;
}

/* Drops the connection of a socket of TCP, which sends RST where it has not ended yet. */
static bool disconnect(int fd) {
  const struct sockaddr none = {.sa_family = AF_UNSPEC};
  return connect(fd, &none, sizeof none) == 0;
}

/* Whether the connection has ended for the kernel, too: the peer has acknowledged our FIN, after its own. */
static bool has_ended(int fd) {
  struct sockaddr_storage peer;
  socklen_t length = sizeof peer;
  return getpeername(fd, (struct sockaddr *)&peer, &length) != 0 && errno == ENOTCONN;
}

bool socket_end(int fd, enum socket_reuse reuse) {
  return reuse == REUSE_AFTER_FIN ? shutdown(fd, SHUT_WR) == 0 : reuse == REUSE_AFTER_RST && disconnect(fd);
}

bool socket_prepare_again(int fd, enum socket_reuse reuse) {
  return reuse == REUSE_AFTER_RST || (has_ended(fd) && disconnect(fd));
}
