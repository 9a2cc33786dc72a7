/* SCTP in this process (libusrsctp), encapsulated in UDP. One thread; the UDP port is the SCTP port. */
#ifndef BROADSIDE_USRSCTP_H
#define BROADSIDE_USRSCTP_H

#include "../server.h"

#ifdef BROADSIDE_USRSCTP
/* The model's `run_usrsctp`. */
int usrsctp_run(const struct options *options, int udp);
#else
#define usrsctp_run NULL
#endif

#endif
