/* poll(2), one thread. The dense array of pollfd is copied into the kernel and scanned in every turn, however few
 * descriptors are ready; that is the cost of poll. */
#include "../parts/timeouts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct connection {
  struct timed_connection timed; /* must be the first member */
  size_t place;                  /* index in the arrays */
};

struct loop {
  struct timeouts timeouts;
  struct pollfd *polled;           /* polled[0] is the listener */
  struct connection **connections; /* connections[i] belongs to polled[i] */
  size_t count;
  size_t room;
  struct worker worker;
};

static void accept_pause(struct loop *loop, int error) {
  timeouts_pause_accept(&loop->timeouts, error);
  loop->polled[0].events = 0;
}

static void accept_resume(struct loop *loop) {
  loop->timeouts.resume_at_ns = 0;
  loop->polled[0].events = POLLIN;
}

static void connection_open(struct loop *loop, int fd) {
  struct connection *connection = loop->count < loop->room ? calloc(1, sizeof *connection) : NULL;
  if (connection == NULL || !timed_connection_open(&connection->timed, &loop->timeouts, fd)) {
    close(fd);
    free(connection);
    accept_pause(loop, ENOMEM);
    return;
  }
  connection->place = loop->count++;
  loop->connections[connection->place] = connection;
  loop->polled[connection->place] = (struct pollfd){.fd = fd, .events = POLLIN};
}

/* The last entry takes its place. */
static void connection_close(struct loop *loop, struct connection *connection) {
  const size_t place = connection->place;
  const size_t last = --loop->count;
  loop->polled[place] = loop->polled[last];
  loop->connections[place] = loop->connections[last];
  loop->connections[place]->place = place;
  timed_connection_close(&connection->timed, &loop->timeouts);
  session_close(&connection->timed.session, &loop->worker);
  free(connection);
  if (loop->timeouts.resume_at_ns != 0) {
    accept_resume(loop);
  }
}

static void listener_readable(struct loop *loop) {
  for (int i = 0; i < SERVER_ACCEPTS_PER_TURN && loop->timeouts.resume_at_ns == 0; i++) {
    int fd = accept4(loop->polled[0].fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      connection_open(loop, fd);
    } else if (errno == EAGAIN) {
      return;
    } else if (server_out_of_resources(errno)) {
      accept_pause(loop, errno);
    }
  }
}

/* Registers for what the connection waits for now. */
static void await_next(struct loop *loop, struct connection *connection, enum session_next next) {
  struct pollfd *polled = &loop->polled[connection->place];
  timed_connection_touch(&connection->timed, &loop->timeouts);
  switch (next) {
  case SESSION_READ: polled->events = POLLIN; return;
  case SESSION_WRITE: polled->events = POLLOUT; return;
  case SESSION_WAIT:
    polled->events = 0;
    if (timed_connection_work(&connection->timed, &loop->timeouts, loop->worker.wait_ns)) {
      return;
    }
    break;
  case SESSION_CLOSE: break;
  }
  connection_close(loop, connection);
}

static void serve(struct loop *loop, struct connection *connection) {
  struct session *session = &connection->timed.session;
  if (connection->timed.working) {
    connection_close(loop, connection); /* no events were requested, so the connection is broken */
  } else {
    await_next(loop, connection,
               session->pending == NULL ? session_readable(session, &loop->worker) : session_writable(session));
  }
}

/* Backwards, so that an entry moved into a gap has already been served. */
static void serve_ready(struct loop *loop, int ready) {
  const bool listener = loop->polled[0].revents != 0;
  for (size_t i = loop->count - 1; i > 0 && ready > (listener ? 1 : 0); i--) {
    if (loop->polled[i].revents != 0) {
      ready--;
      serve(loop, loop->connections[i]);
    }
  }
  if (listener) {
    listener_readable(loop);
  }
}

static void serve_timeouts(struct loop *loop) {
  enum session_next next;
  for (struct timed_connection *timed; (timed = timeouts_next(&loop->timeouts, &next)) != NULL;) {
    await_next(loop, (struct connection *)timed, next == SESSION_WRITE ? session_writable(&timed->session) : next);
  }
}

static int wait_ready(struct loop *loop) {
  const int64_t left = timeouts_remaining_ns(&loop->timeouts);
  const struct timespec most = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  return ppoll(loop->polled, loop->count, left < 0 ? NULL : &most, NULL);
}

static int poll_run(const struct options *options, int listener) {
  static struct loop loop;
  timeouts_init(&loop.timeouts, options);
  loop.room = (size_t)limits_raise_descriptors();
  loop.polled = calloc(loop.room, sizeof *loop.polled);
  loop.connections = calloc(loop.room, sizeof(struct connection *));
  if (loop.polled == NULL || loop.connections == NULL || fcntl(listener, F_SETFL, O_NONBLOCK) < 0) {
    server_log("cannot set up the array of descriptors", errno);
    return 1;
  }
  worker_init(&loop.worker, options, 0, false);
  loop.polled[0] = (struct pollfd){.fd = listener, .events = POLLIN};
  loop.count = 1;
  for (;;) {
    const int ready = wait_ready(&loop);
    timeouts_begin_turn(&loop.timeouts);
    if (ready > 0) {
      serve_ready(&loop, ready);
    } else if (ready < 0 && errno != EINTR) {
      server_log("poll", errno);
      return 1;
    }
    serve_timeouts(&loop);
    if (timeouts_resume_accept(&loop.timeouts)) {
      accept_resume(&loop);
    }
  }
}

const struct model server_model = {
    .name = "poll",
    .summary = "One thread, poll(2) with an entry for each connection.",
    .processes = PROCESSES_OWN_LISTENERS,
    .run = poll_run,
};
