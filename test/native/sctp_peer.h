/*
 * sctp_peer: a server of SCTP in a process of its own, which can be killed. The first byte that a connection sends says
 * how the peer behaves on it. It reports how each ended.
 */
#ifndef BROADSIDE_SCTP_PEER_H
#define BROADSIDE_SCTP_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum sctp_peer_mode {
  PEER_ECHOES = 'e',
  PEER_IGNORES = 'i',          /* reads, and never replies */
  PEER_ABORTS = 'a',           /* ABORT after the first message */
  PEER_SHUTS_DOWN = 's',       /* SHUTDOWN after the first message */
  PEER_TRUNCATES = 't',        /* three bytes, then SHUTDOWN */
  PEER_ABORTS_IN_A_REPLY = 'r' /* three bytes, then ABORT */
};

/* How a connection ended, as sctp_peer_ending() returns it. */
enum sctp_peer_ending { PEER_SAW_SHUTDOWN = 'S', PEER_SAW_ABORT = 'A' };

struct sctp_peer {
  bool is_one_to_many;  /* SOCK_SEQPACKET */
  bool accepts_nothing; /* no socket listens */
  uint16_t port;
  pid_t process;
  int control, endings; /* pipes */
};

/* Starts a peer on a free port; false: it could not. */
bool sctp_peer_start(struct sctp_peer *peer);

/* The next ending it has seen, after at most 20 s; 0: none. */
char sctp_peer_ending(struct sctp_peer *peer);

/* Ends it at once, without a word to its connections. */
void sctp_peer_kill(struct sctp_peer *peer);

#endif
