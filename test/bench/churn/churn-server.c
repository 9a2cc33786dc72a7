/* churn-server: the common server for clients that connect, transfer once and close, some over HTTP and some with
 * the echo protocol. It answers a first read that begins with "GET " with a fixed HTTP/1.0 response of REPLY_BYTES
 * in all, and anything else with the same bytes. For every client a connection costs one accept4, epoll_ctl, recv,
 * send and close.
 *
 *   churn-server PORT REPLY_BYTES server|client
 *
 * The last argument says which side closes first, because that side has TIME_WAIT.
 *   server: it closes immediately; its FIN is in the segment of the reply (MSG_MORE), so that no client can be
 *   faster.
 *   client: it waits for the client's FIN, which costs one more recv.
 * On SIGTERM it prints how many connections it has answered, and ends. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS 256
#define ACCEPTS 64
#define BACKLOG 4096
#define READ_BYTES (64 * 1024)
#define LOOK_MS 100 /* how soon a signal is seen that came just before the wait */

static volatile sig_atomic_t ending;

struct server {
  int epoll, listener;
  bool closes_first;
  char *page;
  size_t page_bytes;
  uint64_t http, echo;
};

static void give_up(const char *what) {
  fprintf(stderr, "churn-server: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void end(int signal_number) {
  (void)signal_number;
  ending = 1;
}

static void watch(const struct server *server, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
  if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) != 0) give_up("epoll_ctl");
}

/* A head and as much of a body as makes PAGE_BYTES of both. */
static void make_page(struct server *server, size_t page_bytes) {
  char head[128];
  size_t body = page_bytes, used = 0;
  for (;;) { /* the length of the head depends on the number in it */
    used = (size_t)snprintf(head, sizeof head, "HTTP/1.0 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
                            body);
    if (used >= page_bytes || used + body <= page_bytes) break;
    body--;
  }
  server->page_bytes = used + body;
  server->page = malloc(server->page_bytes);
  if (!server->page || used >= page_bytes) {
    fprintf(stderr, "churn-server: %zu bytes are too few for an HTTP response\n", page_bytes);
    exit(2);
  }
  memcpy(server->page, head, used);
  memset(server->page + used, 'x', body);
}

static void listen_on(struct server *server, uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int on = 1;
  server->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (server->listener < 0) give_up("socket");
  setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(server->listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* inherited by what is accepted */
  if (bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0) give_up("bind");
  if (listen(server->listener, BACKLOG) != 0) give_up("listen");
  watch(server, server->listener);
}

static void take(const struct server *server) {
  for (int i = 0; i < ACCEPTS; i++) {
    int fd = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      watch(server, fd);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != ECONNABORTED && errno != EINTR) {
      give_up("accept");
    }
  }
}

static void answer(struct server *server, int fd) {
  static char buffer[READ_BYTES];
  ssize_t length = recv(fd, buffer, sizeof buffer, 0);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  bool over = length <= 0;
  if (!over) {
    bool http = length >= 4 && memcmp(buffer, "GET ", 4) == 0;
    const char *reply = http ? server->page : buffer;
    size_t bytes = http ? server->page_bytes : (size_t)length;
    int more = server->closes_first ? MSG_MORE : 0;
    over = send(fd, reply, bytes, more | MSG_NOSIGNAL) != (ssize_t)bytes || server->closes_first;
    *(http ? &server->http : &server->echo) += 1;
  }
  if (over) close(fd);
}

int main(int count, char **arguments) {
  bool client_first = count == 4 && strcmp(arguments[3], "client") == 0;
  if (count != 4 || (!client_first && strcmp(arguments[3], "server") != 0)) {
    fprintf(stderr, "usage: churn-server PORT REPLY_BYTES server|client\n");
    return 2;
  }
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  struct server server = {.epoll = epoll_create1(EPOLL_CLOEXEC), .closes_first = !client_first};
  if (server.epoll < 0) give_up("epoll_create1");
  make_page(&server, strtoul(arguments[2], NULL, 10));
  listen_on(&server, (uint16_t)atoi(arguments[1]));
  while (!ending) {
    struct epoll_event events[EVENTS];
    int ready = epoll_wait(server.epoll, events, EVENTS, LOOK_MS);
    if (ready < 0 && errno != EINTR) give_up("epoll_wait");
    for (int i = 0; i < ready; i++) {
      if (events[i].data.fd == server.listener) {
        take(&server);
      } else {
        answer(&server, events[i].data.fd);
      }
    }
  }
  printf("{\"http\":%llu,\"echo\":%llu}\n", (unsigned long long)server.http, (unsigned long long)server.echo);
  return 0;
}
