/* io_uring: one thread, one ring. One multishot accept, one multishot receive per connection, and one system call
 * per turn, which submits the replies and waits for the next requests. A request is answered in the buffer that the
 * kernel received it into, and the reply is sent from there by a send that does not wait; it has completed when the
 * submission returns, so slow clients hold no buffers. What the kernel does not accept is copied, as in every model,
 * and sent from the copy when there is room. A multishot receive continues while a reply is pending. What arrives
 * then is copied aside and the receive is cancelled; from then on the connection counts as sending in bulk and
 * issues single receives. */
#include "../parts/input_buffer.h"
#include "../parts/ring.h"
#include "../parts/timeouts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define COMPLETIONS_PER_TURN 256
#define NO_BUFFER UINT32_MAX

/* What a completion belongs to: stored in the low bits of its user data, next to the pointer to the connection; NULL
 * stands for the listener. */
enum operation { RECEIVE, SEND, CANCEL, OPERATIONS_MASK = 3 };

struct connection {
  struct timed_connection timed; /* must be the first member */
  struct reply reply;            /* being sent, unless it is pending */
  uint32_t buffer;               /* that holds the reply */
  uint8_t in_flight;             /* operations in flight; the descriptor and this memory stay until there are none */
  bool receiving;                /* a receive from `group` is in flight */
  bool cancelling;               /* the receive is being cancelled */
  bool sending;                  /* a send is in flight */
  bool in_bulk;                  /* uses single receives into large buffers from now on */
  bool ended;                    /* closed by the client: send the pending reply, then close */
  bool closing;                  /* only waits for operations in flight */
  enum ring_group group;
  struct ring_waiting waiting;     /* for a free receive buffer */
  struct input_buffer early_input; /* input that arrived while a reply was pending */
};

static struct ring ring;
static struct timeouts timeouts;
static struct worker worker;
static int listener;
static bool accepting;
static bool works_here; /* this thread does the work itself, so replies must not wait for the end of the turn */

/* Records what the completions of this entry belong to. */
static void mark(struct io_uring_sqe *entry, struct connection *connection, enum operation operation) {
  io_uring_sqe_set_data64(entry, (uint64_t)(uintptr_t)connection | operation);
  if (connection != NULL) {
    connection->in_flight++;
  }
}

/* Accepted sockets are blocking: on non-blocking ones operations would fail instead of waiting. */
static void accept_start(void) {
  struct io_uring_sqe *entry = ring_new_entry(&ring);
  accepting = true;
  io_uring_prep_multishot_accept(entry, listener, NULL, NULL, SOCK_CLOEXEC);
  mark(entry, NULL, RECEIVE);
}

static void accept_pause(int error) {
  timeouts_pause_accept(&timeouts, error);
  if (accepting) {
    struct io_uring_sqe *entry = ring_new_entry(&ring);
    io_uring_prep_cancel64(entry, RECEIVE, 0);
    mark(entry, NULL, CANCEL);
  }
}

static void accept_resume(void) {
  timeouts.resume_at_ns = 0;
  if (!accepting) {
    accept_start();
  }
}

static void receive_start(struct connection *connection) {
  struct io_uring_sqe *entry = ring_new_entry(&ring);
  connection->receiving = true;
  connection->group = connection->in_bulk ? RING_LARGE : RING_SMALL;
  ring_receive(entry, connection->timed.session.fd, connection->group);
  mark(entry, connection, RECEIVE);
}

static void receive_cancel(struct connection *connection) {
  if (connection->receiving && !connection->cancelling) {
    struct io_uring_sqe *entry = ring_new_entry(&ring);
    connection->cancelling = true;
    io_uring_prep_cancel64(entry, (uint64_t)(uintptr_t)connection | RECEIVE, 0);
    mark(entry, connection, CANCEL);
  }
}

/* Begins to close; connection_retire finishes when nothing is in flight. */
static void connection_end(struct connection *connection) {
  if (connection->closing) {
    return;
  }
  connection->closing = true;
  timed_connection_close(&connection->timed, &timeouts);
  if (connection->in_flight > 0) {
    struct io_uring_sqe *entry = ring_new_entry(&ring);
    io_uring_prep_cancel_fd(entry, connection->timed.session.fd, IORING_ASYNC_CANCEL_ALL);
    mark(entry, connection, CANCEL);
  }
}

static void connection_retire(struct connection *connection) {
  if (!connection->closing || connection->in_flight > 0 || connection->waiting.waits) {
    return;
  }
  session_close(&connection->timed.session, &worker);
  input_buffer_clear(&connection->early_input);
  free(connection);
  if (timeouts.resume_at_ns != 0) {
    accept_resume();
  }
}

static void connection_open(int fd) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection != NULL) {
    connection->buffer = NO_BUFFER;
    if (timed_connection_open(&connection->timed, &timeouts, fd)) {
      receive_start(connection);
      return;
    }
  }
  close(fd);
  free(connection);
  accept_pause(ENOMEM);
}

static void accepted(int result, uint32_t flags) {
  if (result >= 0) {
    connection_open(result);
  } else if (server_out_of_resources(-result)) {
    accept_pause(-result);
  }
  if ((flags & IORING_CQE_F_MORE) == 0) {
    accepting = false;
    if (timeouts.resume_at_ns == 0) {
      accept_start();
    }
  }
}

static void release_buffer(struct connection *connection) {
  if (connection->buffer != NO_BUFFER) {
    ring_return_buffer(&ring, connection->buffer);
    connection->buffer = NO_BUFFER;
  }
}

/* While this holds, no input of the connection is processed. */
static bool is_owed(const struct connection *connection) { return connection->sending || connection->timed.working; }

/* A send from a receive buffer does not wait for buffer space; one of pending bytes does. Its completion releases the
 * buffer and lets the connection go on. Without one (IOSQE_CQE_SKIP_SUCCESS) success would be known only when all
 * completions of the submission have been seen, more than there are in a turn. */
static void send_start(struct connection *connection, const unsigned char *bytes, size_t count, int flags) {
  struct io_uring_sqe *entry = ring_new_entry(&ring);
  connection->sending = true;
  io_uring_prep_send(entry, connection->timed.session.fd, bytes, count, MSG_NOSIGNAL | flags);
  mark(entry, connection, SEND);
  if (works_here) {
    ring_submit(&ring);
  }
}

static void send_owed(struct connection *connection) {
  const struct session *session = &connection->timed.session;
  send_start(connection, session->pending + session->pending_sent, session->pending_count - session->pending_sent, 0);
}

static void written(struct connection *connection) {
  if (connection->timed.session.stops) {
    shutdown(listener, SHUT_RDWR); /* see ring_release_port_on_exit */
  }
  if (session_after_write(&connection->timed.session) == SESSION_CLOSE) {
    connection_end(connection);
  }
}

/* Answers bytes in the connection's buffer, or in the worker's, which is only valid until the next answer. */
static void answer(struct connection *connection, unsigned char *bytes, size_t count) {
  struct session *session = &connection->timed.session;
  const enum session_next next = session_answer(session, &worker, bytes, count, &connection->reply);
  if (next == SESSION_WRITE && connection->reply.count > 0 && connection->buffer != NO_BUFFER) {
    send_start(connection, connection->reply.bytes, connection->reply.count, MSG_DONTWAIT);
    return;
  }
  release_buffer(connection);
  if (next == SESSION_WRITE && connection->reply.count == 0) {
    written(connection);
  } else if (next == SESSION_WRITE && session_keep(session, &connection->reply, 0)) {
    send_owed(connection);
  } else if (next != SESSION_WAIT || !timed_connection_work(&connection->timed, &timeouts, worker.wait_ns)) {
    connection_end(connection);
  }
}

/* Starts what the connection needs next: called after each completion and at the end of its work. */
static void await_next(struct connection *connection) {
  while (!connection->closing && !is_owed(connection) && input_buffer_any(&connection->early_input)) {
    answer(connection, worker.buffer,
           input_buffer_take(&connection->early_input, worker.buffer, worker.protocol->read_bytes));
  }
  if (!connection->closing && !is_owed(connection)) {
    if (connection->ended) {
      connection_end(connection);
    } else if (!connection->receiving && !connection->waiting.waits) {
      receive_start(connection);
    }
  }
  connection_retire(connection);
}

/* A client that fills a small buffer, or sends while a reply is pending, sends in bulk. */
static void take_received(struct connection *connection, unsigned buffer, size_t count) {
  unsigned char *bytes = ring_bytes(&ring, buffer);
  const bool filled = connection->group == RING_SMALL && count == ring.groups[RING_SMALL].bytes;
  if (!filled && !is_owed(connection) && !input_buffer_any(&connection->early_input)) {
    connection->buffer = buffer;
    answer(connection, bytes, count);
    return;
  }
  const bool stored = input_buffer_append(&connection->early_input, bytes, count);
  ring_return_buffer(&ring, buffer);
  connection->in_bulk = true;
  receive_cancel(connection);
  if (!stored) {
    connection_end(connection);
  }
}

static void received(struct connection *connection, const struct io_uring_cqe *completion) {
  const int result = completion->res;
  if ((completion->flags & IORING_CQE_F_MORE) == 0) {
    connection->receiving = false;
    connection->in_flight--;
  }
  if (result > 0) {
    const unsigned buffer = ring_take_buffer(&ring, connection->group, completion);
    if (connection->closing) {
      ring_return_buffer(&ring, buffer);
    } else {
      take_received(connection, buffer, (size_t)result);
    }
  } else if (result == 0) {
    connection->ended = true;
  } else if (result == -ENOBUFS) {
    ring_wait(&ring, connection->group, &connection->waiting);
  } else if (result != -ECANCELED && result != -EAGAIN && result != -EINTR) {
    connection_end(connection);
  }
}

/* Called after a send from the buffer: what the kernel did not accept becomes the pending reply. */
static void sent_at_once(struct connection *connection, int result) {
  const size_t sent = result < 0 ? 0 : (size_t)result;
  if (sent == connection->reply.count) {
    written(connection);
  } else if (session_keep(&connection->timed.session, &connection->reply, sent)) {
    send_owed(connection);
  } else {
    connection_end(connection);
  }
}

static void sent_of_owed(struct connection *connection, int result) {
  struct session *session = &connection->timed.session;
  session->pending_sent += result < 0 ? 0 : (uint32_t)result;
  if (session->pending_sent < session->pending_count) {
    send_owed(connection);
    return;
  }
  free(session->pending);
  session->pending = NULL;
  written(connection);
}

static void sent(struct connection *connection, int result) {
  connection->sending = false;
  connection->in_flight--;
  if (connection->closing || (result < 0 && result != -EAGAIN && result != -EINTR)) {
    connection_end(connection);
  } else if (connection->timed.session.pending != NULL) {
    sent_of_owed(connection, result);
  } else {
    sent_at_once(connection, result);
  }
  release_buffer(connection);
}

/* `goes_on`: the next completion belongs to the same operation, so the stored input is incomplete. */
static void complete(const struct io_uring_cqe *completion, bool goes_on) {
  struct connection *connection =
      (struct connection *)(uintptr_t)(completion->user_data & ~(uint64_t)OPERATIONS_MASK); /* as stored by mark() */
  const enum operation operation = completion->user_data & OPERATIONS_MASK;
  if (connection == NULL) {
    if (operation == RECEIVE) {
      accepted(completion->res, completion->flags);
    }
    return;
  }
  timed_connection_touch(&connection->timed, &timeouts);
  if (operation == RECEIVE) {
    received(connection, completion);
  } else if (operation == SEND) {
    sent(connection, completion->res);
  } else {
    connection->cancelling = false;
    connection->in_flight--;
  }
  if (!goes_on) {
    await_next(connection);
  }
}

static void serve_completions(void) {
  struct io_uring_cqe *completions[COMPLETIONS_PER_TURN];
  const unsigned count = io_uring_peek_batch_cqe(&ring.uring, completions, COMPLETIONS_PER_TURN);
  for (unsigned i = 0; i < count; i++) {
    complete(completions[i], i + 1 < count && completions[i + 1]->user_data == completions[i]->user_data);
  }
  io_uring_cq_advance(&ring.uring, count);
}

static void serve_waiting(void) {
  for (enum ring_group group = 0; group < RING_GROUPS; group++) {
    struct ring_waiting *waiting;
    for (unsigned left = ring.groups[group].given; left > 0 && (waiting = ring_next_waiting(&ring, group)) != NULL;
         left--) {
      await_next((struct connection *)(void *)((char *)waiting - offsetof(struct connection, waiting)));
    }
  }
}

static void serve_timeouts(void) {
  enum session_next next;
  for (struct timed_connection *timed; (timed = timeouts_next(&timeouts, &next)) != NULL;) {
    struct connection *connection = (struct connection *)timed;
    if (next == SESSION_WRITE) {
      send_owed(connection);
    } else {
      connection_end(connection);
    }
    await_next(connection);
  }
}

static int io_uring_run(const struct options *options, int given) {
  listener = given;
  timeouts_init(&timeouts, options);
  works_here = options->work.any && options->work.kind != WORK_WAIT;
  worker_init(&worker, options, 0, false);
  if (!ring_open(&ring, options->protocol->read_bytes)) {
    return 1;
  }
  ring_release_port_on_exit(listener);
  accept_start();
  for (;;) {
    ring_turn(&ring, ring_has_waiting(&ring) ? 0 : timeouts_remaining_ns(&timeouts));
    timeouts_begin_turn(&timeouts);
    serve_completions();
    serve_waiting();
    serve_timeouts();
    if (timeouts_resume_accept(&timeouts)) {
      accept_resume();
    }
  }
}

const struct model server_model = {
    .name = "io_uring",
    .summary = "One thread, one io_uring: multishot accept and receive, one system call a turn.",
    .processes = PROCESSES_OWN_LISTENERS,
    .releases_port_late = true,
    .is_supported = ring_is_supported,
    .run = io_uring_run,
};
