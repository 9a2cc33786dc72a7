/*
 * affinity: on which CPUs this process may run.
 */
#ifndef BROADSIDE_AFFINITY_H
#define BROADSIDE_AFFINITY_H

#include <stddef.h>
#include <stdint.h>

/* Binds every thread that this process has now, and by them those they will start, to the CPUs given. Any thread.
 * Returns 0 or -errno (-EINVAL: one of them is not there for this process). */
int affinity_set(const uint32_t *cpus, size_t count);

#endif
