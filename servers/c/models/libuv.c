/* libuv: one uv_loop_t, one thread, a uv_tcp_t per connection.
 * The one thing to know: out of descriptors libuv spends a spare one on accepting what waits and closes
 * it at once, without telling the program; so the surplus is closed here, not kept in the backlog, and
 * the message is given when the last descriptor goes. Works with Debian 12's libuv 1.44. */
#include "../server.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

struct connection {
  uv_tcp_t socket;
  uv_write_t write;
  bool close_after_pending;
  unsigned char state[PROTOCOL_STATE_BYTES];
  char *pending; /* NULL unless a write blocked */
};

static const struct protocol *protocol;
static long descriptors;
static unsigned char scratch[SERVER_BUFFER_BYTES]; /* every read of the loop goes through here */

static void start_reading(struct connection *connection);

static void on_closed(uv_handle_t *handle) {
  struct connection *connection = handle->data;
  free(connection->pending);
  free(connection);
}

static void connection_close(struct connection *connection) {
  if (!uv_is_closing((uv_handle_t *)&connection->socket)) {
    uv_close((uv_handle_t *)&connection->socket, on_closed);
  }
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)handle;
  (void)suggested;
  *buffer = uv_buf_init((char *)scratch, (unsigned)protocol->read_bytes);
}

static void on_written(uv_write_t *write, int status) {
  struct connection *connection = write->data;
  free(connection->pending);
  connection->pending = NULL;
  if (status < 0 || connection->close_after_pending) {
    connection_close(connection);
  } else {
    start_reading(connection);
  }
}

/* Keeps what the kernel did not take, and reads no more until that is written. */
static bool keep_pending(struct connection *connection, const unsigned char *bytes, size_t count) {
  connection->pending = malloc(count);
  if (connection->pending == NULL) {
    return false;
  }
  memcpy(connection->pending, bytes, count);
  uv_read_stop((uv_stream_t *)&connection->socket);
  uv_buf_t buffer = uv_buf_init(connection->pending, (unsigned)count);
  connection->write.data = connection;
  return uv_write(&connection->write, (uv_stream_t *)&connection->socket, &buffer, 1, on_written) == 0;
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  struct connection *connection = stream->data;
  (void)buffer;
  if (count <= 0) {
    if (count < 0) {
      connection_close(connection);
    }
    return;
  }
  struct reply reply = protocol->answer(connection->state, scratch, (size_t)count);
  size_t sent = 0;
  if (reply.count > 0) {
    uv_buf_t bytes = uv_buf_init((char *)(uintptr_t)reply.bytes, (unsigned)reply.count);
    int written = uv_try_write(stream, &bytes, 1);
    if (written < 0 && written != UV_EAGAIN) {
      connection_close(connection);
      return;
    }
    sent = written < 0 ? 0 : (size_t)written;
  }
  connection->close_after_pending = reply.close;
  if (sent < reply.count) {
    if (!keep_pending(connection, reply.bytes + sent, reply.count - sent)) {
      connection_close(connection);
    }
  } else if (reply.close) {
    connection_close(connection);
  }
}

static void start_reading(struct connection *connection) {
  if (uv_read_start((uv_stream_t *)&connection->socket, on_allocate, on_read) < 0) {
    connection_close(connection);
  }
}

static void say_when_full(const uv_tcp_t *socket) {
  static bool said;
  uv_os_fd_t fd = -1;
  if (!said && uv_fileno((const uv_handle_t *)socket, &fd) == 0 && fd >= descriptors - 1) {
    said = true;
    server_say("accept: all descriptors are in use: libuv accepts the surplus and closes it", 0);
  }
}

static void on_connection(uv_stream_t *listener, int status) {
  if (status < 0) {
    static bool said;
    if (!said) {
      said = true;
      server_say("accept", -status); /* a libuv error is a negative errno here */
    }
    return;
  }
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection == NULL) { /* libuv would hold the accepted socket, and accept no more, for ever */
    server_say("out of memory", 0);
    exit(1);
  }
  uv_tcp_init(listener->loop, &connection->socket);
  connection->socket.data = connection;
  if (uv_accept(listener, (uv_stream_t *)&connection->socket) < 0) {
    connection_close(connection);
    return;
  }
  say_when_full(&connection->socket);
  start_reading(connection);
}

static int libuv_run(const struct options *options, int listener) {
  protocol = options->protocol;
  descriptors = limits_raise_descriptors();
  uv_loop_t *loop = uv_default_loop();
  static uv_tcp_t socket;
  int error = loop == NULL ? UV_ENOMEM : uv_tcp_init(loop, &socket);
  error = error < 0 ? error : uv_tcp_open(&socket, listener);
  error = error < 0 ? error : uv_listen((uv_stream_t *)&socket, options->backlog, on_connection);
  error = error < 0 ? error : uv_run(loop, UV_RUN_DEFAULT);
  server_say("the loop cannot go on", -error);
  return 1;
}

const struct model server_model = {
    .name = "libuv",
    .summary = "One thread, one libuv loop.",
    .takes_processes = true,
    .run = libuv_run,
};
