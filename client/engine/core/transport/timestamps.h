/*
 * timestamps: the kernel's times of a TCP connection (SO_TIMESTAMPING, taken by software): when the last byte of a send
 * left for the network device, and when the bytes that are read arrived. They are converted from CLOCK_REALTIME.
 */
#ifndef BROADSIDE_TIMESTAMPS_H
#define BROADSIDE_TIMESTAMPS_H

#include "../base/realtime.h"
#include "transport.h"

/* The bytes of control data with which a receive carries its time. */
#define TIMESTAMPS_CONTROL_BYTES 64u

/* What is stamped of a connection. */
enum stamping { STAMPS_NONE, STAMPS_RECEIVES, STAMPS_ALL };

/* What a transport needs for all its connections. Zeroed memory: no slot is stamped. */
struct timestamps {
  struct stamped_slots slots;
  uint32_t *sent_bytes; /* of each stamped slot's connection */
  int hold;             /* a socket that makes the kernel stamp what arrives, as long as it is open; -1: none */
  struct realtime realtime;
};

/* 0 or -ENOMEM. Where the kernel cannot stamp, connections have no stamps. */
int timestamps_create(struct timestamps *timestamps, const struct transport_settings *settings);
void timestamps_destroy(struct timestamps *timestamps);

/* The connection of SLOT is open: from now on its bytes are numbered, and its receives carry their time. Returns what
 * is stamped. */
enum stamping timestamps_begin(struct timestamps *timestamps, uint32_t slot, int fd);

/* Ends what timestamps_begin() began, of a connection without stamped sends whose socket is to connect again. 0 or
 * -errno. */
int timestamps_end(int fd);

/* Whether the sends that follow are stamped. Returns what is. */
enum stamping timestamps_of_sends(int fd, bool stamped);

/* Takes the next stamp of a send; false: there is none. */
bool timestamps_take(struct timestamps *timestamps, struct transport *transport, int fd, struct sent_stamp *stamp);

/* recv(2) of up to LENGTH bytes that does not wait, and sets the arrived_ns of TRANSPORT. */
ssize_t timestamps_receive(struct timestamps *timestamps, struct transport *transport, int fd, void *bytes,
                           size_t length);

/* When the last bytes of a receive arrived; 0: it does not say. */
uint64_t timestamps_arrived_ns(struct timestamps *timestamps, struct transport *transport, struct msghdr *message);

/* Bytes that send() of a stamped slot was given. */
static inline void timestamps_count(struct timestamps *timestamps, uint32_t slot, size_t bytes) {
  timestamps->sent_bytes[stamped_slots_index(&timestamps->slots, slot)] += (uint32_t)bytes;
}

static inline uint32_t timestamps_sent_bytes(const struct timestamps *timestamps, uint32_t slot) {
  return timestamps->sent_bytes[stamped_slots_index(&timestamps->slots, slot)];
}

#endif
