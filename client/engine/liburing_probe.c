/*
 * liburing_probe.c: compiles and links only where liburing has what socket_ring.c uses (2.3 has it, 2.1 does not).
 * Never run; binding.gyp and the native tests decide by it whether sends are submitted by a ring.
 */
#include <liburing.h>

int main(void) {
  struct io_uring ring;
  struct io_uring_params parameters = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN};
  io_uring_queue_init_params(1, &ring, &parameters);
  io_uring_sqe_set_data64(io_uring_get_sqe(&ring), 0);
  return io_uring_register_ring_fd(&ring);
}
