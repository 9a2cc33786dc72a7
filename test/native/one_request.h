/*
 * one_request: legs that send one request over and over: a GET of HTTP, or redis's PING.
 */
#ifndef BROADSIDE_ONE_REQUEST_H
#define BROADSIDE_ONE_REQUEST_H

#include "check.h"
#include "http_texts.h"
#include "leg.h"

HTTP_TEXT(get, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");

/* Its struct redis_command as numbers, the request and the reply. */
#define PING_HEAD "*1\r\n$4\r\nPING\r\n"
#define PING_REPLY "+PONG\r\n"
#define PING_BYTES (15 * sizeof(int64_t))
static const struct {
  int64_t command[15];
  char texts[sizeof PING_HEAD PING_REPLY];
} ping = {{1, PING_BYTES, sizeof PING_HEAD - 1, 1, 0, 0, 0, 0, PING_BYTES + sizeof PING_HEAD - 1, sizeof PING_REPLY - 1,
           sizeof PING_REPLY - 1, 0, 0, 0, 0},
          PING_HEAD PING_REPLY};

/* Sets a parameter that the protocol must have. */
static inline void leg_set(struct leg *leg, const char *name, uint64_t value) {
  CHECK(protocol_set_parameter(leg->settings.protocol, &leg->settings.protocol_parameters, name, value));
}

/* PROTOCOL is HTTP's or redis's. */
static inline void leg_sends_one_request(struct leg *leg, const struct protocol *protocol) {
  const bool is_http = protocol == &protocol_http;
  leg->settings.protocol = protocol;
  leg->settings.protocol_bytes = is_http ? (const void *)&get : (const void *)&ping;
  leg->settings.protocol_bytes_count = is_http ? sizeof get : sizeof ping;
  leg_set(leg, is_http ? "requests" : "commands", 1);
  leg_set(leg, is_http ? "keepsAlive" : "weights", 1);
}

#endif
