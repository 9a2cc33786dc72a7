/*
 * usrsctp_sends.c: how the transport over usrsctp sends: a request as messages of at most MESSAGE_BYTES, whose
 * boundaries mean nothing.
 */
#include <errno.h>
#include <string.h>

#include "usrsctp_socket.h"
#include "usrsctp_transport.h"

#define PACKET_MESSAGE_BYTES 1200u /* of the 1,280 bytes of usrsctp's packets over AF_CONN */

static void keep_unsent(struct usrsctp_transport *self, uint32_t slot, const struct iovec *iovecs, unsigned count,
                        size_t taken) {
  struct iovec *kept = self->blocked[slot].iovecs;
  self->slots[slot].unsent = (uint8_t)count;
  memmove(kept, iovecs, count * sizeof *iovecs);
  kept[0].iov_base = (uint8_t *)kept[0].iov_base + taken;
  kept[0].iov_len -= taken;
}

/* The next message of COUNT iovecs, of which the first TAKEN bytes are sent, in one piece; *LENGTH at most LIMIT. */
static const uint8_t *next_message(struct usrsctp_transport *self, const struct iovec *iovecs, unsigned count,
                                   size_t taken, size_t limit, size_t *length) {
  const uint8_t *first = (const uint8_t *)iovecs->iov_base + taken;
  size_t left = iovecs->iov_len - taken;
  if (count == 1 || left >= limit) {
    *length = left < limit ? left : limit;
    return first;
  }
  memcpy(self->message, first, left);
  *length = left;
  for (unsigned i = 1; i < count && *length < limit; i++) {
    size_t part = iovecs[i].iov_len < limit - *length ? iovecs[i].iov_len : limit - *length;
    memcpy(self->message + *length, iovecs[i].iov_base, part);
    *length += part;
  }
  return self->message;
}

/* All associations of a one-to-many socket share its receive buffer. It could fill up with the beginnings of messages,
 * of which none could be completed; a message of one packet has no beginning. */
static size_t longest_message(const struct endpoint *endpoint) {
  if (endpoint->transport == SOCK_SEQPACKET) return PACKET_MESSAGE_BYTES;
  int buffer_bytes = endpoint->socket.send_bytes;
  return buffer_bytes > 0 && buffer_bytes < (int)MESSAGE_BYTES ? (size_t)buffer_bytes : MESSAGE_BYTES;
}

bool usrsctp_send_iovecs(struct usrsctp_transport *self, uint32_t slot, const struct iovec *iovecs, unsigned count) {
  struct usrsctp_slot *own = &self->slots[slot];
  size_t limit = longest_message(self->channels.list[own->channel].endpoint);
  size_t taken = 0; /* of the first iovec */
  while (count > 0) {
    size_t length;
    const uint8_t *message = next_message(self, iovecs, count, taken, limit, &length);
    ssize_t sent = length > 0 ? usrsctp_socket_send(own->socket, own->association, message, length) : 0;
    if (sent < 0) {
      keep_unsent(self, slot, iovecs, count, taken);
      if (sent != -EAGAIN && sent != -EWOULDBLOCK) {
        own->reason = (int)sent;
        usrsctp_mark_ready(self, slot);
      }
      return false;
    }
    taken += (size_t)sent;
    for (; count > 0 && taken >= iovecs->iov_len; count--) taken -= (iovecs++)->iov_len;
  }
  own->unsent = 0;
  return true;
}

enum transport_send usrsctp_send(struct transport *transport, uint32_t slot, const struct iovec *iovecs, unsigned count,
                                 uint64_t *started_ns) {
  struct usrsctp_transport *self = usrsctp_of(transport);
  if (self->slots[slot].state != OPEN) {
    keep_unsent(self, slot, iovecs, count, 0);
    return IO_PENDING;
  }
  *started_ns = clock_now(self->settings.clock);
  return usrsctp_send_iovecs(self, slot, iovecs, count) ? IO_SENT : IO_PENDING;
}

size_t usrsctp_unsent_bytes(struct transport *transport, uint32_t slot) {
  const struct usrsctp_transport *self = usrsctp_of(transport);
  size_t bytes = 0;
  for (unsigned i = 0; i < self->slots[slot].unsent; i++) bytes += self->blocked[slot].iovecs[i].iov_len;
  return bytes;
}
