/* Opens the listening socket and prints the ready line. On Linux an accepted socket inherits TCP_NODELAY from its
 * listener, so the option is set here once and costs no system call per connection. */
#include "../server.h"
#include "sctp.h"
#include "unix.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_BYTES 300
/* For models with `releases_port_late`: how often, and at what interval, binding is attempted (up to 55 ms were
 * measured). */
#define LATE_PORT_ATTEMPTS 20
#define LATE_PORT_PAUSE_NS 10000000

static void describe_endpoint(char *text, const struct options *options) {
  if (unix_path(options->host) != NULL) {
    snprintf(text, MESSAGE_BYTES, "cannot listen on %.255s", options->host);
  } else {
    snprintf(text, MESSAGE_BYTES, "cannot listen on %.255s port %u", options->host, (unsigned)options->port);
  }
}

static bool set_option(int fd, int level, int option) {
  const int on = 1;
  return setsockopt(fd, level, option, &on, sizeof on) == 0;
}

/* Whether other sockets may listen on the same port (SO_REUSEPORT). */
enum sharing {
  EXCLUSIVE,
  SHARED_AFTERWARDS, /* only sockets bound later, so that this one cannot join a server that is already running */
  SHARED,
};

/* backlog 0: bound but not listening. */
static int try_address(const struct options *options, const struct sockaddr *address, socklen_t length,
                       enum sharing sharing, int backlog) {
  int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
  if (fd < 0) {
    return -1;
  }
  if (set_option(fd, SOL_SOCKET, SO_REUSEADDR) && (sharing != SHARED || set_option(fd, SOL_SOCKET, SO_REUSEPORT)) &&
      (!options->nodelay || set_option(fd, IPPROTO_TCP, TCP_NODELAY)) && bind(fd, address, length) == 0 &&
      (sharing != SHARED_AFTERWARDS || set_option(fd, SOL_SOCKET, SO_REUSEPORT)) &&
      (backlog == 0 || listen(fd, backlog) == 0)) {
    return fd;
  }
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

static int try_addresses(const struct options *options, const struct addrinfo *addresses, enum sharing sharing,
                         int backlog) {
  int fd = -1;
  for (const struct addrinfo *each = addresses; each != NULL && fd < 0; each = each->ai_next) {
    fd = try_address(options, each->ai_addr, each->ai_addrlen, sharing, backlog);
  }
  return fd;
}

static void pause_for_port(void) {
  const struct timespec pause = {.tv_nsec = LATE_PORT_PAUSE_NS};
  nanosleep(&pause, NULL);
}

static int open_path(const struct options *options) {
  int fd = unix_listen(unix_path(options->host), options->backlog);
  for (int left = server_model.releases_port_late ? LATE_PORT_ATTEMPTS : 0; fd < 0 && errno == EADDRINUSE && left > 0;
       left--) {
    pause_for_port();
    fd = unix_listen(unix_path(options->host), options->backlog);
  }
  if (fd < 0) {
    char where[MESSAGE_BYTES];
    describe_endpoint(where, options);
    server_log(where, errno);
  }
  return fd;
}

static int bind_first(const struct options *options, enum sharing sharing, int backlog) {
  char port[8];
  char where[MESSAGE_BYTES];
  snprintf(port, sizeof port, "%u", (unsigned)options->port);
  describe_endpoint(where, options);
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
  struct addrinfo *found = NULL;
  int failure = getaddrinfo(options->host, port, &hints, &found);
  if (failure != 0) {
    fprintf(stderr, "%s: %s: %s\n", server_model.name, where, gai_strerror(failure));
    return -1;
  }
  int fd = try_addresses(options, found, sharing, backlog);
  for (int left = server_model.releases_port_late ? LATE_PORT_ATTEMPTS : 0; fd < 0 && errno == EADDRINUSE && left > 0;
       left--) {
    pause_for_port();
    fd = try_addresses(options, found, sharing, backlog);
  }
  if (fd < 0) {
    server_log(where, errno);
  }
  freeaddrinfo(found);
  return fd;
}

int listener_open(const struct options *options) {
  if (options->transport != TRANSPORT_TCP) {
    return sctp_open(options);
  }
  if (unix_path(options->host) != NULL) {
    return open_path(options);
  }
  return bind_first(options, server_model.shares_port ? SHARED_AFTERWARDS : EXCLUSIVE, options->backlog);
}

int listener_reserve(const struct options *options) {
  return unix_path(options->host) != NULL ? open_path(options) : bind_first(options, SHARED_AFTERWARDS, 0);
}

int listener_share(const struct options *options, int other) {
  struct sockaddr_storage place;
  socklen_t length = sizeof place;
  int fd = -1;
  if (unix_is(other)) {
    fd = fcntl(other, F_DUPFD_CLOEXEC, 0);
  } else if (getsockname(other, (struct sockaddr *)&place, &length) == 0) {
    fd = try_address(options, (const struct sockaddr *)&place, length, SHARED, options->backlog);
  }
  if (fd < 0) {
    char where[MESSAGE_BYTES];
    describe_endpoint(where, options);
    server_log(where, errno);
  }
  return fd;
}

static void announce(const struct options *options, const char *host, const char *port, const pid_t *pids,
                     size_t count) {
  printf("{\"ready\":true,\"protocol\":\"%s\",\"transport\":\"%s\",\"host\":\"", options->protocol->name,
         sctp_transport_name(options->transport));
  for (const char *each = host; *each != '\0'; each++) {
    const unsigned letter = (unsigned char)*each;
    if (letter < ' ') {
      printf("\\u%04x", letter);
    } else {
      printf(letter == '"' || letter == '\\' ? "\\%c" : "%c", letter);
    }
  }
  printf("\",\"port\":%s,\"pids\":[", port);
  for (size_t i = 0; i < count; i++) {
    printf("%s%ld", i == 0 ? "" : ",", (long)pids[i]);
  }
  printf("]}\n");
  fflush(stdout);
}

int listener_announce(const struct options *options, int listener, const pid_t *pids, size_t count) {
  struct sockaddr_storage bound;
  socklen_t length = sizeof bound;
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (unix_is(listener)) {
    announce(options, options->host, "0", pids, count);
    return 0;
  }
  if (getsockname(listener, (struct sockaddr *)&bound, &length) < 0) {
    server_log("getsockname", errno);
    return -1;
  }
  int failure = getnameinfo((struct sockaddr *)&bound, length, host, sizeof host, port, sizeof port,
                            NI_NUMERICHOST | NI_NUMERICSERV);
  if (failure != 0) {
    server_log(gai_strerror(failure), 0);
    return -1;
  }
  announce(options, host, port, pids, count);
  return 0;
}
