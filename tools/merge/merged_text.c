/* SPDX-License-Identifier: MIT */
#include "tools/merge/merged_text.h"
#include "core/text/escape.h"
#include "tools/merge/merged_cells.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Escapes names of logs, because a terminal would interpret them. */
static void note_print(void *arg, const char *sentence)
{
    struct swi_text shown = {0};
    (void)arg;
    swi_escape_terminal(&shown, sentence);
    puts(shown.data ? shown.data : "");
    swi_text_free(&shown);
}

/* ---- a table ---- */

static void widths_find(const struct merged_sheet *sheet, int *width)
{
    merged_cells cell;
    for (int c = 0; c < sheet->columns; c++)
        width[c] = (int)strlen(sheet_header(sheet, c));
    for (size_t i = 0; i < sheet->rows->count; i++) {
        sheet_cells(sheet, &sheet->rows->item[i], swi_escape_terminal, cell);
        for (int c = 0; c < sheet->columns; c++) {
            int wide = (int)swi_text_width(cell[c]);
            width[c] = wide > width[c] ? wide : width[c];
        }
    }
}

/* Prints texts aligned left and numbers aligned right. */
static void cell_print(const char *cell, int width, int column)
{
    int pad = width - (int)swi_text_width(cell);
    bool name = column < MERGED_NAMES;
    printf("%s%*s%s%*s", column ? "  " : "", name ? 0 : pad, "", cell, name ? pad : 0, "");
}

static void sheet_print(struct merged_sheet sheet)
{
    int width[MERGED_COLUMNS] = {0};
    merged_cells cell;
    widths_find(&sheet, width);
    for (int c = 0; c < sheet.columns; c++)
        if (sheet_shows(&sheet, c))
            cell_print(sheet_header(&sheet, c), width[c], c);
    putchar('\n');
    for (size_t i = 0; i < sheet.rows->count; i++) {
        sheet_cells(&sheet, &sheet.rows->item[i], swi_escape_terminal, cell);
        for (int c = 0; c < sheet.columns; c++)
            if (sheet_shows(&sheet, c))
                cell_print(cell[c], width[c], c);
        putchar('\n');
    }
    putchar('\n');
}

void merged_table(const struct merged *merged)
{
    sheet_print(merged_durations(merged));
    if (merged->uses.rows.count)
        sheet_print(merged_uses(merged));
    merged_notes(merged, note_print, NULL);
}

/* ---- Markdown ---- */

static void note_markdown(void *arg, const char *sentence)
{
    struct swi_text shown = {0};
    (void)arg;
    swi_escape_markdown(&shown, sentence);
    printf("\n%s\n", shown.data ? shown.data : "");
    swi_text_free(&shown);
}

static void sheet_markdown(struct merged_sheet sheet)
{
    merged_cells cell;
    for (int c = 0; c < sheet.columns; c++)
        if (sheet_shows(&sheet, c))
            printf("| %s ", sheet_header(&sheet, c));
    puts("|");
    for (int c = 0; c < sheet.columns; c++)
        if (sheet_shows(&sheet, c))
            fputs(c < MERGED_NAMES ? "|---" : "|---:", stdout);
    puts("|");
    for (size_t i = 0; i < sheet.rows->count; i++) {
        sheet_cells(&sheet, &sheet.rows->item[i], swi_escape_markdown, cell);
        for (int c = 0; c < sheet.columns; c++)
            if (sheet_shows(&sheet, c))
                printf("| %s ", cell[c]);
        puts("|");
    }
}

void merged_markdown(const struct merged *merged)
{
    sheet_markdown(merged_durations(merged));
    if (merged->uses.rows.count) {
        putchar('\n');
        sheet_markdown(merged_uses(merged));
    }
    merged_notes(merged, note_markdown, NULL);
}

/* ---- CSV ---- */

/* Prints the rank or node of the smallest or largest value. */
static void at_print(const struct merged *merged, int64_t at)
{
    struct swi_text text = {0};
    if (merged->by_node)
        swi_escape_csv_terminal(&text, merged->node[at].host);
    else
        swi_text_integer(&text, at);
    printf("%s,", text.data ? text.data : "");
    swi_text_free(&text);
}

static void name_print(const char *name)
{
    struct swi_text text = {0};
    swi_escape_csv_terminal(&text, name);
    printf("%s,", text.data ? text.data : "");
    swi_text_free(&text);
}

/* Cells without a value are empty. */
static void number_print(double value, const char *after)
{
    if (isfinite(value))
        printf("%.15g", value);
    fputs(after, stdout);
}

static const struct merged_row *use_find(const struct merged *merged, const struct merged_row *of,
                                         int counter)
{
    for (size_t i = 0; of->shape < 0 && i < merged->uses.rows.count; i++) {
        const struct merged_row *row = &merged->uses.rows.item[i];
        if (row->phase == of->phase && row->action == of->action && row->shape == counter)
            return row;
    }
    return NULL;
}

/* Of each counter the smallest, mean and largest total of a rank. */
static void uses_csv(const struct merged *merged, const struct merged_row *row)
{
    for (size_t i = 0; i < merged->uses.count; i++) {
        const struct merged_row *use = use_find(merged, row, merged->uses.counter[i].name);
        struct merged_totals totals = {.min = NAN, .mean = NAN, .max = NAN};
        if (use)
            totals = merged_totals(merged, use);
        putchar(',');
        number_print(totals.min, ",");
        number_print(totals.mean, ",");
        number_print(totals.max, "");
    }
}

static void uses_csv_header(const struct merged *merged)
{
    static const char *const which[] = {"min", "mean", "max"};
    for (size_t i = 0; i < merged->uses.count; i++)
        for (int k = 0; k < 3; k++) {
            struct swi_text key = {0}, shown = {0};
            swi_text_format(&key, "counter/%s/%s",
                            names_text(&merged->names, merged->uses.counter[i].name), which[k]);
            swi_escape_csv_terminal(&shown, key.data ? key.data : "");
            printf(",%s", shown.data ? shown.data : "");
            swi_text_free(&key);
            swi_text_free(&shown);
        }
}

static void row_csv(const struct merged *merged, const struct merged_row *row)
{
    struct merged_totals totals = merged_totals(merged, row);
    name_print(merged_phase(merged, row));
    name_print(merged_action(merged, row));
    if (merged->by_shape)
        name_print(merged_shape(merged, row));
    printf("%" PRId64 ",%" PRId64 ",", row->ranks, row->calls);
    number_print(totals.min, ",");
    at_print(merged, totals.min_at);
    number_print(totals.mean, ",");
    number_print(totals.max, ",");
    at_print(merged, totals.max_at);
    number_print(totals.imbalance, ",");
    number_print(merged_call_mean(row), ",");
    number_print(merged_call_std(row), ",");
    number_print(merged_quantile(row, 0.50), ",");
    number_print(merged_quantile(row, 0.95), ",");
    number_print(merged_quantile(row, 0.99), ",");
    number_print(merged_wait(merged, row), "");
    uses_csv(merged, row);
    putchar('\n');
}

void merged_csv(const struct merged *merged)
{
    const char *at = merged->by_node ? "node" : "rank";
    printf("phase,action,%sranks,calls,min_ns,min_%s,mean_ns,max_ns,max_%s,imbalance,call_mean_ns,"
           "call_std_ns,p50_ns,p95_ns,p99_ns,wait_ns",
           merged->by_shape ? "shape," : "", at, at);
    uses_csv_header(merged);
    putchar('\n');
    for (size_t i = 0; i < merged->rows.count; i++)
        row_csv(merged, &merged->rows.item[i]);
}
