/*
 * usrsctp_owner.c: who uses usrsctp now.
 */
#include "usrsctp_owner.h"

#include <stdatomic.h>

static atomic_bool is_taken;

bool usrsctp_take(void) { return !atomic_exchange(&is_taken, true); }

void usrsctp_give_back(void) { atomic_store(&is_taken, false); }
