/*
 * loopback: what tests over real sockets share: the transport of the kernel's sockets, a listener on loopback, and the
 * settings of an engine that meets it.
 */
#ifndef BROADSIDE_LOOPBACK_H
#define BROADSIDE_LOOPBACK_H

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>

#include "../../client/engine/core/engine.h"
#include "check.h"

static const struct transport_table *const table = &transport_epoll;

/* As many descriptors as this process may have. */
static inline void take_descriptors(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/* How many descriptors this process has open, and one more to read that. */
static inline uint64_t count_descriptors(void) {
  uint64_t count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (readdir(folder)) count++;
  closedir(folder);
  return count;
}

/* Listens on a free port of loopback; FLAGS are the socket's. ENDPOINT is how to get there. */
static inline int loopback_listen(int flags, int backlog, struct endpoint *endpoint) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
  CHECK_EQUAL(bind(listener, (struct sockaddr *)&address, length), 0);
  CHECK_EQUAL(listen(listener, backlog), 0);
  CHECK_EQUAL(getsockname(listener, (struct sockaddr *)&address, &length), 0);
  *endpoint =
      (struct endpoint){.family = AF_INET, .transport = SOCK_STREAM, .address_length = length, .socket.nodelay = true};
  memcpy(&endpoint->address, &address, length);
  return listener;
}

/* An engine with SLOTS connections to ENDPOINT, on the real clock; what it does with them is the test's. */
static inline struct engine_settings loopback_settings(const struct endpoint *endpoint, uint32_t slots) {
  return (struct engine_settings){
      .stride = 1,
      .slots = slots,
      .endpoints = endpoint,
      .endpoint_count = 1,
      .transport = table,
      .clock = {clock_monotonic_ns, NULL},
      .connect_timeout_ns = 5 * NS_PER_SECOND,
      .transfer_timeout_ns = 5 * NS_PER_SECOND,
      .drain_timeout_ns = 5 * NS_PER_SECOND,
      .seed = 1,
      .pipeline = 1,
  };
}

#endif
