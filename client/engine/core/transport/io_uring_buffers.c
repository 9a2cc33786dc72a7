/*
 * io_uring_buffers.c: how a ring's receive buffers begin and end.
 */
#include "io_uring_buffers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Together they hold what the kernel copies in some 50 us: the clock is read after that. Receives that find none cost
 * hardly more, so there need not be as many bytes as are in flight. */
#define SHARED_BUFFERS 4u
#define SHARED_BYTES (64u * 1024u)
#define SINGLE_BUFFERS 256u
#define SINGLE_BYTES (4u * 1024u)

/* Of a registration: IOU_PBUF_RING_INC, in the field that liburing 2.3 calls `pad`. */
#define FILLED_PIECE_BY_PIECE 2

void ring_buffers_add(struct ring_buffers *buffers, uint16_t index) {
  io_uring_buf_ring_add(buffers->entries, ring_buffers_start(buffers, index), buffers->bytes, index,
                        io_uring_buf_ring_mask(buffers->count), 0);
  io_uring_buf_ring_advance(buffers->entries, 1);
}

static int allocate(struct ring_buffers *buffers, uint32_t count, uint32_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), entries = count * sizeof(struct io_uring_buf);
  buffers->count = count;
  buffers->bytes = bytes;
  buffers->entries = aligned_alloc(page, (entries + page - 1) / page * page);
  buffers->memory = malloc(count * ring_buffers_stride(buffers));
  if (!buffers->entries || !buffers->memory) return -ENOMEM;
  io_uring_buf_ring_init(buffers->entries);
  return 0;
}

static int register_with(struct io_uring *ring, const struct ring_buffers *buffers) {
  struct io_uring_buf_reg registration = {
      .ring_addr = (uint64_t)(uintptr_t)buffers->entries,
      .ring_entries = buffers->count,
      .bgid = buffers->group,
      .pad = buffers->filled ? FILLED_PIECE_BY_PIECE : 0,
  };
  return io_uring_register_buf_ring(ring, &registration, 0);
}

static int create_shared(struct io_uring *ring, struct ring_buffers *buffers) {
  bool is_tiny = IO_URING_PART > 1;
  uint32_t count = is_tiny ? 2 : SHARED_BUFFERS;
  int error = allocate(buffers, count, is_tiny ? SINGLE_BYTES : SHARED_BYTES);
  buffers->filled = calloc(count, sizeof *buffers->filled);
  if (!error && !buffers->filled) error = -ENOMEM;
  if (!error) { /* all of it is touched now, so that memory does not grow with what is received */
    memset(buffers->memory, 0, count * ring_buffers_stride(buffers));
  }
  if (!error) error = register_with(ring, buffers);
  if (error) ring_buffers_destroy(buffers);
  return error;
}

int ring_buffers_create(struct io_uring *ring, uint16_t group, bool is_shared, struct ring_buffers *buffers) {
  *buffers = (struct ring_buffers){.group = group};
  int error = is_shared ? create_shared(ring, buffers) : -EINVAL;
  if (error == -EINVAL) { /* a kernel before 6.12 */
    error = allocate(buffers, IO_URING_PART > 1 ? 2 : SINGLE_BUFFERS, SINGLE_BYTES);
    if (!error) error = register_with(ring, buffers);
  }
  for (uint32_t i = 0; !error && i < buffers->count; i++) ring_buffers_add(buffers, (uint16_t)i);
  return error;
}

void ring_buffers_destroy(struct ring_buffers *buffers) {
  free(buffers->entries);
  free(buffers->memory);
  free(buffers->filled);
  buffers->entries = NULL;
  buffers->memory = NULL;
  buffers->filled = NULL;
}
