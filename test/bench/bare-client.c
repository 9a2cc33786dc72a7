/* bare-client: the least an epoll client can do, under a schedule (turns.js). Each of N connections sends the payload,
 * reads as many bytes back and sends again; no log, no timers, no histogram, no verification, one look at the clock a
 * turn. It is a yardstick, so it is level-triggered and reads like the engine, and does no more.
 *
 *   bare-client PORT CONNECTIONS PAYLOAD_BYTES < SCHEDULE
 *
 * The payload is zeros. Connections open one after another, each with a first exchange.
 *
 * Prints a list in JSON with an object for each block; cpuSeconds is getrusage of the whole process, user and system.
 * Any error ends it with a message and status 1. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS 256
#define READ_BYTES (256u * 1024u)

struct connection {
  int fd;
  size_t unsent, unread;
};

/* Times of CLOCK_MONOTONIC in seconds: requests may begin until loaded_to. */
struct slice {
  double from, loaded_to, end;
};

struct client {
  int epoll;
  double loaded_to; /* no request begins later */
  bool opening;     /* one exchange a connection, and no second one yet */
  size_t payload_bytes;
  char *payload;
  struct connection *connections;
  double now; /* of the turn */
  uint64_t round_trips, loaded_trips;
};

static void give_up(const char *what) {
  fprintf(stderr, "bare-client: %s: %s\n", what, strerror(errno));
  exit(1);
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void watch(struct client *client, int operation, struct connection *connection, uint32_t events) {
  struct epoll_event event = {.events = events, .data = {.ptr = connection}};
  if (epoll_ctl(client->epoll, operation, connection->fd, &event) != 0) give_up("epoll_ctl");
}

static void open_connection(struct client *client, struct connection *connection, uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  struct linger reset = {.l_onoff = 1, .l_linger = 0}; /* leaves no TIME_WAIT to the next client */
  int on = 1;
  connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection->fd < 0) give_up("socket");
  if (connect(connection->fd, (struct sockaddr *)&address, sizeof address) != 0) give_up("connect");
  setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  if (fcntl(connection->fd, F_SETFL, O_NONBLOCK) != 0) give_up("fcntl");
  watch(client, EPOLL_CTL_ADD, connection, EPOLLIN);
}

/* Sends what the kernel takes; the rest waits for EPOLLOUT. */
static void send_rest(struct client *client, struct connection *connection, int waited) {
  const char *from = client->payload + (client->payload_bytes - connection->unsent);
  ssize_t sent = send(connection->fd, from, connection->unsent, MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) give_up("send");
  if (sent > 0) connection->unsent -= (size_t)sent;
  int waits = connection->unsent > 0;
  if (waits != waited) watch(client, EPOLL_CTL_MOD, connection, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static void send_request(struct client *client, struct connection *connection) {
  connection->unsent = connection->unread = client->payload_bytes;
  send_rest(client, connection, 0);
}

static void read_reply(struct client *client, struct connection *connection) {
  static char buffer[READ_BYTES];
  ssize_t length = recv(connection->fd, buffer, sizeof buffer, 0);
  if (length < 0 && errno == EAGAIN) return;
  if (length <= 0) give_up(length == 0 ? "the server closed" : "recv");
  if ((size_t)length > connection->unread) give_up("more than was sent came back");
  connection->unread -= (size_t)length;
  if (connection->unread > 0 || client->opening) return;
  client->round_trips++;
  if (client->now < client->loaded_to) {
    client->loaded_trips++;
    send_request(client, connection);
  }
}

static void turn(struct client *client, int wait_ms) {
  struct epoll_event events[EVENTS];
  int count = epoll_wait(client->epoll, events, EVENTS, wait_ms);
  if (count < 0 && errno != EINTR) give_up("epoll_wait");
  client->now = seconds_now();
  for (int i = 0; i < count; i++) {
    struct connection *connection = events[i].data.ptr;
    if (events[i].events & EPOLLOUT) send_rest(client, connection, 1);
    if (events[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP)) read_reply(client, connection);
  }
}

static void sleep_until(double seconds) {
  struct timespec until = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
  }
}

static void run_slice(struct client *client, size_t count, const struct slice *slice) {
  sleep_until(slice->from);
  client->now = seconds_now();
  client->loaded_to = slice->loaded_to;
  for (size_t i = 0; i < count; i++) {
    if (client->connections[i].unread == 0) send_request(client, &client->connections[i]);
  }
  while (client->now < slice->end) {
    int wait_ms = (int)((slice->end - client->now) * 1e3);
    turn(client, wait_ms);
    if (wait_ms == 0 && client->now < slice->end) sleep_until(slice->end); /* the rest of a millisecond */
    client->now = seconds_now();
  }
}

/* All slices of the schedule: what each block of them took. Slices that begin before the first block warm up. */
static void take_turns(struct client *client, size_t count) {
  double start, from, block_seconds, first, loaded_to, end;
  unsigned blocks, block = 0;
  if (scanf("%lf %lf %lf %u", &start, &from, &block_seconds, &blocks) != 4) give_up("schedule");
  if (seconds_now() > (start + from) / 1e9) {
    fprintf(stderr, "bare-client: the connections were not open when the first block began\n");
    exit(1);
  }
  uint64_t trips = 0, loaded = 0;
  double cpu = 0, loaded_seconds = 0;
  const char *separator = "[";
  bool begun = false;
  while (block < blocks) {
    bool more = scanf("%lf %lf %lf", &first, &loaded_to, &end) == 3;
    bool ends_block = begun && (!more || first >= from + (block + 1) * block_seconds - 1);
    if (ends_block) {
      printf("%s{\"roundTrips\":%llu,\"loadedTrips\":%llu,\"seconds\":%.6f,\"cpuSeconds\":%.6f}", separator,
             (unsigned long long)(client->round_trips - trips), (unsigned long long)(client->loaded_trips - loaded),
             loaded_seconds / 1e9, cpu_seconds() - cpu);
      separator = ",";
      block++;
    }
    if (ends_block || (more && !begun && first >= from - 1)) {
      begun = true;
      trips = client->round_trips, loaded = client->loaded_trips;
      cpu = cpu_seconds(), loaded_seconds = 0;
    }
    if (!more) break;
    struct slice slice = {(start + first) / 1e9, (start + loaded_to) / 1e9, (start + end) / 1e9};
    if (slice.from < seconds_now() && !begun) continue; /* it was opening then */
    run_slice(client, count, &slice);
    loaded_seconds += loaded_to - first;
  }
  printf("]\n");
}

/* A server has accepted one before the next one comes, however short its backlog is. */
static void open_all(struct client *client, size_t count, uint16_t port) {
  client->opening = true;
  for (size_t i = 0; i < count; i++) {
    open_connection(client, &client->connections[i], port);
    send_request(client, &client->connections[i]);
    while (client->connections[i].unread > 0) turn(client, -1);
  }
  client->opening = false;
}

static void allow_descriptors(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int count, char **arguments) {
  if (count != 4) {
    fprintf(stderr, "usage: bare-client PORT CONNECTIONS PAYLOAD_BYTES < SCHEDULE\n");
    return 2;
  }
  size_t payload_bytes = strtoul(arguments[3], NULL, 10);
  size_t connections = strtoul(arguments[2], NULL, 10);
  allow_descriptors();
  struct client client = {.epoll = epoll_create1(EPOLL_CLOEXEC), .payload_bytes = payload_bytes, .loaded_to = HUGE_VAL};
  client.payload = calloc(1, payload_bytes);
  client.connections = calloc(connections, sizeof *client.connections);
  if (client.epoll < 0 || !client.payload || !client.connections) give_up("out of memory or descriptors");
  open_all(&client, connections, (uint16_t)atoi(arguments[1]));
  take_turns(&client, connections);
  return 0;
}
