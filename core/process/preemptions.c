/* SPDX-License-Identifier: MIT */
#include "core/process/preemptions.h"

#include <sys/resource.h>

int64_t swi_preemptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : -1;
}
