/* Compiles and links only where liburing has what ring.c and models/io_uring.c use (2.3 has it). Never run; the
 * manifest of `io_uring` names it. */
#include <liburing.h>
#include <stddef.h>

int main(void) {
  struct io_uring ring;
  struct io_uring_buf_reg registration = {.ring_entries = 1};
  struct io_uring_params parameters = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
  io_uring_queue_init_params(1, &ring, &parameters);
  io_uring_prep_multishot_accept(io_uring_get_sqe(&ring), 0, NULL, NULL, 0);
  io_uring_prep_recv_multishot(io_uring_get_sqe(&ring), 0, NULL, 0, 0);
  io_uring_prep_cancel64(io_uring_get_sqe(&ring), 0, 0);
  io_uring_prep_cancel_fd(io_uring_get_sqe(&ring), 0, IORING_ASYNC_CANCEL_ALL);
  return io_uring_register_buf_ring(&ring, &registration, 0) + io_uring_get_events(&ring) +
         io_uring_submit_and_wait_timeout(&ring, NULL, 0, NULL, NULL);
}
