/* SPDX-License-Identifier: MIT */
#include "sinks/common/start_time.h"

#include <time.h>

__attribute__((format(strftime, 2, 0))) bool
swi_start_time(const struct sw_run *run, const char *format, char *text, size_t size)
{
    time_t at = (time_t)run->started_s + (time_t)run->utc_offset_s;
    struct tm local;
    if (gmtime_r(&at, &local) && strftime(text, size, format, &local))
        return true;
    text[0] = '\0';
    return false;
}
