/* SPDX-License-Identifier: MIT */
#include "core/text/iso_date.h"

#include <stdio.h>
#include <time.h>

bool swi_iso_date(char text[SWI_ISO_DATE], int64_t seconds, int micros, const char *zone)
{
    struct tm utc;
    text[0] = '\0';
    time_t at = (time_t)seconds;
    size_t size =
        gmtime_r(&at, &utc) ? strftime(text, SWI_ISO_DATE - 16, "%Y-%m-%dT%H:%M:%S", &utc) : 0;
    if (size && micros >= 0)
        snprintf(text + size, SWI_ISO_DATE - size, ".%06d%s", micros, zone);
    else if (size)
        snprintf(text + size, SWI_ISO_DATE - size, "%s", zone);
    return size > 0;
}
