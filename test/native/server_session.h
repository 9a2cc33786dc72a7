/*
 * server_session: a stream of bytes through a protocol of the C servers, cut into reads, as a model would; and what the
 * replies must be, worked out in another way than the protocol's own.
 */
#ifndef BROADSIDE_SERVER_TALK_H
#define BROADSIDE_SERVER_TALK_H

#include "../../servers/c/protocols/protocols.h"

/* What a whole stream was answered. */
struct talked {
  unsigned char *bytes; /* talked_free */
  size_t count, room;
  uint64_t reads, requests;
  bool close, stop;
  const char *broken; /* NULL, or what a protocol must not do and did */
};

/* Reads of sizes[0], sizes[1], ... bytes, over and over, but never of more than the protocol takes. */
struct talked talk_through(const struct protocol *protocol, const unsigned char *stream, size_t length,
                           const size_t *sizes, size_t count);
void talked_free(struct talked *talked);

/* NULL, or what is wrong with these replies to that stream. */
const char *talked_wrong(const struct protocol *protocol, const unsigned char *stream, size_t length,
                         const struct talked *talked);
const char *http_wrong(const unsigned char *stream, size_t length, const struct talked *talked); /* server_http.c */
/* NULL, or in what they differ that were made of the same stream by different cuts. */
const char *talked_differ(const struct protocol *protocol, const struct talked *one, const struct talked *other);

#endif
