/* What SCTP says of the associations of a one-to-many socket (RFC 6458, section 6.1.1). Both stacks have the same names
 * for the same types: include this after the header of one of them, <linux/sctp.h> or <usrsctp.h>. */
#ifndef BROADSIDE_ASSOCIATION_CHANGE_H
#define BROADSIDE_ASSOCIATION_CHANGE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Calls BEGAN or ENDED with the association's id where the notification says so. Its bytes need not be aligned. */
static inline void association_change_read(const unsigned char *notification, size_t count, void (*began)(uint32_t id),
                                           void (*ended)(uint32_t id)) {
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
    began(id);
  } else if (change.sac_state == SCTP_RESTART) { /* the peer has begun anew */
    ended(id);
    began(id);
  } else {
    ended(id);
  }
}

#endif
