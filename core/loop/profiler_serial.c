/* SPDX-License-Identifier: MIT */
#include "core/loop/profiler_serial.h"

#include <stdatomic.h>

uint64_t swi_profiler_serial_next(void)
{
    static _Atomic uint64_t serial = 1;
    return atomic_fetch_add(&serial, 1);
}
