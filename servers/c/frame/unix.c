/* Listening on a unix socket. The path outlives a process that is killed, and then cannot be bound again; if a connect
 * to it is refused, no process listens there and the path is taken over. */
#include "unix.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char own_path[sizeof((struct sockaddr_un *)0)->sun_path];
static pid_t owner;

const char *unix_path(const char *host) {
  static const char prefix[] = "unix:";
  return strncmp(host, prefix, sizeof prefix - 1) == 0 ? host + sizeof prefix - 1 : NULL;
}

/* Whether the path exists and no process listens on it. */
static bool is_left_behind(const struct sockaddr_un *place) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool refused =
      fd >= 0 && connect(fd, (const struct sockaddr *)place, sizeof *place) < 0 && errno == ECONNREFUSED;
  if (fd >= 0) {
    close(fd);
  }
  return refused;
}

static bool bind_path(int fd, const struct sockaddr_un *place) {
  if (bind(fd, (const struct sockaddr *)place, sizeof *place) == 0) {
    return true;
  }
  if (errno != EADDRINUSE) {
    return false;
  }
  if (is_left_behind(place) && unlink(place->sun_path) == 0) {
    return bind(fd, (const struct sockaddr *)place, sizeof *place) == 0;
  }
  errno = EADDRINUSE;
  return false;
}

int unix_listen(const char *path, int backlog) {
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof place.sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(place.sun_path, path, strlen(path));
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && bind_path(fd, &place) && listen(fd, backlog) == 0) {
    memcpy(own_path, place.sun_path, sizeof own_path);
    owner = getpid();
    return fd;
  }
  const int error = errno;
  if (fd >= 0) {
    close(fd);
  }
  errno = error;
  return -1;
}

bool unix_is(int listener) {
  int family = AF_UNSPEC;
  socklen_t length = sizeof family;
  return getsockopt(listener, SOL_SOCKET, SO_DOMAIN, &family, &length) == 0 && family == AF_UNIX;
}

void unix_unlink(void) {
  if (own_path[0] != '\0' && getpid() == owner) {
    unlink(own_path);
  }
}
