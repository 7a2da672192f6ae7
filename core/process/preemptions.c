/* SPDX-License-Identifier: MIT */
#include "core/process/preemptions.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

int64_t swi_preemptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : -1;
}

int64_t swi_preemptions_of(int thread)
{
    char path[64], line[128];
    int64_t count = -1;
    snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
    FILE *file = fopen(path, "re");
    while (file && count < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "nonvoluntary_ctxt_switches: %" SCNd64, &count) != 1)
            count = -1;
    if (file)
        fclose(file);
    return count;
}
