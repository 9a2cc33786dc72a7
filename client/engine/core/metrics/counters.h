/*
 * counters: what is counted in an interval, and what is read at its end.
 */
#ifndef BROADSIDE_COUNTERS_H
#define BROADSIDE_COUNTERS_H

#include "../base/failure.h"
#include "../base/reply_code.h"
#include "quote.h"

/* Why a transfer that was to be split by kernel timestamps was not. */
enum split_omission {
  OMITTED_LARGE_REQUEST, /* more than the kernel takes at once: when it left depends on how fast the peer reads */
  OMITTED_SEND_BLOCKED,  /* the kernel did not take the request at once */
  OMITTED_SENT_TOGETHER, /* other requests followed in the same send, whose stamp is that of the last */
  OMITTED_NO_SEND_STAMP, /* lost, or merged with that of a later send */
  OMITTED_READ_TOGETHER, /* other bytes followed in the same read, whose stamp is that of the last */
  OMITTED_NO_REPLY_STAMP,
  OMITTED_CLOCK_STEPPED, /* the clock of the stamps was set meanwhile */
  OMITTED_OUT_OF_ORDER,  /* the stamps contradict the times of the transfer */
  SPLIT_OMISSIONS
};

/* Counters cover the interval; the TCP_* ones are sampled at its end. */
enum counter {
  COUNT_ATTEMPTS,
  COUNT_OPENED,
  COUNT_REOPENED,
  COUNT_LOST,
  COUNT_ABANDONED,
  COUNT_TRANSFERS,
  COUNT_FAILED,
  COUNT_UNFINISHED,
  COUNT_BYTES_SENT, /* of requests and control messages: what the kernel took, counted when a send is done or has broken
                       off; over TLS before encryption */
  COUNT_BYTES_RECEIVED, /* over TLS after decryption */
  COUNT_LOG_ROWS,
  COUNT_TCP_SAMPLED,       /* open connections whose TCP_INFO was read */
  COUNT_TCP_RETRANSMITTED, /* those of them that have ever retransmitted */
  COUNT_TCP_RETRANSMITS,   /* the sum of their retransmissions */
  COUNT_DUE,               /* open loop: requests that became due */
  COUNT_LATE,              /* ... that waited for a connection before they were sent */
  COUNT_UNSENT,            /* ... that were never sent */
  COUNT_STRAYS,            /* datagrams of UDP that were not the next one of a reply */
  COUNT_MEASURED,          /* transfers that ended in the measured part of a slice (slices.h) */
  COUNT_AFTER_SLICES,      /* ... that ended in the turn of another leg */
  COUNT_CLOSED_IN_PAUSE,   /* idle connections that the peer ended while another leg had its turn */
  COUNT_GAUGES_BELOW_ZERO, /* times that a defect would have taken a gauge below zero */
  COUNT_REJECTS,           /* attempts rejected, by enum reject_cause */
  COUNT_ERRORS = COUNT_REJECTS + REJECT_CAUSES, /* connections lost, by enum error_cause */
  COUNT_CODES = COUNT_ERRORS + ERROR_CAUSES,    /* whole replies, by enum code */
  COUNT_OMITTED = COUNT_CODES + CODES,          /* whole replies without a split, by enum split_omission */
  COUNTERS = COUNT_OMITTED + SPLIT_OMISSIONS
};

/* Gauges are as they were at the end of the interval. */
enum gauge {
  GAUGE_REQUESTED, /* active slots */
  GAUGE_CONNECTING,
  GAUGE_OPEN,
  GAUGE_UNANSWERED, /* open connections that have sent a request and have had no reply yet */
  GAUGE_BACKING_OFF,
  GAUGE_IN_FLIGHT,          /* transfers in flight */
  GAUGE_NEVER_ANSWERED,     /* slots that have sent a request and have never had a reply */
  GAUGE_QUEUED,             /* slots that wait for the connect limiter */
  GAUGE_OPENED_LAST_SECOND, /* of the unanswered those opened since the interval began */
  GAUGE_WAITING,            /* open loop: requests that are due and wait for a connection */
  GAUGE_PEAK_OPEN,          /* the most that were open at one time since the interval began */
  GAUGE_ANSWERED,           /* open connections that have had a reply */
  GAUGE_LOST_BACKING_OFF,   /* of those backing off, slots whose connection was lost */
  GAUGE_RENEWING,           /* of those connecting, slots whose last connection was answered and closed as planned */
  GAUGES
};

/* Names in the order of enum counter, enum gauge, enum transfer_status (NULL last), enum phase, enum
 * tls_failure_cause, enum quote_kind and enum quote_state. */
extern const char *const counter_names[COUNTERS];
extern const char *const gauge_names[GAUGES];
extern const char *const status_names[];
extern const char *const phase_names[];
extern const char *const tls_failure_names[TLS_FAILURE_CAUSES];
extern const char *const quote_kind_names[QUOTE_KINDS];
extern const char *const quote_state_names[QUOTE_STATES];

#endif
