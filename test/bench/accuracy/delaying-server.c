/* delaying-server: an echo server that answers each request after a delay drawn from an exponential distribution,
 * and records how long the delay really was: from when it saw the request to just before it sends the reply.
 *
 *   delaying-server PORT PAYLOAD_BYTES MEAN_US LOG
 *
 * Prints "ready" when it listens. On SIGTERM it writes LOG: two uint64 per reply, when the reply was sent
 * (CLOCK_MONOTONIC) and the delay, both in ns. One thread; a connection has at most one request in flight. */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST_CONNECTIONS 1024
#define MOST_BYTES 1024
#define MOST_REPLIES 20000000u
#define NS_PER_SECOND UINT64_C(1000000000)

/* One connection: what it has of a request, and of one that is whole, since when and until when. */
struct connection {
  uint64_t seen_ns, due_ns;
  size_t got;
  int waits;
  uint8_t bytes[MOST_BYTES];
};

static struct connection connections[MOST_CONNECTIONS];
static struct { uint64_t sent_ns, delay_ns; } * replies;
static size_t replied;
static volatile sig_atomic_t ending;

static void end(int signal) {
  (void)signal;
  ending = 1;
}

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_nsec;
}

static uint64_t delay_of(double mean_us) {
  static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint64_t)(-log1p(-(double)(state >> 11) * 0x1p-53) * mean_us * 1000);
}

static int fail(const char *what) {
  fprintf(stderr, "delaying-server: %s: %s\n", what, strerror(errno));
  return 1;
}

/* Reads what there is; a request that is whole waits from SEEN_NS on. */
static void take(int fd, size_t payload, double mean_us, uint64_t seen_ns) {
  struct connection *self = &connections[fd];
  ssize_t size = recv(fd, self->bytes + self->got, payload - self->got, MSG_DONTWAIT);
  if (size == 0 || (size < 0 && errno != EAGAIN)) {
    self->got = 0;
    self->waits = 0;
    close(fd);
    return;
  }
  if (size > 0) self->got += (size_t)size;
  if (self->got < payload) return;
  self->got = 0;
  self->waits = 1;
  self->seen_ns = seen_ns;
  self->due_ns = seen_ns + delay_of(mean_us);
}

/* Answers those that are due; returns when the next is, or UINT64_MAX. */
static uint64_t answer(int highest, size_t payload) {
  uint64_t next_ns = UINT64_MAX;
  for (int fd = 0; fd <= highest; fd++) {
    struct connection *self = &connections[fd];
    if (!self->waits) continue;
    uint64_t at_ns = now_ns();
    if (self->due_ns > at_ns) {
      if (self->due_ns < next_ns) next_ns = self->due_ns;
      continue;
    }
    if (replied < MOST_REPLIES) {
      replies[replied].sent_ns = at_ns;
      replies[replied++].delay_ns = at_ns - self->seen_ns;
    }
    self->waits = 0;
    if (send(fd, self->bytes, payload, MSG_NOSIGNAL) < 0) shutdown(fd, SHUT_RDWR);
  }
  return next_ns;
}

static int listen_on(uint16_t port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, MOST_CONNECTIONS) != 0) return -1;
  return fd;
}

static void serve(int listener, size_t payload, double mean_us) {
  int epoll = epoll_create1(0), highest = 0, on = 1;
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
  epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
  uint64_t next_ns = UINT64_MAX;
  while (!ending) {
    uint64_t before = now_ns(), wait_ns = next_ns > before ? next_ns - before : 0;
    if (wait_ns > NS_PER_SECOND / 10) wait_ns = NS_PER_SECOND / 10;
    struct timespec wait = {.tv_nsec = (long)wait_ns};
    int count = epoll_pwait2(epoll, events, 256, &wait, NULL);
    uint64_t seen_ns = now_ns();
    for (int i = 0; i < count; i++) {
      if (events[i].data.fd != listener) {
        take(events[i].data.fd, payload, mean_us, seen_ns);
        continue;
      }
      int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
      if (fd < 0) continue;
      if (fd >= MOST_CONNECTIONS) {
        close(fd);
        continue;
      }
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      if (fd > highest) highest = fd;
      event.data.fd = fd;
      epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
    }
    next_ns = answer(highest, payload);
  }
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: delaying-server PORT PAYLOAD_BYTES MEAN_US LOG\n");
    return 2;
  }
  uint16_t port = (uint16_t)atoi(argv[1]);
  size_t payload = (size_t)atol(argv[2]);
  double mean_us = atof(argv[3]);
  if (payload < 1 || payload > MOST_BYTES || !(mean_us >= 0)) return 2;
  replies = calloc(MOST_REPLIES, sizeof *replies);
  int listener = listen_on(port);
  if (!replies || listener < 0) return fail("it cannot listen");
  sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
  printf("{\"ready\":true,\"protocol\":\"echo\",\"host\":\"127.0.0.1\",\"port\":%u}\n", port);
  fflush(stdout);
  serve(listener, payload, mean_us);
  FILE *log = fopen(argv[4], "w");
  if (!log || fwrite(replies, sizeof *replies, replied, log) != replied || fclose(log) != 0) return fail(argv[4]);
  return 0;
}
