/* SPDX-License-Identifier: MIT */
#include "core/counters/counted_memory.h"
#include "core/report/report.h"
#include "core/report/row_sources.h"

#include <stdlib.h>
#include <string.h>

struct sw_report *swi_report_new(const struct swi_measured *measured, size_t rows,
                                 const struct sw_report *like)
{
    struct swi_shared_report *shared = calloc(1, sizeof *shared);
    if (!shared)
        return NULL;
    if (like)
        shared->columns = swi_report_shared(like)->columns;
    else
        swi_counter_columns_take(&shared->columns, &measured->counters,
                                 measured->chosen.peak_flops);
    shared->columns.column = NULL;
    shared->columns.text = NULL;
    shared->report.row = calloc(rows + 1, shared->columns.row_size);
    if (!shared->report.row) {
        free(shared);
        return NULL;
    }
    shared->row_room = rows + 1;
    atomic_init(&shared->references, 1);
    return &shared->report;
}

bool swi_report_rows_copy(const struct sw_report *report, const struct sw_report_row *rows,
                          const struct sw_report *from, const struct sw_report_row *from_rows,
                          size_t count)
{
    bool fine = true;
    for (size_t i = 0; i < count; i++) {
        struct sw_report_row *to = swi_report_row_of(report, rows, i);
        memcpy(to, swi_report_row_of(from, from_rows, i), from->row_size);
        swi_counter_values_find(&swi_report_shared(report)->columns, to);
        bool durations = swi_made_distribution_copy(&to->durations),
             rates = swi_made_distribution_copy(&to->rates);
        fine = fine && durations && rates;
    }
    return fine;
}

struct sw_report *swi_report_ref(struct sw_report *report)
{
    atomic_fetch_add(&swi_report_shared(report)->references, 1);
    return report;
}

static void rows_free(const struct sw_report *report, const struct sw_report_row *rows,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free((void *)swi_report_row_of(report, rows, i)->durations.bin);
        free((void *)swi_report_row_of(report, rows, i)->rates.bin);
    }
    free((void *)rows);
}

void sw_report_free(struct sw_report *report)
{
    SWI_OWN_MEMORY;
    if (!report || atomic_fetch_sub(&swi_report_shared(report)->references, 1) > 1)
        return;
    rows_free(report, report->row, report->count);
    rows_free(report, report->shaped, report->shaped_count);
    swi_counter_columns_fini(&swi_report_shared(report)->columns);
    swi_misuses_free(report);
    swi_findings_unref(swi_report_shared(report)->findings);
    free(report);
}

/* ---- how much it takes ----------------------------------------------------------------------- */

enum { BLOCK = 16 }; /* what malloc() takes for itself */

static size_t distribution_bytes(const struct sw_distribution *d)
{
    size_t bytes = d->bin_count * sizeof *d->bin + d->kept * sizeof *d->value;
    return bytes ? bytes + BLOCK : 0;
}

static size_t distributions_bytes(const struct sw_report *report, const struct sw_report_row *rows,
                                  size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sw_report_row *row = swi_report_row_of(report, rows, i);
        bytes += distribution_bytes(&row->durations) + distribution_bytes(&row->rates);
    }
    return bytes;
}

size_t swi_report_bytes(const struct sw_report *report)
{
    const struct swi_shared_report *shared = swi_report_shared(report);
    size_t columns = shared->columns.column ? report->column_count * sizeof(struct sw_column) : 0;
    return sizeof *shared + columns + shared->row_room * report->row_size + 4 * BLOCK +
           distributions_bytes(report, report->row, report->count) +
           distributions_bytes(report, report->shaped, report->shaped_count);
}

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
