/*
 * counters: what is counted and measured in an interval, and what is read at its end, with the names by which
 * JavaScript knows it. The enums and names of counters, gauges and histograms are made from client/measure/fields.js.
 */
#ifndef BROADSIDE_COUNTERS_H
#define BROADSIDE_COUNTERS_H

#include "../base/failure.h"
#include "../base/reply_code.h"
#include "quote.h"

/* Names in the order of enum counter, enum gauge, enum histogram_name, enum transfer_status (NULL last), enum phase,
 * enum tls_failure_cause, enum quote_kind and enum quote_state. */
extern const char *const counter_names[COUNTERS];
extern const char *const gauge_names[GAUGES];
extern const char *const histogram_names[HISTOGRAMS];
extern const char *const status_names[];
extern const char *const phase_names[];
extern const char *const tls_failure_names[TLS_FAILURE_CAUSES];
extern const char *const quote_kind_names[QUOTE_KINDS];
extern const char *const quote_state_names[QUOTE_STATES];

#endif
