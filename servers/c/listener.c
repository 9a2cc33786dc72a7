/* Opens the listening socket and tells the launcher where it is.
 * The one thing to know: on Linux an accepted socket inherits TCP_NODELAY from its listener, so it is
 * set here once and no model pays a system call for it. */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int try_address(const struct addrinfo *address, int backlog) {
  int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
  if (fd < 0) {
    return -1;
  }
  const int on = 1;
  if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0 &&
      bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, backlog) == 0) {
    return fd;
  }
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

int listener_open(const struct options *options) {
  char port[8];
  char where[300];
  snprintf(port, sizeof port, "%u", (unsigned)options->port);
  snprintf(where, sizeof where, "cannot listen on %.255s port %s", options->host, port);
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
  struct addrinfo *found = NULL;
  int failure = getaddrinfo(options->host, port, &hints, &found);
  if (failure != 0) {
    fprintf(stderr, "%s: %s: %s\n", server_model.name, where, gai_strerror(failure));
    return -1;
  }
  int fd = -1;
  for (const struct addrinfo *each = found; each != NULL && fd < 0; each = each->ai_next) {
    fd = try_address(each, options->backlog);
  }
  if (fd < 0) {
    server_say(where, errno);
  }
  freeaddrinfo(found);
  return fd;
}

int listener_announce(const struct options *options, int listener) {
  struct sockaddr_storage bound;
  socklen_t length = sizeof bound;
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (getsockname(listener, (struct sockaddr *)&bound, &length) < 0) {
    server_say("getsockname", errno);
    return -1;
  }
  int failure = getnameinfo((struct sockaddr *)&bound, length, host, sizeof host, port, sizeof port,
                            NI_NUMERICHOST | NI_NUMERICSERV);
  if (failure != 0) {
    server_say(gai_strerror(failure), 0);
    return -1;
  }
  printf("{\"ready\":true,\"protocol\":\"%s\",\"host\":\"%s\",\"port\":%s,\"pids\":[%ld]}\n", options->protocol->name,
         host, port, (long)getpid());
  fflush(stdout);
  return 0;
}
