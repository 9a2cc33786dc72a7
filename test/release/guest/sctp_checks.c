/* Checks SCTP servers from inside the test guest, with SCTP of its kernel. Prints "ok NAME" or "not ok NAME: REASON"
 * for each check of its arguments, and ends with 0 if all are ok.
 *
 *   sctp_checks PORT CHECK...
 *
 * The server listens on FIRST and SECOND, which belong to the interfaces dummy0 and dummy1. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <linux/sctp.h> /* needs sys/socket.h */

#define FIRST "10.9.1.1"
#define SECOND "10.9.2.1"
#define DEADLINE_SECONDS 20
#define MANY 40
#define LARGE 30000

static uint16_t port;
static char reason[200];

static bool fail(const char *format, ...) {
  va_list words;
  va_start(words, format);
  vsnprintf(reason, sizeof reason, format, words);
  va_end(words);
  return false;
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct sockaddr_in address_of(const char *host) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, host, &address.sin_addr);
  return address;
}

static int new_socket(int type) {
  const struct timeval most = {.tv_sec = DEADLINE_SECONDS};
  const int fd = socket(AF_INET, type, IPPROTO_SCTP);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  return fd;
}

static int open_to(const char *host) {
  const struct sockaddr_in to = address_of(host);
  const int fd = new_socket(SOCK_STREAM);
  if (connect(fd, (const struct sockaddr *)&to, sizeof to) < 0) {
    fail("connect to %s: %s", host, strerror(errno));
    close(fd);
    return -1;
  }
  return fd;
}

static void fill(unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    bytes[i] = (unsigned char)rand();
  }
}

/* An echo of `count` bytes, in as many messages as the server sends. */
static bool echo(int fd, size_t count) {
  static unsigned char sent[LARGE], received[LARGE];
  fill(sent, count);
  if (send(fd, sent, count, MSG_NOSIGNAL) != (ssize_t)count) {
    return fail("send: %s", strerror(errno));
  }
  for (size_t got = 0; got < count;) {
    const ssize_t part = recv(fd, received + got, count - got, 0);
    if (part <= 0) {
      return fail("recv after %zu of %zu bytes: %s", got, count, part == 0 ? "end" : strerror(errno));
    }
    got += (size_t)part;
  }
  return memcmp(sent, received, count) == 0 || fail("other bytes");
}

static bool echo_once(void) {
  const int fd = open_to(SECOND);
  const bool ok = fd >= 0 && echo(fd, 100);
  close(fd);
  return ok;
}

static bool check_one_to_one(void) {
  const int fd = open_to(FIRST);
  bool ok = fd >= 0;
  for (int i = 0; ok && i < 100; i++) {
    ok = echo(fd, 1 + (size_t)i);
  }
  ok = ok && echo(fd, LARGE);
  close(fd);
  return ok;
}

/* One socket, no connect: sendto with the address makes the association. */
static bool check_one_to_many_client(void) {
  const int fd = new_socket(SOCK_SEQPACKET);
  const struct sockaddr_in to = address_of(FIRST);
  unsigned char sent[64], received[64];
  bool ok = true;
  for (int i = 0; ok && i < 100; i++) {
    fill(sent, sizeof sent);
    ok = (sendto(fd, sent, sizeof sent, MSG_NOSIGNAL, (const struct sockaddr *)&to, sizeof to) == sizeof sent ||
          fail("sendto: %s", strerror(errno))) &&
         (recv(fd, received, sizeof received, 0) == sizeof received || fail("recv: %s", strerror(errno))) &&
         (memcmp(sent, received, sizeof sent) == 0 || fail("other bytes"));
  }
  close(fd);
  return ok;
}

static bool check_many(void) {
  int fds[MANY];
  bool ok = true;
  int count = 0;
  while (ok && count < MANY) {
    fds[count] = open_to(count % 2 == 0 ? FIRST : SECOND);
    ok = fds[count] >= 0;
    count += ok ? 1 : 0;
  }
  for (int round = 0; ok && round < 2; round++) {
    for (int i = 0; ok && i < count; i++) {
      ok = echo(fds[i], 200);
    }
  }
  for (int i = 0; i < count; i++) {
    close(fds[i]);
  }
  return ok;
}

/* Long messages of many clients at once, each sent before the first reply is read. */
static bool check_large_at_once(void) {
  static unsigned char bytes[LARGE];
  int fds[MANY / 2];
  bool ok = true;
  for (int i = 0; i < MANY / 2; i++) {
    fds[i] = open_to(FIRST);
    ok = ok && fds[i] >= 0;
  }
  for (int round = 0; ok && round < 3; round++) {
    for (int i = 0; ok && i < MANY / 2; i++) {
      ok = send(fds[i], bytes, sizeof bytes, MSG_NOSIGNAL) == LARGE || fail("send: %s", strerror(errno));
    }
  }
  for (int i = 0; i < MANY / 2; i++) {
    for (size_t got = 0; ok && got < 3 * sizeof bytes;) {
      const ssize_t part = recv(fds[i], bytes, sizeof bytes, 0);
      ok = part > 0 || fail("recv after %zu bytes of client %d: %s", got, i, part == 0 ? "end" : strerror(errno));
      got += ok ? (size_t)part : 0;
    }
    close(fds[i]);
  }
  return ok;
}

static int peer_addresses(int fd) {
  unsigned char space[1024];
  struct sctp_getaddrs *list = (struct sctp_getaddrs *)(void *)space;
  socklen_t length = sizeof space;
  memset(space, 0, sizeof space);
  return getsockopt(fd, IPPROTO_SCTP, SCTP_GET_PEER_ADDRS, list, &length) < 0 ? -1 : (int)list->addr_num;
}

static bool check_addresses(void) {
  const int fd = open_to(FIRST);
  const int count = fd < 0 ? -1 : peer_addresses(fd);
  const bool ok = fd >= 0 && (count == 2 || fail("%d addresses of the server, expected 2", count)) && echo(fd, 100);
  close(fd);
  return ok;
}

static bool run(const char *command) { return system(command) == 0 || fail("%s", command); /* in the guest only */ }

/* FIRST is no longer an address of this machine, and packets to it leave by an interface that drops them. */
static bool lose_first(void) {
  return run("ip addr del " FIRST "/24 dev dummy0 && ip route add " FIRST "/32 dev dummy1");
}

static bool restore_first(void) {
  return run("ip route del " FIRST "/32 dev dummy1 && ip addr add " FIRST "/24 dev dummy0");
}

/* Whether this side still takes the path to FIRST for usable; -1 after an error. */
static int first_path_is_active(int fd) {
  struct sctp_paddrinfo info = {.spinfo_state = 0};
  socklen_t length = sizeof info;
  const struct sockaddr_in first = address_of(FIRST);
  memcpy(&info.spinfo_address, &first, sizeof first);
  if (getsockopt(fd, IPPROTO_SCTP, SCTP_GET_PEER_ADDR_INFO, &info, &length) < 0) {
    return -1;
  }
  return info.spinfo_state == SCTP_ACTIVE ? 1 : 0;
}

/* The first path goes down during an association; the second takes over, and every request is answered. */
static bool check_lost_path(void) {
  const int fd = open_to(FIRST);
  bool ok = fd >= 0 && echo(fd, 100) && (first_path_is_active(fd) == 1 || fail("the first path was not active"));
  const int64_t deadline = now_ms() + DEADLINE_SECONDS * 1000;
  ok = ok && lose_first();
  while (ok && first_path_is_active(fd) == 1) {
    ok = echo(fd, 1000) && (now_ms() < deadline || fail("the first path is still active"));
  }
  ok = ok && (first_path_is_active(fd) == 0 || fail("state of the path: %s", strerror(errno))) && echo(fd, 1000);
  close(fd);
  ok = restore_first() && ok;
  return ok && echo_once();
}

/* Half a message is under way when its only path goes down; the others are served. */
static bool check_half_message(void) {
  static unsigned char bytes[150000];
  const int fd = open_to(FIRST);
  bool ok =
      fd >= 0 && echo(fd, 100) && (send(fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL) > 0 || fail("send"));
  ok = ok && lose_first() && echo_once();
  const struct linger abort = {.l_onoff = 1};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
  close(fd);
  return restore_first() && ok && echo_once();
}

static bool check_abort(void) {
  const struct linger abort = {.l_onoff = 1};
  bool ok = true;
  for (int i = 0; ok && i < 50; i++) {
    static const unsigned char bytes[20000];
    const int fd = open_to(FIRST);
    ok = fd >= 0 && (send(fd, bytes, sizeof bytes, MSG_NOSIGNAL) > 0 || fail("send: %s", strerror(errno)));
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
    close(fd);
  }
  return ok && echo_once();
}

/* A client that sends and never reads, for as long as the server accepts it. The others are served. */
static bool check_never_reads(void) {
  static const unsigned char bytes[16384];
  const struct timespec pause = {.tv_nsec = 10000000};
  const int fd = open_to(FIRST);
  const int other = open_to(SECOND);
  bool ok = fd >= 0 && other >= 0;
  int refused = 0;
  for (int i = 0; ok && i < 4000 && refused < 50; i++) {
    if (send(fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
      refused = 0;
    } else if (errno == EAGAIN) {
      refused++;
      nanosleep(&pause, NULL);
    } else {
      break; /* the server has aborted it */
    }
  }
  for (int i = 0; ok && i < 20; i++) {
    ok = echo(other, 1000);
  }
  close(fd);
  close(other);
  return ok && echo_once();
}

/* ace: the header and a message of 2^32 - 1 bytes of which little arrives, then 10 whole messages of another client. */
static bool check_ace(void) {
  const unsigned char endless[] = {0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 'x'};
  const unsigned char header[] = {0, 0, 0, 0, 0, 0, 0, 10};
  const unsigned char message[] = {0, 0, 0, 3, 'a', 'b', 'c'};
  unsigned char reply[64];
  const int bad = open_to(FIRST);
  const int fd = open_to(FIRST);
  bool ok = bad >= 0 && fd >= 0 && send(bad, endless, sizeof endless, MSG_NOSIGNAL) > 0 &&
            send(fd, header, sizeof header, MSG_NOSIGNAL) > 0;
  for (int i = 0; ok && i < 10; i++) {
    ok = send(fd, message, sizeof message, MSG_NOSIGNAL) > 0 &&
         (recv(fd, reply, sizeof reply, 0) == 2 || fail("reply %d: %s", i, strerror(errno)));
  }
  ok = ok && (recv(fd, reply, sizeof reply, 0) == 0 || fail("the server does not close after the last message"));
  close(fd);
  close(bad);
  return ok;
}

/* All associations of the server are released in the end. */
static bool check_released(void) {
  for (int i = 0; i < DEADLINE_SECONDS * 10; i++) {
    const struct timespec pause = {.tv_nsec = 100000000};
    char line[512];
    int count = -1; /* the heading */
    FILE *list = fopen("/proc/net/sctp/assocs", "r");
    while (list != NULL && fgets(line, sizeof line, list) != NULL) {
      count++;
    }
    if (list == NULL) {
      return fail("/proc/net/sctp/assocs: %s", strerror(errno));
    }
    fclose(list);
    if (count == 0) {
      return true;
    }
    nanosleep(&pause, NULL);
  }
  return fail("associations remain");
}

static const struct {
  const char *name;
  bool (*run)(void);
} checks[] = {
    {"one-to-one", check_one_to_one},
    {"one-to-many-client", check_one_to_many_client},
    {"many", check_many},
    {"large-at-once", check_large_at_once},
    {"addresses", check_addresses},
    {"lost-path", check_lost_path},
    {"half-message", check_half_message},
    {"abort", check_abort},
    {"never-reads", check_never_reads},
    {"ace", check_ace},
    {"released", check_released},
};

int main(int argc, char **argv) {
  bool all = argc > 2;
  port = (uint16_t)(argc > 1 ? atoi(argv[1]) : 0);
  for (int i = 2; i < argc; i++) {
    size_t at = 0;
    while (at < sizeof checks / sizeof checks[0] && strcmp(checks[at].name, argv[i]) != 0) {
      at++;
    }
    snprintf(reason, sizeof reason, "unknown check");
    const int64_t began = now_ms();
    const bool ok = at < sizeof checks / sizeof checks[0] && checks[at].run();
    printf("%s %s%s%s (%ld ms)\n", ok ? "ok" : "not ok", argv[i], ok ? "" : ": ", ok ? "" : reason,
           (long)(now_ms() - began));
    fflush(stdout);
    all = all && ok;
  }
  return all ? 0 : 1;
}
