/* SPDX-License-Identifier: MIT */
#include "tests/support/wake_ups.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static long switches_of(const char *task)
{
    char path[300], line[128];
    long count = 0;
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1)
            break;
    if (file)
        fclose(file);
    return count;
}

long wake_ups(pid_t without)
{
    long count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != without)
            count += switches_of(entry->d_name);
    if (folder)
        closedir(folder);
    return count;
}
