/*
 * usrsctp_owner: usrsctp's state is that of the whole process; one user at a time.
 */
#ifndef BROADSIDE_USRSCTP_OWNER_H
#define BROADSIDE_USRSCTP_OWNER_H

#include <stdbool.h>

/* Takes usrsctp; false: another user has it. */
bool usrsctp_take(void);
void usrsctp_give_back(void);

#endif
