/* SPDX-License-Identifier: MIT */
#include "config/print_keys.h"

#include "config/counter_keys.h"
#include "config/functions_keys.h"
#include "config/profiler_keys.h"
#include "core/text/parse.h"
#include "config/watchdog_keys.h"
#include "config/schedule_keys.h"
#include "core/plugins/option_value.h"
#include "core/text/quote.h"

#include <stepwatch/inspect.h>

#include <stdlib.h>

/* Prints one value. The mode, the default csv_name and the mappings need special cases; a duration
 * is printed in the usual units. Returns false if out of memory. */
static bool print_value(const struct swi_profiler_keys *keys, int key, FILE *out)
{
    const struct sw_option *row = &sw_profiler_options()[key];
    char *value = NULL;
    if (key == SWI_KEY_SCHEDULE)
        swi_schedule_print(keys, out);
    else if (key == SWI_KEY_CAPTURE)
        swi_capture_print(keys, out);
    else if (key == SWI_KEY_COUNTERS)
        swi_counters_print(keys, out);
    else if (key == SWI_KEY_PEAK_FLOPS)
        fprintf(out, "%.15g", keys->peak_flops);
    else if (key == SWI_KEY_WATCHDOG)
        swi_watchdog_print(keys, out);
    else if (key == SWI_KEY_FUNCTIONS)
        swi_functions_print(&keys->functions, out);
    else if (row->type == SW_OPTION_CHOICE)
        fputs(keys->advanced ? SWI_ADVANCED : swi_profiler_keys_mode_name(keys->mode), out);
    else if (row->type == SW_OPTION_PATH)
        swi_quote_print(swi_profiler_keys_csv_name(keys), out);
    else if (row->type == SW_OPTION_DURATION)
        fputs(swi_print_duration((char[SWI_DURATION_TEXT]){0}, keys->close_timeout_ns), out);
    else if ((value = swi_option_value(row, keys)))
        fputs(value, out);
    else
        return false;
    free(value);
    return true;
}

/* Returns whether a key is printed: wait, schedule, capture, counters and peak_flops are rare, so
 * they are printed only if they are given. */
static bool is_shown(const struct swi_profiler_keys *keys, int key)
{
    return (key != SWI_KEY_WAIT || keys->wait) &&
           (key != SWI_KEY_SCHEDULE || keys->schedule.given) &&
           (key != SWI_KEY_CAPTURE || keys->capture.given) &&
           (key != SWI_KEY_COUNTERS || keys->counter_count) &&
           (key != SWI_KEY_PEAK_FLOPS || keys->peak_flops > 0) &&
           (key != SWI_KEY_WATCHDOG || keys->watchdog.given) &&
           (key != SWI_KEY_FUNCTIONS || keys->functions.given);
}

bool swi_profiler_keys_print(const struct swi_profiler_keys *keys, FILE *out)
{
    bool fine = true;
    for (int i = 0; i < SWI_KEYS && fine; i++) {
        if (!is_shown(keys, i))
            continue;
        fprintf(out, "  %s: ", sw_profiler_options()[i].name);
        fine = print_value(keys, i, out);
        fputc('\n', out);
    }
    return fine;
}
