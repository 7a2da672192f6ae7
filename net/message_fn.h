/* SPDX-License-Identifier: MIT */
/* message_fn.h - where an upload sends its messages. */
#ifndef NET_MESSAGE_FN_H
#define NET_MESSAGE_FN_H

/* Level as enum sw_level: 0 note, 1 warning, 2 error. */
typedef void swi_message_fn(void *arg, int level, const char *text);

#endif
