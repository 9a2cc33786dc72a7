/*
 * iovec_parts: what protocols make their requests and outcomes of. All of it is inline: it costs no call, and a
 * protocol stays one file.
 */
#ifndef BROADSIDE_IOVEC_PARTS_H
#define BROADSIDE_IOVEC_PARTS_H

#include "protocol.h"

/* A part of a request; nobody writes to it. */
static inline struct iovec iovec_part(const void *bytes, uint64_t length) {
  return (struct iovec){(void *)(uintptr_t)bytes, (size_t)length};
}

static inline struct parse_result parse_result_of(enum verdict verdict, size_t consumed) {
  return (struct parse_result){.consumed = consumed, .verdict = verdict};
}

/* A whole reply of that kind. */
static inline struct parse_result complete_reply(enum code code, size_t consumed) {
  return (struct parse_result){.consumed = consumed, .verdict = PARSE_COMPLETE, .code = (uint8_t)code};
}

#endif
