/*
 * node/endpoints.c: texts to socket addresses. Input is checked: an address that inet_pton rejects is an error.
 */
#include "endpoints.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

enum { FAMILY = 0, PORT = 1, ADDRESS = 3, SOURCE = 111 };
enum { FAMILY_UNIX = 0, FAMILY_IPV4 = 4, FAMILY_IPV6 = 6 };

const char *const endpoint_transports[] = {[ENDPOINT_TCP] = "tcp",
                                           [ENDPOINT_SCTP] = "sctp",
                                           [ENDPOINT_SCTP_SEQPACKET] = "sctp-seqpacket",
                                           [ENDPOINT_UDP] = "udp",
                                           NULL};

static int internet_address(int family, const char *text, uint16_t port, struct sockaddr_storage *address,
                            socklen_t *length) {
  struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = htons(port)};
  struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  bool is_ipv4 = family == AF_INET;
  if (inet_pton(family, text, is_ipv4 ? (void *)&ipv4.sin_addr : (void *)&ipv6.sin6_addr) != 1) return -EINVAL;
  *length = is_ipv4 ? sizeof ipv4 : sizeof ipv6;
  memcpy(address, is_ipv4 ? (void *)&ipv4 : (void *)&ipv6, *length);
  return 0;
}

static int unix_address(const char *path, struct sockaddr_storage *address, socklen_t *length) {
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  if (path[0] == '\0' || strlen(path) >= sizeof place.sun_path) return -EINVAL;
  memcpy(place.sun_path, path, strlen(path));
  *length = sizeof place;
  memcpy(address, &place, *length);
  return 0;
}

int endpoint_read(const uint8_t *record, struct endpoint *endpoint) {
  const char *address = (const char *)&record[ADDRESS], *source = (const char *)&record[SOURCE];
  if (record[SOURCE - 1] != 0 || record[ENDPOINT_BYTES - 1] != 0) return -EINVAL; /* a text without an end */
  endpoint->transport = SOCK_STREAM;
  endpoint->protocol = 0;
  endpoint->source_length = 0;
  if (record[FAMILY] == FAMILY_UNIX) {
    endpoint->family = AF_UNIX;
    return unix_address(address, &endpoint->address, &endpoint->address_length);
  }
  if (record[FAMILY] != FAMILY_IPV4 && record[FAMILY] != FAMILY_IPV6) return -EINVAL;
  endpoint->family = record[FAMILY] == FAMILY_IPV4 ? AF_INET : AF_INET6;
  uint16_t port = (uint16_t)(record[PORT] << 8 | record[PORT + 1]);
  int error = internet_address(endpoint->family, address, port, &endpoint->address, &endpoint->address_length);
  if (error || source[0] == '\0') return error;
  return internet_address(endpoint->family, source, 0, &endpoint->source, &endpoint->source_length);
}

int endpoint_set_transport(struct endpoint *endpoint, enum endpoint_transport transport) {
  if (transport == ENDPOINT_TCP) return 0;
  if (endpoint->family == AF_UNIX) return -EINVAL;
  if (transport == ENDPOINT_UDP) {
    endpoint->transport = SOCK_DGRAM;
    return 0;
  }
  endpoint->protocol = IPPROTO_SCTP;
  endpoint->transport = transport == ENDPOINT_SCTP_SEQPACKET ? SOCK_SEQPACKET : SOCK_STREAM;
  return 0;
}
