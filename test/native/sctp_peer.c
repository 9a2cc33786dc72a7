/*
 * sctp_peer.c: the modes of a peer.
 */
#include "sctp_peer.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "blocking_sctp.h"

#define READ_BYTES 65536
#define ASSOCIATIONS 4096

static struct {
  int endings;
  uint8_t modes[ASSOCIATIONS]; /* one-to-many: by id, modulo their number */
} world;

static void report(char ending) {
  if (write(world.endings, &ending, 1) != 1) _exit(1);
}

/* Sends LENGTH bytes as one message. */
static void reply(struct blocking_socket *socket, const void *bytes, size_t length, uint32_t association) {
  blocking_send(socket, bytes, length, association, BLOCKING_DATA);
}

/* The bytes of a message; true: the connection is over. */
static bool hear(struct blocking_socket *socket, uint8_t *mode, const uint8_t *bytes, size_t length,
                 uint32_t association) {
  if (*mode == 0) *mode = bytes[0];
  switch (*mode) {
  case PEER_ECHOES: reply(socket, bytes, length, association); return false;
  case PEER_TRUNCATES: reply(socket, "abc", 3, association); break;
  case PEER_ABORTS_IN_A_REPLY: reply(socket, "abc", 3, association); break;
  case PEER_ABORTS:
  case PEER_SHUTS_DOWN: break;
  default: return false;
  }
  bool aborts = *mode == PEER_ABORTS || *mode == PEER_ABORTS_IN_A_REPLY;
  blocking_send(socket, NULL, 0, association, aborts ? BLOCKING_ABORT : BLOCKING_SHUTDOWN);
  return true;
}

static void *serve_one(void *argument) {
  struct blocking_socket *socket = argument;
  uint8_t *buffer = malloc(READ_BYTES), mode = 0;
  uint32_t association = 0;
  for (bool over = false; !over;) {
    ssize_t length = blocking_receive(socket, buffer, READ_BYTES, &association);
    if (length > 0) over = hear(socket, &mode, buffer, (size_t)length, association);
    if (length == BLOCKING_ENDED) report(PEER_SAW_SHUTDOWN);
    if (length == BLOCKING_ABORTED) report(PEER_SAW_ABORT);
    over |= length == BLOCKING_ENDED || length == BLOCKING_ABORTED;
  }
  blocking_close(socket);
  free(buffer);
  return NULL;
}

static void serve_one_to_one(struct blocking_socket *listener) {
  for (;;) {
    struct blocking_socket *socket = blocking_accept(listener);
    pthread_t thread;
    if (!socket || pthread_create(&thread, NULL, serve_one, socket) != 0) _exit(1);
    pthread_detach(thread);
  }
}

static void serve_one_to_many(struct blocking_socket *socket) {
  uint8_t *buffer = malloc(READ_BYTES);
  for (;;) {
    uint32_t association = 0;
    ssize_t length = blocking_receive(socket, buffer, READ_BYTES, &association);
    uint8_t *mode = &world.modes[association % ASSOCIATIONS];
    if (length > 0 && hear(socket, mode, buffer, (size_t)length, association)) *mode = PEER_IGNORES;
    if (length == BLOCKING_ENDED) report(PEER_SAW_SHUTDOWN);
    if (length == BLOCKING_ABORTED) report(PEER_SAW_ABORT);
    if (length == BLOCKING_ENDED || length == BLOCKING_ABORTED) *mode = 0;
  }
}

/* Ends this process when the test has closed its end of the pipe. */
static void *watch(void *argument) {
  struct pollfd control = {.fd = (int)(intptr_t)argument, .events = 0};
  while (poll(&control, 1, -1) < 0) continue;
  _exit(0);
}

static void be_peer(const struct sctp_peer *peer, int control, int ready) {
  pthread_t thread;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pthread_create(&thread, NULL, watch, (void *)(intptr_t)control);
  struct blocking_socket *listener = blocking_listen(peer->port, peer->is_one_to_many, !peer->accepts_nothing);
  char is_ready = listener != NULL;
  if (write(ready, &is_ready, 1) != 1 || !is_ready) _exit(1);
  world.endings = ready;
  if (peer->accepts_nothing) {
    for (;;) pause();
  }
  if (peer->is_one_to_many)
    serve_one_to_many(listener);
  else
    serve_one_to_one(listener);
}

/* A port that is free now. */
static uint16_t free_port(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
  if (fd < 0) return 0;
  bind(fd, (struct sockaddr *)&address, sizeof address);
  getsockname(fd, (struct sockaddr *)&address, &length);
  close(fd);
  return ntohs(address.sin_port);
}

bool sctp_peer_start(struct sctp_peer *peer) {
  int control[2], endings[2];
  char is_ready = 0;
  peer->port = free_port();
  if (peer->port == 0 || pipe(control) != 0 || pipe(endings) != 0) return false;
  peer->process = fork();
  if (peer->process == 0) {
    close(control[0]);
    close(endings[0]);
    be_peer(peer, control[1], endings[1]);
    _exit(1);
  }
  close(control[1]);
  close(endings[1]);
  peer->control = control[0];
  peer->endings = endings[0];
  return peer->process > 0 && read(peer->endings, &is_ready, 1) == 1 && is_ready;
}

char sctp_peer_ending(struct sctp_peer *peer) {
  struct pollfd endings = {.fd = peer->endings, .events = POLLIN};
  char ending = 0;
  if (poll(&endings, 1, 20000) != 1 || read(peer->endings, &ending, 1) != 1) return 0;
  return ending;
}

void sctp_peer_kill(struct sctp_peer *peer) {
  kill(peer->process, SIGKILL);
  waitpid(peer->process, NULL, 0);
  close(peer->control);
  close(peer->endings);
}
