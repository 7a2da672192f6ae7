/* SPDX-License-Identifier: MIT */
/* io_code.h - which code a failed system call has. */
#ifndef CORE_TEXT_IO_CODE_H
#define CORE_TEXT_IO_CODE_H

#include <stepwatch/error.h>

#include <errno.h>

/* Returns SW_EFULL if the disk or the user's share of it is full, which somebody may change while
 * the program runs, and SW_EIO for all other reasons. */
static inline int swi_io_code(int reason)
{
    return reason == ENOSPC || reason == EDQUOT ? SW_EFULL : SW_EIO;
}

#endif
