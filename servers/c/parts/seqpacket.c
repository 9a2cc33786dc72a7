/* See seqpacket.h. A message costs one recvmsg and one sendmsg. The kernel names the association of each message, and
 * reports when one begins or ends.
 *
 * All associations share the socket's send buffer, and the socket is reported writable without telling for which of
 * them; so replies that did not fit are tried again at intervals. If none of them fits for STALL_NS, one client that
 * does not read has filled the buffer, and the association with the most data unacknowledged is aborted. */
#include "seqpacket.h"

#include "associations.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/sctp.h> /* needs sys/socket.h */

#define MESSAGES_PER_TURN 256
#define RETRY_NS 2000000
#define STALL_NS INT64_C(2000000000)

static struct associations set;
static int main_socket;
/* When a reply that had waited was last sent, or the first began to wait. */
static int64_t moved_ns;

/* The message header's ancillary data, for one SCTP_SNDRCV. */
union control {
  char bytes[CMSG_SPACE(sizeof(struct sctp_sndrcvinfo))];
  struct cmsghdr aligned;
};

static bool send_flagged(uint32_t id, const unsigned char *bytes, size_t count, uint16_t flags) {
  union control control;
  struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = count};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  const struct sctp_sndrcvinfo info = {.sinfo_assoc_id = (sctp_assoc_t)id, .sinfo_flags = flags};
  memset(&control, 0, sizeof control);
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  *header = (struct cmsghdr){
      .cmsg_level = IPPROTO_SCTP, .cmsg_type = SCTP_SNDRCV, .cmsg_len = CMSG_LEN(sizeof(struct sctp_sndrcvinfo))};
  memcpy(CMSG_DATA(header), &info, sizeof info);
  return sendmsg(main_socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

static bool send_message(struct association *association, const unsigned char *bytes, size_t count) {
  if (send_flagged(association->id, bytes, count, 0)) {
    return true;
  }
  if (errno == EINTR) {
    errno = EAGAIN;
  }
  return false;
}

static void shut_down(struct association *association) { send_flagged(association->id, NULL, 0, SCTP_EOF); }

static void abort_association(struct association *association) { send_flagged(association->id, NULL, 0, SCTP_ABORT); }

static const struct association_operations operations = {
    .send = send_message,
    .shut_down = shut_down,
    .abort = abort_association,
};

static void association_began(uint32_t id) {
  if (associations_add(&set, id) == NULL) {
    server_log_once("an association is aborted", ENOMEM);
    send_flagged(id, NULL, 0, SCTP_ABORT);
  }
}

static void association_ended(uint32_t id) {
  struct association *association = associations_find(&set, id);
  if (association != NULL) {
    associations_remove(&set, association);
  }
}

/* Reads a notification (RFC 6458, section 6.1.1), whose bytes need not be aligned. */
static void association_changed(const unsigned char *notification, size_t count) {
  struct sctp_assoc_change change;
  if (count < sizeof change) {
    return;
  }
  memcpy(&change, notification, sizeof change);
  if (change.sac_type != SCTP_ASSOC_CHANGE) {
    return;
  }
  const uint32_t id = (uint32_t)change.sac_assoc_id;
  if (change.sac_state == SCTP_COMM_UP) {
    association_began(id);
  } else if (change.sac_state == SCTP_RESTART) { /* the peer has begun anew */
    association_ended(id);
    association_began(id);
  } else {
    association_ended(id);
  }
}

/* Returns false when nothing more has arrived. */
static bool receive_message(void) {
  union control control;
  struct iovec part = {.iov_base = set.worker.buffer, .iov_len = set.worker.protocol->read_bytes};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  const ssize_t count = recvmsg(main_socket, &message, MSG_DONTWAIT);
  if (count < 0) {
    return errno != EAGAIN && errno != ENOMEM && errno != EBADF && errno != ENOTSOCK;
  }
  if ((message.msg_flags & MSG_NOTIFICATION) != 0) {
    association_changed(set.worker.buffer, (size_t)count);
    return true;
  }
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (count == 0 || header == NULL || header->cmsg_level != IPPROTO_SCTP || header->cmsg_type != SCTP_SNDRCV) {
    return true;
  }
  struct sctp_sndrcvinfo info;
  memcpy(&info, CMSG_DATA(header), sizeof info);
  struct association *association = associations_find(&set, (uint32_t)info.sinfo_assoc_id);
  if (association != NULL) {
    associations_receive(&set, association, (size_t)count);
  }
  return true;
}

static uint64_t unacknowledged(const struct association *association) {
  struct sctp_status status = {.sstat_assoc_id = (sctp_assoc_t)association->id};
  socklen_t length = sizeof status;
  return getsockopt(main_socket, IPPROTO_SCTP, SCTP_STATUS, &status, &length) < 0
             ? 0
             : (uint64_t)status.sstat_unackdata + status.sstat_penddata;
}

static void abort_the_slowest(void) {
  struct association *slowest = NULL;
  uint64_t most = 0;
  for (size_t i = 0; i < ASSOCIATION_BUCKETS; i++) {
    for (struct association *each = set.buckets[i]; each != NULL; each = each->next) {
      const uint64_t count = each->over ? 0 : unacknowledged(each);
      if (count > most) {
        most = count;
        slowest = each;
      }
    }
  }
  if (slowest != NULL) {
    server_log_once("the send buffer is full; the association that acknowledges least is aborted", 0);
    associations_abort(&set, slowest);
  }
}

static void resume_blocked(void) {
  const struct association *first = set.blocked;
  for (struct association *each = set.blocked, *next; each != NULL; each = next) {
    next = each->next_blocked;
    associations_resume(&set, each);
    if (!each->blocked) {
      moved_ns = 0;
    }
  }
  if (first == NULL || set.blocked == NULL) {
    moved_ns = 0;
    return;
  }
  const int64_t now = server_now_ns();
  if (moved_ns == 0) {
    moved_ns = now;
  } else if (now - moved_ns > STALL_NS) {
    abort_the_slowest();
    moved_ns = now;
  }
}

static int wait_input(void) {
  struct pollfd waits = {.fd = main_socket, .events = POLLIN};
  int64_t left = timeouts_remaining_ns(&set.timeouts);
  if (set.blocked != NULL && (left < 0 || left > RETRY_NS)) {
    left = RETRY_NS;
  }
  const struct timespec most = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  return ppoll(&waits, 1, left < 0 ? NULL : &most, NULL);
}

static bool set_up(void) {
  const struct sctp_event_subscribe events = {.sctp_data_io_event = 1, .sctp_association_event = 1};
  /* Otherwise half a message of one association would hold up the others. */
  const int interleave = 1;
  return setsockopt(main_socket, IPPROTO_SCTP, SCTP_EVENTS, &events, sizeof events) == 0 &&
         setsockopt(main_socket, IPPROTO_SCTP, SCTP_FRAGMENT_INTERLEAVE, &interleave, sizeof interleave) == 0;
}

int seqpacket_run(const struct options *options, int socket) {
  main_socket = socket;
  associations_init(&set, options, &operations);
  if (!set_up()) {
    server_log("cannot set up the one-to-many socket", errno);
    return 1;
  }
  for (;;) {
    if (wait_input() < 0 && errno != EINTR) {
      server_log("ppoll", errno);
      return 1;
    }
    timeouts_begin_turn(&set.timeouts);
    for (int i = 0; i < MESSAGES_PER_TURN && receive_message(); i++) {
    }
    resume_blocked();
    associations_serve_timeouts(&set);
  }
}
