/* Binds the calling process to a set of CPUs. */
#ifndef BROADSIDE_CPUS_H
#define BROADSIDE_CPUS_H

#include <stdbool.h>
#include <stddef.h>

/* Binds to exactly the CPUs of `list`, in the notation of taskset: 0, 0-1 or 1,3. On failure the process is bound
 * as before, the reason is written to stderr, and `available` holds the CPUs that the process could be bound to, in
 * the same notation; it is empty when the list is malformed. */
bool cpus_bind(const char *list, char *available, size_t size);

/* Binds to the CPUs that the process could use before cpus_bind. */
void cpus_release(void);

#endif
