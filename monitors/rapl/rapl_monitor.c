/* SPDX-License-Identifier: MIT */
/* rapl - energy of the processors, which their own counters measure (RAPL). It is the machine's,
 * and not only that of this process. */
#include "monitors/rapl/zones.h"

#include <stepwatch/stepwatch.h>

struct rapl_monitor {
    int64_t interval_ns;
    const char *root;

    struct swi_machine machine;
    struct sw_monitor *monitor;
    struct swi_zones zones;
};

static const struct sw_option options[] = {
    {.name = "interval",
     .type = SW_OPTION_DURATION,
     .offset = offsetof(struct rapl_monitor, interval_ns),
     .fallback = "15s",
     .min = 0.1,
     .max = 60,
     .help = "time between two samples; at most a minute, because the energy counters overflow "
             "after some minutes"},
    {.name = "root",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct rapl_monitor, root),
     .fallback = "/",
     .help =
         "folder that contains sys, such as where a container has mounted the root of its host"},
    {.name = NULL},
};

static void complain(const struct rapl_monitor *m)
{
    size_t forbidden = 0;
    for (size_t i = 0; i < m->zones.count; i++)
        forbidden += m->zones.zone[i].forbidden;
    if (!m->monitor->asked)
        return;
    if (!m->zones.count)
        sw_monitor_say(m->monitor, SW_WARNING,
                       "this machine has no energy counters in /sys/class/powercap (a virtual "
                       "machine or container often has none)");
    else if (forbidden == m->zones.count)
        sw_monitor_say(m->monitor, SW_WARNING,
                       "the energy counters in /sys/class/powercap can only be read by root: run "
                       "as root, or allow it with: chmod a+r "
                       "/sys/class/powercap/*/energy_uj");
}

static int rapl_open(void *state, struct sw_monitor *monitor, struct sw_error *err)
{
    struct rapl_monitor *m = state;
    (void)err;
    m->monitor = monitor;
    m->machine = swi_machine_here(m->root);
    swi_zones_find(&m->zones, &m->machine);
    complain(m);
    return 0;
}

static int rapl_sample(void *state, const struct sw_sample *sample, struct sw_error *err)
{
    struct rapl_monitor *m = state;
    double joules;
    (void)err;
    swi_zones_sample(&m->zones, &m->machine, m->monitor, sample->time_ns, sample->last);
    if (swi_zones_energy(&m->zones, &joules))
        sw_monitor_energy(m->monitor, joules);
    return 0;
}

const struct sw_monitor_plugin SW_MONITOR_SYMBOL = {
    SW_MONITOR_HEADER,
    .name = "rapl",
    .version = "1.0",
    .license = "MIT",
    .summary = "energy and power of the processors and their memory",
    .options = options,
    .state_size = sizeof(struct rapl_monitor),
    .open = rapl_open,
    .sample = rapl_sample,
};
