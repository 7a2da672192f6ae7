/* SPDX-License-Identifier: MIT */
#include "core/report/report_copy.h"
#include "core/report/report_row.h"
#include "core/report/shared_report.h"

#include <stdlib.h>
#include <string.h>

/* Drops bins and values whose array is missing, and bins of another size. */
static bool distribution_copy(struct sw_distribution *d)
{
    if (!d->bin || d->bin_stride != sizeof *d->bin)
        d->bin_count = 0;
    if (!d->value)
        d->kept = 0;
    if (!d->bin_count)
        d->bin = d->kept ? (const void *)d->value : NULL;
    return swi_made_distribution_copy(d);
}

static void names_copy(struct sw_report_row *to, const struct sw_report_row *from)
{
    bool shaped = from->shape && *from->shape;
    to->action_id = sw_action(from->action);
    to->action = sw_action_name(to->action_id);
    to->phase = swi_phase_name(to->phase_id);
    to->shape = shaped ? sw_action_shape(sw_action_shaped(to->action_id, from->shape)) : "";
}

/* Rows of an older header are shorter. */
static bool row_copy(const struct sw_report *report, struct sw_report_row *to,
                     const struct sw_report *from, const struct sw_report_row *row)
{
    memcpy(to, row, from->row_size < sizeof *to ? from->row_size : sizeof *to);
    names_copy(to, row);
    swi_counter_values_take(&swi_report_shared(report)->columns, to, from, row);
    bool durations = distribution_copy(&to->durations), rates = distribution_copy(&to->rates);
    return durations && rates;
}

static bool rows_copy(struct sw_report *report, const struct sw_report *from)
{
    bool fine = true;
    for (size_t i = 0; i < from->count; i++)
        fine = row_copy(report, swi_report_row_of(report, report->row, i), from,
                        sw_report_row(from, i)) &&
               fine;
    report->count = from->count;
    return fine;
}

static bool shaped_copy(struct sw_report *report, const struct sw_report *from)
{
    bool fine = true;
    report->shaped = calloc(from->shaped_count + 1, report->row_size);
    if (!report->shaped)
        return false;
    swi_report_shared(report)->row_room += from->shaped_count + 1;
    for (size_t i = 0; i < from->shaped_count; i++)
        fine = row_copy(report, swi_report_row_of(report, report->shaped, i), from,
                        sw_report_shaped(from, i)) &&
               fine;
    report->shaped_count = from->shaped_count;
    return fine;
}

/* Copies all but what has memory of its own. */
static void numbers_copy(struct sw_report *report, const struct sw_report *from,
                         const struct swi_measured *measured)
{
    const struct sw_report_row *row = report->row;
    memcpy(report, from, from->size < sizeof *report ? from->size : sizeof *report);
    report->size = sizeof *report;
    report->show_accounting = measured->chosen.accounting;
    report->row = row;
    report->count = 0;
    report->shaped = NULL;
    report->shaped_count = 0;
    report->misuse_size = sizeof *report->misuse;
}

struct sw_report *swi_report_copy(const struct swi_measured *measured, const struct sw_report *from)
{
    struct sw_report *report = swi_report_new(measured, from->count, NULL);
    if (!report)
        return NULL;
    struct swi_shared_report *shared = swi_report_shared(report);
    numbers_copy(report, from, measured);
    shared->findings = swi_findings_copy(report, from);
    bool fine = swi_misuses_copy(report, from) && shared->findings;
    fine = swi_counter_columns_set(&shared->columns, report) && fine;
    fine = rows_copy(report, from) && fine;
    fine = shaped_copy(report, from) && fine;
    if (fine)
        return report;
    sw_report_free(report);
    return NULL;
}
