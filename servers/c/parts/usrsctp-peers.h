/* The peers of a user-space SCTP server: where packets come from and replies go to. libusrsctp knows a peer as a
 * pointer that it never follows, so the IPv4 address and the UDP port are that pointer, and a packet from an unknown
 * source costs no memory. Those with an association are registered with the library, which accepts packets of an
 * association only from registered ones; several associations may share a peer. */
#ifndef BROADSIDE_USRSCTP_PEERS_H
#define BROADSIDE_USRSCTP_PEERS_H

#include <netinet/in.h>
#include <stdbool.h>

void *peer_of(const struct sockaddr_in *address);
struct sockaddr_in peer_address(const void *peer);
/* Each successful hold is followed by one release. false without memory. */
bool peer_hold(void *peer);
void peer_release(void *peer);

#endif
