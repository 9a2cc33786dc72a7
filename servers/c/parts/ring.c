/* See ring.h. With DEFER_TASKRUN the kernel moves bytes only within io_uring_enter, so nothing interrupts a turn; older
 * kernels, and those that reject the flag, do the same with more interruptions. */
#include "ring.h"
#include "../frame/unix.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Divides the sizes; tests build with rings and buffers so small that they run out constantly. */
#ifndef RING_PART
#define RING_PART 1u
#endif
#define SUBMISSIONS (1024u / RING_PART)
/* More than the connections that an accept queue of the default length can hold. */
#define COMPLETIONS (16384u / RING_PART)
#define SMALL_BUFFERS (256u / RING_PART)
#define SMALL_BYTES 2048u
#define LARGE_BUFFERS (16u / (RING_PART < 16 ? RING_PART : 16))

/* Flags of Linux 6.1, of 5.19, and none, the best first. */
static int create(struct io_uring *uring, unsigned submissions, unsigned completions) {
  static const unsigned flags[] = {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_COOP_TASKRUN,
                                   0};
  int error = -EINVAL;
  for (size_t i = 0; i < sizeof flags / sizeof flags[0] && error == -EINVAL; i++) {
    struct io_uring_params parameters = {
        .flags = flags[i] | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
        .cq_entries = completions,
    };
    error = io_uring_queue_init_params(submissions, uring, &parameters);
  }
  return error;
}

bool ring_is_supported(void) {
  struct io_uring uring;
  const int error = create(&uring, 2, 4);
  if (error < 0) {
    server_log("io_uring is not available (kernel.io_uring_disabled, seccomp or the container may forbid it); "
               "use another model, such as epoll",
               -error);
    return false;
  }
  /* Support for multishot receive cannot be queried; this operation was introduced in the same kernel. */
  struct io_uring_probe *probe = io_uring_get_probe_ring(&uring);
  const bool can = probe != NULL && io_uring_opcode_supported(probe, IORING_OP_SEND_ZC);
  io_uring_free_probe(probe);
  io_uring_queue_exit(&uring);
  if (!can) {
    server_log("io_uring has no multishot receive (it needs Linux 6.0); use another model, such as epoll", 0);
  }
  return can;
}

static int listening = -1;
static struct sigaction before_ring[NSIG];

static void on_end_signal(int signal_number) {
  shutdown(listening, SHUT_RDWR);
  sigaction(signal_number, &before_ring[signal_number], NULL);
  raise(signal_number); /* delivered when this handler has returned */
}

void ring_release_port_on_exit(int listener) {
  if (unix_is(listener)) { /* a path can be bound regardless of the ring, and other processes may use the same socket */
    return;
  }
  struct sigaction end = {.sa_handler = on_end_signal};
  sigemptyset(&end.sa_mask);
  listening = listener;
  sigaction(SIGTERM, &end, &before_ring[SIGTERM]);
  sigaction(SIGINT, &end, &before_ring[SIGINT]);
}

unsigned char *ring_bytes(const struct ring *ring, unsigned buffer) {
  return ring->memory + (size_t)buffer * SERVER_BUFFER_BYTES;
}

void ring_return_buffer(struct ring *ring, unsigned buffer) {
  struct ring_buffers *buffers = &ring->groups[buffer < ring->groups[RING_LARGE].first ? RING_SMALL : RING_LARGE];
  io_uring_buf_ring_add(buffers->queue, ring_bytes(ring, buffer), buffers->bytes,
                        (unsigned short)(buffer - buffers->first), io_uring_buf_ring_mask(buffers->count), 0);
  io_uring_buf_ring_advance(buffers->queue, 1);
  buffers->given++;
}

static int provide(struct ring *ring, enum ring_group group, unsigned first, unsigned count, size_t bytes) {
  const size_t page = 4096;
  const size_t queue_bytes = (count * sizeof(struct io_uring_buf) + page - 1) / page * page;
  struct io_uring_buf_ring *queue = aligned_alloc(page, queue_bytes);
  if (queue == NULL) {
    return -ENOMEM;
  }
  memset(queue, 0, queue_bytes);
  io_uring_buf_ring_init(queue);
  ring->groups[group] = (struct ring_buffers){.queue = queue, .first = first, .count = count, .bytes = (unsigned)bytes};
  struct io_uring_buf_reg registration = {
      .ring_addr = (uint64_t)(uintptr_t)queue, .ring_entries = count, .bgid = (uint16_t)group};
  return io_uring_register_buf_ring(&ring->uring, &registration, 0);
}

bool ring_open(struct ring *ring, size_t read_bytes) {
  const unsigned buffers = SMALL_BUFFERS + LARGE_BUFFERS;
  int error = create(&ring->uring, SUBMISSIONS, COMPLETIONS);
  if (error == 0) {
    ring->memory = aligned_alloc(SERVER_BUFFER_BYTES, (size_t)buffers * SERVER_BUFFER_BYTES);
    error = ring->memory == NULL ? -ENOMEM : 0;
  }
  if (error == 0) {
    error = provide(ring, RING_SMALL, 0, SMALL_BUFFERS, read_bytes < SMALL_BYTES ? read_bytes : SMALL_BYTES);
  }
  if (error == 0) {
    error = provide(ring, RING_LARGE, SMALL_BUFFERS, LARGE_BUFFERS, read_bytes);
  }
  if (error < 0) {
    server_log("cannot set up the ring and its buffers", -error);
    return false;
  }
  for (unsigned buffer = 0; buffer < buffers; buffer++) {
    /* Touched now, so that memory use does not depend on clients. */
    memset(ring_bytes(ring, buffer), 0, buffer < SMALL_BUFFERS ? SMALL_BYTES : read_bytes);
    ring_return_buffer(ring, buffer);
  }
  return true;
}

/* Ends the server on permanent errors. */
static void judge(struct ring *ring, int result) {
  if (result >= 0 || result == -EINTR || result == -EAGAIN || result == -ETIME) {
    return;
  }
  if (result == -EBUSY) { /* the completion queue is full */
    io_uring_get_events(&ring->uring);
    return;
  }
  server_log("io_uring_enter", -result);
  exit(1);
}

void ring_submit(struct ring *ring) { judge(ring, io_uring_submit(&ring->uring)); }

void ring_turn(struct ring *ring, int64_t left_ns) {
  struct io_uring_cqe *first;
  struct __kernel_timespec most = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
  judge(ring, left_ns < 0 ? io_uring_submit_and_wait(&ring->uring, 1)
                          : io_uring_submit_and_wait_timeout(&ring->uring, &first, 1, &most, NULL));
}

struct io_uring_sqe *ring_new_entry(struct ring *ring) {
  struct io_uring_sqe *entry;
  while ((entry = io_uring_get_sqe(&ring->uring)) == NULL) {
    ring_submit(ring);
  }
  return entry;
}

void ring_receive(struct io_uring_sqe *entry, int fd, enum ring_group group) {
  if (group == RING_SMALL) {
    io_uring_prep_recv_multishot(entry, fd, NULL, 0, 0);
  } else {
    io_uring_prep_recv(entry, fd, NULL, 0, 0);
  }
  entry->flags |= IOSQE_BUFFER_SELECT;
  entry->buf_group = (uint16_t)group;
}

unsigned ring_take_buffer(struct ring *ring, enum ring_group group, const struct io_uring_cqe *completion) {
  struct ring_buffers *buffers = &ring->groups[group];
  buffers->given--;
  return buffers->first + (completion->flags >> IORING_CQE_BUFFER_SHIFT);
}

void ring_wait(struct ring *ring, enum ring_group group, struct ring_waiting *waiting) {
  struct ring_buffers *buffers = &ring->groups[group];
  *waiting = (struct ring_waiting){.waits = true};
  if (buffers->waiting_first == NULL) {
    buffers->waiting_first = waiting;
  } else {
    buffers->waiting_last->next = waiting;
  }
  buffers->waiting_last = waiting;
}

struct ring_waiting *ring_next_waiting(struct ring *ring, enum ring_group group) {
  struct ring_buffers *buffers = &ring->groups[group];
  struct ring_waiting *waiting = buffers->waiting_first;
  if (waiting != NULL) {
    buffers->waiting_first = waiting->next;
    waiting->waits = false;
  }
  return waiting;
}

bool ring_has_waiting(const struct ring *ring) {
  return ring->groups[RING_SMALL].waiting_first != NULL || ring->groups[RING_LARGE].waiting_first != NULL;
}
