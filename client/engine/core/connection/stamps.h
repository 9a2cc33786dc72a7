/*
 * stamps: splits the response times of a sample of transfers by the kernel's timestamps (struct split). Connections are
 * sampled by stamped_slots.h, and of their transfers some at random, so that the cost stays bounded: an engine
 * tries one transfer in `timestamps_one_in`, at least 200 a second where there are as many, and about 500 at most. Each
 * that was tried and succeeded is either split or counted with the reason why not (enum split_omission). A stamp counts
 * for the request whose last byte it names, and for the reply that ends the read: nothing is guessed.
 */
#ifndef BROADSIDE_STAMPS_H
#define BROADSIDE_STAMPS_H

#include "connections.h"

/* The time with which a reply completed that did not end its read. */
#define ARRIVED_WITH_OTHERS UINT64_MAX

/* *STAMPS is NULL where SETTINGS have no timestamps. Returns 0 or -ENOMEM. */
int stamps_create(const struct engine_settings *settings, struct stamps **stamps);
void stamps_destroy(struct stamps *stamps);

/* The slots whose connections are stamped. */
struct stamped_slots stamps_slots(const struct engine_settings *settings);

/* A new connection of SLOT. */
void stamps_open(struct connections *self, uint32_t slot);

/* The request at PLACE of the slot's window was made. LATE: it was due before its connection was free. */
void stamps_made(struct connections *self, uint32_t slot, uint32_t place, bool late);

/* Requests of BYTES bytes are about to be sent. True: one of them is to be split, and stamps_sent() follows. */
bool stamps_choose(struct connections *self, uint32_t slot, size_t bytes);

/* They were given to the transport, the last of COUNT at PLACE. DONE: the kernel has taken them. */
void stamps_sent(struct connections *self, uint32_t slot, uint32_t place, uint32_t count, size_t bytes, bool done);

/* A send of SLOT that was pending is done: takes its stamp, before the transport reports it as an event of its own. */
void stamps_send_done(struct connections *self, uint32_t slot);

/* The transport has stamps of SLOT. */
void stamps_take(struct connections *self, uint32_t slot);

/* The times of a transfer whose reply is whole. */
struct stamps_reply {
  uint64_t from_ns, sent_ns, at_ns; /* due or sent, sent, and seen */
  uint64_t arrived_ns;              /* 0: not known; or ARRIVED_WITH_OTHERS */
  bool measured;                    /* as of recorder_request_succeeded() */
};

/* The reply of the request at PLACE is whole: records its parts, if it was to be split. */
void stamps_reply(struct connections *self, uint32_t slot, uint32_t place, const struct stamps_reply *reply);

#endif
