/*
 * listening_sockets.c: one dump for each family, over a socket of its own.
 */
#include "listening_sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { BUFFER_BYTES = 32768 };

static int request(int netlink, int family) {
  struct {
    struct nlmsghdr header;
    struct inet_diag_req_v2 body;
  } message = {
      .header = {.nlmsg_len = sizeof message,
                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
      .body = {.sdiag_family = (uint8_t)family,
               .sdiag_protocol = IPPROTO_TCP,
               .idiag_states = 1u << TCP_LISTEN,
               .idiag_ext = 1u << (INET_DIAG_SKMEMINFO - 1)},
  };
  return send(netlink, &message, sizeof message, 0) < 0 ? -errno : 0;
}

static uint32_t drops_of(const struct inet_diag_msg *body, int bytes) {
  uint32_t values[SK_MEMINFO_VARS] = {0};
  const struct rtattr *each = (const void *)(body + 1);
  while (RTA_OK(each, bytes)) {
    if (each->rta_type == INET_DIAG_SKMEMINFO) {
      size_t length = RTA_PAYLOAD(each);
      memcpy(values, RTA_DATA(each), length < sizeof values ? length : sizeof values);
    }
    int step = (int)RTA_ALIGN(each->rta_len); /* RTA_NEXT mixes signs */
    bytes -= step;
    each = (const void *)((const char *)each + step);
  }
  return values[SK_MEMINFO_DROPS];
}

static void read_socket(const struct nlmsghdr *header, listening_socket_visit *visit, void *context) {
  const struct inet_diag_msg *body = NLMSG_DATA(header);
  if (header->nlmsg_len < NLMSG_LENGTH(sizeof *body)) return;
  struct listening_socket found = {
      .family = body->idiag_family,
      .port = ntohs(body->id.idiag_sport),
      .inode = body->idiag_inode,
      .queue = body->idiag_rqueue,
      .backlog = body->idiag_wqueue,
      .drops = drops_of(body, (int)(header->nlmsg_len - NLMSG_LENGTH(sizeof *body))),
  };
  memcpy(found.address, body->id.idiag_src, sizeof found.address);
  visit(context, &found);
}

/* Reads the answers to one request. */
static int receive(int netlink, listening_socket_visit *visit, void *context) {
  _Alignas(struct nlmsghdr) char buffer[BUFFER_BYTES];
  for (;;) {
    ssize_t got = recv(netlink, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? -errno : -EIO;
    size_t left = (size_t)got;
    for (const struct nlmsghdr *each = (const void *)buffer; NLMSG_OK(each, left); each = NLMSG_NEXT(each, left)) {
      if (each->nlmsg_type == NLMSG_DONE) return 0;
      if (each->nlmsg_type == NLMSG_ERROR) {
        const struct nlmsgerr *error = NLMSG_DATA(each);
        return error->error < 0 ? error->error : -EPROTO;
      }
      if (each->nlmsg_type == SOCK_DIAG_BY_FAMILY) read_socket(each, visit, context);
      if (NLMSG_ALIGN(each->nlmsg_len) > left) break; /* the last one; NLMSG_NEXT would make LEFT wrap */
    }
  }
}

int listening_sockets_read(listening_socket_visit *visit, void *context) {
  static const int families[] = {AF_INET, AF_INET6};
  static const struct timeval patience = {.tv_sec = 1};
  int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (netlink < 0) return -errno;
  int error = setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0 ? -errno : 0;
  for (size_t i = 0; !error && i < sizeof families / sizeof *families; i++) {
    error = request(netlink, families[i]);
    if (!error) error = receive(netlink, visit, context);
  }
  close(netlink);
  return error;
}
