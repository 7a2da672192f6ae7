/* SPDX-License-Identifier: MIT */
#include "core/process/preemptions.h"

#include <inttypes.h>
#include <stdio.h>

static FILE *open_of(int thread, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", thread, name);
    return fopen(path, "re");
}

static int64_t count_of(int thread)
{
    char line[128];
    int64_t count = -1;
    FILE *file = open_of(thread, "status");
    while (file && count < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "nonvoluntary_ctxt_switches: %" SCNd64, &count) != 1)
            count = -1;
    if (file)
        fclose(file);
    return count;
}

/* The file has how long the thread ran, and how long it waited on a run queue. */
static int64_t waited_of(int thread)
{
    int64_t waited = -1;
    FILE *file = open_of(thread, "schedstat");
    if (file && fscanf(file, "%*d %" SCNd64, &waited) != 1)
        waited = -1;
    if (file)
        fclose(file);
    return waited;
}

struct swi_preemptions swi_preemptions_of(int thread)
{
    return (struct swi_preemptions){count_of(thread), waited_of(thread)};
}
