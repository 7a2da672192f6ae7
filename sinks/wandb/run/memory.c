/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/run/memory.h"
#include "sinks/common/upload/machine_figures.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double mib = 1048576.0;

static double number_at(const char *root, const char *folder, const char *name, const char *field)
{
    char path[3 * PATH_MAX];
    snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    return swi_figure_number(path, field);
}

/* The files of a version of control groups, and the line in memory.stat. */
struct version {
    const char *limit, *used, *stat, *droppable;
};
static const struct version first = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                     "memory.stat", "total_inactive_file "};
static const struct version second = {"memory.max", "memory.current", "memory.stat",
                                      "inactive_file "};

/* The group that limits the memory of the process. */
struct memory_group {
    const struct version *version;
    char mount[PATH_MAX]; /* below the root */
    char path[PATH_MAX];  /* below the mount; "" is the mount itself */
};

static bool has_memory(const char *controllers, size_t length)
{
    static const char name[] = "memory";
    for (const char *at = controllers, *end = at + length; at < end;) {
        size_t word = strcspn(at, ",:");
        if (word == sizeof name - 1 && memcmp(at, name, word) == 0)
            return true;
        at += word + 1;
    }
    return false;
}

/* Reads a line "NUMBER:CONTROLLERS:/PATH". Version 2 has the number 0 and no controllers. A
 * controller that a line of version 1 lists belongs to version 1. */
static void group_read(struct memory_group *group, const char *line)
{
    const char *controllers = strchr(line, ':');
    const char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path || path[1] != '/')
        return;
    size_t length = (size_t)(path - ++controllers), size = strcspn(++path, "\n");
    bool listed = has_memory(controllers, length);
    if (!listed && (length || strncmp(line, "0:", 2) != 0 || group->version == &first))
        return;
    group->version = listed ? &first : &second;
    snprintf(group->mount, sizeof group->mount, "/sys/fs/cgroup%s%.*s", listed ? "/" : "",
             (int)length, controllers);
    snprintf(group->path, sizeof group->path, "%.*s", (int)(size > 1 ? size : 0), path);
}

static void group_find(struct memory_group *group, const char *root)
{
    char path[3 * PATH_MAX], line[PATH_MAX];
    *group = (struct memory_group){.version = &second, .mount = "/sys/fs/cgroup"};
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        group_read(group, line);
    if (file)
        fclose(file);
}

/* Memory that can be dropped at any time does not count as used, as in the kernel's own
 * MemAvailable. */
static void group_take(struct swi_wandb_memory *memory, const char *root,
                       const struct memory_group *group)
{
    char folder[2 * PATH_MAX];
    const struct version *version = group->version;
    snprintf(folder, sizeof folder, "%s%s", group->mount, group->path);
    double limit = number_at(root, folder, version->limit, "");
    double used = number_at(root, folder, version->used, "");
    double droppable = number_at(root, folder, version->stat, version->droppable);
    if (limit <= 0 || used < 0 || limit / mib >= memory->total_mib)
        return;
    used -= droppable > 0 && droppable < used ? droppable : 0;
    memory->total_mib = limit / mib;
    memory->available_mib = used < limit ? (limit - used) / mib : 0;
}

/* Goes to the group above. Returns false above the mount. */
static bool cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

bool swi_wandb_memory_find(struct swi_wandb_memory *memory, const char *root)
{
    struct memory_group group;
    memory->total_mib = number_at(root, "/proc", "meminfo", "MemTotal:") / 1024;
    memory->available_mib = number_at(root, "/proc", "meminfo", "MemAvailable:") / 1024;
    if (memory->total_mib <= 0 || memory->available_mib < 0)
        return false;
    /* Looks at all groups from the process's own up to the mount. In a container without its own
     * name space, that folder does not exist, and the mount is the container's group. */
    group_find(&group, root);
    for (bool more = true; more; more = cut_last(group.path))
        group_take(memory, root, &group);
    return true;
}
