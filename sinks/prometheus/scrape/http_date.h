/* SPDX-License-Identifier: MIT */
/* http_date.h - a time for the header Date, such as "Sun, 06 Nov 1994 08:49:37 GMT". */
#ifndef SINKS_PROMETHEUS_SCRAPE_HTTP_DATE_H
#define SINKS_PROMETHEUS_SCRAPE_HTTP_DATE_H

#include <stddef.h>
#include <stdint.h>

/* seconds: since 1970, not negative. */
void swi_http_date(char *text, size_t size, int64_t seconds);

#endif
