/*
 * usrsctp_probe.c: compiles and links only where usrsctp has what core/transport/ uses (0.9.5 has it). Never run;
 * binding.gyp and the native tests decide by it whether SCTP in user space is built.
 */
#include <stddef.h>
#include <usrsctp.h>

int main(void) {
  usrsctp_init_nothreads(0, NULL, NULL);
  usrsctp_register_address(NULL);
  usrsctp_conninput(NULL, NULL, 0, 0);
  usrsctp_handle_timers(0);
  return usrsctp_get_events(NULL) + (int)usrsctp_sysctl_get_sctp_rto_initial_default();
}
