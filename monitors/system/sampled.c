/* SPDX-License-Identifier: MIT */
/* Values with names that are made of parts. */
#include "monitors/system/sampled.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void swi_give(const struct swi_system *system, double value, const char *format, ...)
{
    char name[256];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    sw_monitor_value(system->monitor, name, value);
}

void swi_give_rate(struct swi_system *system, uint64_t number, const char *format, ...)
{
    char name[256];
    double value;
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    if (system->sums)
        name[strlen(name) - strlen("_per_s")] = '\0';
    int64_t now_ns = swi_machine_now(&system->machine, system->time_ns);
    if (system->sums ? swi_rate_since(&system->rates, name, number, &value)
                     : swi_rate(&system->rates, name, number, now_ns, &value))
        sw_monitor_value(system->monitor, name, value);
}
