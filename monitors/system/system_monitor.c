/* SPDX-License-Identifier: MIT */
/* system - what the process and the machine do: CPU, memory, disks, network, temperatures. */
#include "monitors/system/machine_use.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

struct system_monitor {
    /* options */
    const char *const *what;
    int64_t interval_ns;
    const char *names;
    const char *const *filesystems;
    const char *root;
    bool pss;

    struct swi_system system;
    bool process, machine; /* of what */
    /* What the files here see as the monitor, if names are changed on the way. */
    struct sw_monitor renaming;
    struct sw_monitor_services services;
    struct sw_monitor *monitor;
};

static const struct sw_option options[] = {
    {.name = "what",
     .type = SW_OPTION_LIST,
     .offset = offsetof(struct system_monitor, what),
     .fallback = "[process, system]",
     .help = "what to measure: process: this process; system: the machine"},
    SW_MONITOR_INTERVAL(struct system_monitor, interval_ns),
    {.name = "names",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct system_monitor, names),
     .fallback = "stepwatch",
     .choices = "stepwatch|lightning",
     .help = "names of the metrics: stepwatch: those of stepwatch; lightning: those of Lightning's "
             "DeviceStatsMonitor, for the metrics that it has"},
    {.name = "filesystems",
     .type = SW_OPTION_PATHS,
     .offset = offsetof(struct system_monitor, filesystems),
     .fallback = "/",
     .help = "paths in the file systems whose use to measure"},
    {.name = "pss",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct system_monitor, pss),
     .fallback = "false",
     .help = "also measure the proportional set size: the memory of the process with its share of "
             "the memory that other processes use, too. Reading it takes 12 ms for each GiB, so it "
             "is read at most every 15 s"},
    {.name = "root",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct system_monitor, root),
     .fallback = "/",
     .help = "folder that contains proc and sys, such as where a container has mounted the root of "
             "its host"},
    {.name = NULL},
};

/* ---- names of Lightning ---------------------------------------------------------------------- */

static void value_rename(struct sw_monitor *renaming, const char *name, double value)
{
    static const char *const names[][2] = {
        {"system/cpu_percent", "DeviceStatsMonitor.on_train_batch_end/cpu_percent"},
        {"system/memory_percent", "DeviceStatsMonitor.on_train_batch_end/cpu_vm_percent"},
        {"system/swap_percent", "DeviceStatsMonitor.on_train_batch_end/cpu_swap_percent"},
    };
    struct system_monitor *m =
        (struct system_monitor *)((char *)renaming - offsetof(struct system_monitor, renaming));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i][0]) == 0)
            name = names[i][1];
    sw_monitor_value(m->monitor, name, value);
}

static void rename_values(struct system_monitor *m)
{
    m->services = *m->monitor->services;
    m->services.value = value_rename;
    m->renaming = *m->monitor;
    m->renaming.services = &m->services;
    m->system.monitor = &m->renaming;
}

/* ---- the monitor ----------------------------------------------------------------------------- */

static int what_read(struct system_monitor *m, struct sw_error *err)
{
    for (size_t i = 0; m->what && m->what[i]; i++) {
        bool process = strcmp(m->what[i], "process") == 0;
        if (!process && strcmp(m->what[i], "system") != 0)
            return sw_error_set(err, SW_EINVAL, "what: %s: expected process or system", m->what[i]);
        m->process |= process;
        m->machine |= !process;
    }
    return 0;
}

/* A path that is wrong would be measured nowhere, and nobody would know. */
static void filesystems_check(const struct system_monitor *m)
{
    struct statvfs status;
    for (size_t i = 0; m->machine && m->filesystems && m->filesystems[i]; i++)
        if (statvfs(m->filesystems[i], &status) != 0)
            sw_monitor_say(m->monitor, 1, "filesystems: %s cannot be measured: %s",
                           m->filesystems[i], strerror(errno));
}

/* In a chroot, nearly nothing would be measured, and nobody would know. */
static void proc_check(const struct system_monitor *m)
{
    const struct swi_machine *machine = &m->system.machine;
    if (!swi_machine_has(machine, "/proc/stat") && !swi_machine_has(machine, "/proc/self/stat"))
        sw_monitor_say(m->monitor, 1,
                       "%s/proc is not there, so nearly nothing can be measured: mount it, or name "
                       "a folder that has proc and sys with the option root",
                       machine->root);
}

static int system_open(void *state, struct sw_monitor *monitor, struct sw_error *err)
{
    struct system_monitor *m = state;
    m->monitor = monitor;
    m->system.monitor = monitor;
    m->system.machine = swi_machine_here(m->root);
    m->system.filesystems = m->filesystems;
    m->system.pss = m->pss;
    m->system.sums = SW_HAS(monitor->size, monitor, sink) && monitor->sink;
    if (strcmp(m->names, "lightning") == 0)
        rename_values(m);
    int rc = what_read(m, err);
    if (!m->system.sums) {
        proc_check(m);
        filesystems_check(m);
    }
    return rc;
}

static int system_sample(void *state, const struct sw_sample *sample, struct sw_error *err)
{
    struct system_monitor *m = state;
    struct swi_memory_left memory;
    (void)err;
    m->system.time_ns = sample->time_ns;
    swi_memory_find(&m->system.machine, &memory);
    if (m->process)
        swi_sample_process(&m->system, &memory);
    if (!m->machine)
        return 0;
    swi_sample_cpu(&m->system);
    swi_sample_memory(&m->system, &memory);
    swi_sample_disks(&m->system);
    swi_sample_network(&m->system);
    if (m->system.sums)
        return 0;
    swi_sample_sensors(&m->system);
    swi_sample_pressure(&m->system);
    return 0;
}

static int system_close(void *state, struct sw_error *err)
{
    struct system_monitor *m = state;
    (void)err;
    swi_rate_readings_free(&m->system.rates);
    return 0;
}

const struct sw_monitor_plugin SW_MONITOR_SYMBOL = {
    SW_MONITOR_HEADER,
    .name = "system",
    .version = "1.0",
    .license = "MIT",
    .summary = "CPU, memory, disks, network and temperatures of this process and its machine",
    .options = options,
    .state_size = sizeof(struct system_monitor),
    .open = system_open,
    .sample = system_sample,
    .close = system_close,
};
