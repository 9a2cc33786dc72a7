/* See usrsctp.h. libusrsctp owns no thread that serves and no socket here: this loop hands it the packets and the time,
 * and sends what it wants sent. Its callbacks only queue associations, which are served when it has returned.
 *
 * Both transports use the same associations; one-to-one has a library socket for each, one-to-many a single one. */
#include "usrsctp.h"

#include "associations.h"
#include "usrsctp-peers.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <usrsctp.h>

#include "association-change.h"

/* SCTP's timers are served this often. */
#define TICK_NS 10000000
#define PACKETS_PER_TURN 64
#define PACKET_BYTES 65536
/* Messages read from one association before the others are served again. */
#define READS_PER_TURN 16
/* Of each association. */
#define SEND_BUFFER_BYTES (256 * 1024)
#define COMMON_HEADER_BYTES 12
#define COOKIE_ECHO 10

static struct associations set;
static int udp;
static struct socket *main_socket; /* the listener, or the one-to-many socket */
static bool is_one_to_many;
static bool nodelay;
static bool main_is_ready; /* announced by an upcall, or due by serve_timers() */
static struct association *first_queued;
static struct association **queue_end = &first_queued;

static void set_number(struct socket *socket, int level, int option, int value) {
  if (usrsctp_setsockopt(socket, level, option, &value, sizeof value) < 0) {
    server_log_once("usrsctp_setsockopt", errno);
  }
}

/* Called by the library with a packet to send. One that is lost is sent again. */
static int send_packet(void *peer, void *packet, size_t bytes, uint8_t service_type, uint8_t no_fragments) {
  (void)service_type;
  (void)no_fragments;
  const struct sockaddr_in to = peer_address(peer);
  sendto(udp, packet, bytes, MSG_DONTWAIT, (const struct sockaddr *)&to, sizeof to);
  return 0;
}

static void enqueue(struct association *association) {
  if (!association->queued) {
    association->queued = true;
    association->next_queued = NULL;
    *queue_end = association;
    queue_end = &association->next_queued;
  }
}

static void on_association_event(struct socket *socket, void *association, int flags) {
  (void)socket;
  (void)flags;
  enqueue(association);
}

static void on_main_event(struct socket *socket, void *unused, int flags) {
  (void)socket;
  (void)unused;
  (void)flags;
  main_is_ready = true;
}

/* One-to-many: the id selects the association; one-to-one: the socket does. */
static struct socket *socket_of(const struct association *association) {
  return is_one_to_many ? main_socket : association->socket;
}

static bool send_flagged(const struct association *association, const unsigned char *bytes, size_t count,
                         uint16_t flags) {
  struct sctp_sndinfo info = {.snd_flags = flags, .snd_assoc_id = is_one_to_many ? association->id : 0};
  return usrsctp_sendv(socket_of(association), bytes, count, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) >= 0;
}

/* The library refuses a null pointer even for 0 bytes. It fails if the association has ended meanwhile. */
static void send_control(const struct association *association, uint16_t flag) {
  static const unsigned char nothing[1];
  send_flagged(association, nothing, 0, flag);
}

static bool send_message(struct association *association, const unsigned char *bytes, size_t count) {
  return send_flagged(association, bytes, count, 0);
}

static void shut_down(struct association *association) {
  if (is_one_to_many) {
    send_control(association, SCTP_EOF);
  } else {
    usrsctp_shutdown(association->socket, SHUT_WR);
    enqueue(association);
  }
}

static void abort_association(struct association *association) {
  if (is_one_to_many) {
    send_control(association, SCTP_ABORT);
  } else {
    const struct linger abort = {.l_onoff = 1};
    usrsctp_setsockopt(association->socket, SOL_SOCKET, SO_LINGER, &abort, sizeof abort);
    usrsctp_close(association->socket);
    association->socket = NULL;
    enqueue(association);
  }
}

static const struct association_stack stack = {
    .send = send_message,
    .shut_down = shut_down,
    .abort = abort_association,
};

/* One-to-one. */

static void forget(struct association *association) {
  if (association->socket != NULL) {
    usrsctp_set_upcall(association->socket, NULL, NULL);
    usrsctp_close(association->socket);
  }
  peer_release(association->peer);
  associations_remove(&set, association);
}

static void accept_all(void) {
  static uint32_t accepted;
  for (;;) {
    struct sockaddr_conn from;
    socklen_t length = sizeof from;
    struct socket *socket = usrsctp_accept(main_socket, (struct sockaddr *)&from, &length);
    if (socket == NULL) {
      return;
    }
    usrsctp_set_non_blocking(socket, 1);
    struct association *association = associations_add(&set, ++accepted);
    if (association == NULL || !peer_hold(from.sconn_addr)) {
      server_log_once("accept: the association is closed", ENOMEM);
      if (association != NULL) {
        associations_remove(&set, association);
      }
      usrsctp_close(socket);
      continue;
    }
    association->socket = socket;
    association->peer = from.sconn_addr;
    set_number(socket, IPPROTO_SCTP, SCTP_NODELAY, nodelay);
    usrsctp_set_upcall(socket, on_association_event, association);
    enqueue(association);
  }
}

/* Whether the library has released the association of this socket. */
static bool has_ended(struct socket *socket) {
  struct sctp_status status = {.sstat_state = SCTP_CLOSED};
  socklen_t length = sizeof status;
  return usrsctp_getsockopt(socket, IPPROTO_SCTP, SCTP_STATUS, &status, &length) < 0 ||
         status.sstat_state == SCTP_CLOSED;
}

/* Reads what has arrived; false when the peer has ended the association. */
static bool read_some(struct association *association) {
  for (int i = 0; i < READS_PER_TURN; i++) {
    if (!association->over && association_is_owed(association)) {
      return true;
    }
    struct sctp_rcvinfo info;
    socklen_t info_length = sizeof info;
    unsigned kind = 0;
    int flags = 0;
    const ssize_t count = usrsctp_recvv(association->socket, set.worker.buffer, set.worker.protocol->read_bytes, NULL,
                                        NULL, &info, &info_length, &kind, &flags);
    if (count <= 0) {
      return count < 0 && (errno == EAGAIN || errno == EINTR);
    }
    associations_receive(&set, association, (size_t)count);
    if (association->socket == NULL) {
      return false;
    }
  }
  enqueue(association);
  return true;
}

/* Freed in its turn, if it is in the queue again. */
static void serve_one(struct association *association) {
  if (association->socket != NULL && association_is_owed(association)) {
    associations_resume(&set, association);
  }
  const bool reads = association->socket != NULL && read_some(association);
  if (!reads && !association->queued && (association->socket == NULL || has_ended(association->socket))) {
    forget(association);
  }
}

/* One-to-many. */

static void *peer_of_association(uint32_t id) {
  struct sockaddr *addresses = NULL;
  void *peer = NULL;
  if (usrsctp_getpaddrs(main_socket, id, &addresses) > 0) {
    peer = ((const struct sockaddr_conn *)addresses)->sconn_addr;
    usrsctp_freepaddrs(addresses);
  }
  return peer;
}

static void association_began(uint32_t id) {
  void *peer = peer_of_association(id);
  struct association *association = peer == NULL ? NULL : associations_add(&set, id);
  if (association != NULL && peer_hold(peer)) {
    association->peer = peer;
    return;
  }
  if (association != NULL) {
    associations_remove(&set, association);
  }
  const struct association refused = {.id = id};
  send_control(&refused, SCTP_ABORT);
}

static void association_ended(uint32_t id) {
  struct association *association = associations_find(&set, id);
  if (association != NULL) {
    peer_release(association->peer);
    associations_remove(&set, association);
  }
}

static void read_many(void) {
  for (;;) {
    struct sctp_rcvinfo info;
    socklen_t info_length = sizeof info;
    unsigned kind = SCTP_RECVV_NOINFO;
    int flags = 0;
    const ssize_t count = usrsctp_recvv(main_socket, set.worker.buffer, set.worker.protocol->read_bytes, NULL, NULL,
                                        &info, &info_length, &kind, &flags);
    if (count < 0) {
      return;
    }
    if ((flags & MSG_NOTIFICATION) != 0) {
      association_change_read(set.worker.buffer, (size_t)count, association_began, association_ended);
    } else if (kind == SCTP_RECVV_RCVINFO && count > 0) {
      struct association *association = associations_find(&set, info.rcv_assoc_id);
      if (association != NULL) {
        associations_receive(&set, association, (size_t)count);
      }
    }
  }
}

static void resume_blocked(void) {
  for (struct association *each = set.blocked, *next; each != NULL; each = next) {
    next = each->next_blocked;
    associations_resume(&set, each);
  }
}

/* The loop. */

/* Serves what the library has queued. An association is served once for each time that it was queued. */
static void serve_queue(void) {
  if (main_is_ready) {
    main_is_ready = false;
    if (is_one_to_many) {
      read_many();
      resume_blocked();
    } else {
      accept_all();
    }
  }
  while (first_queued != NULL) {
    struct association *association = first_queued;
    first_queued = association->next_queued;
    if (first_queued == NULL) {
      queue_end = &first_queued;
    }
    association->queued = false;
    serve_one(association);
  }
}

/* A peer without an association is registered for as long as its first packet of one is processed. */
static void serve_packet(const struct sockaddr_in *from, const unsigned char *packet, size_t count) {
  void *peer = peer_of(from);
  const bool begins = count > COMMON_HEADER_BYTES && packet[COMMON_HEADER_BYTES] == COOKIE_ECHO;
  if (begins && !peer_hold(peer)) {
    return;
  }
  usrsctp_conninput(peer, packet, count, 0);
  serve_queue();
  if (begins) {
    peer_release(peer);
  }
}

static void serve_packets(void) {
  static unsigned char packet[PACKET_BYTES];
  for (int i = 0; i < PACKETS_PER_TURN; i++) {
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    const ssize_t count = recvfrom(udp, packet, sizeof packet, MSG_DONTWAIT, (struct sockaddr *)&from, &length);
    if (count < 0) {
      return;
    }
    serve_packet(&from, packet, (size_t)count);
  }
}

static void serve_timers(int64_t *served_ns) {
  const int64_t now = server_now_ns();
  if (now - *served_ns >= TICK_NS) {
    usrsctp_handle_timers((uint32_t)((now - *served_ns) / 1000000));
    *served_ns += (now - *served_ns) / 1000000 * 1000000;
    /* After a packet the library makes an upcall only where the socket is readable or has room in its send buffer,
     * which all associations share. While others fill that, an association that may send again is not announced. */
    main_is_ready |= set.blocked != NULL;
    serve_queue();
  }
}

static int serve(void) {
  int64_t timers_ns = server_now_ns();
  for (;;) {
    struct pollfd waits = {.fd = udp, .events = POLLIN};
    const int64_t left = timeouts_remaining_ns(&set.timeouts);
    const struct timespec most = {.tv_nsec = left < 0 || left > TICK_NS ? TICK_NS : left};
    if (ppoll(&waits, 1, &most, NULL) < 0 && errno != EINTR) {
      server_log("ppoll", errno);
      return 1;
    }
    timeouts_begin_turn(&set.timeouts);
    serve_packets();
    serve_timers(&timers_ns);
    associations_serve_timeouts(&set);
    serve_queue();
  }
}

static bool subscribe(void) {
  const struct sctp_event changes = {.se_assoc_id = SCTP_ALL_ASSOC, .se_type = SCTP_ASSOC_CHANGE, .se_on = 1};
  set_number(main_socket, IPPROTO_SCTP, SCTP_RECVRCVINFO, 1);
  /* Otherwise half a message of one association would hold up the others. */
  set_number(main_socket, IPPROTO_SCTP, SCTP_FRAGMENT_INTERLEAVE, 1);
  return usrsctp_setsockopt(main_socket, IPPROTO_SCTP, SCTP_EVENT, &changes, sizeof changes) == 0;
}

static bool open_main(const struct options *options) {
  struct sockaddr_in bound;
  socklen_t length = sizeof bound;
  if (getsockname(udp, (struct sockaddr *)&bound, &length) < 0) {
    return false;
  }
  main_socket =
      usrsctp_socket(AF_CONN, is_one_to_many ? SOCK_SEQPACKET : SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
  if (main_socket == NULL) {
    return false;
  }
  usrsctp_set_non_blocking(main_socket, 1);
  usrsctp_set_upcall(main_socket, on_main_event, NULL);
  set_number(main_socket, SOL_SOCKET, SO_SNDBUF, SEND_BUFFER_BYTES);
  set_number(main_socket, IPPROTO_SCTP, SCTP_NODELAY, nodelay);
  struct sockaddr_conn any = {.sconn_family = AF_CONN, .sconn_port = bound.sin_port};
  return (!is_one_to_many || subscribe()) && usrsctp_bind(main_socket, (struct sockaddr *)&any, sizeof any) == 0 &&
         usrsctp_listen(main_socket, options->backlog) == 0;
}

int usrsctp_run(const struct options *options, int udp_socket) {
  udp = udp_socket;
  nodelay = options->nodelay;
  is_one_to_many = options->transport == TRANSPORT_SCTP_SEQPACKET;
  associations_init(&set, options, &stack);
  usrsctp_init_nothreads(0, send_packet, NULL);
  /* What packets in UDP cannot use. */
  usrsctp_sysctl_set_sctp_asconf_enable(0);
  usrsctp_sysctl_set_sctp_auto_asconf(0);
  usrsctp_sysctl_set_sctp_ecn_enable(0);
  if (!open_main(options)) {
    server_log("cannot listen with usrsctp", errno);
    return 1;
  }
  return serve();
}
