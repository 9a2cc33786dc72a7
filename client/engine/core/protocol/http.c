/*
 * http.c: HTTP/1.1 (RFC 9112). `bytes` is the head of the request, the payload its body. Where bodies vary in
 * length, `bytes` holds the head up to the Content-Length's last four digits once for each number before them (0, which
 * is not written, 1, 2 and so on: rows of row_bytes), and then all four digits from 0000 to 9999, each with the end of
 * the head; so no request writes a digit. Replies: http_reply.c.
 */
#include "http.h"

#include <string.h>

#include "iovec_parts.h"

static const struct protocol_parameter parameters[] = {
    {"headOnly", PARAMETER_FLAG, offsetof(struct http_parameters, head_only)},
    {"sendsBody", PARAMETER_FLAG, offsetof(struct http_parameters, sends_body)},
    {"keepsAlive", PARAMETER_FLAG, offsetof(struct http_parameters, keeps_alive)},
    {"rowBytes", PARAMETER_NUMBER, offsetof(struct http_parameters, row_bytes)},
    {"headBytes", PARAMETER_NUMBER, offsetof(struct http_parameters, head_bytes)},
};

#define ROW_LENGTHS 10000u /* the lengths that differ in their last four digits only */
#define ENDING_BYTES 8u    /* those digits and the end of the head */

/* How many rows of heads bodies of up to LENGTH bytes need. */
static uint64_t rows_for(uint64_t length) { return length / ROW_LENGTHS + 1; }

/* A request whose body is part of the payload. */
static unsigned request_varied(const struct protocol_settings *settings, uint64_t random, struct iovec parts[3]) {
  const struct http_parameters *given = http_parameters_of(settings);
  struct payload_run run = draw_payload_run(settings, random);
  size_t row = run.bytes / ROW_LENGTHS, ending = run.bytes % ROW_LENGTHS, skipped = 0;
  const uint8_t *endings = settings->bytes + rows_for(settings->payload_bytes) * given->row_bytes;
  size_t head_bytes = (size_t)given->head_bytes;
  for (size_t digits = row; digits > 0; digits /= 10) head_bytes++;
  for (size_t least = 1000; row == 0 && least > 1 && ending < least; least /= 10) skipped++;
  parts[0] = iovec_part(settings->bytes + row * given->row_bytes, head_bytes);
  parts[1] = iovec_part(endings + ending * ENDING_BYTES + skipped, ENDING_BYTES - skipped);
  parts[2] = iovec_part(settings->payload + run.offset, run.bytes);
  return run.bytes > 0 ? 3 : 2;
}

static unsigned request(void *state, const struct protocol_settings *settings, uint64_t random, struct iovec parts[3]) {
  memset(state, 0, sizeof(struct http));
  if (http_parameters_of(settings)->row_bytes > 0) return request_varied(settings, random, parts);
  parts[0] = iovec_part(settings->bytes, settings->bytes_count);
  if (!http_parameters_of(settings)->sends_body || settings->payload_bytes == 0) return 1;
  parts[1] = iovec_part(settings->payload, settings->payload_bytes);
  return 2;
}

static bool validate(const struct protocol_settings *settings) {
  const struct http_parameters *given = http_parameters_of(settings);
  uint64_t payload = settings->payload_bytes, count = settings->bytes_count;
  if (given->row_bytes == 0) return count > 0 && settings->payload_spread == 0;
  uint64_t rows = rows_for(payload), digits = 0;
  for (uint64_t last = rows - 1; last > 0; last /= 10) digits++;
  if (!given->sends_body || settings->payload_spread == 0 || given->row_bytes > count) return false;
  return given->head_bytes + digits == given->row_bytes &&
         count == rows * given->row_bytes + ROW_LENGTHS * ENDING_BYTES;
}

/* An error without a request: 408 of most servers, once the connection was idle for too long. */
static const char *const goodbyes[] = {"HTTP/1.1 4", "HTTP/1.1 5", "HTTP/1.0 4", "HTTP/1.0 5", NULL};

const struct protocol protocol_http = {
    .name = "http",
    .pipelined = true,
    .varies_payload = true,
    .validate = validate,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .request = request,
    .reply = http_reply,
    .end = http_end,
    .replies_early = true,
    .goodbyes = goodbyes,
};
