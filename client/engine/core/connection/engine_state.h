/*
 * engine_state: what engine.c (the loop), activation.c (how many slots are asked), attempt.c, slot.c and transfer.c
 * (what becomes of one slot), pipeline.c (the transfers of one that has several), request_queue.c (when requests are
 * due), busy_poll.c (when to sleep), drain.c (the end) and tcp_sample.c share. Private to those.
 */
#ifndef BROADSIDE_ENGINE_STATE_H
#define BROADSIDE_ENGINE_STATE_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../base/deadlines.h"
#include "../engine.h"
#include "../load/connect_limiter.h"
#include "../load/request_queue.h"
#include "control_messages.h"
#include "pipeline.h"

enum slot_state {
  SLOT_NEW,        /* not asked yet, or not any more */
  SLOT_CONNECTING, /* an attempt in flight; timer: connect deadline */
  SLOT_SECURING,   /* TCP is connected, TLS not yet; timer: the same */
  SLOT_GREETING,   /* connected, and waits to be greeted; timer: the same */
  SLOT_IDLE,       /* open, no transfer; timer: when the workload goes on, or none */
  SLOT_BUSY,       /* open, a transfer in flight; timer: its deadline or earlier, then put right */
  SLOT_CLOSING,    /* closed by us, waiting for on_close */
  SLOT_BACKOFF,    /* timer: next attempt */
  SLOT_QUEUED,     /* its attempt waits for its turn under connect_rate */
  SLOT_PAUSED,     /* its connection ended as planned, in the workload's pause; timer: next attempt */
  SLOT_FINISHED    /* nothing more in this leg */
};

enum slot_flag {
  SLOT_ASKED = 1,          /* this connection has begun a transfer */
  SLOT_ANSWERED = 2,       /* this connection has completed one */
  SLOT_EVER_OPENED = 4,    /* some connection of this slot was open */
  SLOT_EVER_ASKED = 8,     /* ... has begun a transfer */
  SLOT_EVER_ANSWERED = 16, /* ... has completed one */
  SLOT_SENDING = 32,       /* the kernel has not taken all that was sent yet */
  SLOT_ARMED = 64          /* a timer is set that comes up no later than the transfer's deadline */
};

/* 64 bytes: one cache line. */
struct slot {
  uint64_t started_ns; /* of the attempt or transfer in flight, or the last one */
  uint64_t since_ns;   /* open: when it opened; not open: when it was lost, or 0; about to be paused: until */
  alignas(8) uint8_t protocol_state[PROTOCOL_STATE_BYTES];
  uint32_t request_bytes; /* of the transfer in flight */
  uint32_t steady_transfers;
  uint32_t begun; /* transfers of this connection */
  uint8_t state, flags, failures;
  uint8_t then; /* SLOT_CLOSING: the state after on_close: SLOT_BACKOFF, SLOT_QUEUED (connect again), ... */
};
_Static_assert(sizeof(struct slot) == 64, "a slot is one cache line");

/* Of busy_poll.c; times are absolute. */
struct spin {
  uint64_t until_ns; /* it does not sleep before then */
  uint64_t due_ns;   /* what is due from then on had not been served at the last turn */
  uint64_t vain_ns;  /* the last turn was a look in vain, begun then; NS_NEVER: it was not */
  _Atomic uint64_t spun_ns;
};

struct engine {
  struct engine_settings settings;
  struct protocol_settings protocol_settings;
  struct transport *transport;
  bool secures; /* over TLS */
  bool lives;   /* connections have a lifetime */
  bool ages;    /* back-off returns to its base by staying open: nothing, or nothing sure, tells of an answer */
  bool spins;   /* looks for a while before it sleeps */
  struct deadlines *deadlines;
  struct connect_limiter *limiter; /* NULL: attempts wait for nobody */
  struct flights *flights;         /* NULL: closed loop, and a slot has one transfer at most, its own */
  struct open_loop *open_loop;     /* NULL: closed loop; else there are flights too */
  struct talks *talks;             /* NULL: a connection has requests and replies, and nothing else */
  struct intervals *intervals;
  struct interval *interval; /* being filled */
  struct slot *slots;
  uint64_t random;
  uint64_t gauges[GAUGES];
  uint64_t start_ns;      /* absolute */
  uint64_t boundary_ns;   /* absolute: where the cut being filled ends */
  uint64_t fresh_from_ns; /* absolute: a connection opened from then on is fresh */
  enum phase phase;
  uint64_t transfers_left;  /* that may begin; UINT64_MAX: no bound */
  uint32_t asked;           /* the slots before this one are asked */
  uint32_t live, finished;  /* slots that own a connection; that are done */
  uint32_t wanted;          /* to be asked by the schedule */
  uint64_t change_ns;       /* relative: from then on it is another number */
  uint64_t warmup_from_ns;  /* relative; like the two below */
  uint64_t steady_from_ns;  /* ... as planned, or earlier */
  uint64_t drain_at_ns;     /* ... <= steady_to_ns */
  uint64_t drain_end_ns;    /* absolute, once draining */
  uint32_t drain_cursor;    /* slots looked at since the drain began */
  uint32_t deadline_cursor; /* slots looked at since the drain's deadline */
  struct spin spin;

  _Atomic uint64_t steady_request_from_ns, steady_request_to_ns; /* NS_NEVER: none */
  _Atomic uint64_t drain_request_ns;
  _Atomic bool stop_request;
};

static inline uint64_t engine_now_ns(const struct engine *engine) { return clock_now(&engine->settings.clock); }
static inline uint32_t slot_id(const struct engine *engine, uint32_t slot) {
  return engine->settings.first + slot * engine->settings.stride;
}

/* Nothing new begins: the drain has come, or as many transfers have begun as were to. */
static inline bool engine_ending(const struct engine *engine) {
  return engine->phase == PHASE_DRAIN || engine->transfers_left == 0;
}

/* The slot's connection has begun the last of its transfers; it is to end where the next would begin. */
static inline bool slot_is_spent(const struct engine *engine, uint32_t slot) {
  uint32_t most = engine->settings.lifetime.transfers;
  return most > 0 && engine->slots[slot].begun >= most;
}

static inline void engine_count(struct engine *engine, unsigned counter) { engine->interval->counters[counter]++; }

/* A slot's timer is set and cleared here only, so that the flag tells the truth. */
static inline void slot_set_timer(struct engine *engine, uint32_t slot, uint64_t at_ns) {
  engine->slots[slot].flags |= SLOT_ARMED;
  deadlines_set(engine->deadlines, slot, at_ns);
}

static inline void slot_clear_timer(struct engine *engine, uint32_t slot) {
  engine->slots[slot].flags &= (uint8_t)~SLOT_ARMED;
  deadlines_clear(engine->deadlines, slot);
}

/* engine.c: closes every cut that ends at or before NOW_NS and enters the phases that begin there. */
void engine_cross(struct engine *engine, uint64_t now);

/* The time of what transport did not hand out, in the cut that it belongs to. */
static inline uint64_t engine_notices(struct engine *engine) {
  uint64_t at_ns = engine_now_ns(engine);
  if (at_ns >= engine->boundary_ns) engine_cross(engine, at_ns);
  return at_ns;
}

/* busy_poll.c: a turn of transport under busy_poll_ns: hands out what has come, and sleeps only when nothing came or
 * was due, and no request will be, for so long. DUE_NS: when there will be something to do at the latest. As the turn's
 * own result.
 */
int spin_turn(struct engine *engine, uint64_t now, uint64_t due_ns);

/* activation.c: asks as many slots as the schedule does at AT_NS (relative), or a bounded piece of the difference; true
 * while there is more to do at once. */
bool asked_follow(struct engine *engine, uint64_t at_ns);

/* tcp_sample.c: inspects some open connections, spread over the asked slots, into the cut being filled. */
void engine_sample_tcp(struct engine *engine);

/* attempt.c: an attempt, when its turn has come; now. TCP is connected and has to be secured; it is
 * connected; what comes before it is greeted; it was rejected; it is given up; it leaves the queue; it is not asked
 * any more, and owns no connection. The connection is gone, booked by then: the next attempt waits, or the slot ends.
 */
void attempt_ask(struct engine *engine, uint32_t slot);
void attempt_begin(struct engine *engine, uint32_t slot);
void attempt_transport(struct engine *engine, uint32_t slot, uint64_t at_ns);
void attempt_connected(struct engine *engine, uint32_t slot, uint64_t at_ns);
void attempt_hear(struct engine *engine, uint32_t slot, const uint8_t *bytes, size_t length, uint64_t at_ns);
void attempt_reject(struct engine *engine, enum reject_cause cause);
void attempt_drop(struct engine *engine, uint32_t slot, enum reject_cause cause);
void attempt_abandon(struct engine *engine, uint32_t slot);
void attempt_leave_queue(struct engine *engine, uint32_t slot);
void attempt_rest(struct engine *engine, uint32_t slot);
void attempt_settle(struct engine *engine, uint32_t slot, uint64_t at_ns, enum slot_state then);

/* transfer.c: one begins; it was answered, or ended with STATUS; FROM_NS: where its response time begins. The timer:
 * comes up at the deadline of a transfer that was sent at STARTED_NS, or earlier. The slot's open connection begins
 * (+1) or ceases (-1) to be asked and unanswered. */
void transfer_begun(struct engine *engine, uint32_t slot);
void transfer_complete(struct engine *engine, uint32_t slot, uint64_t from_ns, uint64_t at_ns, uint8_t code);
void transfer_fail(struct engine *engine, uint32_t slot, uint64_t from_ns, uint64_t at_ns, uint8_t status);
void transfer_arm(struct engine *engine, uint32_t slot, uint64_t started_ns);
void transfer_unanswered(struct engine *engine, uint32_t slot, int change);

/* slot.c */
extern const struct transport_events slot_events;
void slot_timer(struct engine *engine, uint32_t slot);
void slot_finish(struct engine *engine, uint32_t slot, enum transport_close_mode ending);
void slot_release(struct engine *engine, uint32_t slot); /* closes an open connection that is not wanted any more */
void slot_cut_short(struct engine *engine, uint32_t slot, uint64_t now);
void slot_close_then(struct engine *engine, uint32_t slot, enum transport_close_mode ending, enum slot_state then);

/* slot.c, of an open connection: the workload says what next; it had its last transfer, as planned; what nobody
 * asked for came, true when it may go on; it did what it must not: RST, then back-off. */
void slot_go_on(struct engine *engine, uint32_t slot, enum workload_event event, uint64_t at_ns);
void slot_close_anew(struct engine *engine, uint32_t slot, uint64_t at_ns);
bool slot_hear(struct engine *engine, uint32_t slot, const uint8_t *bytes, size_t length, uint64_t at_ns);
void slot_spoil(struct engine *engine, uint32_t slot, uint64_t at_ns, enum error_cause cause);

/* drain.c: while the engine is ending, a bounded piece of what that takes; true while there is more to do at once. */
bool drain_step(struct engine *engine, uint64_t now);

#endif
