/*
 * usrsctp_settings: what usrsctp's timers and buffers are set to, under the names that Linux gives the same settings.
 */
#ifndef BROADSIDE_USRSCTP_SETTINGS_H
#define BROADSIDE_USRSCTP_SETTINGS_H

#include <stdint.h>

#define USRSCTP_SETTINGS 11u

struct usrsctp_setting {
  const char *name;
  uint32_t value; /* times in ms, buffers in bytes */
};

/* Reads them all. 0, or -EBUSY: a transport uses usrsctp now. */
int usrsctp_settings_read(struct usrsctp_setting settings[USRSCTP_SETTINGS]);

#endif
