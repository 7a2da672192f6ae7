/* SPDX-License-Identifier: MIT */
/* cgroup.h - the control groups that the process is in, of version 1 or 2. */
#ifndef MONITORS_COMMON_CGROUP_H
#define MONITORS_COMMON_CGROUP_H

#include "monitors/common/kernel_files.h"

/* The group of one controller. Zeroed: there is none. */
struct swi_cgroup {
    int version;                  /* 1 or 2; 0: none */
    char mount[SWI_MACHINE_PATH]; /* "/sys/fs/cgroup" */
    /* Below the mount; "" is the mount itself. In a container without its own namespace, no folder
     * has that name, but the mount is the group of the container. */
    char path[SWI_MACHINE_PATH];
};

/* Finds the group of a controller, "cpu" or "memory". */
void swi_cgroup_find(struct swi_cgroup *group, const struct swi_machine *machine,
                     const char *controller);

/* The group above; false above the mount. */
bool swi_cgroup_up(struct swi_cgroup *group);

/* Reads the number in a file of the group. What is not a number, like "max", is none. */
bool swi_cgroup_number(const struct swi_cgroup *group, const struct swi_machine *machine,
                       const char *file, int64_t *number);
bool swi_cgroup_read(const struct swi_cgroup *group, const struct swi_machine *machine,
                     const char *file, char *text, size_t size);

#endif
