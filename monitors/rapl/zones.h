/* SPDX-License-Identifier: MIT */
/* zones.h - energy counters of processors: /sys/class/powercap. */
#ifndef MONITORS_RAPL_ZONES_H
#define MONITORS_RAPL_ZONES_H

#include "monitors/common/kernel_files.h"

#include <stepwatch/monitor.h>

enum { SWI_ZONES = 64, SWI_ZONE_NAME = 2 * SWI_MACHINE_NAME + 8 };

/* What one zone, such as a package or its memory, used. */
struct swi_zone {
    char folder[SWI_MACHINE_NAME]; /* "intel-rapl:0:1" */
    char name[SWI_ZONE_NAME];      /* "package-0/dram" */
    bool inner;                    /* it is in another zone, which has its energy */
    bool forbidden;                /* its counter may not be read */
    bool known;                    /* before_uj is a reading */
    int64_t before_uj;
    int64_t time_ns;
    double joules; /* since the first reading */
    bool complete; /* no interval since then is missing */
};

struct swi_zones {
    size_t count;
    struct swi_zone zone[SWI_ZONES];
};

/* Finds the zones of the machine, and which of them may be read. */
void swi_zones_find(struct swi_zones *zones, const struct swi_machine *machine);

/* Gives the power of each zone since the sample before; last: also its energy since the first. */
void swi_zones_sample(struct swi_zones *zones, const struct swi_machine *machine,
                      struct sw_monitor *monitor, int64_t began_ns, bool last);

/* The energy since the first sample of all zones that are in no other. False if it is unknown. */
bool swi_zones_energy(const struct swi_zones *zones, double *joules);

#endif
