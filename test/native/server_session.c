/*
 * See server_session.h. The one thing to know: the state lies at an odd address between canaries, the buffer ends where
 * AddressSanitizer sees a byte too far, and what is behind the bytes read is never the same.
 */
#include "server_session.h"

#include <stdlib.h>
#include <string.h>

#define CANARY 0xA5
#define CANARY_BYTES 17
#define STALE_BYTES 16

static void append(struct talked *talked, const struct reply *reply) {
  if (talked->count + reply->count > talked->room) {
    talked->room = 2 * (talked->count + reply->count);
    talked->bytes = realloc(talked->bytes, talked->room);
    if (!talked->bytes) abort();
  }
  if (reply->count > 0) memcpy(talked->bytes + talked->count, reply->bytes, reply->count);
  talked->count += reply->count;
  talked->requests += reply->requests;
  talked->close = reply->close;
  talked->stop = reply->stop;
}

static const char *reply_broken(const struct reply *reply, const unsigned char *buffer) {
  if (reply->count > SERVER_BUFFER_BYTES) return "a reply is longer than a buffer";
  if (reply->count > 0 && !reply->bytes) return "a reply lies nowhere";
  if (reply->bytes >= buffer && reply->bytes < buffer + SERVER_BUFFER_BYTES &&
      reply->count > (size_t)(buffer + SERVER_BUFFER_BYTES - reply->bytes)) {
    return "a reply ends outside the buffer";
  }
  if (reply->count > 0 && reply->requests == 0 && !reply->close) return "a reply answers no request";
  if (reply->stop && !reply->close) return "the server stops and the connection does not";
  return NULL;
}

struct talked talk_through(const struct protocol *protocol, const unsigned char *stream, size_t length,
                           const size_t *sizes, size_t count) {
  struct talked talked = {.bytes = malloc(64), .room = 64};
  unsigned char *buffer = malloc(SERVER_BUFFER_BYTES);
  unsigned char memory[CANARY_BYTES + PROTOCOL_STATE_BYTES + CANARY_BYTES], *state = memory + CANARY_BYTES;
  if (!talked.bytes || !buffer) abort();
  memset(memory, CANARY, sizeof memory);
  memset(state, 0, PROTOCOL_STATE_BYTES);
  for (size_t at = 0; at < length && !talked.close && !talked.broken; talked.reads++) {
    size_t size = sizes[talked.reads % count], left = length - at;
    if (size > protocol->read_bytes) size = protocol->read_bytes;
    if (size > left) size = left;
    memcpy(buffer, stream + at, size);
    size_t stale = SERVER_BUFFER_BYTES - size < STALE_BYTES ? SERVER_BUFFER_BYTES - size : STALE_BYTES;
    memset(buffer + size, (int)(talked.reads * 37 + 1) & 0xff, stale);
    const struct reply reply = protocol->answer(state, buffer, size);
    talked.broken = reply_broken(&reply, buffer);
    for (size_t i = 0; i < CANARY_BYTES; i++) {
      if (memory[i] != CANARY || state[PROTOCOL_STATE_BYTES + i] != CANARY)
        talked.broken = "it wrote outside its state";
    }
    if (!talked.broken) append(&talked, &reply);
    at += size;
  }
  free(buffer);
  return talked;
}

void talked_free(struct talked *talked) {
  free(talked->bytes);
  talked->bytes = NULL;
}

static uint32_t number_at(const unsigned char *bytes, bool little) {
  uint32_t number = 0;
  for (int i = 0; i < 4; i++) number = number << 8 | bytes[little ? 3 - i : i];
  return number;
}

static const char *volley_wrong(const unsigned char *stream, size_t length, const struct talked *talked, bool stops) {
  size_t at = 0;
  bool stop = false;
  for (; length - at >= 4 && !stop; at += 4) {
    const uint32_t word = number_at(stream + at, false);
    stop = stops && word == 0;
    if (stop) break;
    if (at + 4 > talked->count) return "a word has no reply";
    if (number_at(talked->bytes + at, false) != word + 1) return "a reply is not the word and one";
  }
  if (talked->count != at) return "there are more replies than words";
  if (talked->requests != at / 4) return "the requests are not the words";
  return talked->close == stop && talked->stop == stop ? NULL
                                                       : "it ends where it should not, or does not where it should";
}

static const char *ace_wrong(const unsigned char *stream, size_t length, const struct talked *talked) {
  uint64_t messages = 0, whole = 0, at = 8;
  bool close = false;
  if (length >= 8) {
    messages = stream[0] > 1 ? 0 : number_at(stream + 4, stream[0] == 1);
    while (whole < messages && length - at >= 4) {
      const uint64_t end = at + 4 + number_at(stream + at, false);
      if (end > length) break;
      whole++;
      at = end;
    }
    close = whole == messages;
  }
  if (talked->count != whole * 2 || talked->requests != whole) return "the replies are not two bytes for each message";
  return talked->close == close ? NULL : "it closes where it should not, or does not where it should";
}

const char *talked_wrong(const struct protocol *protocol, const unsigned char *stream, size_t length,
                         const struct talked *talked) {
  if (talked->broken) return talked->broken;
  if (protocol == &protocol_volley) return volley_wrong(stream, length, talked, false);
  if (protocol == &protocol_volley_stop) return volley_wrong(stream, length, talked, true);
  if (protocol == &protocol_ace) return ace_wrong(stream, length, talked);
  if (protocol == &protocol_http) return http_wrong(stream, length, talked);
  const bool same = talked->count == length && memcmp(talked->bytes, stream, length) == 0;
  if (talked->requests != talked->reads) return "a read is not a request";
  return same && !talked->close ? NULL : "it is not the echo";
}

const char *talked_differ(const struct protocol *protocol, const struct talked *one, const struct talked *other) {
  if (one->count != other->count) return "another number of bytes";
  if (memcmp(one->bytes, other->bytes, one->count) != 0) return "other bytes";
  if (one->close != other->close || one->stop != other->stop) return "another end";
  return protocol == &protocol_echo || one->requests == other->requests ? NULL : "another number of requests";
}
