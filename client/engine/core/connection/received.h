/*
 * received: the first bytes of the message that a connection is receiving, kept until it is known whether they are
 * quoted. A message that comes whole, as most do, is not kept.
 */
#ifndef BROADSIDE_RECEIVED_H
#define BROADSIDE_RECEIVED_H

#include <string.h>

#include "connections.h"
#include "window.h"

/* A message has ended, or none has begun. */
static inline void received_forget(struct connections *self, uint32_t slot) { self->slots[slot].received = 0; }

/* The message goes on with LENGTH BYTES. */
static inline void received_keep(struct connections *self, uint32_t slot, const uint8_t *bytes, size_t length) {
  struct slot *own = &self->slots[slot];
  size_t room = QUOTE_BYTES - own->received;
  if (length > room) length = room;
  if (length == 0) return;
  memcpy(self->received + (size_t)slot * QUOTE_BYTES + own->received, bytes, length);
  own->received = (uint8_t)(own->received + length);
}

/* Keeps the LENGTH BYTES that were parsed last of a reply of STATE; of the head of the reply only its first line. */
static inline void received_keep_reply(struct connections *self, uint32_t slot, const void *state, const uint8_t *bytes,
                                       size_t length) {
  const struct protocol *protocol = self->settings.protocol;
  uint8_t kept = self->slots[slot].received;
  if (kept == QUOTE_BYTES) return;
  if (protocol->body_from) {
    size_t head = protocol->body_from(state, bytes, length);
    if (head > 0 && !(kept > 0 && memchr(self->received + (size_t)slot * QUOTE_BYTES, '\n', kept))) {
      const uint8_t *feed = memchr(bytes, '\n', head);
      received_keep(self, slot, bytes, feed ? (size_t)(feed + 1 - bytes) : head);
    }
    bytes += head;
    length -= head;
  }
  received_keep(self, slot, bytes, length);
}

/* What is kept of it led to KIND at AT_NS, in STATE; nothing is quoted where nothing was received. */
static inline void received_quote(struct connections *self, uint32_t slot, enum quote_kind kind, enum quote_state state,
                                  uint64_t at_ns) {
  uint8_t length = self->slots[slot].received;
  if (length == 0) return;
  received_forget(self, slot);
  recorder_quote(&self->recorder, kind, state, at_ns, self->received + (size_t)slot * QUOTE_BYTES, length);
}

/* Whether the peer has sent a message that no request asked for, and has not ended the connection after it. */
static inline bool received_has_unsolicited(const struct connections *self, uint32_t slot) {
  return !self->control && self->slots[slot].received > 0 && window_count(self, slot) == 0;
}

/* Whether a message is one by which the peer ends the connection. */
enum goodbye { GOODBYE_NO, GOODBYE_MAYBE /* too few of its bytes have come */, GOODBYE_YES };

/* Whether the message of SLOT is a goodbye: the bytes that are kept, followed by LENGTH BYTES. */
static inline enum goodbye received_goodbye(const struct connections *self, uint32_t slot, const uint8_t *bytes,
                                            size_t length) {
  const uint8_t *kept = self->received + (size_t)slot * QUOTE_BYTES;
  size_t kept_bytes = self->slots[slot].received;
  for (const char *const *goodbyes = self->settings.protocol->goodbyes; goodbyes && *goodbyes; goodbyes++) {
    size_t known = strlen(*goodbyes);
    size_t first = kept_bytes < known ? kept_bytes : known, rest = length < known - first ? length : known - first;
    if (memcmp(*goodbyes, kept, first) != 0 || memcmp(*goodbyes + first, bytes, rest) != 0) continue;
    return first + rest == known ? GOODBYE_YES : GOODBYE_MAYBE;
  }
  return GOODBYE_NO;
}

#endif
