/*
 * window.c: the memory of the windows.
 */
#include "window.h"

#include <errno.h>
#include <stdlib.h>

#define STAGE_MOST 16384u /* bytes of a connection's stage */
#define FRAME_BYTES 64u   /* estimate of the bytes of a request besides its payload */

int windows_create(uint32_t slots, uint32_t depth, size_t request_bytes, struct windows **windows) {
  struct windows *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  size_t together = depth * (request_bytes + FRAME_BYTES);
  self->depth = depth;
  self->stage_bytes = depth == 1 ? 0 : together < STAGE_MOST ? (uint32_t)together : STAGE_MOST;
  self->of = calloc(slots, sizeof *self->of);
  self->requests = calloc((size_t)slots * depth, sizeof *self->requests);
  if (self->stage_bytes > 0) self->stages = malloc((size_t)slots * self->stage_bytes);
  if (!self->of || !self->requests || (self->stage_bytes > 0 && !self->stages)) {
    windows_destroy(self);
    return -ENOMEM;
  }
  *windows = self;
  return 0;
}

void windows_destroy(struct windows *windows) {
  if (!windows) return;
  free(windows->of);
  free(windows->requests);
  free(windows->stages);
  free(windows);
}
