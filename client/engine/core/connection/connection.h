/*
 * connection: the life of a slot, as a table of events and states (connection.c). The loop passes the events of its
 * sources to connection_event(); those of the transport come through connection_events (transport_events.c).
 */
#ifndef BROADSIDE_CONNECTION_H
#define BROADSIDE_CONNECTION_H

#include "connections.h"

/* What happens to a slot, whatever its state. */
enum slot_event {
  SLOT_ACTIVATE,   /* the ramp calls for it */
  SLOT_DEACTIVATE, /* the ramp no longer calls for it: it finishes its transfers, begins none, and closes by FIN */
  SLOT_RELEASE,    /* the connect limiter lets it connect */
  SLOT_DEADLINE,   /* its deadline came up */
  SLOT_DRAIN,      /* the leg ends: nothing new begins; transfers in flight get the drain's time */
  SLOT_CUT,        /* the drain's time is over */
  SLOT_EVENTS
};

/* Applies an event of the loop to a slot at NOW_NS. */
void connection_event(struct connections *self, uint32_t slot, enum slot_event event, uint64_t now_ns);

/* An open connection that was free is to send the request that has just become due. */
void connection_request(struct connections *self, uint32_t slot, uint64_t now_ns);

/* The transport's events; their owner is a struct connections. */
extern const struct transport_events connection_events;

#endif
