/*
 * sctp_association.c: one association, over the transport that also carries a leg's.
 */
#include "sctp_association.h"

#include <errno.h>
#include <string.h>

#include "sctp_socket.h"

struct attempt {
  struct transport *transport;
  bool is_open, is_closed;
  int reason;
};

static void on_connect(void *owner, uint32_t slot) {
  (void)slot;
  ((struct attempt *)owner)->is_open = true;
}

static void on_bytes(void *owner, uint32_t slot, const uint8_t *bytes, size_t length) {
  (void)owner, (void)slot, (void)bytes, (void)length;
}

static void on_sent(void *owner, uint32_t slot) { (void)owner, (void)slot; }

static void on_close(void *owner, uint32_t slot, int reason) {
  struct attempt *attempt = owner;
  (void)slot;
  attempt->is_closed = true;
  attempt->reason = reason;
}

static int find_addresses(struct transport *transport, struct sctp_association *association) {
  int fd = epoll_descriptor(transport, 0);
  return fd < 0 ? -ENOTCONN : sctp_socket_addresses(fd, association);
}

int sctp_association_inspect(const struct endpoint *endpoint, uint64_t timeout_ns,
                             struct sctp_association *association) {
  static const struct transport_events events = {
      .on_connect = on_connect, .on_bytes = on_bytes, .on_sent = on_sent, .on_close = on_close};
  const struct clock clock = {clock_monotonic_ns, NULL};
  struct attempt attempt = {0};
  const struct transport_settings settings = {.slots = 1, .events = &events, .owner = &attempt, .clock = &clock};
  uint64_t started_ns, deadline_ns = clock_now(&clock) + timeout_ns;
  memset(association, 0, sizeof *association);
  int error = transport_epoll.create(&settings, &attempt.transport);
  if (error) return error;
  transport_epoll.connect(attempt.transport, 0, endpoint, 0, &started_ns);
  while (!error && !attempt.is_open && !attempt.is_closed) {
    error = clock_now(&clock) > deadline_ns ? -ETIMEDOUT : transport_epoll.turn(attempt.transport, deadline_ns);
    if (error > 0) error = 0;
  }
  if (!error && attempt.is_closed) error = attempt.reason < 0 ? attempt.reason : -ECONNRESET;
  if (!error) error = find_addresses(attempt.transport, association);
  transport_epoll.close(attempt.transport, 0, error ? IO_RST : IO_FIN);
  while (!attempt.is_closed && transport_epoll.turn(attempt.transport, 0) >= 0) continue;
  transport_epoll.destroy(attempt.transport);
  return error;
}
