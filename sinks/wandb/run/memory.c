/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/run/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double mib = 1048576.0;

double swi_wandb_number_of(const char *path, const char *field)
{
    char line[512];
    double value = -1;
    FILE *file = fopen(path, "re");
    while (file && value < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, field, strlen(field)) == 0)
            value = strtod(line + strlen(field), NULL);
    if (file)
        fclose(file);
    return value;
}

static double number_at(const char *root, const char *folder, const char *name, const char *field)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    return swi_wandb_number_of(path, field);
}

/* The line "0::/PATH" of version 2; "" if there is none. */
static void group_find(const char *root, char group[PATH_MAX])
{
    char path[PATH_MAX], line[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    group[0] = '\0';
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "0::/", 4) == 0)
            snprintf(group, PATH_MAX, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
    if (file)
        fclose(file);
}

/* What can be dropped at any time is not counted as used, as the kernel's own MemAvailable. */
static void group_take(struct swi_wandb_memory *memory, const char *root, const char *folder)
{
    double limit = number_at(root, folder, "memory.max", "");
    double used = number_at(root, folder, "memory.current", "");
    double droppable = number_at(root, folder, "memory.stat", "inactive_file ");
    if (limit <= 0 || used < 0 || limit / mib >= memory->total_mib)
        return;
    used -= droppable > 0 && droppable < used ? droppable : 0;
    memory->total_mib = limit / mib;
    memory->available_mib = used < limit ? (limit - used) / mib : 0;
}

/* The group above; false above the root. */
static bool cut_last(char *group)
{
    char *slash = strrchr(group, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

bool swi_wandb_memory_find(struct swi_wandb_memory *memory, const char *root)
{
    char group[PATH_MAX], folder[PATH_MAX + 32];
    memory->total_mib = number_at(root, "/proc", "meminfo", "MemTotal:") / 1024;
    memory->available_mib = number_at(root, "/proc", "meminfo", "MemAvailable:") / 1024;
    if (memory->total_mib <= 0 || memory->available_mib < 0)
        return false;
    /* From the process's own group up to the root of those that it sees. */
    group_find(root, group);
    for (bool more = true; more; more = cut_last(group)) {
        snprintf(folder, sizeof folder, "/sys/fs/cgroup%s", group);
        group_take(memory, root, folder);
    }
    return true;
}
