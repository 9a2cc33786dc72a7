/*
 * pipeline.c: the memory of the windows.
 */
#include "pipeline.h"

#include <errno.h>
#include <stdlib.h>

#define STAGE_MOST 16384u /* bytes of a connection's stage */
#define FRAME_BYTES 64u   /* estimate of the bytes of a request besides its payload */

int pipeline_create(uint32_t slots, uint32_t depth, size_t request_bytes, struct pipeline **pipeline) {
  struct pipeline *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  size_t together = depth * (request_bytes + FRAME_BYTES);
  self->depth = depth;
  self->stage_bytes = depth == 1 ? 0 : together < STAGE_MOST ? (uint32_t)together : STAGE_MOST;
  self->windows = calloc(slots, sizeof *self->windows);
  self->requests = calloc((size_t)slots * depth, sizeof *self->requests);
  if (self->stage_bytes > 0) self->stages = malloc((size_t)slots * self->stage_bytes);
  if (!self->windows || !self->requests || (self->stage_bytes > 0 && !self->stages)) {
    pipeline_destroy(self);
    return -ENOMEM;
  }
  *pipeline = self;
  return 0;
}

void pipeline_destroy(struct pipeline *pipeline) {
  if (!pipeline) return;
  free(pipeline->windows);
  free(pipeline->requests);
  free(pipeline->stages);
  free(pipeline);
}
