/* Listening at a path (--host unix:PATH). The one thing to know: such a listener is one for all processes and threads
 * of a server, for nothing spreads connections over several; each has a descriptor of its own of it. */
#ifndef BROADSIDE_UNIX_H
#define BROADSIDE_UNIX_H

#include <stdbool.h>

/* What follows unix: in `host`; NULL where it is another kind of host. */
const char *unix_path(const char *host);
/* Bound, and listening; -1 with errno (ENAMETOOLONG, EADDRINUSE where somebody listens there, ...). A path that a
 * server which was killed has left behind is taken over. */
int unix_listen(const char *path, int backlog);
/* Whether it is such a listener. */
bool unix_is(int listener);
/* Takes away the path that this process listens at, if it is the one that bound it. Safe in a signal's handler. */
void unix_unlink(void);

#endif
