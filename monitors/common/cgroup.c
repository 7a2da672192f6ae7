/* SPDX-License-Identifier: MIT */
#include "monitors/common/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where groups usually are, for a machine that does not say it. */
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

/* ---- where groups are mounted ---- */

/* Mount points have a backslash and three octal digits for blanks and backslashes. */
static void unescape(char *path)
{
    char *to = path;
    for (const char *at = path; *at;) {
        bool escaped = at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] && at[3];
        *to++ = escaped ? (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0')) : *at;
        at += escaped ? 4 : 1;
    }
    *to = '\0';
}

/* Reads a line "ID PARENT DEVICE ROOT POINT OPTIONS… - TYPE SOURCE OPTIONS". Returns whether it is
 * a mount of the group's controller; root: set to the group that is mounted. */
static bool mount_read(const struct swi_cgroup *group, const char *line, const char *controller,
                       char *root, char *point)
{
    char type[16], options[SWI_MACHINE_PATH];
    const char *rest = memmem(line, strcspn(line, "\n"), " - ", 3);
    if (!rest || sscanf(line, "%*s %*s %*s %511s %511s", root, point) != 2 ||
        sscanf(rest, " - %15s %*s %511s", type, options) != 2)
        return false;
    unescape(root);
    unescape(point);
    return group->version == 2
               ? strcmp(type, "cgroup2") == 0
               : strcmp(type, "cgroup") == 0 && is_listed(options, strlen(options), controller);
}

/* Returns the path of the group below a mount, or NULL if it is not below what is mounted there. */
static const char *below(const char *path, const char *root)
{
    size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    bool is_below = strncmp(path, root, length) == 0 && (!path[length] || path[length] == '/');
    return is_below ? path + length : NULL;
}

/* The machine may be a folder of this one, whose mounts have the names that they have here. */
static const char *point_in(const struct swi_machine *machine, const char *point)
{
    const char *inside = *machine->root ? below(point, machine->root) : NULL;
    return inside ? inside : point;
}

/* A mount that has the group counts more than one of another group. */
static void mount_find(struct swi_cgroup *group, const struct swi_machine *machine,
                       const char *controller)
{
    char root[SWI_MACHINE_PATH], point[SWI_MACHINE_PATH], path[SWI_MACHINE_PATH];
    char *text = swi_machine_text(machine, "/proc/self/mountinfo");
    bool found = false, has_group = false;
    memcpy(path, group->path, sizeof path);
    for (const char *line = text; line && !has_group; line = swi_text_next_line(line)) {
        if (!mount_read(group, line, controller, root, point) ||
            !swi_machine_has(machine, point_in(machine, point)))
            continue;
        const char *rest = below(path, root);
        has_group = rest != NULL;
        if (found && !has_group)
            continue;
        found = true;
        snprintf(group->mount, sizeof group->mount, "%s", point_in(machine, point));
        snprintf(group->path, sizeof group->path, "%s", rest ? rest : "");
    }
    free(text);
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
        mount_find(group, machine, controller);
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
