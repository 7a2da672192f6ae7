/* SPDX-License-Identifier: MIT */
/* random_id.h - an id that no other run has. */
#ifndef SINKS_COMMON_RANDOM_ID_H
#define SINKS_COMMON_RANDOM_ID_H

#include <stepwatch/error.h>

/* Sets id to 32 hexadecimal digits. Returns 0, or SW_EIO if the kernel has no random bytes. */
int swi_random_id(char id[33], struct sw_error *err);

#endif
