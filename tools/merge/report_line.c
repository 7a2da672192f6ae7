/* SPDX-License-Identifier: MIT */
#include "tools/merge/report_line.h"

#include <stddef.h>

int64_t report_line_fit(const char *line)
{
    struct json_scan scan = scan_begin(line);
    struct scan_text key;
    int64_t fit = 1;
    for (bool begun = false; scan_member(&scan, &begun, &key);) {
        if (scan_equals(&key, "fit") && scan_is(&scan, '0'))
            fit = scan_integer(&scan);
        else
            scan_skip(&scan);
    }
    return scan_is_done(&scan) && fit >= 0 ? fit : -1;
}

static bool number_take(struct report_row *row, const struct scan_text *key, struct json_scan *scan)
{
    const struct {
        const char *key;
        double *value;
    } numbers[] = {{"total_ns", &row->total_ns},
                   {"mean_ns", &row->mean_ns},
                   {"std_ns", &row->std_ns},
                   {"min_ns", &row->min_ns},
                   {"max_ns", &row->max_ns}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (scan_equals(key, numbers[i].key)) {
            *numbers[i].value = scan_is(scan, '0') || scan_is(scan, '"') ? scan_number(scan) : 0;
            return true;
        }
    return false;
}

static void field_take(struct report_row *row, struct name_table *names,
                       const struct scan_text *key, struct json_scan *scan)
{
    bool name = scan_is(scan, '"');
    if (name && (scan_equals(key, "phase") || scan_equals(key, "action"))) {
        struct scan_text text = scan_string(scan);
        *(scan_equals(key, "phase") ? &row->phase : &row->action) = names_number(names, &text);
    } else if (scan_equals(key, "calls") && scan_is(scan, '0')) {
        row->calls = scan_integer(scan);
    } else if (scan_equals(key, "hist") && scan_is(scan, '[')) {
        row->has_bins = true;
        row->bins = *scan;
        scan_skip(scan);
    } else if (scan_equals(key, "counters") && scan_is(scan, '{')) {
        row->has_counters = true;
        row->counters = *scan;
        scan_skip(scan);
    } else if (!number_take(row, key, scan)) {
        scan_skip(scan);
    }
}

/* Returns false if out of memory. */
static bool row_take(struct json_scan *scan, struct name_table *names, report_row_fn *take,
                     void *arg)
{
    struct report_row row = {0};
    struct scan_text key;
    if (!scan_is(scan, '{')) {
        scan_skip(scan);
        return true;
    }
    for (bool begun = false; scan_member(scan, &begun, &key);)
        field_take(&row, names, &key, scan);
    return row.phase >= 0 && row.action >= 0 && take(arg, &row);
}

bool report_line_rows(const char *line, struct name_table *names, report_row_fn *row, void *arg)
{
    struct json_scan scan = scan_begin(line);
    struct scan_text key;
    for (bool begun = false; scan_member(&scan, &begun, &key);) {
        bool rows = false;
        if (!scan_equals(&key, "rows") || !scan_is(&scan, '['))
            scan_skip(&scan);
        else
            while (scan_element(&scan, &rows))
                if (!row_take(&scan, names, row, arg))
                    return false;
    }
    return true;
}
