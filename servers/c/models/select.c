/* select(2), one thread, with bitmaps as large as the descriptor limit.
 * The one thing to know: the kernel's select takes bitmaps of any length; only glibc's fd_set and
 * FD_SET stop at 1,024. So the bitmaps are plain arrays of words here, and the cost that select is
 * known for (copying and scanning up to the highest descriptor, every turn) is paid in plain sight. */
#include "../server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WORD_BITS ((int)(sizeof(unsigned long) * CHAR_BIT))
#define ACCEPTS_PER_TURN 256

struct connection {
  bool close_after_pending;
  unsigned char state[PROTOCOL_STATE_BYTES];
  unsigned char *pending; /* NULL unless a write blocked */
  size_t pending_count;
  size_t pending_sent;
};

struct loop {
  const struct protocol *protocol;
  int listener;
  int highest; /* the highest descriptor that is watched */
  int limit;   /* descriptors 0..limit-1 have a bit */
  bool paused;
  long long resume_at_ms;
  unsigned long *want_read, *want_write; /* what is watched */
  unsigned long *can_read, *can_write;   /* what select answered */
  struct connection **connections;       /* by descriptor */
  unsigned char buffer[SERVER_BUFFER_BYTES];
};

static void bit_set(unsigned long *bits, int fd) { bits[fd / WORD_BITS] |= 1UL << (fd % WORD_BITS); }
static void bit_clear(unsigned long *bits, int fd) { bits[fd / WORD_BITS] &= ~(1UL << (fd % WORD_BITS)); }
static bool bit_is_set(const unsigned long *bits, int fd) { return (bits[fd / WORD_BITS] >> (fd % WORD_BITS)) & 1UL; }

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void accept_pause(struct loop *loop, int error) {
  static bool said;
  if (!said) {
    said = true;
    server_say("accept: the surplus waits in the backlog", error);
  }
  loop->paused = true;
  loop->resume_at_ms = now_ms() + SERVER_ACCEPT_PAUSE_MS;
  bit_clear(loop->want_read, loop->listener);
}

static void accept_resume(struct loop *loop) {
  loop->paused = false;
  bit_set(loop->want_read, loop->listener);
}

static void connection_open(struct loop *loop, int fd) {
  struct connection *connection = fd < loop->limit ? calloc(1, sizeof *connection) : NULL;
  if (connection == NULL) {
    close(fd);
    accept_pause(loop, ENOMEM);
    return;
  }
  loop->connections[fd] = connection;
  bit_set(loop->want_read, fd);
  if (fd > loop->highest) {
    loop->highest = fd;
  }
}

static void connection_close(struct loop *loop, int fd) {
  bit_clear(loop->want_read, fd);
  bit_clear(loop->want_write, fd);
  free(loop->connections[fd]->pending);
  free(loop->connections[fd]);
  loop->connections[fd] = NULL;
  close(fd);
  while (loop->highest > loop->listener && loop->connections[loop->highest] == NULL) {
    loop->highest--;
  }
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
static bool keep_pending(struct loop *loop, int fd, const unsigned char *bytes, size_t count) {
  struct connection *connection = loop->connections[fd];
  connection->pending = malloc(count);
  if (connection->pending == NULL) {
    return false;
  }
  memcpy(connection->pending, bytes, count);
  connection->pending_count = count;
  connection->pending_sent = 0;
  bit_clear(loop->want_read, fd);
  bit_set(loop->want_write, fd);
  return true;
}

static void connection_readable(struct loop *loop, int fd) {
  struct connection *connection = loop->connections[fd];
  ssize_t count = recv(fd, loop->buffer, loop->protocol->read_bytes, 0);
  if (count <= 0) {
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      connection_close(loop, fd);
    }
    return;
  }
  struct reply reply = loop->protocol->answer(connection->state, loop->buffer, (size_t)count);
  size_t sent = 0;
  if (reply.count > 0) {
    ssize_t written = send(fd, reply.bytes, reply.count, MSG_NOSIGNAL);
    if (written < 0 && errno != EAGAIN && errno != EINTR) {
      connection_close(loop, fd);
      return;
    }
    sent = written < 0 ? 0 : (size_t)written;
  }
  connection->close_after_pending = reply.close;
  if (sent < reply.count) {
    if (!keep_pending(loop, fd, reply.bytes + sent, reply.count - sent)) {
      connection_close(loop, fd);
    }
  } else if (reply.close) {
    connection_close(loop, fd);
  }
}

static void connection_writable(struct loop *loop, int fd) {
  struct connection *connection = loop->connections[fd];
  ssize_t written = send(fd, connection->pending + connection->pending_sent,
                         connection->pending_count - connection->pending_sent, MSG_NOSIGNAL);
  if (written < 0) {
    if (errno != EAGAIN && errno != EINTR) {
      connection_close(loop, fd);
    }
    return;
  }
  connection->pending_sent += (size_t)written;
  if (connection->pending_sent < connection->pending_count) {
    return;
  }
  if (connection->close_after_pending) {
    connection_close(loop, fd);
    return;
  }
  free(connection->pending);
  connection->pending = NULL;
  bit_clear(loop->want_write, fd);
  bit_set(loop->want_read, fd);
}

/* select(2) itself: glibc hands the pointers on as they are and never looks into the bitmaps. */
static int wait_ready(struct loop *loop, int words) {
  const size_t bytes = (size_t)words * sizeof(unsigned long);
  memcpy(loop->can_read, loop->want_read, bytes);
  memcpy(loop->can_write, loop->want_write, bytes);
  struct timeval pause = {.tv_usec = SERVER_ACCEPT_PAUSE_MS * 1000};
  return select(loop->highest + 1, (fd_set *)(void *)loop->can_read, (fd_set *)(void *)loop->can_write, NULL,
                loop->paused ? &pause : NULL);
}

static void serve_ready(struct loop *loop, int words) {
  for (int word = 0; word < words; word++) {
    unsigned long ready = loop->can_read[word] | loop->can_write[word];
    while (ready != 0) {
      const int fd = word * WORD_BITS + __builtin_ctzl(ready);
      ready &= ready - 1;
      if (fd == loop->listener) {
        continue; /* last, so that no descriptor changes hands within a turn */
      }
      if (bit_is_set(loop->can_write, fd)) {
        connection_writable(loop, fd);
      } else {
        connection_readable(loop, fd);
      }
    }
  }
  if (bit_is_set(loop->can_read, loop->listener)) {
    listener_readable(loop);
  }
}

static int select_run(const struct options *options, int listener) {
  static struct loop loop;
  const long limit = limits_raise_descriptors();
  const size_t words = ((size_t)limit + (size_t)WORD_BITS - 1) / (size_t)WORD_BITS;
  loop.protocol = options->protocol;
  loop.listener = listener;
  loop.highest = listener;
  loop.limit = (int)limit;
  loop.want_read = calloc(words, sizeof(unsigned long));
  loop.want_write = calloc(words, sizeof(unsigned long));
  loop.can_read = calloc(words, sizeof(unsigned long));
  loop.can_write = calloc(words, sizeof(unsigned long));
  loop.connections = calloc((size_t)limit, sizeof(struct connection *));
  if (loop.want_read == NULL || loop.want_write == NULL || loop.can_read == NULL || loop.can_write == NULL ||
      loop.connections == NULL || fcntl(listener, F_SETFL, O_NONBLOCK) < 0) {
    server_say("cannot set up the bitmaps", errno);
    return 1;
  }
  bit_set(loop.want_read, listener);
  for (;;) {
    const int watched_words = loop.highest / WORD_BITS + 1;
    int count = wait_ready(&loop, watched_words);
    if (count > 0) {
      serve_ready(&loop, watched_words);
    } else if (count < 0 && errno != EINTR) {
      server_say("select", errno);
      return 1;
    }
    if (loop.paused && now_ms() >= loop.resume_at_ms) {
      accept_resume(&loop);
    }
  }
}

const struct model server_model = {
    .name = "select",
    .summary = "One thread, select(2) with bitmaps as large as the descriptor limit.",
    .takes_processes = true,
    .run = select_run,
};
