/* The session of a connection: bytes that were read are answered, worked for, and the reply is written. All models do
 * the same for a request: one recv, one send. At most one reply is pending at a time, and nothing is read while one is;
 * so a client that never reads costs one buffer and no more. Waiting (for bytes, for buffer space, for the end of
 * simulated work) is up to the model: session_readable and session_writable never wait, except for work of kind block
 * and spin. */
#ifndef BROADSIDE_SESSION_H
#define BROADSIDE_SESSION_H

#include "../server.h"
#include "work.h"

/* What the connection waits for. */
enum session_next {
  SESSION_READ,  /* input: call session_readable when the socket is readable */
  SESSION_WRITE, /* buffer space: call session_writable when the socket is writable */
  SESSION_WAIT,  /* simulated work: call session_writable after `worker.wait_ns`, and nothing before */
  SESSION_CLOSE, /* nothing: call session_close */
};

/* State of a serving thread. */
struct worker {
  const struct protocol *protocol;
  struct work work;
  int64_t wait_ns; /* valid after SESSION_WAIT */
  bool drained;    /* valid after session_readable: all available input was read */
  unsigned char buffer[SERVER_BUFFER_BYTES];
};

struct session {
  int fd;
  bool ends;  /* close once the pending reply is written */
  bool stops; /* end the server as well */
  unsigned char state[PROTOCOL_STATE_BYTES];
  unsigned char *pending; /* NULL: none */
  uint32_t pending_count;
  uint32_t pending_sent;
};

/* `number` distinguishes the workers of a process. `blocks`: the thread serves one connection at a time, so all work is
 * done by sleeping or spinning, and SESSION_WAIT is never returned. */
void worker_init(struct worker *worker, const struct options *options, uint64_t number, bool blocks);

/* One recv from a non-blocking socket, and the reply to it. */
enum session_next session_readable(struct session *session, struct worker *worker);
/* Writes the pending reply. */
enum session_next session_writable(struct session *session);
/* Closes the socket and frees the pending reply. Input that has arrived after the end of the session is read first,
 * because closing over unread bytes would reset the connection and discard the last reply. */
void session_close(struct session *session, struct worker *worker);

/* The halves of session_readable, for models whose bytes are moved by others. session_answer returns SESSION_WAIT (the
 * reply is kept), SESSION_CLOSE, or SESSION_WRITE with the `reply` to write. session_keep keeps the rest of a reply
 * after `sent` bytes; false without memory. session_after_write: what follows the last byte of a reply, SESSION_READ or
 * SESSION_CLOSE; it does not return when the server must end. */
enum session_next session_answer(struct session *session, struct worker *worker, unsigned char *buffer, size_t count,
                                 struct reply *reply);
bool session_keep(struct session *session, const struct reply *reply, size_t sent);
enum session_next session_after_write(const struct session *session);
/* The part of session_close that comes before the close when `ends` is set. */
void session_discard_input(int fd, struct worker *worker);

/* Serves a blocking socket until either side ends the session or it has been idle for `idle_ns` (0: no limit), then
 * closes it. The worker must be one that blocks. */
void session_serve(int fd, struct worker *worker, int64_t idle_ns);

#endif
