/*
 * transitions: moves a slot from one state to the next: `state` changes here only. When each transition happens is
 * decided in connection.c, open_connection.c and transport_events.c.
 */
#ifndef BROADSIDE_TRANSITIONS_H
#define BROADSIDE_TRANSITIONS_H

#include "connections.h"

static inline void slot_enter(struct connections *self, uint32_t slot, enum slot_state state) {
  self->slots[slot].state = (uint8_t)state & 15u;
}

static inline bool slot_is_open(const struct slot *own) { return own->state == SLOT_IDLE || own->state == SLOT_BUSY; }

/* ---- without a connection ---- */

/* Starts an attempt. */
void slot_connect(struct connections *self, uint32_t slot);

/* Starts an attempt, or waits for the connect limiter. */
void slot_connect_or_queue(struct connections *self, uint32_t slot);

/* A slot without a connection is no longer active. */
void slot_rest(struct connections *self, uint32_t slot);

/* A slot without a connection does nothing more in this leg. */
void slot_finish(struct connections *self, uint32_t slot);

/* The connection is gone, and recorded: the slot enters NEXT, unless it ends or is no longer active. */
void slot_after_end(struct connections *self, uint32_t slot, enum slot_state next, uint64_t now_ns);

/* ---- the end of a connection ---- */

/* Closes the connection; the slot enters NEXT once the transport reports the close. */
void slot_close_then(struct connections *self, uint32_t slot, enum transport_close_mode mode, enum slot_state next);

/* Records that the connection is no longer open. */
void slot_leave_open(struct connections *self, uint32_t slot);

/* Closes an open connection as planned: neither lost nor an error. */
void slot_close_as_planned(struct connections *self, uint32_t slot, enum slot_state next);

/* Whether the peer ends an IDLE connection, for CAUSE, while another leg has its turn. It may: the pause is this
 * program's. Records it, and plans the next connection for the next slice. */
bool slot_ends_in_pause(struct connections *self, uint32_t slot, uint64_t at_ns, enum error_cause cause);

/* Records the error that ended or invalidated an open connection, and its transfers in flight. */
void slot_record_loss(struct connections *self, uint32_t slot, uint64_t at_ns, enum error_cause cause);

/* Ends an open connection because of an error: RST, then back-off, or the rest of the pause of slot_ends_in_pause(). */
void slot_fail(struct connections *self, uint32_t slot, uint64_t at_ns, enum error_cause cause);

/* Ends an attempt as a reject: RST, then back-off. */
void slot_reject(struct connections *self, uint32_t slot, enum reject_cause cause);

/* The connection has had its last transfer, as planned, and is gone or about to be closed: the workload says when the
 * next one begins. Returns the state to enter then. */
enum slot_state slot_plan_reconnect(struct connections *self, uint32_t slot, uint64_t at_ns);

#endif
