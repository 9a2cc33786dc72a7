/*
 * reply_code: the kinds of whole replies (enum code), where a protocol tells kinds apart. Each whole reply is counted
 * under its code. CODE_WRONG_STATUS and CODE_WRONG_BODY are not as the user expects, though no error by themselves.
 */
#ifndef BROADSIDE_REPLY_CODE_H
#define BROADSIDE_REPLY_CODE_H

#include "build/names.h"

/* Replies of a protocol that numbers them are counted by their three digits too: 0 to 999. */
#define STATUS_CODES 1000u

#endif
