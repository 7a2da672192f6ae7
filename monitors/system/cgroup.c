/* SPDX-License-Identifier: MIT */
#include "monitors/system/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MOUNT[] = "/sys/fs/cgroup";

/* Returns whether a list like "cpu,cpuacct" has the controller. */
static bool is_listed(const char *list, size_t length, const char *controller)
{
    size_t wanted = strlen(controller);
    for (const char *at = list, *end = list + length; at < end;) {
        size_t word = strcspn(at, ",:");
        if (word == wanted && memcmp(at, controller, word) == 0)
            return true;
        at += word + 1;
    }
    return false;
}

/* A line "NUMBER:CONTROLLERS:/PATH". Version 2 has the number 0 and no controllers; one that a line
 * of version 1 lists is version 1's. */
static void line_read(struct swi_cgroup *group, const char *line, const char *controller)
{
    const char *list = strchr(line, ':');
    const char *path = list ? strchr(list + 1, ':') : NULL;
    if (!path || path[1] != '/')
        return;
    size_t length = (size_t)(path - ++list), size = strcspn(++path, "\n");
    bool first = is_listed(list, length, controller);
    if (!first && (length || strncmp(line, "0:", 2) != 0 || group->version == 1))
        return;
    group->version = first ? 1 : 2;
    snprintf(group->mount, sizeof group->mount, "%s%s%.*s", MOUNT, first ? "/" : "", (int)length,
             list);
    snprintf(group->path, sizeof group->path, "%.*s", (int)(size > 1 ? size : 0), path);
}

/* In a container without its own namespace, no folder has that name, and the mount is the group of
 * the container. */
static void settle(struct swi_cgroup *group, const struct swi_machine *machine)
{
    char folder[2 * SWI_MACHINE_PATH];
    snprintf(folder, sizeof folder, "%s%s", group->mount, group->path);
    if (*group->path && !swi_machine_has(machine, folder))
        group->path[0] = '\0';
}

void swi_cgroup_find(struct swi_cgroup *group, const struct swi_machine *machine,
                     const char *controller)
{
    char text[SWI_MACHINE_TEXT];
    *group = (struct swi_cgroup){.version = 0};
    if (!swi_machine_read(machine, "/proc/self/cgroup", text, sizeof text))
        return;
    for (const char *line = text; line; line = swi_text_next_line(line))
        line_read(group, line, controller);
    if (group->version)
        settle(group, machine);
}

bool swi_cgroup_up(struct swi_cgroup *group)
{
    char *slash = strrchr(group->path, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

bool swi_cgroup_read(const struct swi_cgroup *group, const struct swi_machine *machine,
                     const char *file, char *text, size_t size)
{
    char path[3 * SWI_MACHINE_PATH];
    snprintf(path, sizeof path, "%s%s/%s", group->mount, group->path, file);
    return swi_machine_read(machine, path, text, size);
}

bool swi_cgroup_number(const struct swi_cgroup *group, const struct swi_machine *machine,
                       const char *file, int64_t *number)
{
    char path[3 * SWI_MACHINE_PATH];
    snprintf(path, sizeof path, "%s%s/%s", group->mount, group->path, file);
    return swi_machine_number(machine, path, number);
}
