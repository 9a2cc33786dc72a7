/*
 * liburing_probe.c: compiles and links only where liburing has what io_uring.c uses (2.3 has it, 2.1 does not). Never
 * run; binding.gyp decides by it whether the backend is built.
 */
#include <liburing.h>

int main(void) {
  struct io_uring ring;
  struct io_uring_buf_reg registration = {.ring_entries = 1};
  struct io_uring_params parameters = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
  io_uring_queue_init_params(1, &ring, &parameters);
  io_uring_prep_recv_multishot(io_uring_get_sqe(&ring), 0, NULL, 0, 0);
  io_uring_prep_recvmsg_multishot(io_uring_get_sqe(&ring), 0, NULL, 0);
  io_uring_prep_cancel64(io_uring_get_sqe(&ring), 0, 0);
  return io_uring_register_buf_ring(&ring, &registration, 0) + io_uring_submit_and_get_events(&ring) +
         io_uring_get_events(&ring) + io_uring_cq_has_overflow(&ring);
}
