/*
 * counters.c: the names under which JavaScript knows counters, gauges, histograms, statuses, phases, failures of TLS
 * and quotes.
 */
#include "counters.h"

#include <stddef.h>

const char *const counter_names[COUNTERS] = COUNTER_NAMES;
const char *const gauge_names[GAUGES] = GAUGE_NAMES;
const char *const histogram_names[HISTOGRAMS] = HISTOGRAM_NAMES;
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
