/*
 * descriptor_table: a table of open descriptors for one thread. RLIMIT_NOFILE bounds each table, not the process, so
 * that several threads of a process can have that many descriptors each. Any thread.
 */
#ifndef BROADSIDE_DESCRIPTOR_TABLE_H
#define BROADSIDE_DESCRIPTOR_TABLE_H

#include <stdbool.h>

/* Gives the calling thread a table of its own: a copy of the one it shared, in which only the standard streams and
 * KEPT, COUNT ascending descriptors, stay open. Descriptors that are opened or closed later, by it or by other threads,
 * are not seen by the others. The table ends with the thread. Returns 0 or -errno; on failure nothing has changed. */
int descriptor_table_own(const int *kept, unsigned count);

/* Whether this kernel lets a thread have a table of its own. */
bool descriptor_table_probe(void);

#endif
