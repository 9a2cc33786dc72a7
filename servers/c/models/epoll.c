/* epoll, level-triggered, one thread, one loop.
 * The one thing to know: a request costs one recv and one send; epoll_ctl is called only when a write
 * blocks, and a connection whose reply is pending is not read from, so it never holds more than one
 * buffer of bytes. */
#include "../server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_PER_TURN 512
#define ACCEPTS_PER_TURN 256

struct connection {
  int fd;
  bool close_after_pending;
  unsigned char state[PROTOCOL_STATE_BYTES];
  unsigned char *pending; /* NULL unless a write blocked */
  size_t pending_count;
  size_t pending_sent;
};

struct loop {
  const struct protocol *protocol;
  int epoll;
  int listener;
  bool paused; /* out of descriptors: the listener is not watched */
  long long resume_at_ms;
  unsigned char buffer[SERVER_BUFFER_BYTES];
};

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* data.ptr == NULL is the listener. */
static void watch(const struct loop *loop, int operation, int fd, uint32_t events, struct connection *connection) {
  struct epoll_event event = {.events = events, .data.ptr = connection};
  if (epoll_ctl(loop->epoll, operation, fd, &event) < 0) {
    server_say("epoll_ctl", errno);
  }
}

static void accept_pause(struct loop *loop, int error) {
  static bool said;
  if (!said) {
    said = true;
    server_say("accept: the surplus waits in the backlog", error);
  }
  loop->paused = true;
  loop->resume_at_ms = now_ms() + SERVER_ACCEPT_PAUSE_MS;
  watch(loop, EPOLL_CTL_MOD, loop->listener, 0, NULL);
}

static void accept_resume(struct loop *loop) {
  loop->paused = false;
  watch(loop, EPOLL_CTL_MOD, loop->listener, EPOLLIN, NULL);
}

static void connection_open(struct loop *loop, int fd) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection == NULL) {
    close(fd);
    accept_pause(loop, ENOMEM);
    return;
  }
  connection->fd = fd;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
  if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) < 0) { /* fs.epoll.max_user_watches, memory */
    int error = errno;
    close(fd);
    free(connection);
    accept_pause(loop, error);
  }
}

static void connection_close(struct loop *loop, struct connection *connection) {
  close(connection->fd);
  free(connection->pending);
  free(connection);
  if (loop->paused) {
    accept_resume(loop);
  }
}

static void listener_readable(struct loop *loop) {
  for (int i = 0; i < ACCEPTS_PER_TURN && !loop->paused; i++) {
    int fd = accept4(loop->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      connection_open(loop, fd);
    } else if (errno == EAGAIN) {
      return;
    } else if (server_is_full(errno)) {
      accept_pause(loop, errno);
    }
  }
}

/* Keeps what the kernel did not take. False when there is no memory for it. */
static bool keep_pending(struct loop *loop, struct connection *connection, const unsigned char *bytes, size_t count) {
  connection->pending = malloc(count);
  if (connection->pending == NULL) {
    return false;
  }
  memcpy(connection->pending, bytes, count);
  connection->pending_count = count;
  connection->pending_sent = 0;
  watch(loop, EPOLL_CTL_MOD, connection->fd, EPOLLOUT, connection);
  return true;
}

static void connection_readable(struct loop *loop, struct connection *connection) {
  ssize_t count = recv(connection->fd, loop->buffer, loop->protocol->read_bytes, 0);
  if (count <= 0) {
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      connection_close(loop, connection);
    }
    return;
  }
  struct reply reply = loop->protocol->answer(connection->state, loop->buffer, (size_t)count);
  size_t sent = 0;
  if (reply.count > 0) {
    ssize_t written = send(connection->fd, reply.bytes, reply.count, MSG_NOSIGNAL);
    if (written < 0 && errno != EAGAIN && errno != EINTR) {
      connection_close(loop, connection);
      return;
    }
    sent = written < 0 ? 0 : (size_t)written;
  }
  connection->close_after_pending = reply.close;
  if (sent < reply.count) {
    if (!keep_pending(loop, connection, reply.bytes + sent, reply.count - sent)) {
      connection_close(loop, connection);
    }
  } else if (reply.close) {
    connection_close(loop, connection);
  }
}

static void connection_writable(struct loop *loop, struct connection *connection) {
  ssize_t written = send(connection->fd, connection->pending + connection->pending_sent,
                         connection->pending_count - connection->pending_sent, MSG_NOSIGNAL);
  if (written < 0) {
    if (errno != EAGAIN && errno != EINTR) {
      connection_close(loop, connection);
    }
    return;
  }
  connection->pending_sent += (size_t)written;
  if (connection->pending_sent < connection->pending_count) {
    return;
  }
  if (connection->close_after_pending) {
    connection_close(loop, connection);
    return;
  }
  free(connection->pending);
  connection->pending = NULL;
  watch(loop, EPOLL_CTL_MOD, connection->fd, EPOLLIN, connection);
}

static int epoll_run(const struct options *options, int listener) {
  static struct loop loop;
  loop.protocol = options->protocol;
  loop.listener = listener;
  loop.epoll = epoll_create1(EPOLL_CLOEXEC);
  if (loop.epoll < 0 || fcntl(listener, F_SETFL, O_NONBLOCK) < 0) {
    server_say("epoll_create1", errno);
    return 1;
  }
  watch(&loop, EPOLL_CTL_ADD, listener, EPOLLIN, NULL);
  for (;;) {
    struct epoll_event events[EVENTS_PER_TURN];
    int count = epoll_wait(loop.epoll, events, EVENTS_PER_TURN, loop.paused ? SERVER_ACCEPT_PAUSE_MS : -1);
    if (count < 0 && errno != EINTR) {
      server_say("epoll_wait", errno);
      return 1;
    }
    for (int i = 0; i < count; i++) {
      struct connection *connection = events[i].data.ptr;
      if (connection == NULL) {
        listener_readable(&loop);
      } else if (connection->pending == NULL) {
        connection_readable(&loop, connection);
      } else {
        connection_writable(&loop, connection);
      }
    }
    if (loop.paused && now_ms() >= loop.resume_at_ms) {
      accept_resume(&loop);
    }
  }
}

const struct model server_model = {
    .name = "epoll",
    .summary = "One thread, one level-triggered epoll loop.",
    .takes_processes = true,
    .run = epoll_run,
};
