/* A connection's talk: what was read is answered, worked for, and written. All models do the same for
 * a request: one recv, one send.
 *
 * The one thing to know: at most one reply is owed at a time, and while one is owed nothing is read;
 * so a client that never reads costs one buffer, and nothing else. Waiting (for bytes, for room, for
 * the end of business work) is the model's: session_readable and session_writable never wait, but for work
 * of kind block and spin. */
#ifndef BROADSIDE_SESSION_H
#define BROADSIDE_SESSION_H

#include "../server.h"
#include "work.h"

/* What a connection waits for. */
enum session_next {
  SESSION_READ,  /* bytes: call session_readable when there are any */
  SESSION_WRITE, /* room: call session_writable when there is some */
  SESSION_WAIT,  /* its business work: call session_writable after `desk.wait_ns`, and nothing before */
  SESSION_CLOSE, /* nothing: call session_close */
};

/* What a thread that serves has for itself. */
struct worker {
  const struct protocol *protocol;
  struct work work;
  int64_t wait_ns; /* after SESSION_WAIT */
  bool drained;    /* after session_readable: it read all there was */
  unsigned char buffer[SERVER_BUFFER_BYTES];
};

struct session {
  int fd;
  bool ends;  /* by the protocol, once what is owed is written */
  bool stops; /* the server, too */
  unsigned char state[PROTOCOL_STATE_BYTES];
  unsigned char *pending; /* NULL: nothing */
  uint32_t pending_count;
  uint32_t pending_sent;
};

/* `number` tells the desks of a process apart. `blocks`: a thread that has one connection at a time does
 * all of the work, also that of kind wait, by sleeping; SESSION_WAIT never comes then. */
void worker_init(struct worker *worker, const struct options *options, uint64_t number, bool blocks);

/* One recv from a socket that does not block, and what follows from it. */
enum session_next session_readable(struct session *session, struct worker *worker);
/* Writes what is owed. */
enum session_next session_writable(struct session *session);
/* Closes the socket and frees what was owed. Bytes that came after the end of the talk are read before, as
 * closing over them would reset the connection and take the last reply with it. */
void session_close(struct session *session, struct worker *worker);

/* The halves of session_readable, for models whose bytes are moved by others. session_answer: SESSION_WAIT (the reply
 * is kept), SESSION_CLOSE, or SESSION_WRITE with the `reply` to be written. session_keep keeps what is left of a reply
 * after `sent` bytes: false without memory. session_after_write: what comes after the last byte of a reply:
 * SESSION_READ, SESSION_CLOSE; does not return when the server is to stop. */
enum session_next session_answer(struct session *session, struct worker *worker, unsigned char *buffer, size_t count,
                                 struct reply *reply);
bool session_keep(struct session *session, const struct reply *reply, size_t sent);
enum session_next session_after_write(const struct session *session);
/* Of session_close, what is to be done before the close where `ends`. */
void session_discard_input(int fd, struct worker *worker);

/* The whole talk over a blocking socket, until either side ends it or it has idled for `idle_ns` (0: for ever); then
 * closes it. The desk is one that blocks. */
void session_serve(int fd, struct worker *worker, int64_t idle_ns);

#endif
