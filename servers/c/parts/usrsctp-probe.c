/* Compiles and links only where libusrsctp has what usrsctp.c uses (0.9.5 has it). Never run; the Makefile decides by
 * it whether `epoll` serves SCTP in user space. */
#include <stddef.h>
#include <usrsctp.h>

int main(void) {
  usrsctp_init_nothreads(0, NULL, NULL);
  usrsctp_register_address(NULL);
  usrsctp_conninput(NULL, NULL, 0, 0);
  usrsctp_handle_timers(0);
  return usrsctp_set_upcall(NULL, NULL, NULL);
}
