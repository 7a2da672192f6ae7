/* SPDX-License-Identifier: MIT */
#include "tools/merge/merged.h"
#include "tools/merge/merged_tables.h"
#include "tools/output/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- columns --------------------------------------------------------------------------------- */

#define IN_ROW(field) offsetof(struct merged_row, field)

/* clang-format off */
static const struct merged_column of_durations[] = {
    {"phase",        "phase",     TEXT,    IN_ROW(is.phase),        ALL},
    {"action",       "action",    TEXT,    IN_ROW(is.action),       ALL},
    {"shape",        "shape",     TEXT,    IN_ROW(third),           ALL},
    {"ranks",        "ranks",     COUNT,   IN_ROW(is.ranks),        ALL},
    {"calls",        "calls",     CALLS,   IN_ROW(is.calls),        PROGRAMS},
    {"min_ns",       "min",       LEAST,   IN_ROW(is.min_ns),       ALL},
    {"mean_ns",      "mean",      VALUE,   IN_ROW(is.mean_ns),      ALL},
    {"max_ns",       "max",       MOST,    IN_ROW(is.max_ns),       ALL},
    {"imbalance",    "imbalance", SHARE,   IN_ROW(is.imbalance),    ALL},
    {NULL,           NULL,        PARTIAL, 0,                       JSON},
    {"wait_ns",      "wait",      WAIT,    IN_ROW(wait_ns),         PEOPLE | JSON},
    {"calls",        "calls",     CALLS,   IN_ROW(is.calls),        PEOPLE},
    {"call_mean_ns", "call mean", VALUE,   IN_ROW(is.call_mean_ns), ALL},
    {"call_std_ns",  "call std",  VALUE,   IN_ROW(is.call_std_ns),  PROGRAMS},
    {"call_min_ns",  "call min",  COUNT,   IN_ROW(call_min),        JSON},
    {"call_max_ns",  "call max",  COUNT,   IN_ROW(call_max),        JSON},
    {"p50_ns",       "P50",       VALUE,   IN_ROW(is.p50_ns),       ALL},
    {"p95_ns",       "P95",       VALUE,   IN_ROW(is.p95_ns),       ALL},
    {"p99_ns",       "P99",       VALUE,   IN_ROW(is.p99_ns),       ALL},
    {"wait_ns",      "wait",      WAIT,    IN_ROW(wait_ns),         CSV},
};

static const struct merged_column of_uses[] = {
    {"phase",        "phase",     TEXT,    IN_ROW(is.phase),        ALL},
    {"action",       "action",    TEXT,    IN_ROW(is.action),       ALL},
    {"counter",      "counter",   TEXT,    IN_ROW(third),           ALL},
    {"unit",         "unit",      TEXT,    IN_ROW(unit),            JSON},
    {"ranks",        "ranks",     COUNT,   IN_ROW(is.ranks),        ALL},
    {"total",        "total",     TOTAL,   0,                       JSON},
    {"min",          "min",       LEAST,   IN_ROW(is.min_ns),       ALL},
    {"mean",         "mean",      VALUE,   IN_ROW(is.mean_ns),      ALL},
    {"max",          "max",       MOST,    IN_ROW(is.max_ns),       ALL},
    {"imbalance",    "imbalance", SHARE,   IN_ROW(is.imbalance),    ALL},
    {"total",        "total",     TOTAL,   0,                       PEOPLE},
};
/* clang-format on */

struct sheet sheet_of(const struct merged *merged, bool uses, unsigned format)
{
    struct sheet sheet = {.merged = merged, .rows = uses ? &merged->uses.rows : &merged->rows};
    const struct merged_column *column = uses ? of_uses : of_durations;
    size_t count = uses ? sizeof of_uses : sizeof of_durations;
    for (size_t i = 0; i < count / sizeof *column; i++) {
        /* Shapes are shown only if rows are grouped by them. */
        bool hidden = !uses && !merged->by_shape && column[i].offset == IN_ROW(third);
        if (column[i].in & format && !(hidden && column[i].kind == TEXT))
            sheet.column[sheet.columns++] = &column[i];
    }
    return sheet;
}

/* ---- for people ------------------------------------------------------------------------------ */

/* The most bytes of a name in a cell, and of a node's beside its value. */
enum { CELL = 95, NODE = 60 };

/* Adds a name. It is shortened until it fits as it is escaped: the first half of an escape sequence
 * would swallow what follows it. */
static void name_add(struct swi_text *text, const char *name, size_t most, swi_escape_fn *escape)
{
    struct swi_text cut = {0};
    size_t begin = text->size, length = strlen(name);
    swi_text_add(&cut, name, length);
    swi_text_put(text, "");
    escape(text, name);
    while (length && !text->failed && !cut.failed && text->size - begin > most) {
        do
            length--;
        while (length && (cut.data[length] & 0xc0) == 0x80);
        cut.data[length] = '\0';
        text->size = begin;
        text->data[begin] = '\0';
        escape(text, cut.data);
    }
    swi_text_free(&cut);
}

static const char *shown(char *buffer, const struct merged_row *row, double value)
{
    return row->counter ? text_use(buffer, value, row->unit) : text_time(buffer, value);
}

/* Adds a value, and the rank or the node that has it. */
static void place_add(struct swi_text *text, const struct merged *merged,
                      const struct merged_column *column, const struct merged_row *row,
                      swi_escape_fn *escape)
{
    char number[TEXT_NUMBER];
    double value = sheet_value(column, row);
    int64_t place = sheet_place(column, row);
    swi_text_format(text, "%s@", value != 0 || row->counter ? shown(number, row, value) : "0");
    if (merged->by_node)
        name_add(text, merged->node[place].host, NODE, escape);
    else
        swi_text_integer(text, place);
}

static const char *number_text(char *buffer, const struct merged *merged,
                               const struct merged_column *column, const struct merged_row *row)
{
    switch (column->kind) {
    case COUNT:
        snprintf(buffer, TEXT_NUMBER, "%" PRId64, sheet_count(column, row));
        return buffer;
    case CALLS:
        return text_count(buffer, (double)sheet_count(column, row));
    case SHARE:
        return text_share(buffer, sheet_value(column, row));
    case TOTAL: /* peaks of ranks do not add up */
        return shown(buffer, row, row->counter->peak ? NAN : (double)row->all.total);
    case WAIT: /* for an action that is itself waiting, the value would be meaningless */
        return merged_waits(merged, row->action) ? "-"
                                                 : text_time(buffer, sheet_value(column, row));
    default:
        return shown(buffer, row, sheet_value(column, row));
    }
}

const char *sheet_cell(struct swi_text *text, const struct sheet *sheet, size_t line, int number,
                       swi_escape_fn *escape)
{
    char buffer[TEXT_NUMBER];
    const struct merged_column *column = sheet->column[number];
    const struct merged_row *row = line ? &sheet->rows->item[line - 1] : NULL;
    text->size = 0;
    if (!row)
        swi_text_format(text, "%s%s", column->header,
                        !sheet_has_place(column) ? ""
                        : sheet->merged->by_node ? "@node"
                                                 : "@rank");
    else if (column->kind == TEXT)
        name_add(text, sheet_text(column, row), CELL, escape);
    else if (sheet_has_place(column))
        place_add(text, sheet->merged, column, row, escape);
    else
        swi_text_put(text, number_text(buffer, sheet->merged, column, row));
    return text->failed ? "" : text->data;
}

void sheets_print(const struct merged *merged, void (*print)(const struct sheet *sheet),
                  const char *between)
{
    struct sheet sheet = sheet_of(merged, false, PEOPLE);
    print(&sheet);
    if (!merged->uses.rows.count)
        return;
    fputs(between, stdout);
    sheet = sheet_of(merged, true, PEOPLE);
    print(&sheet);
}

/* ---- as a table ---- */

static void sheet_table(const struct sheet *sheet)
{
    size_t width[COLUMNS] = {0};
    struct swi_text text = {0};
    for (size_t line = 0; line <= sheet->rows->count; line++)
        for (int c = 0; c < sheet->columns; c++) {
            size_t wide = swi_text_width(sheet_cell(&text, sheet, line, c, swi_escape_terminal));
            width[c] = wide > width[c] ? wide : width[c];
        }
    for (size_t line = 0; line <= sheet->rows->count; line++) {
        for (int c = 0; c < sheet->columns; c++) {
            const char *cell = sheet_cell(&text, sheet, line, c, swi_escape_terminal);
            int pad = (int)(width[c] - swi_text_width(cell));
            bool name = sheet->column[c]->kind == TEXT;
            printf("%s%*s%s%*s", c ? "  " : "", name ? 0 : pad, "", cell, name ? pad : 0, "");
        }
        putchar('\n');
    }
    putchar('\n');
    swi_text_free(&text);
}

/* Escapes names of logs, because a terminal would interpret them. */
static void note_print(void *arg, const char *sentence)
{
    (void)arg;
    text_shown(stdout, sentence, 0);
    putchar('\n');
}

void merged_table(const struct merged *merged)
{
    sheets_print(merged, sheet_table, "");
    merged_notes(merged, note_print, NULL);
}

/* ---- as Markdown ---- */

static void sheet_markdown(const struct sheet *sheet)
{
    struct swi_text text = {0};
    for (size_t line = 0; line <= sheet->rows->count; line++) {
        for (int c = 0; c < sheet->columns; c++)
            printf("| %s ", sheet_cell(&text, sheet, line, c, swi_escape_markdown));
        puts("|");
        for (int c = 0; line == 0 && c < sheet->columns; c++)
            fputs(sheet->column[c]->kind == TEXT ? "|---" : "|---:", stdout);
        if (line == 0)
            puts("|");
    }
    swi_text_free(&text);
}

static void note_markdown(void *arg, const char *sentence)
{
    struct swi_text text = {0};
    (void)arg;
    swi_escape_markdown(&text, sentence);
    printf("\n%s\n", text.data ? text.data : "");
    swi_text_free(&text);
}

void merged_markdown(const struct merged *merged)
{
    sheets_print(merged, sheet_markdown, "\n");
    merged_notes(merged, note_markdown, NULL);
}
