/* Binds a process to CPUs; see cpus.c. */
#ifndef BROADSIDE_CPUS_H
#define BROADSIDE_CPUS_H

#include <stdbool.h>

/* Binds this process, and so what it starts from now on, to all the CPUs of `list` ("0", "0-1", "1,3").
 * False when that is no such list or one of them cannot be had: then nothing has changed, and why is
 * said on stderr. */
bool cpus_bind(const char *list);
/* This process, and it alone, may run again where it could before cpus_bind. */
void cpus_release(void);

#endif
