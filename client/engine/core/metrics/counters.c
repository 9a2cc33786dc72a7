/*
 * counters.c: the names under which JavaScript knows counters, gauges, statuses, phases, failures of TLS and quotes.
 */
#include "counters.h"

#include <stddef.h>

const char *const counter_names[COUNTERS] = {
    [COUNT_ATTEMPTS] = "attempts",
    [COUNT_OPENED] = "opened",
    [COUNT_REOPENED] = "reopened",
    [COUNT_LOST] = "lost",
    [COUNT_ABANDONED] = "abandoned",
    [COUNT_TRANSFERS] = "transfers",
    [COUNT_FAILED] = "failed",
    [COUNT_UNFINISHED] = "unfinished",
    [COUNT_BYTES_SENT] = "bytesSent",
    [COUNT_BYTES_RECEIVED] = "bytesReceived",
    [COUNT_LOG_ROWS] = "logRows",
    [COUNT_TCP_SAMPLED] = "tcpSampled",
    [COUNT_TCP_RETRANSMITTED] = "tcpRetransmitted",
    [COUNT_TCP_RETRANSMITS] = "tcpRetransmits",
    [COUNT_DUE] = "due",
    [COUNT_LATE] = "late",
    [COUNT_UNSENT] = "unsent",
    [COUNT_STRAYS] = "strays",
    [COUNT_MEASURED] = "measured",
    [COUNT_AFTER_SLICES] = "afterSlices",
    [COUNT_CLOSED_IN_PAUSE] = "closedInPause",
    [COUNT_GAUGES_BELOW_ZERO] = "gaugesBelowZero",
    [COUNT_REJECTS + REJECT_REFUSED] = "rejects.refused",
    [COUNT_REJECTS + REJECT_RESET] = "rejects.reset",
    [COUNT_REJECTS + REJECT_TIMEOUT] = "rejects.timeout",
    [COUNT_REJECTS + REJECT_UNREACHABLE] = "rejects.unreachable",
    [COUNT_REJECTS + REJECT_LOCAL] = "rejects.local",
    [COUNT_REJECTS + REJECT_HANDSHAKE] = "rejects.handshake",
    [COUNT_REJECTS + REJECT_GREETING] = "rejects.greeting",
    [COUNT_REJECTS + REJECT_OTHER] = "rejects.other",
    [COUNT_ERRORS + ERROR_RESET] = "errors.reset",
    [COUNT_ERRORS + ERROR_CLOSED] = "errors.closed",
    [COUNT_ERRORS + ERROR_TIMEOUT] = "errors.timeout",
    [COUNT_ERRORS + ERROR_CORRUPT] = "errors.corrupt",
    [COUNT_ERRORS + ERROR_PROTOCOL] = "errors.protocol",
    [COUNT_ERRORS + ERROR_OTHER] = "errors.other",
    [COUNT_CODES + CODE_NONE] = "statuses.none",
    [COUNT_CODES + CODE_2XX] = "statuses.2xx",
    [COUNT_CODES + CODE_3XX] = "statuses.3xx",
    [COUNT_CODES + CODE_4XX] = "statuses.4xx",
    [COUNT_CODES + CODE_5XX] = "statuses.5xx",
    [COUNT_CODES + CODE_OK] = "statuses.ok",
    [COUNT_CODES + CODE_MISS] = "statuses.miss",
    [COUNT_CODES + CODE_ERROR] = "statuses.error",
    [COUNT_CODES + CODE_WRONG_STATUS] = "statuses.wrong-status",
    [COUNT_CODES + CODE_WRONG_BODY] = "statuses.wrong-body",
    [COUNT_OMITTED + OMITTED_LARGE_REQUEST] = "timestampsLeftOut.largeRequest",
    [COUNT_OMITTED + OMITTED_SEND_BLOCKED] = "timestampsLeftOut.sendBlocked",
    [COUNT_OMITTED + OMITTED_SENT_TOGETHER] = "timestampsLeftOut.sentTogether",
    [COUNT_OMITTED + OMITTED_NO_SEND_STAMP] = "timestampsLeftOut.noSendStamp",
    [COUNT_OMITTED + OMITTED_READ_TOGETHER] = "timestampsLeftOut.readTogether",
    [COUNT_OMITTED + OMITTED_NO_REPLY_STAMP] = "timestampsLeftOut.noReplyStamp",
    [COUNT_OMITTED + OMITTED_CLOCK_STEPPED] = "timestampsLeftOut.clockStepped",
    [COUNT_OMITTED + OMITTED_OUT_OF_ORDER] = "timestampsLeftOut.outOfOrder",
};

const char *const gauge_names[GAUGES] = {
    [GAUGE_REQUESTED] = "requested",
    [GAUGE_CONNECTING] = "connecting",
    [GAUGE_OPEN] = "open",
    [GAUGE_UNANSWERED] = "unanswered",
    [GAUGE_BACKING_OFF] = "backingOff",
    [GAUGE_IN_FLIGHT] = "inFlight",
    [GAUGE_NEVER_ANSWERED] = "neverAnswered",
    [GAUGE_QUEUED] = "queued",
    [GAUGE_OPENED_LAST_SECOND] = "openedLastSecond",
    [GAUGE_WAITING] = "waiting",
    [GAUGE_PEAK_OPEN] = "peakOpen",
    [GAUGE_ANSWERED] = "answered",
    [GAUGE_LOST_BACKING_OFF] = "lostBackingOff",
    [GAUGE_RENEWING] = "renewing",
};

const char *const status_names[] = {"ok",       "timeout",    "reset", "closed", "corrupt",
                                    "protocol", "unfinished", "other", NULL};
const char *const phase_names[] = {"ramp", "warmup", "steady", "drain"};
const char *const tls_failure_names[TLS_FAILURE_CAUSES] = {
    [TLS_FAILURE_NONE] = "none",       [TLS_FAILURE_CERTIFICATE] = "certificate", [TLS_FAILURE_ALERT] = "alert",
    [TLS_FAILURE_NOT_TLS] = "not-tls", [TLS_FAILURE_CLOSED] = "closed",           [TLS_FAILURE_BROKEN] = "broken",
    [TLS_FAILURE_UNREAD] = "unread",   [TLS_FAILURE_OPENSSL] = "openssl",
};
const char *const quote_kind_names[QUOTE_KINDS] = {
    [ERROR_RESET] = "reset",
    [ERROR_CLOSED] = "closed",
    [ERROR_TIMEOUT] = "timeout",
    [ERROR_CORRUPT] = "corrupt",
    [ERROR_PROTOCOL] = "protocol",
    [ERROR_OTHER] = "other",
    [QUOTE_GREETING] = "greeting",
    [QUOTE_4XX] = "4xx",
    [QUOTE_5XX] = "5xx",
    [QUOTE_ERROR_REPLY] = "error",
    [QUOTE_WRONG_STATUS] = "wrong-status",
    [QUOTE_WRONG_BODY] = "wrong-body",
    [QUOTE_REDIRECT] = "redirect",
};
const char *const quote_state_names[QUOTE_STATES] = {
    [QUOTE_OPENING] = "opening", [QUOTE_IDLE] = "idle", [QUOTE_BUSY] = "busy"};
