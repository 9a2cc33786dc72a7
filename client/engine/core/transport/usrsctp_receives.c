/*
 * usrsctp_receives.c: the packets that come for usrsctp, and what it makes of them for the connections.
 */
#include <errno.h>
#include <usrsctp.h>

#include "usrsctp_socket.h"
#include "usrsctp_transport.h"

#define CALLS_PER_CHANNEL 8 /* before the next channel has its turn */
#define READS_PER_SLOT 4

static void receive(struct usrsctp_transport *self, uint32_t slot) {
  struct usrsctp_slot *own = &self->slots[slot];
  for (int reads = 0; reads < READS_PER_SLOT; reads++) {
    ssize_t length = usrsctp_socket_receive(own->socket, self->buffer, READ_BYTES, &own->association);
    if (length == SCTP_SOCKET_UP && own->state == CONNECTING) {
      own->state = OPEN;
      self->settings.events->on_connect(self->settings.owner, slot);
    } else if (length > 0) {
      self->settings.events->on_bytes(self->settings.owner, slot, self->buffer, (size_t)length);
    } else if (length == SCTP_SOCKET_EOF) {
      usrsctp_end_slot(self, slot, IO_EOF, false);
    } else if (length == -EAGAIN || length == -EWOULDBLOCK) {
      return;
    } else if (length != SCTP_SOCKET_NOTHING && length != SCTP_SOCKET_UP) {
      usrsctp_end_slot(self, slot, (int)length, false);
    }
    if (!usrsctp_has_connection(own)) return;
  }
  usrsctp_mark_ready(self, slot);
}

static void serve(struct usrsctp_transport *self, uint32_t slot) {
  struct usrsctp_slot *own = &self->slots[slot];
  if (own->state == OPEN && own->unsent > 0 && own->reason == 0 &&
      usrsctp_send_iovecs(self, slot, self->blocked[slot].iovecs, own->unsent)) {
    self->settings.events->on_sent(self->settings.owner, slot);
  }
  if (usrsctp_has_connection(own)) receive(self, slot);
  if (usrsctp_has_connection(own) && own->reason != 0) usrsctp_end_slot(self, slot, own->reason, true);
}

void usrsctp_serve_ready(struct usrsctp_transport *self) {
  for (uint32_t due = self->ready.count; due > 0; due--) {
    uint32_t slot = closing_queue_take(&self->ready);
    self->slots[slot].is_ready = false;
    serve(self, slot);
  }
}

void usrsctp_receive_packets(struct usrsctp_transport *self, uint32_t index) {
  void *address = usrsctp_channels_address(&self->channels, index);
  for (int calls = 0; calls < CALLS_PER_CHANNEL; calls++) {
    int count = recvmmsg(self->channels.list[index].fd, self->headers, PACKETS_PER_CALL, MSG_DONTWAIT, NULL);
    if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      self->channels.list[index].failure = errno;
    }
    self->transport.seen_ns = clock_now(self->settings.clock);
    for (int i = 0; i < count; i++) {
      usrsctp_conninput(address, self->packet_iovecs[i].iov_base, self->headers[i].msg_len, 0);
    }
    usrsctp_serve_ready(self);
    if (count < (int)PACKETS_PER_CALL) return;
  }
}

void usrsctp_fail_channel(struct usrsctp_transport *self, uint32_t index) {
  int failure = self->channels.list[index].failure;
  self->channels.list[index].failure = 0;
  for (uint32_t slot = 0; slot < self->settings.slots; slot++) {
    struct usrsctp_slot *own = &self->slots[slot];
    if (!usrsctp_has_connection(own) || own->channel != index) continue;
    if (own->state == CONNECTING)
      usrsctp_end_slot(self, slot, -failure, true);
    else if (failure == ECONNREFUSED)
      usrsctp_end_slot(self, slot, -ECONNRESET, true);
  }
}
