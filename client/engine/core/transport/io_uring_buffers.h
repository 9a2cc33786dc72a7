/*
 * io_uring_buffers: the buffers that receives of a ring share. The kernel takes one when bytes have come, so that an
 * idle connection owns none; the reader gives it back. Where the kernel can (Linux 6.12), it fills each buffer
 * piece by piece, so that many short replies share its cache lines.
 */
#ifndef BROADSIDE_IO_URING_BUFFERS_H
#define BROADSIDE_IO_URING_BUFFERS_H

#include <liburing.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef IO_URING_PART
#define IO_URING_PART 1u /* a test build divides rings and buffers by more, so that they run out all the time */
#endif

/* Flag of a completion: the kernel will fill the rest of the buffer. liburing 2.3 has no IORING_CQE_F_BUF_MORE. */
#define RING_BUFFER_HAS_MORE (1u << 4)

struct ring_buffers {
  struct io_uring_buf_ring *entries;
  uint8_t *memory;
  uint16_t group;        /* the kernel's name of them */
  uint32_t count, bytes; /* of buffers; of each */
  uint32_t *filled;      /* piece by piece: how much of each has been delivered; NULL: one receive, one buffer */
};

/* Registers buffers as GROUP with RING: 0 or -errno. IS_SHARED: several receives may share one, where the kernel can.
 * To be destroyed in either case. */
int ring_buffers_create(struct io_uring *ring, uint16_t group, bool is_shared, struct ring_buffers *buffers);

/* Frees them, once the ring is gone. */
void ring_buffers_destroy(struct ring_buffers *buffers);

/* Makes buffer number INDEX the kernel's. */
void ring_buffers_add(struct ring_buffers *buffers, uint16_t index);

static inline uint16_t ring_buffers_index(uint32_t flags) { return (uint16_t)(flags >> IORING_CQE_BUFFER_SHIFT); }

/* From one buffer to the next. Those that began at the same offset of a page would compete for the same few lines of
 * the cache. */
static inline size_t ring_buffers_stride(const struct ring_buffers *buffers) { return buffers->bytes + (size_t)64; }

static inline uint8_t *ring_buffers_start(const struct ring_buffers *buffers, uint16_t index) {
  return buffers->memory + index * ring_buffers_stride(buffers);
}

/* The bytes that a completion with FLAGS brought. */
static inline const uint8_t *ring_buffers_at(const struct ring_buffers *buffers, uint32_t flags) {
  uint16_t index = ring_buffers_index(flags);
  return ring_buffers_start(buffers, index) + (buffers->filled ? buffers->filled[index] : 0);
}

/* The LENGTH bytes of that completion have been read. Returns the buffer to the kernel once it is full. */
static inline void ring_buffers_release(struct ring_buffers *buffers, uint32_t flags, uint32_t length) {
  uint16_t index = ring_buffers_index(flags);
  if (buffers->filled) {
    buffers->filled[index] += length;
    if (flags & RING_BUFFER_HAS_MORE) return;
    buffers->filled[index] = 0;
  }
  ring_buffers_add(buffers, index);
}

#endif
