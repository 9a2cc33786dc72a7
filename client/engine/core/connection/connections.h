/*
 * connections: the slots of an engine, each one cache line, and what all of them share. connection.c decides what an
 * event does to a slot, transitions.c moves it to its next state; connecting.c, requests.c, replies.c and
 * control_messages.c do the work of one state and return what became of it. Private to this folder and the loop in
 * engine.c.
 */
#ifndef BROADSIDE_CONNECTIONS_H
#define BROADSIDE_CONNECTIONS_H

#include <stdalign.h>
#include <stdbool.h>

#include "../base/deadlines.h"
#include "../load/connect_limiter.h"
#include "../load/request_queue.h"
#include "../metrics/recorder.h"
#include "engine_settings.h"

enum slot_state {
  SLOT_NEW,        /* not active, and no connection */
  SLOT_QUEUED,     /* waits for the connect limiter */
  SLOT_CONNECTING, /* an attempt in flight; deadline: connectTimeout */
  SLOT_SECURING,   /* TCP is connected, the TLS handshake in progress; deadline: the same */
  SLOT_HELLO,      /* connected, the protocol's hello in progress; deadline: the same */
  SLOT_IDLE,       /* open, no transfer in flight; deadline: the workload's next step, or none */
  SLOT_BUSY,       /* open, a transfer in flight; deadline: that of the transfer or earlier, then corrected */
  SLOT_CLOSING,    /* closed by us; the transport has not reported it yet */
  SLOT_BACKOFF,    /* rejected or lost; deadline: the next attempt */
  SLOT_PAUSED,     /* closed as planned, in the workload's pause; deadline: the next attempt */
  SLOT_FINISHED,   /* nothing more in this leg */
  SLOT_STATES
};

enum slot_flag {
  SLOT_SENT_REQUEST = 1,      /* this connection has sent a request */
  SLOT_ANSWERED = 2,          /* this connection has had a reply */
  SLOT_EVER_OPENED = 4,       /* some connection of this slot was open */
  SLOT_EVER_SENT_REQUEST = 8, /* ... has sent a request */
  SLOT_EVER_ANSWERED = 16,    /* ... has had a reply */
  SLOT_SENDING = 32,          /* a send is pending; stays set until the transport reports the end of the connection */
  SLOT_ARMED = 64,            /* a deadline is set that comes up no later than the transfer's */
  SLOT_EARLY_DATA = 128       /* open, before the first question to the workload: bytes must be read first */
};

#define CACHE_LINE 64u

#define RESUME_IN_SLICE NS_NEVER /* instead of a time: when a slice is loaded */

/* One cache line. */
struct slot {
  uint64_t started_ns; /* when the current or last attempt or transfer was handed to the kernel */
  union {
    uint64_t opened_ns;    /* IDLE, BUSY */
    uint64_t lost_ns;      /* otherwise: when the slot's connection was lost; 0: there is nothing to recover from */
    uint64_t resume_at_ns; /* CLOSING, to be PAUSED: the end of the pause, or RESUME_IN_SLICE */
  };
  alignas(8) uint8_t protocol_state[PROTOCOL_STATE_BYTES];
  union {
    uint32_t request_bytes; /* of the transfer in flight */
    uint32_t idle_from_ms;  /* IDLE: when the last transfer ended, since the leg's start; if any has begun */
  };
  uint32_t steady_transfers; /* completed in the steady state */
  uint32_t begun;            /* transfers of this connection */
  uint8_t state : 4;         /* enum slot_state; changed by slot_enter() only */
  uint8_t after_close : 4;   /* CLOSING: the state to enter when the transport reports the close */
  uint8_t flags;
  uint8_t failures; /* rejects and losses in a row */
  uint8_t received; /* bytes kept of the message that is being received (received.h) */
};
_Static_assert(sizeof(struct slot) == CACHE_LINE, "a slot is one cache line");
_Static_assert(SLOT_STATES <= 16, "a state has 4 bits");

struct connections {
  struct engine_settings settings;
  struct protocol_settings protocol_settings;
  struct transport *transport;
  struct slot *slots;
  uint8_t *received; /* QUOTE_BYTES of each slot, whose memory is touched only once a message has come in parts */
  uint8_t *rooms;    /* room_bytes of each slot, into which requests are written; NULL: they need none */
  size_t room_bytes;
  uint32_t listed_requests; /* that have figures of their own; 0: there is no list of several */
  struct deadlines *deadlines;
  struct connect_limiter *limiter; /* NULL: attempts start at once */
  struct windows *windows;         /* NULL: closed loop, and a connection has one transfer at most, in its slot */
  struct request_queue *queue;     /* NULL: closed loop; otherwise there are windows, too */
  struct stamps *stamps;           /* NULL: no transfer is split by kernel timestamps */
  struct control *control;         /* NULL: connections exchange requests and replies only */
  bool uses_tls;
  bool has_lifetime;
  bool has_hello;             /* a connection opens once the protocol's hello is answered */
  bool backoff_resets_by_age; /* no reply shows that a connection works: staying open for the back-off's cap does */
  struct ramp ramp;
  struct slice_cursor slice;
  uint64_t random;          /* state of what the seed reproduces */
  uint64_t identity;        /* state of what no other engine repeats */
  uint64_t number;          /* of the next request */
  uint64_t transfers_left;  /* that may begin; UINT64_MAX: no bound */
  uint32_t owned, finished; /* slots whose connection the transport has; slots that are SLOT_FINISHED */
  struct recorder recorder;
};

/* SELF is zeroed memory. Returns 0 or -errno; on failure connections_destroy() is still due. */
int connections_create(struct connections *self, const struct engine_settings *settings);
void connections_destroy(struct connections *self);

static inline uint64_t connections_now_ns(const struct connections *self) { return clock_now(&self->settings.clock); }

/* The time now, of something that the transport did not report, recorded in the interval that it belongs to. */
static inline uint64_t connections_stamp_ns(struct connections *self) {
  uint64_t now_ns = connections_now_ns(self);
  recorder_advance(&self->recorder, now_ns);
  return now_ns;
}

/* The id of a slot in the whole leg. */
static inline uint32_t slot_id(const struct connections *self, uint32_t slot) {
  return self->settings.first + slot * self->settings.stride;
}

/* No transfer and no attempt begins any more: the drain has begun, or the last planned transfer has. */
static inline bool connections_are_ending(const struct connections *self) {
  return self->recorder.phase == PHASE_DRAIN || self->transfers_left == 0;
}

/* Whether the leg is over for all slots. */
static inline bool connections_are_finished(const struct connections *self) {
  return self->owned == 0 && self->finished == self->settings.slots;
}

/* Of a slot without a connection: whether its last one was lost, and is not open again. */
static inline bool slot_was_lost(const struct slot *own) { return own->lost_ns != 0; }

/* Of a slot that connects: whether its last connection was answered and closed as planned. */
static inline bool slot_renews(const struct slot *own) {
  return (own->flags & SLOT_EVER_ANSWERED) != 0 && own->failures == 0 && own->lost_ns == 0;
}

/* A slot's deadline is set and cleared here only, so that SLOT_ARMED is true to it. */
static inline void slot_set_deadline(struct connections *self, uint32_t slot, uint64_t at_ns) {
  self->slots[slot].flags |= SLOT_ARMED;
  deadlines_set(self->deadlines, slot, at_ns);
}

static inline void slot_clear_deadline(struct connections *self, uint32_t slot) {
  self->slots[slot].flags &= (uint8_t)~SLOT_ARMED;
  deadlines_clear(self->deadlines, slot);
}

/* Sets a deadline for a transfer sent at STARTED_NS unless one is set. An earlier one is corrected when it comes up:
 * no deadline is moved for each transfer. */
static inline void slot_arm(struct connections *self, uint32_t slot, uint64_t started_ns) {
  if (self->slots[slot].flags & SLOT_ARMED) return;
  slot_set_deadline(self, slot, started_ns + self->settings.transfer_timeout_ns);
}

/* Sends PARTS; *SENT_NS: when. True when the kernel has taken them all; else the slot is SLOT_SENDING. */
static inline bool slot_send(struct connections *self, uint32_t slot, const struct iovec *parts, unsigned count,
                             uint64_t *sent_ns) {
  *sent_ns = self->transport->seen_ns;
  if (self->transport->table->send(self->transport, slot, parts, count, sent_ns) == IO_SENT) return true;
  self->slots[slot].flags |= SLOT_SENDING;
  return false;
}

/* The bytes of PARTS. */
static inline size_t parts_bytes(const struct iovec *parts, unsigned count) {
  size_t bytes = 0;
  for (unsigned i = 0; i < count; i++) bytes += parts[i].iov_len;
  return bytes;
}

#endif
