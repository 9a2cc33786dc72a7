/* See sctp.h. Only socket options are used, so libsctp is not needed. */
#include "sctp.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/sctp.h> /* needs sys/socket.h */

#define MAX_ADDRESSES 16
#define MESSAGE_BYTES 400
/* Buffers of sockets that serve many peers; the kernel limits them to net.core.[rw]mem_max without CAP_NET_ADMIN. */
#define SHARED_BUFFER_BYTES (8 << 20)

static const char *const transports[] = {
    [TRANSPORT_TCP] = "tcp",
    [TRANSPORT_SCTP] = "sctp",
    [TRANSPORT_SCTP_SEQPACKET] = "sctp-seqpacket",
};

const char *sctp_transport_name(enum server_transport transport) { return transports[transport]; }

static bool has_seqpacket(void) { return server_model.run_seqpacket != NULL; }

const char *sctp_transport_names(void) {
  return has_seqpacket() ? "tcp, sctp, sctp-seqpacket" : server_model.serves_sctp ? "tcp, sctp" : "tcp";
}

bool sctp_transport_parse(const char *name, enum server_transport *transport) {
  for (size_t i = 0; i < sizeof transports / sizeof transports[0]; i++) {
    if (strcmp(name, transports[i]) == 0) {
      *transport = (enum server_transport)i;
      return *transport == TRANSPORT_TCP || (*transport == TRANSPORT_SCTP ? server_model.serves_sctp : has_seqpacket());
    }
  }
  return false;
}

static int socket_type(enum server_transport transport) {
  return transport == TRANSPORT_SCTP ? SOCK_STREAM : SOCK_SEQPACKET;
}

bool transport_is_supported(enum server_transport transport) {
  if (transport == TRANSPORT_TCP) {
    return true;
  }
  const int fd = socket(AF_INET, socket_type(transport) | SOCK_CLOEXEC, IPPROTO_SCTP);
  if (fd < 0) {
    server_log("the kernel has no SCTP (modprobe sctp loads it where it is a module)", errno);
    return false;
  }
  close(fd);
  return true;
}

/* The addresses of --host, each with its port; all of the first one's family. */
struct addresses {
  struct sockaddr_storage each[MAX_ADDRESSES];
  size_t count;
};

static socklen_t address_bytes(const struct sockaddr_storage *address) {
  return address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

static bool resolve(const char *host, uint16_t port, struct addresses *addresses) {
  char digits[8];
  snprintf(digits, sizeof digits, "%u", (unsigned)port);
  const int family = addresses->count == 0 ? AF_UNSPEC : addresses->each[0].ss_family;
  const struct addrinfo hints = {
      .ai_family = family, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
  struct addrinfo *found = NULL;
  char text[MESSAGE_BYTES];
  const int failure = getaddrinfo(host, digits, &hints, &found);
  if (failure != 0) {
    snprintf(text, sizeof text, "cannot listen on %.255s: %s", host, gai_strerror(failure));
    server_log(text, 0);
    return false;
  }
  if (addresses->count == MAX_ADDRESSES) {
    snprintf(text, sizeof text, "cannot listen on more than %d addresses", MAX_ADDRESSES);
    server_log(text, 0);
    freeaddrinfo(found);
    return false;
  }
  memcpy(&addresses->each[addresses->count++], found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return true;
}

static bool resolve_list(const struct options *options, struct addresses *addresses) {
  char *hosts = strdup(options->host);
  char *rest = hosts;
  addresses->count = 0;
  bool resolved = hosts != NULL;
  for (char *host; resolved && (host = strsep(&rest, ",")) != NULL;) {
    resolved = resolve(host, options->port, addresses);
  }
  free(hosts);
  return resolved;
}

static bool set_number(int fd, int level, int option, int value) {
  return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

static void set_buffers(int fd) {
  if (!set_number(fd, SOL_SOCKET, SO_RCVBUFFORCE, SHARED_BUFFER_BYTES)) {
    set_number(fd, SOL_SOCKET, SO_RCVBUF, SHARED_BUFFER_BYTES);
  }
  if (!set_number(fd, SOL_SOCKET, SO_SNDBUFFORCE, SHARED_BUFFER_BYTES)) {
    set_number(fd, SOL_SOCKET, SO_SNDBUF, SHARED_BUFFER_BYTES);
  }
}

/* Binds the socket to the first address, then to the others on the port that the first one got (sctp_bindx). */
static bool bind_all(int fd, struct addresses *addresses) {
  struct sockaddr_storage first;
  socklen_t length = sizeof first;
  if (bind(fd, (const struct sockaddr *)&addresses->each[0], address_bytes(&addresses->each[0])) < 0 ||
      getsockname(fd, (struct sockaddr *)&first, &length) < 0) {
    return false;
  }
  for (size_t i = 1; i < addresses->count; i++) {
    struct sockaddr_storage *other = &addresses->each[i];
    if (first.ss_family == AF_INET6) {
      ((struct sockaddr_in6 *)other)->sin6_port = ((struct sockaddr_in6 *)&first)->sin6_port;
    } else {
      ((struct sockaddr_in *)other)->sin_port = ((struct sockaddr_in *)&first)->sin_port;
    }
    if (setsockopt(fd, IPPROTO_SCTP, SCTP_SOCKOPT_BINDX_ADD, other, address_bytes(other)) < 0) {
      return false;
    }
  }
  return true;
}

static bool prepare(int fd, const struct options *options, struct addresses *addresses) {
  if (options->transport == TRANSPORT_SCTP_SEQPACKET) {
    set_buffers(fd);
  }
  return set_number(fd, SOL_SOCKET, SO_REUSEADDR, 1) &&
         (!options->nodelay || set_number(fd, IPPROTO_SCTP, SCTP_NODELAY, 1)) && bind_all(fd, addresses) &&
         listen(fd, options->backlog) == 0;
}

int sctp_open(const struct options *options) {
  struct addresses addresses;
  if (!resolve_list(options, &addresses)) {
    return -1;
  }
  const int fd = socket(addresses.each[0].ss_family, socket_type(options->transport) | SOCK_CLOEXEC, IPPROTO_SCTP);
  if (fd >= 0 && prepare(fd, options, &addresses)) {
    return fd;
  }
  const int error = errno;
  char text[MESSAGE_BYTES];
  snprintf(text, sizeof text, "cannot listen on %.255s SCTP port %u", options->host, (unsigned)options->port);
  server_log(text, error);
  if (fd >= 0) {
    close(fd);
  }
  return -1;
}
