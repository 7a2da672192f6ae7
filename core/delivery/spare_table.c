/* SPDX-License-Identifier: MIT */
#include "core/delivery/spare_table.h"

#include "core/text/number.h"
#include "core/text/printable.h"

#include <string.h>

struct spare_table {
    struct sw_sink *sink;
};

enum { NAME_WIDTH = 24, CELL_WIDTH = 12 };

/* Adds a text that is as wide as a column. left: of names. */
static void cell_add(struct swi_text *text, const char *cell, size_t width, bool left)
{
    size_t size = swi_text_width(cell), blanks = size < width ? width - size : 0;
    if (!left)
        swi_text_fill(text, ' ', blanks);
    swi_text_put(text, cell);
    if (left)
        swi_text_fill(text, ' ', blanks);
}

typedef void number_fn(struct swi_text *text, double value);

static void number_add(struct swi_text *text, number_fn *number, double value)
{
    struct swi_text cell = {0};
    number(&cell, value);
    cell_add(text, cell.data ? cell.data : "", CELL_WIDTH, false);
    swi_text_free(&cell);
}

static void count_of(struct swi_text *text, double value)
{
    swi_number_count(text, (int64_t)value);
}

static void row_add(struct swi_text *text, const struct sw_report_row *row)
{
    cell_add(text, row->phase, CELL_WIDTH, true);
    cell_add(text, SWI_PRINTABLE(row->action), NAME_WIDTH, true);
    number_add(text, swi_number_time, row->mean_ns / 1e9);
    number_add(text, swi_number_time, row->std_ns / 1e9);
    number_add(text, count_of, (double)row->calls);
    number_add(text, swi_number_time, row->total_ns / 1e9);
    number_add(text, swi_number_percent, row->share);
    number_add(text, swi_number_rate, row->samples_per_s);
    swi_text_put(text, "\n");
}

static void head_add(struct swi_text *text)
{
    static const char *const heads[] = {"Mean", "Std", "Calls", "Total", "Of fit", "Samples/s"};
    cell_add(text, "Phase", CELL_WIDTH, true);
    cell_add(text, "Action", NAME_WIDTH, true);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        cell_add(text, heads[i], CELL_WIDTH, false);
    swi_text_put(text, "\n");
}

static int spare_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    (void)err;
    ((struct spare_table *)state)->sink = sink;
    return 0;
}

/* Only the first rank prints, like the sink. */
static int spare_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct sw_sink *sink = ((struct spare_table *)state)->sink;
    struct swi_text text = {0};
    if (!record->report || sink->run->rank > 0)
        return 0;
    head_add(&text);
    for (size_t i = 0; i < record->report->count; i++)
        row_add(&text, sw_report_row(record->report, i));
    int rc = text.failed ? sw_error_set(err, SW_ENOMEM, "not enough memory for the report")
                         : sw_sink_replace(sink, "-", text.data, text.size, err);
    swi_text_free(&text);
    return rc;
}

const struct sw_sink_plugin swi_spare_table = {
    SW_SINK_HEADER,
    .name = "table",
    .version = "1.0",
    .license = "MIT",
    .summary = "the report of each fit as plain text, where the sink table cannot be loaded",
    .wants = SW_WANT(SW_RECORD_REPORT),
    .state_size = sizeof(struct spare_table),
    .open = spare_open,
    .record = spare_record,
};
