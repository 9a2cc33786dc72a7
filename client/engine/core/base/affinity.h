/*
 * affinity: the CPUs that this process may run on.
 */
#ifndef BROADSIDE_AFFINITY_H
#define BROADSIDE_AFFINITY_H

#include <stddef.h>
#include <stdint.h>

/* Binds all threads of this process to these CPUs; threads that start later inherit it. May be called from any thread.
 * Returns 0 or -errno; -EINVAL: the process cannot have one of them. */
int affinity_set(const uint32_t *cpus, size_t count);

#endif
