/* See talk.h. The one thing to know: the reply is sent before anything is allocated; only what the kernel
 * did not take, and a reply that is due later, are copied. */
#include "talk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* So much that came after the end of a talk is read, and no more: the client may never stop. */
#define READS_AFTER_END 8

void desk_start(struct desk *desk, const struct options *options, uint64_t number, bool blocks) {
  desk->protocol = options->protocol;
  desk->wait_ns = 0;
  desk->drained = false;
  work_start(&desk->work, &options->work, number, blocks);
}

enum talk_next talk_answer(struct talk *talk, struct desk *desk, unsigned char *buffer, size_t count,
                           struct reply *reply) {
  *reply = desk->protocol->answer(talk->state, buffer, count);
  talk->ends = reply->close;
  talk->stops = reply->stop;
  desk->wait_ns = reply->requests == 0 ? 0 : work_do(&desk->work, reply->requests);
  if (desk->wait_ns == 0) {
    return TALK_WRITE;
  }
  return talk_keep(talk, reply, 0) ? TALK_WAIT : TALK_CLOSE;
}

bool talk_keep(struct talk *talk, const struct reply *reply, size_t sent) {
  const size_t left = reply->count - sent;
  talk->owed = malloc(left);
  if (talk->owed == NULL) {
    return false;
  }
  memcpy(talk->owed, reply->bytes + sent, left);
  talk->owed_count = (uint32_t)left;
  talk->owed_sent = 0;
  return true;
}

enum talk_next talk_written(const struct talk *talk) {
  if (talk->stops) {
    server_stop();
  }
  return talk->ends ? TALK_CLOSE : TALK_READ;
}

/* How many of the bytes the kernel took; -1 when the connection is broken. */
static ssize_t send_some(int fd, const unsigned char *bytes, size_t count) {
  ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
    return 0;
  }
  return sent;
}

enum talk_next talk_readable(struct talk *talk, struct desk *desk) {
  const size_t most = desk->protocol->read_bytes;
  const ssize_t count = recv(talk->fd, desk->buffer, most, 0);
  desk->drained = count < (ssize_t)most && !(count < 0 && errno == EINTR);
  if (count <= 0) {
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? TALK_READ : TALK_CLOSE;
  }
  struct reply reply;
  const enum talk_next next = talk_answer(talk, desk, desk->buffer, (size_t)count, &reply);
  if (next != TALK_WRITE) {
    return next;
  }
  const ssize_t sent = reply.count == 0 ? 0 : send_some(talk->fd, reply.bytes, reply.count);
  if (sent < 0) {
    return TALK_CLOSE;
  }
  if ((size_t)sent == reply.count) {
    return talk_written(talk);
  }
  return talk_keep(talk, &reply, (size_t)sent) ? TALK_WRITE : TALK_CLOSE;
}

enum talk_next talk_writable(struct talk *talk) {
  const ssize_t sent = send_some(talk->fd, talk->owed + talk->owed_sent, talk->owed_count - talk->owed_sent);
  if (sent < 0) {
    return TALK_CLOSE;
  }
  talk->owed_sent += (uint32_t)sent;
  if (talk->owed_sent < talk->owed_count) {
    return TALK_WRITE;
  }
  free(talk->owed);
  talk->owed = NULL;
  return talk_written(talk);
}

/* The end is sent first: a client that waits for it and then closes has nothing more to say. */
void talk_read_rest(int fd, struct desk *desk) {
  shutdown(fd, SHUT_WR);
  for (int i = 0; i < READS_AFTER_END && recv(fd, desk->buffer, sizeof desk->buffer, MSG_DONTWAIT) > 0; i++) {
  }
}

void talk_close(struct talk *talk, struct desk *desk) {
  if (talk->stops) { /* the client was gone before the reply was written */
    server_stop();
  }
  if (talk->ends) {
    talk_read_rest(talk->fd, desk);
  }
  close(talk->fd);
  free(talk->owed);
  talk->owed = NULL;
}

static bool send_all(int fd, const unsigned char *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) {
        continue;
      }
      return false; /* EAGAIN: nothing went for the idle time */
    }
    bytes += sent;
    count -= (size_t)sent;
  }
  return true;
}

static void limit_idling(int fd, int64_t idle_ns) {
  const struct timeval most = {.tv_sec = idle_ns / 1000000000, .tv_usec = idle_ns / 1000 % 1000000};
  if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most) < 0 ||
      setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most) < 0) {
    server_say_once("--idle-timeout cannot be kept", errno);
  }
}

void talk_serve(int fd, struct desk *desk, int64_t idle_ns) {
  struct talk talk = {.fd = fd};
  if (idle_ns > 0) {
    limit_idling(fd, idle_ns);
  }
  for (;;) {
    const ssize_t count = recv(fd, desk->buffer, desk->protocol->read_bytes, 0);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    struct reply reply;
    if (count <= 0 || talk_answer(&talk, desk, desk->buffer, (size_t)count, &reply) != TALK_WRITE ||
        !send_all(fd, reply.bytes, reply.count) || talk_written(&talk) == TALK_CLOSE) {
      break;
    }
  }
  talk_close(&talk, desk);
}
