/*
 * io_uring_buffers: the buffers that all receives of a ring share. The kernel takes one when bytes have come, so that
 * an idle connection owns none; the reader gives it back.
 */
#ifndef BROADSIDE_IO_URING_BUFFERS_H
#define BROADSIDE_IO_URING_BUFFERS_H

#include <liburing.h>
#include <stddef.h>
#include <stdint.h>

#ifndef IO_URING_PART
#define IO_URING_PART 1u /* a test build divides rings and buffers by more, so that they run out all the time */
#endif
#define RING_BUFFERS (512u / IO_URING_PART)
#define RING_BUFFER_BYTES (16u * 1024u)
#define RING_BUFFERS_GROUP 1

struct ring_buffers {
  struct io_uring_buf_ring *entries;
  uint8_t *memory;
};

/* Registers the buffers with RING: 0 or -errno. To be destroyed in either case. */
int ring_buffers_create(struct io_uring *ring, struct ring_buffers *buffers);

/* Frees them, once the ring is gone. */
void ring_buffers_destroy(struct ring_buffers *buffers);

/* The bytes of the buffer that a completion's FLAGS name. */
static inline const uint8_t *ring_buffers_at(const struct ring_buffers *buffers, uint32_t flags) {
  return buffers->memory + (size_t)(flags >> IORING_CQE_BUFFER_SHIFT) * RING_BUFFER_BYTES;
}

/* Gives that buffer back to the kernel. */
static inline void ring_buffers_give_back(struct ring_buffers *buffers, uint32_t flags) {
  uint16_t buffer = (uint16_t)(flags >> IORING_CQE_BUFFER_SHIFT);
  io_uring_buf_ring_add(buffers->entries, buffers->memory + (size_t)buffer * RING_BUFFER_BYTES, RING_BUFFER_BYTES,
                        buffer, io_uring_buf_ring_mask(RING_BUFFERS), 0);
  io_uring_buf_ring_advance(buffers->entries, 1);
}

#endif
