/*
 * timestamps.c: the options, the error queue and the control messages of SO_TIMESTAMPING.
 */
#include "timestamps.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_OF_SECOND UINT64_C(1000000000)
#define ERROR_QUEUE_BYTES 256u /* of control data of the error queue: a stamp and where it came from */

/* OPT_ID numbers a stream's bytes; with OPT_TSONLY the error queue holds no packets. */
#define CONNECTION_FLAGS \
  (SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY)

_Static_assert(TIMESTAMPS_CONTROL_BYTES == CMSG_SPACE(sizeof(struct scm_timestamping)), "a receive's control data");

static int set_flags(int fd, unsigned flags) {
  return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags) == 0 ? 0 : -errno;
}

/* A descriptor, or -errno. */
static int open_hold(void) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  int error = set_flags(fd, SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE);
  if (error) close(fd);
  return error ? error : fd;
}

int timestamps_create(struct timestamps *timestamps, const struct transport_settings *settings) {
  timestamps->slots = settings->stamped;
  timestamps->hold = -1;
  timestamps->realtime = (struct realtime){.clock = *settings->clock, .real = {realtime_now_ns, NULL}};
  if (!settings->stamped.any) return 0;
  timestamps->sent_bytes =
      calloc(stamped_slots_count(&timestamps->slots, settings->slots), sizeof *timestamps->sent_bytes);
  if (!timestamps->sent_bytes) return -ENOMEM;
  timestamps->hold = open_hold();
  return 0;
}

void timestamps_destroy(struct timestamps *timestamps) {
  if (timestamps->slots.any && timestamps->hold >= 0) close(timestamps->hold);
  free(timestamps->sent_bytes);
}

enum stamping timestamps_begin(struct timestamps *timestamps, uint32_t slot, int fd) {
  if (timestamps->hold < 0 || !stamped_slots_has(&timestamps->slots, slot)) return STAMPS_NONE;
  timestamps->sent_bytes[stamped_slots_index(&timestamps->slots, slot)] = 0;
  return set_flags(fd, CONNECTION_FLAGS) == 0 ? STAMPS_RECEIVES : STAMPS_NONE;
}

int timestamps_end(int fd) { return set_flags(fd, 0); }

enum stamping timestamps_of_sends(int fd, bool stamped) {
  bool is_set = set_flags(fd, stamped ? CONNECTION_FLAGS | SOF_TIMESTAMPING_TX_SOFTWARE : CONNECTION_FLAGS) == 0;
  return is_set && stamped ? STAMPS_ALL : STAMPS_RECEIVES;
}

/* The time taken by software that CONTROL holds. */
static uint64_t software_ns(const struct cmsghdr *control) {
  struct scm_timestamping stamp;
  memcpy(&stamp, CMSG_DATA(control), sizeof stamp);
  return (uint64_t)stamp.ts[0].tv_sec * NS_OF_SECOND + (uint64_t)stamp.ts[0].tv_nsec;
}

static bool is_stamp(const struct cmsghdr *control) {
  return control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_TIMESTAMPING;
}

static bool is_origin(const struct cmsghdr *control) {
  return (control->cmsg_level == SOL_IP && control->cmsg_type == IP_RECVERR) ||
         (control->cmsg_level == SOL_IPV6 && control->cmsg_type == IPV6_RECVERR);
}

/* The next stamp of FD's error queue; false: it is empty. *REAL_NS: its time, 0 where it is not that of a send. */
static bool take_next(int fd, uint32_t *bytes, uint64_t *real_ns) {
  _Alignas(struct cmsghdr) uint8_t control[ERROR_QUEUE_BYTES];
  struct msghdr message = {.msg_control = control, .msg_controllen = sizeof control};
  bool is_send = false;
  *real_ns = 0;
  if (syscall(SYS_recvmsg, fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return false;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (is_stamp(part)) *real_ns = software_ns(part);
    if (!is_origin(part)) continue;
    struct sock_extended_err origin;
    memcpy(&origin, CMSG_DATA(part), sizeof origin);
    is_send = origin.ee_origin == SO_EE_ORIGIN_TIMESTAMPING && origin.ee_info == SCM_TSTAMP_SND;
    *bytes = origin.ee_data + 1;
  }
  if (!is_send) *real_ns = 0;
  return true;
}

/* REAL_NS on the engine's clock; a step of the other one is noted in TRANSPORT. */
static uint64_t convert(struct timestamps *timestamps, struct transport *transport, uint64_t real_ns) {
  uint64_t at_ns = realtime_convert(&timestamps->realtime, real_ns);
  transport->clock_stepped_ns = timestamps->realtime.stepped_ns;
  return at_ns;
}

bool timestamps_take(struct timestamps *timestamps, struct transport *transport, int fd, struct sent_stamp *stamp) {
  uint64_t real_ns;
  while (take_next(fd, &stamp->bytes, &real_ns)) {
    if (real_ns == 0) continue;
    stamp->at_ns = convert(timestamps, transport, real_ns);
    if (stamp->at_ns > 0) return true;
  }
  return false;
}

uint64_t timestamps_arrived_ns(struct timestamps *timestamps, struct transport *transport, struct msghdr *message) {
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
    if (is_stamp(part)) return convert(timestamps, transport, software_ns(part));
  }
  return 0;
}

ssize_t timestamps_receive(struct timestamps *timestamps, struct transport *transport, int fd, void *bytes,
                           size_t length) {
  _Alignas(struct cmsghdr) uint8_t control[TIMESTAMPS_CONTROL_BYTES];
  struct iovec iovec = {bytes, length};
  struct msghdr message = {
      .msg_iov = &iovec, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t received = syscall(SYS_recvmsg, fd, &message, MSG_DONTWAIT);
  bool is_full = received == (ssize_t)length; /* the time may be that of bytes after them */
  bool says = received > 0 && !is_full;
  transport->arrived_ns = says ? timestamps_arrived_ns(timestamps, transport, &message) : 0;
  return received;
}
