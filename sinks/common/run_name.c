/* SPDX-License-Identifier: MIT */
#include "sinks/common/run_name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* ---- an id that no other run has ------------------------------------------------------------- */

int swi_random_id(char id[33], struct sw_error *err)
{
    unsigned char random[16];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return sw_error_set(err, SW_EIO, "no random bytes for the run's id: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(id + 2 * i, 3, "%02x", random[i]);
    return 0;
}

/* ---- the local time at which a run began, for names of files and folders --------------------- */

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
