/* SPDX-License-Identifier: MIT */
#include "monitors/gpu/own_process.h"

#include "monitors/common/kernel_files.h"

#include <stdio.h>
#include <string.h>

/* The fourth field, after the name, which may hold anything; 0 if it is unknown. */
static pid_t parent_of(pid_t pid)
{
    const struct swi_machine here = {.root = ""};
    char path[64], text[1024];
    uint64_t parent;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!swi_machine_read(&here, path, text, sizeof text))
        return 0;
    const char *end = strrchr(text, ')');
    if (!end || strlen(end) < 4)
        return 0;
    end += 3; /* the state is one letter */
    return swi_text_count(&end, &parent) ? (pid_t)parent : 0;
}

bool swi_is_own_process(pid_t pid, pid_t own)
{
    enum { GENERATIONS = 64 };
    for (int i = 0; i < GENERATIONS && pid > 1 && pid != own; i++)
        pid = parent_of(pid);
    return pid == own;
}
