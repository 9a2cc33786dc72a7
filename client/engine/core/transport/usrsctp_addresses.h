/*
 * usrsctp_addresses: where the UDP packets of a connection over usrsctp come from and go to.
 */
#ifndef BROADSIDE_USRSCTP_ADDRESSES_H
#define BROADSIDE_USRSCTP_ADDRESSES_H

#include "transport.h"

/* Of SLOT, which is open, of a transport of usrsctp. 0 or -errno. */
int usrsctp_addresses(struct transport *transport, uint32_t slot, struct sockaddr_storage *local,
                      struct sockaddr_storage *peer);

#endif
