/* A connection's talk: what was read is answered, worked for, and written. All models do the same for
 * a request: one recv, one send.
 *
 * The one thing to know: at most one reply is owed at a time, and while one is owed nothing is read;
 * so a client that never reads costs one buffer, and nothing else. Waiting (for bytes, for room, for
 * the end of business work) is the model's: talk_readable and talk_writable never wait, but for work
 * of kind block and spin. */
#ifndef BROADSIDE_TALK_H
#define BROADSIDE_TALK_H

#include "../server.h"
#include "work.h"

/* What a connection waits for. */
enum talk_next {
  TALK_READ,  /* bytes: call talk_readable when there are any */
  TALK_WRITE, /* room: call talk_writable when there is some */
  TALK_WAIT,  /* its business work: call talk_writable after `desk.wait_ns`, and nothing before */
  TALK_CLOSE, /* nothing: call talk_close */
};

/* What a thread that serves has for itself. */
struct desk {
  const struct protocol *protocol;
  struct work work;
  int64_t wait_ns; /* after TALK_WAIT */
  bool drained;    /* after talk_readable: it read all there was */
  unsigned char buffer[SERVER_BUFFER_BYTES];
};

struct talk {
  int fd;
  bool ends;  /* by the protocol, once what is owed is written */
  bool stops; /* the server, too */
  unsigned char state[PROTOCOL_STATE_BYTES];
  unsigned char *owed; /* NULL: nothing */
  uint32_t owed_count;
  uint32_t owed_sent;
};

/* `number` tells the desks of a process apart. `blocks`: a thread that has one connection at a time does
 * all of the work, also that of kind wait, by sleeping; TALK_WAIT never comes then. */
void desk_start(struct desk *desk, const struct options *options, uint64_t number, bool blocks);

/* One recv from a socket that does not block, and what follows from it. */
enum talk_next talk_readable(struct talk *talk, struct desk *desk);
/* Writes what is owed. */
enum talk_next talk_writable(struct talk *talk);
/* Closes the socket and frees what was owed. Bytes that came after the end of the talk are read before, as
 * closing over them would reset the connection and take the last reply with it. */
void talk_close(struct talk *talk, struct desk *desk);

/* The halves of talk_readable, for models whose bytes are moved by others. talk_answer: TALK_WAIT (the reply is
 * kept), TALK_CLOSE, or TALK_WRITE with the `reply` to be written. talk_keep keeps what is left of a reply after
 * `sent` bytes: false without memory. talk_written: what comes after the last byte of a reply: TALK_READ,
 * TALK_CLOSE; does not return when the server is to stop. */
enum talk_next talk_answer(struct talk *talk, struct desk *desk, unsigned char *buffer, size_t count,
                           struct reply *reply);
bool talk_keep(struct talk *talk, const struct reply *reply, size_t sent);
enum talk_next talk_written(const struct talk *talk);
/* Of talk_close, what is to be done before the close where `ends`. */
void talk_read_rest(int fd, struct desk *desk);

/* The whole talk over a blocking socket, until either side ends it or it has idled for `idle_ns` (0: for ever); then
 * closes it. The desk is one that blocks. */
void talk_serve(int fd, struct desk *desk, int64_t idle_ns);

#endif
