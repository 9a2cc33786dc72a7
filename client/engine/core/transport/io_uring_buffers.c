/*
 * io_uring_buffers.c: how a ring's receive buffers begin and end. What is done on the hot path is in the header.
 */
#include "io_uring_buffers.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int ring_buffers_create(struct io_uring *ring, struct ring_buffers *buffers) {
  struct io_uring_buf_reg registration = {.ring_entries = RING_BUFFERS, .bgid = RING_BUFFERS_GROUP};
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = RING_BUFFERS * sizeof(struct io_uring_buf);
  buffers->entries = aligned_alloc(page, (bytes + page - 1) / page * page);
  buffers->memory = malloc((size_t)RING_BUFFERS * RING_BUFFER_BYTES);
  if (!buffers->entries || !buffers->memory) return -ENOMEM;
  io_uring_buf_ring_init(buffers->entries);
  for (unsigned i = 0; i < RING_BUFFERS; i++) {
    io_uring_buf_ring_add(buffers->entries, buffers->memory + (size_t)i * RING_BUFFER_BYTES, RING_BUFFER_BYTES,
                          (uint16_t)i, io_uring_buf_ring_mask(RING_BUFFERS), (int)i);
  }
  io_uring_buf_ring_advance(buffers->entries, (int)RING_BUFFERS);
  registration.ring_addr = (uint64_t)(uintptr_t)buffers->entries;
  return io_uring_register_buf_ring(ring, &registration, 0);
}

void ring_buffers_destroy(struct ring_buffers *buffers) {
  free(buffers->entries);
  free(buffers->memory);
}
