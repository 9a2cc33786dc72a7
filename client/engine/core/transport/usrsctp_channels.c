/*
 * usrsctp_channels.c: UDP sockets that usrsctp sends through.
 */
#include "usrsctp_channels.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <usrsctp.h>

#include "socket.h"

#define INDEX_BITS 16
#define CHANNELS_MAX (1u << INDEX_BITS)
#define RECEIVE_BUFFER_BYTES (8 * 1024 * 1024) /* packets of all connections wait in it; the kernel may allow less */

static struct usrsctp_channels *in_use;

void usrsctp_channels_open(struct usrsctp_channels *channels, int epoll) {
  static uint32_t generation;
  *channels = (struct usrsctp_channels){.generation = ++generation, .epoll = epoll};
  in_use = channels;
}

void *usrsctp_channels_address(const struct usrsctp_channels *channels, uint32_t index) {
  return (void *)((uintptr_t)channels->generation << INDEX_BITS | index);
}

/* A UDP socket that is connected to ENDPOINT. */
static int open_socket(const struct endpoint *endpoint) {
  struct endpoint carrier = *endpoint;
  carrier.transport = SOCK_DGRAM;
  carrier.protocol = 0;
  carrier.socket = (struct socket_options){.tos = endpoint->socket.tos};
  int fd = socket_open(&carrier, 0), bytes = RECEIVE_BUFFER_BYTES;
  if (fd < 0) return fd;
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0) {
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }
  int error = connect(fd, (const struct sockaddr *)&endpoint->address, endpoint->address_length) == 0 ? 0 : -errno;
  if (!error && socket_is_self_connected(fd)) error = -ECONNREFUSED;
  if (error) close(fd);
  return error ? error : fd;
}

static int reserve(struct usrsctp_channels *channels) {
  if (channels->count < channels->capacity) return 0;
  uint32_t capacity = channels->capacity ? 2 * channels->capacity : 8;
  if (capacity > CHANNELS_MAX) return -ENOBUFS;
  struct usrsctp_channel *list = realloc(channels->list, capacity * sizeof *list);
  if (!list) return -ENOMEM;
  channels->list = list;
  channels->capacity = capacity;
  return 0;
}

static int add(struct usrsctp_channels *channels, const struct endpoint *endpoint) {
  int error = reserve(channels), fd = error ? error : open_socket(endpoint);
  if (fd < 0) return fd;
  struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = channels->count}};
  if (epoll_ctl(channels->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
    error = -errno;
    close(fd);
    return error;
  }
  channels->list[channels->count] = (struct usrsctp_channel){.endpoint = endpoint, .fd = fd};
  usrsctp_register_address(usrsctp_channels_address(channels, channels->count));
  return (int)channels->count++;
}

int usrsctp_channels_find(struct usrsctp_channels *channels, const struct endpoint *endpoint) {
  for (uint32_t index = 0; index < channels->count; index++) {
    if (channels->list[index].endpoint == endpoint) return (int)index;
  }
  return add(channels, endpoint);
}

/* A connected UDP socket reports the ICMP message that an earlier packet met, once, in place of sending. */
int usrsctp_channels_send(void *address, void *packet, size_t length, uint8_t tos, uint8_t set_df) {
  (void)tos, (void)set_df;
  uintptr_t name = (uintptr_t)address;
  uint32_t index = (uint32_t)(name & (CHANNELS_MAX - 1));
  if (!in_use || name >> INDEX_BITS != in_use->generation || index >= in_use->count) return 0;
  struct usrsctp_channel *channel = &in_use->list[index];
  for (int attempt = 0; attempt < 2; attempt++) {
    if (send(channel->fd, packet, length, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return 0;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == EMSGSIZE) return 0;
    channel->failure = errno;
  }
  return 0;
}

void usrsctp_channels_close(struct usrsctp_channels *channels, bool is_finished) {
  if (in_use == channels) in_use = NULL;
  for (uint32_t index = 0; index < channels->count; index++) {
    if (!is_finished) usrsctp_deregister_address(usrsctp_channels_address(channels, index));
    close(channels->list[index].fd);
  }
  free(channels->list);
  *channels = (struct usrsctp_channels){0};
}
