/* libuv: one uv_loop_t, one thread, a uv_tcp_t per connection. Out of descriptors, libuv uses a spare one to accept and
 * immediately close waiting connections without reporting it to the program; so further connections are closed and do
 * not wait in the accept queue, and the message is printed when the last descriptor is taken. Works with libuv 1.44 of
 * Debian 12. */
#include "../frame/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <uv.h>

#define NS_PER_MS 1000000

struct connection {
  uv_tcp_t socket;
  uv_timer_t timer; /* ends its work, or its idle time */
  uv_write_t write;
  struct session session; /* libuv owns the descriptor */
  int open_handles;
};

static const struct options *options;
static long descriptors;
static struct worker worker; /* shared by all reads of the loop */

static void start_reading(struct connection *connection);

static void on_closed(uv_handle_t *handle) {
  struct connection *connection = handle->data;
  if (--connection->open_handles == 0) {
    free(connection->session.pending);
    free(connection);
  }
}

static void connection_close(struct connection *connection) {
  if (connection->session.stops) { /* the client closed before the reply was written */
    server_stop();
  }
  if (!uv_is_closing((uv_handle_t *)&connection->socket)) {
    uv_close((uv_handle_t *)&connection->socket, on_closed);
    uv_close((uv_handle_t *)&connection->timer, on_closed);
  }
}

/* The protocol has ended the session: input that arrived after the end is read before the close (see session_close). */
static void connection_end(struct connection *connection) {
  uv_os_fd_t fd = -1;
  if (uv_fileno((const uv_handle_t *)&connection->socket, &fd) == 0) {
    session_discard_input(fd, &worker);
  }
  connection_close(connection);
}

static void on_idle(uv_timer_t *timer);

/* Starts or restarts the idle timer. */
static void moved(struct connection *connection) {
  if (options->idle_ns > 0) {
    uv_update_time(connection->socket.loop); /* work of kind block or spin takes time within the turn */
    uv_timer_start(&connection->timer, on_idle, (uint64_t)options->idle_ns / NS_PER_MS, 0);
  }
}

/* Timers run before reads, so input may have arrived during the last turn: that is not idleness. */
static void on_idle(uv_timer_t *timer) {
  struct connection *connection = timer->data;
  uv_os_fd_t fd = -1;
  int waiting = 0;
  if (uv_fileno((const uv_handle_t *)&connection->socket, &fd) == 0 && ioctl(fd, FIONREAD, &waiting) == 0 &&
      waiting > 0) {
    moved(connection);
  } else {
    connection_close(connection);
  }
}

static void await_next(struct connection *connection) {
  if (session_after_write(&connection->session) == SESSION_CLOSE) {
    connection_end(connection);
  } else {
    start_reading(connection);
  }
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)handle;
  (void)suggested;
  *buffer = uv_buf_init((char *)worker.buffer, (unsigned)options->protocol->read_bytes);
}

static void on_written(uv_write_t *write, int status) {
  struct connection *connection = write->data;
  free(connection->session.pending);
  connection->session.pending = NULL;
  if (status < 0) {
    connection_close(connection);
  } else {
    moved(connection);
    await_next(connection);
  }
}

/* Writes the pending reply; nothing is read until then. */
static void write_owed(struct connection *connection) {
  uv_stream_t *stream = (uv_stream_t *)&connection->socket;
  uv_buf_t bytes = uv_buf_init((char *)connection->session.pending, connection->session.pending_count);
  connection->write.data = connection;
  moved(connection);
  if (uv_write(&connection->write, stream, &bytes, 1, on_written) < 0) {
    connection_close(connection);
  }
}

static void on_worked(uv_timer_t *timer) { write_owed(timer->data); }

/* libuv's clock is updated once per turn, before the read: without an update the reply would be early. Its resolution
 * is one millisecond. */
static void wait_for_work(struct connection *connection) {
  uv_read_stop((uv_stream_t *)&connection->socket);
  uv_update_time(connection->socket.loop);
  uv_timer_start(&connection->timer, on_worked, (uint64_t)(worker.wait_ns + NS_PER_MS - 1) / NS_PER_MS + 1, 0);
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
  struct reply reply;
  const enum session_next next = session_answer(&connection->session, &worker, worker.buffer, (size_t)count, &reply);
  moved(connection);
  if (next == SESSION_WAIT) {
    wait_for_work(connection);
    return;
  }
  int sent = 0;
  if (next == SESSION_WRITE && reply.count > 0) {
    uv_buf_t bytes = uv_buf_init((char *)(uintptr_t)reply.bytes, (unsigned)reply.count);
    sent = uv_try_write(stream, &bytes, 1);
    sent = sent == UV_EAGAIN ? 0 : sent;
  }
  if (next == SESSION_CLOSE || sent < 0) {
    connection_close(connection);
  } else if ((size_t)sent < reply.count) {
    uv_read_stop(stream);
    if (session_keep(&connection->session, &reply, (size_t)sent)) {
      write_owed(connection);
    } else {
      connection_close(connection);
    }
  } else if (session_after_write(&connection->session) == SESSION_CLOSE) {
    connection_end(connection);
  }
}

static void start_reading(struct connection *connection) {
  if (uv_read_start((uv_stream_t *)&connection->socket, on_allocate, on_read) < 0) {
    connection_close(connection);
  }
}

static void say_when_full(const uv_tcp_t *socket) {
  uv_os_fd_t fd = -1;
  if (uv_fileno((const uv_handle_t *)socket, &fd) == 0 && fd >= descriptors - 1) {
    server_log_once("accept: no free descriptors; libuv accepts further connections and closes them", 0);
  }
}

static void on_connection(uv_stream_t *listener, int status) {
  if (status < 0) {
    server_log_once("accept", -status); /* libuv errors are negative errno values */
    return;
  }
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection == NULL) { /* otherwise libuv would keep the accepted socket and stop accepting */
    server_log("out of memory", 0);
    exit(1);
  }
  uv_tcp_init(listener->loop, &connection->socket);
  uv_timer_init(listener->loop, &connection->timer);
  connection->socket.data = connection;
  connection->timer.data = connection;
  connection->open_handles = 2;
  if (uv_accept(listener, (uv_stream_t *)&connection->socket) < 0) {
    connection_close(connection);
    return;
  }
  say_when_full(&connection->socket);
  moved(connection);
  start_reading(connection);
}

static int libuv_run(const struct options *given, int listener) {
  options = given;
  worker_init(&worker, options, 0, false);
  descriptors = limits_raise_descriptors();
  uv_loop_t *loop = uv_default_loop();
  static uv_tcp_t socket;
  int error = loop == NULL ? UV_ENOMEM : uv_tcp_init(loop, &socket);
  error = error < 0 ? error : uv_tcp_open(&socket, listener);
  error = error < 0 ? error : uv_listen((uv_stream_t *)&socket, options->backlog, on_connection);
  error = error < 0 ? error : uv_run(loop, UV_RUN_DEFAULT);
  server_log("uv_run", -error);
  return 1;
}

const struct model server_model = {
    .name = "libuv",
    .summary = "One thread, one libuv loop.",
    .processes = PROCESSES_OWN_LISTENERS,
    .run = libuv_run,
};
