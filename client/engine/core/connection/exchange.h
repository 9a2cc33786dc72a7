/*
 * exchange: the requests and replies of an open connection, a window of 1 .. pipeline transfers. Each function returns
 * what became of the connection and leaves it to open_connection.c to act on that: none of them closes a connection or
 * asks the workload.
 */
#ifndef BROADSIDE_EXCHANGE_H
#define BROADSIDE_EXCHANGE_H

#include "connections.h"

enum exchange_next {
  EXCHANGE_WAIT,  /* nothing to do until something comes */
  EXCHANGE_STEP,  /* ask the workload for its next step, with `event` */
  EXCHANGE_CLOSE, /* the last reply was whole, and the connection takes no further request, as planned */
  EXCHANGE_FAIL   /* an error, by `cause` */
};

struct exchange_result {
  uint8_t next;  /* enum exchange_next */
  uint8_t event; /* enum workload_event */
  uint8_t cause; /* enum error_cause */
  bool busy;     /* transfers are still in flight */
};

static inline struct exchange_result exchange_waits(bool busy) {
  return (struct exchange_result){.next = EXCHANGE_WAIT, .busy = busy};
}

static inline struct exchange_result exchange_steps(enum workload_event event, bool busy) {
  return (struct exchange_result){.next = EXCHANGE_STEP, .event = (uint8_t)event, .busy = busy};
}

static inline struct exchange_result exchange_fails(enum error_cause cause, bool busy) {
  return (struct exchange_result){.next = EXCHANGE_FAIL, .cause = (uint8_t)cause, .busy = busy};
}

/* A new connection: no transfer is in flight. */
void exchange_begin(struct connections *self, uint32_t slot);

/* Whether the connection has begun the last of its transfers; it ends where the next would begin. */
bool exchange_is_spent(const struct connections *self, uint32_t slot);

/* Sends as many requests as may be: in closed loop up to the window, in open loop those that wait; what room is left is
 * offered to the request queue. EXCHANGE_STEP: a transfer without a reply (one_way) is over already. */
struct exchange_result exchange_request(struct connections *self, uint32_t slot);

/* LENGTH bytes of an open connection, seen at AT_NS. */
struct exchange_result exchange_receive(struct connections *self, uint32_t slot, const uint8_t *bytes, size_t length,
                                        uint64_t at_ns);

/* The kernel has taken all that was sent. AT_NS: when the transport saw it. */
struct exchange_result exchange_sent(struct connections *self, uint32_t slot, uint64_t at_ns);

/* The connection is gone, and a send was pending: records the bytes of it that the kernel has taken. */
void exchange_abandon_send(struct connections *self, uint32_t slot);

/* The deadline of a connection with a transfer in flight came up at AT_NS. */
struct exchange_result exchange_deadline(struct connections *self, uint32_t slot, uint64_t at_ns);

/* The peer ended the stream at AT_NS. True: that completes the only reply in flight. */
bool exchange_end_of_stream(struct connections *self, uint32_t slot, uint64_t at_ns);

/* Why an open connection ended that the transport reports closed for REASON. */
enum error_cause exchange_cause_of_end(const struct connections *self, uint32_t slot, int reason);

#endif
