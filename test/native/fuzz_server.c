/*
 * fuzz_server.c: a libFuzzer target for the protocols of the C servers; the environment says which, FUZZED=volley.
 * The input: whether (its low four bits are set) the stream is said again and again until it fills several reads; how
 * many sizes of reads follow; the sizes (0: as much as it takes; FILLED as large where it fills them); the stream.
 * However it is cut, the replies must be right, and the same as those to reads that are as large as can be.
 */
#include "server_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZES_MOST 8
#define FILLED 61

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct protocol *protocol;

int LLVMFuzzerInitialize(int *count, char ***words) {
  const char *name = getenv("FUZZED");
  (void)count;
  (void)words;
  if (name) protocol = strcmp(name, "volley_stop") == 0 ? &protocol_volley_stop : protocol_find(name);
  if (!protocol) {
    fprintf(stderr, "FUZZED=%s: expected %s or volley_stop\n", name ? name : "", protocol_names());
    exit(2);
  }
  return 0;
}

static void must_be_null(const char *wrong) {
  if (!wrong) return;
  fprintf(stderr, "%s: %s\n", protocol->name, wrong);
  abort();
}

/* The stream itself, or enough copies of it to fill two reads and begin a third. */
static unsigned char *stream_of(const uint8_t *data, size_t size, bool fills, size_t *length) {
  *length = fills && size > 0 && size < protocol->read_bytes ? 2 * protocol->read_bytes + size : size;
  unsigned char *stream = malloc(*length);
  if (!stream) abort();
  for (size_t at = 0; at < *length; at += size) {
    memcpy(stream + at, data, size < *length - at ? size : *length - at);
  }
  return stream;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const size_t whole = protocol->read_bytes;
  size_t sizes[SIZES_MOST + 1] = {1}, length;
  if (size < 2) return -1;
  const bool fills = (data[0] & 15) == 15;
  const size_t count = data[1];
  if (count > SIZES_MOST || size - 2 < count) return -1;
  for (size_t i = 0; i < count; i++) sizes[i] = data[2 + i] == 0 ? whole : data[2 + i];
  for (size_t i = 0; i <= count; i++) sizes[i] *= fills ? FILLED : 1;
  unsigned char *stream = stream_of(data + 2 + count, size - 2 - count, fills, &length);
  struct talked one = talk_through(protocol, stream, length, &whole, 1);
  struct talked other = talk_through(protocol, stream, length, sizes, count > 0 ? count : 1);
  must_be_null(talked_wrong(protocol, stream, length, &one));
  must_be_null(talked_wrong(protocol, stream, length, &other));
  must_be_null(talked_differ(protocol, &one, &other));
  talked_free(&one);
  talked_free(&other);
  free(stream);
  return 0;
}
