/*
 * sctp_association: opens one association, looks at the addresses of its ends, and shuts it down. Blocks.
 */
#ifndef BROADSIDE_SCTP_ASSOCIATION_H
#define BROADSIDE_SCTP_ASSOCIATION_H

#include "transport.h"

#define SCTP_ADDRESSES_MAX 32u /* of one end that are kept */

struct sctp_addresses {
  struct sockaddr_storage list[SCTP_ADDRESSES_MAX];
  unsigned count;
};

struct sctp_association {
  struct sctp_addresses local, peer;
};

/* Associates with ENDPOINT, which is one of SCTP. 0 or -errno; -ETIMEDOUT: not within TIMEOUT_NS. */
int sctp_association_inspect(const struct endpoint *endpoint, uint64_t timeout_ns,
                             struct sctp_association *association);

#endif
