/* See session.h. The reply is sent before anything is allocated; only what the kernel does not accept, or what is due
 * later, is copied. */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* Reads at most this often after the end of a session, because the client may never stop sending. */
#define READS_AFTER_END 8

void worker_init(struct worker *worker, const struct options *options, uint64_t number, bool blocks) {
  worker->protocol = options->protocol;
  worker->wait_ns = 0;
  worker->drained = false;
  work_init(&worker->work, &options->work, number, blocks);
}

enum session_next session_answer(struct session *session, struct worker *worker, unsigned char *buffer, size_t count,
                                 struct reply *reply) {
  *reply = worker->protocol->answer(session->state, buffer, count);
  session->ends = reply->close;
  session->stops = reply->stop;
  worker->wait_ns = reply->requests == 0 ? 0 : work_do(&worker->work, reply->requests);
  if (worker->wait_ns == 0) {
    return SESSION_WRITE;
  }
  return session_keep(session, reply, 0) ? SESSION_WAIT : SESSION_CLOSE;
}

bool session_keep(struct session *session, const struct reply *reply, size_t sent) {
  const size_t left = reply->count - sent;
  session->pending = malloc(left);
  if (session->pending == NULL) {
    return false;
  }
  memcpy(session->pending, reply->bytes + sent, left);
  session->pending_count = (uint32_t)left;
  session->pending_sent = 0;
  return true;
}

enum session_next session_after_write(const struct session *session) {
  if (session->stops) {
    server_stop();
  }
  return session->ends ? SESSION_CLOSE : SESSION_READ;
}

/* Returns how many bytes the kernel accepted; -1 when the connection is broken. */
static ssize_t send_some(int fd, const unsigned char *bytes, size_t count) {
  ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
    return 0;
  }
  return sent;
}

enum session_next session_readable(struct session *session, struct worker *worker) {
  const size_t most = worker->protocol->read_bytes;
  const ssize_t count = recv(session->fd, worker->buffer, most, 0);
  worker->drained = count < (ssize_t)most && !(count < 0 && errno == EINTR);
  if (count <= 0) {
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? SESSION_READ : SESSION_CLOSE;
  }
  struct reply reply;
  const enum session_next next = session_answer(session, worker, worker->buffer, (size_t)count, &reply);
  if (next != SESSION_WRITE) {
    return next;
  }
  const ssize_t sent = reply.count == 0 ? 0 : send_some(session->fd, reply.bytes, reply.count);
  if (sent < 0) {
    return SESSION_CLOSE;
  }
  if ((size_t)sent == reply.count) {
    return session_after_write(session);
  }
  return session_keep(session, &reply, (size_t)sent) ? SESSION_WRITE : SESSION_CLOSE;
}

enum session_next session_writable(struct session *session) {
  const ssize_t sent =
      send_some(session->fd, session->pending + session->pending_sent, session->pending_count - session->pending_sent);
  if (sent < 0) {
    return SESSION_CLOSE;
  }
  session->pending_sent += (uint32_t)sent;
  if (session->pending_sent < session->pending_count) {
    return SESSION_WRITE;
  }
  free(session->pending);
  session->pending = NULL;
  return session_after_write(session);
}

/* The FIN is sent first: a client that waits for it and then closes sends nothing more. */
void session_discard_input(int fd, struct worker *worker) {
  shutdown(fd, SHUT_WR);
  for (int i = 0; i < READS_AFTER_END && recv(fd, worker->buffer, sizeof worker->buffer, MSG_DONTWAIT) > 0; i++) {
  }
}

void session_close(struct session *session, struct worker *worker) {
  if (session->stops) { /* the client closed before the reply was written */
    server_stop();
  }
  if (session->ends) {
    session_discard_input(session->fd, worker);
  }
  close(session->fd);
  free(session->pending);
  session->pending = NULL;
}

static bool send_all(int fd, const unsigned char *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) {
        continue;
      }
      return false; /* EAGAIN: nothing was sent during the idle timeout */
    }
    bytes += sent;
    count -= (size_t)sent;
  }
  return true;
}

static void set_idle_timeout(int fd, int64_t idle_ns) {
  const struct timeval most = {.tv_sec = idle_ns / 1000000000, .tv_usec = idle_ns / 1000 % 1000000};
  if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most) < 0 ||
      setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most) < 0) {
    server_log_once("cannot set the timeouts of --idle-timeout", errno);
  }
}

void session_serve(int fd, struct worker *worker, int64_t idle_ns) {
  struct session session = {.fd = fd};
  if (idle_ns > 0) {
    set_idle_timeout(fd, idle_ns);
  }
  for (;;) {
    const ssize_t count = recv(fd, worker->buffer, worker->protocol->read_bytes, 0);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    struct reply reply;
    if (count <= 0 || session_answer(&session, worker, worker->buffer, (size_t)count, &reply) != SESSION_WRITE ||
        !send_all(fd, reply.bytes, reply.count) || session_after_write(&session) == SESSION_CLOSE) {
      break;
    }
  }
  session_close(&session, worker);
}
