/* Listening on a unix socket (--host unix:PATH). Unlike TCP ports, unix sockets cannot be shared by several listeners,
 * so all processes and threads of a server use one listener, each through its own descriptor. */
#ifndef BROADSIDE_UNIX_H
#define BROADSIDE_UNIX_H

#include <stdbool.h>

/* The path in `host`; NULL when the host is not a unix socket. */
const char *unix_path(const char *host);
/* Bound and listening; -1 with errno (ENAMETOOLONG, EADDRINUSE when a process listens there, ...). A path left behind
 * by a server that was killed is taken over. */
int unix_listen(const char *path, int backlog);
/* Whether the socket is a unix socket. */
bool unix_is(int listener);
/* Removes the path that this process listens on, if this process has bound it. Async-signal-safe. */
void unix_unlink(void);

#endif
