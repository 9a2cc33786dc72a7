/*
 * usrsctp_channels: the UDP sockets that carry the packets of usrsctp (RFC 6951), one for each endpoint. usrsctp knows
 * a channel by an address that it hands back with each packet; it is a number, so that a packet for a channel that is
 * gone is dropped. One thread at a time, except for what usrsctp does itself.
 */
#ifndef BROADSIDE_USRSCTP_CHANNELS_H
#define BROADSIDE_USRSCTP_CHANNELS_H

#include "transport.h"

struct usrsctp_channel {
  const struct endpoint *endpoint;
  int fd;      /* a UDP socket, connected to the endpoint's address */
  int failure; /* errno of the last packet that could not be delivered; 0: none since it was cleared */
};

struct usrsctp_channels {
  struct usrsctp_channel *list;
  uint32_t count, capacity;
  uint32_t generation; /* part of the address of each */
  int epoll;           /* the caller's descriptor: each channel is added to it, by its index */
};

/* Makes CHANNELS those that usrsctp sends through. Only one at a time can be. */
void usrsctp_channels_open(struct usrsctp_channels *channels, int epoll);

/* The index of the channel to ENDPOINT, which is opened if there is none yet; -errno. The endpoint must outlive it. */
int usrsctp_channels_find(struct usrsctp_channels *channels, const struct endpoint *endpoint);

/* What usrsctp calls channel INDEX. */
void *usrsctp_channels_address(const struct usrsctp_channels *channels, uint32_t index);

/* Sends one packet; usrsctp calls it. A packet that cannot be sent is lost, as it would be on the way: usrsctp sends it
 * again. Always 0. */
int usrsctp_channels_send(void *address, void *packet, size_t length, uint8_t tos, uint8_t set_df);

/* Closes them all. IS_FINISHED: usrsctp has forgotten them already. */
void usrsctp_channels_close(struct usrsctp_channels *channels, bool is_finished);

#endif
