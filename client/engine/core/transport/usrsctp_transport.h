/*
 * usrsctp_transport: what the files of the transport over usrsctp share. usrsctp.c has the turn, the table of functions
 * and how connections begin and end; usrsctp_sends.c and usrsctp_receives.c move the bytes. Private to them.
 */
#ifndef BROADSIDE_USRSCTP_TRANSPORT_H
#define BROADSIDE_USRSCTP_TRANSPORT_H

#include "closing_queue.h"
#include "transport.h"
#include "usrsctp_channels.h"

#define PACKETS_PER_CALL 32
#define PACKET_BYTES 65536u
#define MESSAGE_BYTES 65536u

enum usrsctp_slot_state { FREE, CONNECTING, OPEN, CLOSED };

struct usrsctp_slot {
  struct socket *socket; /* NULL: none */
  uint32_t association;
  uint32_t channel;
  int reason;     /* CLOSED: for on_close; OPEN: why a send failed, if nothing explains it better; 0: none has */
  uint8_t state;  /* enum usrsctp_slot_state */
  uint8_t unsent; /* iovecs of a blocked send that are left, also after it broke off; 0: none */
  bool is_ready;  /* it is in the queue of those that usrsctp has news of */
  bool resets;    /* every close sends an ABORT */
};

struct usrsctp_blocked {
  struct iovec iovecs[IO_IOVECS_MAX];
};

struct usrsctp_transport {
  struct transport transport;
  struct transport_settings settings;
  int epoll, wake; /* descriptors */
  struct usrsctp_slot *slots;
  struct usrsctp_blocked *blocked;
  struct closing_queue closing, ready;
  struct usrsctp_channels channels;
  uint64_t ticked_ns; /* usrsctp's timers have run up to then; 0: it has had no socket yet */
  uint8_t *buffer, *packets;
  uint8_t *message; /* iovecs of one message, copied together */
  struct mmsghdr headers[PACKETS_PER_CALL];
  struct iovec packet_iovecs[PACKETS_PER_CALL];
};

static inline struct usrsctp_transport *usrsctp_of(struct transport *transport) {
  return (struct usrsctp_transport *)(void *)transport;
}

static inline bool usrsctp_has_connection(const struct usrsctp_slot *own) {
  return own->state == CONNECTING || own->state == OPEN;
}

/* Ends a connection for REASON; turn() delivers the on_close. */
void usrsctp_end_slot(struct usrsctp_transport *self, uint32_t slot, int reason, bool reset);

/* usrsctp_serve_ready() serves the slot. */
void usrsctp_mark_ready(struct usrsctp_transport *self, uint32_t slot);

/* Sends COUNT iovecs, and keeps what usrsctp does not take. True when it has taken all. An error ends the slot, after
 * what came before it has been read: a notification may give the reason. */
bool usrsctp_send_iovecs(struct usrsctp_transport *self, uint32_t slot, const struct iovec *iovecs, unsigned count);

/* As in struct transport_table. */
enum transport_send usrsctp_send(struct transport *transport, uint32_t slot, const struct iovec *iovecs, unsigned count,
                                 uint64_t *started_ns);
size_t usrsctp_unsent_bytes(struct transport *transport, uint32_t slot);

/* Serves those that are ready now; who becomes ready meanwhile has its turn next. */
void usrsctp_serve_ready(struct usrsctp_transport *self);

/* Hands usrsctp the packets that channel INDEX has. */
void usrsctp_receive_packets(struct usrsctp_transport *self, uint32_t index);

/* A packet of channel INDEX could not be delivered: an ICMP message said so, or the kernel. What is connecting is
 * rejected for that. A UDP port without a socket is to SCTP over UDP what a RST is to TCP, so open connections are
 * reset by it; for other failures, which may pass, usrsctp sends again. */
void usrsctp_fail_channel(struct usrsctp_transport *self, uint32_t index);

#endif
