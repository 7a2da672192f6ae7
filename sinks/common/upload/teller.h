/* SPDX-License-Identifier: MIT */
/* teller.h - where an upload sends its messages. */
#ifndef SINKS_COMMON_UPLOAD_TELLER_H
#define SINKS_COMMON_UPLOAD_TELLER_H

/* Level as enum sw_level: 0 note, 1 warning, 2 error. */
typedef void swi_say_fn(void *arg, int level, const char *text);

#endif
