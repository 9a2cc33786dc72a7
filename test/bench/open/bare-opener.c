/* bare-opener: opens and holds many connections with as little work as possible; the lower bound for the bench open.
 * PROCESSES processes open a share each: every connect is started without waiting for the previous one, then epoll
 * reports which are complete. No deadlines, no retries, no records of single connections. With SOURCES > 0
 * connection i uses the source address 127.0.0.(1 + i % SOURCES), bound with IP_BIND_ADDRESS_NO_PORT, so that the
 * port is chosen when the target is known.
 *
 *   bare-opener PORT CONNECTIONS PROCESSES SOURCES
 *
 * Prints one line of JSON when all are open, with times of CLOCK_MONOTONIC. Holds them until its stdin ends, or
 * until its own alarm ends it. Any error ends it with a message and status 1. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EVENTS 256
#define MOST_PROCESSES 64
#define MOST_SOURCES 254
#define MOST_SECONDS 180
#define DONE 'd'

struct order {
  uint16_t port;
  unsigned long connections, processes, sources;
};

static void give_up(const char *what) {
  fprintf(stderr, "bare-opener: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void begin(const struct order *order, int epoll, unsigned long number) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) give_up("socket");
  if (order->sources > 0) {
    struct sockaddr_in source = {.sin_family = AF_INET};
    int on = 1;
    source.sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)(number % order->sources));
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&source, sizeof source) != 0) give_up("bind");
  }
  struct sockaddr_in target = {.sin_family = AF_INET, .sin_port = htons(order->port)};
  target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, (struct sockaddr *)&target, sizeof target) != 0 && errno != EINPROGRESS) give_up("connect");
  struct epoll_event event = {.events = EPOLLOUT | EPOLLONESHOT, .data = {.fd = fd}};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) give_up("epoll_ctl");
}

static void finish(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
  if (error == 0) return;
  errno = error;
  give_up("connect");
}

/* One process's share: connections index, index + processes, ... Never returns. */
static void open_share(const struct order *order, unsigned long index, int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) give_up("epoll_create1");
  unsigned long waiting = 0;
  for (unsigned long i = index; i < order->connections; i += order->processes, waiting++) begin(order, epoll, i);
  while (waiting > 0) {
    struct epoll_event events[EVENTS];
    int ready = epoll_wait(epoll, events, EVENTS, -1);
    if (ready < 0 && errno != EINTR) give_up("epoll_wait");
    for (int i = 0; i < ready; i++, waiting--) finish(events[i].data.fd);
  }
  char done = DONE;
  if (write(report, &done, 1) != 1) give_up("write");
  for (;;) pause();
}

/* Waits until every process has reported; one that ends without has said why, and leaves its end of the pipe. */
static void await_all(const struct order *order, const int *reports) {
  for (unsigned long i = 0; i < order->processes; i++) {
    char done = 0;
    if (read(reports[i], &done, 1) != 1 || done != DONE) exit(1);
  }
}

int main(int count, char **arguments) {
  if (count != 5) {
    fprintf(stderr, "usage: bare-opener PORT CONNECTIONS PROCESSES SOURCES\n");
    return 2;
  }
  struct order order = {.port = (uint16_t)atoi(arguments[1]), .connections = strtoul(arguments[2], NULL, 10)};
  order.processes = strtoul(arguments[3], NULL, 10);
  order.sources = strtoul(arguments[4], NULL, 10);
  if (order.processes < 1 || order.processes > MOST_PROCESSES || order.sources > MOST_SOURCES) {
    fprintf(stderr, "bare-opener: 1 to %d processes, at most %d sources\n", MOST_PROCESSES, MOST_SOURCES);
    return 2;
  }
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  alarm(MOST_SECONDS);
  int reports[MOST_PROCESSES];
  pid_t children[MOST_PROCESSES];
  uint64_t start_ns = now_ns();
  for (unsigned long i = 0; i < order.processes; i++) {
    int ends[2];
    if (pipe(ends) != 0) give_up("pipe");
    children[i] = fork();
    if (children[i] < 0) give_up("fork");
    if (children[i] == 0) open_share(&order, i, ends[1]);
    close(ends[1]);
    reports[i] = ends[0];
  }
  await_all(&order, reports);
  printf("{\"startNs\":%llu,\"openNs\":%llu}\n", (unsigned long long)start_ns, (unsigned long long)now_ns());
  fflush(stdout);
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
  for (unsigned long i = 0; i < order.processes; i++) kill(children[i], SIGKILL);
  while (wait(NULL) > 0) continue;
  return 0;
}
