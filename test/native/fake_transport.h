/*
 * fake_transport: a transport without a network and with a clock of its own. The test decides the fate of each attempt
 * and each request. The replies of a connection come in the order of its requests: a reply is never earlier than the
 * one before it. Time passes only inside turn(): to the next event or to the deadline, and by look_ns in a turn that
 * finds nothing and may not wait.
 */
#ifndef BROADSIDE_FAKE_TRANSPORT_H
#define BROADSIDE_FAKE_TRANSPORT_H

#include "../../client/engine/core/transport/transport.h"

enum fate_kind {
  FATE_OK,      /* attempt: opens; request: whole, right reply */
  FATE_CLOSE,   /* ends with reason */
  FATE_NOTHING, /* never hears of it */
  FATE_WRONG,   /* request: the reply's last byte is wrong */
  FATE_HALF,    /* request: half of the reply, then it ends with reason */
  FATE_SURPLUS, /* request: the reply and one byte more */
  FATE_EARLY,   /* request: the whole reply before the request was sent; it never is */
  FATE_BYTES,   /* request: the reply byte by byte, 1 ns apart, the last at after_ns */
  FATE_BRIEF,   /* attempt: opens at once, and ends with reason after_ns later */
  FATE_SPOKEN   /* attempt: opens, and the world's greeting is there already */
};

struct fate {
  enum fate_kind kind;
  uint64_t after_ns;
  int reason;
};

struct fake_world {
  uint64_t now_ns;
  uint64_t end_ns; /* turn() fails with -ETIMEDOUT beyond it: a test that hangs ends */
  void *context;
  struct fate attempt_fate, request_fate; /* of all, unless the functions decide */
  struct fate (*attempt)(struct fake_world *world, uint32_t slot);
  struct fate (*request)(struct fake_world *world, uint32_t slot);
  /* NULL, or returns whether a send is no request; the test answers such a send with fake_say and fake_end */
  bool (*takes)(struct fake_world *world, uint32_t slot, const uint8_t *bytes, size_t length);
  const char *greeting;     /* what a connection of FATE_SPOKEN receives */
  size_t request_bytes;     /* bytes of one request, of which a send has one or more; 0: a send is one request */
  uint64_t sends_take_ns;   /* how long a send is pending; 0: it is done at once */
  bool sends_start_late;    /* a pending send starts when it is done: it was queued until then */
  size_t taken_bytes;       /* bytes of a pending send that are taken at once */
  bool joins;               /* bytes that come to a connection at the same time come in one call */
  size_t pieces;            /* ... in pieces of this many bytes; 0: whole */
  uint64_t leaves_after_ns; /* a send that is stamped leaves that much later */
  uint64_t waits_ns;        /* bytes arrived that long before they are handed out */
  unsigned loses_stamps;    /* one in this many stamps of sends is lost; 0: none */
  bool hides_arrivals;      /* no bytes say when they arrived */
  uint64_t look_ns;         /* how long a turn takes that does not wait and finds nothing */
  /* what was seen */
  uint64_t stamps, lost_stamps; /* of sends */
  uint64_t attempts, requests, sends, resets, fins, turns;
  uint64_t looks;              /* turns that did not wait and found nothing */
  struct transport *transport; /* set by the fake */
};

/* The slot's connection receives LENGTH BYTES, or ends for REASON, AFTER_NS from now. */
void fake_say(struct fake_world *world, uint32_t slot, uint64_t after_ns, const void *bytes, size_t length);
void fake_end(struct fake_world *world, uint32_t slot, uint64_t after_ns, int reason);

/* Rules that the caller breaks (transport.h) abort the program. Of slot i, inspect() reads: a round-trip time of
 * FAKE_RTT_US + i, and two retransmissions where i is a multiple of 4. */
#define FAKE_RTT_US 100u

extern const struct transport_table transport_fake;

uint64_t fake_now_ns(void *world);

#endif
