/*
 * usrsctp_settings.c: reads usrsctp's settings, which it has only while it runs.
 */
#include "usrsctp_settings.h"

#include <errno.h>
#include <string.h>
#include <usrsctp.h>

#include "usrsctp_owner.h"

int usrsctp_settings_read(struct usrsctp_setting settings[USRSCTP_SETTINGS]) {
  if (!usrsctp_take()) return -EBUSY;
  usrsctp_init_nothreads(0, NULL, NULL);
  const struct usrsctp_setting all[USRSCTP_SETTINGS] = {
      {"rto_initial", usrsctp_sysctl_get_sctp_rto_initial_default()},
      {"rto_min", usrsctp_sysctl_get_sctp_rto_min_default()},
      {"rto_max", usrsctp_sysctl_get_sctp_rto_max_default()},
      {"max_init_retransmits", usrsctp_sysctl_get_sctp_init_rtx_max_default()},
      {"association_max_retrans", usrsctp_sysctl_get_sctp_assoc_rtx_max_default()},
      {"path_max_retrans", usrsctp_sysctl_get_sctp_path_rtx_max_default()},
      {"hb_interval", usrsctp_sysctl_get_sctp_heartbeat_interval_default()},
      {"sack_timeout", usrsctp_sysctl_get_sctp_delayed_sack_time_default()},
      {"valid_cookie_life", usrsctp_sysctl_get_sctp_valid_cookie_life_default()},
      {"sendspace", usrsctp_sysctl_get_sctp_sendspace()},
      {"recvspace", usrsctp_sysctl_get_sctp_recvspace()},
  };
  memcpy(settings, all, sizeof all);
  usrsctp_finish();
  usrsctp_give_back();
  return 0;
}
