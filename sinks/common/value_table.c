/* SPDX-License-Identifier: MIT */
#include "sinks/common/value_table.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"

#include <inttypes.h>
#include <math.h>

static double number_of(const struct sw_table_column *column, size_t row)
{
    return ((const double *)column->data)[row];
}

static const char *text_of(const struct sw_table_column *column, size_t row)
{
    return ((const char *const *)column->data)[row];
}

bool swi_cell_is_missing(const struct sw_table_column *column, size_t row)
{
    if (column->type == SW_F64)
        return isnan(number_of(column, row));
    return column->type == SW_TEXT && !text_of(column, row);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void swi_cell_json(struct swi_text *text, const struct sw_table_column *column, size_t row)
{
    if (swi_cell_is_missing(column, row))
        swi_text_put(text, "null");
    else if (column->type == SW_I64)
        swi_text_integer(text, ((const int64_t *)column->data)[row]);
    else if (column->type == SW_F64)
        swi_number_json(text, number_of(column, row));
    else if (column->type == SW_BOOL)
        swi_text_put(text, ((const bool *)column->data)[row] ? "true" : "false");
    else
        swi_escape_json(text, text_of(column, row));
}

void swi_columns_json(struct swi_text *text, const struct sw_table *table)
{
    swi_text_put(text, "[");
    for (size_t i = 0; i < table->columns; i++) {
        swi_text_put(text, i ? "," : "");
        swi_escape_json(text, sw_table_at(table, i)->name);
    }
    swi_text_put(text, "]");
}

void swi_rows_json(struct swi_text *text, const struct sw_table *table,
                   void (*cell)(struct swi_text *text, const struct sw_table_column *column,
                                size_t row))
{
    swi_text_put(text, "[");
    for (size_t row = 0; row < table->rows; row++) {
        swi_text_put(text, row ? ",[" : "[");
        for (size_t i = 0; i < table->columns; i++) {
            swi_text_put(text, i ? "," : "");
            cell(text, sw_table_at(table, i), row);
        }
        swi_text_put(text, "]");
    }
    swi_text_put(text, "]");
}

void swi_edges_json(struct swi_text *text, const struct sw_bins *bins, double around)
{
    swi_text_put(text, "[");
    for (size_t i = 0; i < bins->count; i++) {
        swi_number_json(text, sw_bins_at(bins, i)->low - around);
        swi_text_put(text, ",");
    }
    double last = bins->count ? sw_bins_at(bins, bins->count - 1)->high : 0;
    if (bins->count)
        swi_number_json(text, around > 0 ? last + around : last); /* -0 + 0 is 0 */
    swi_text_put(text, "]");
}

void swi_counts_json(struct swi_text *text, const struct sw_bins *bins)
{
    swi_text_put(text, "[");
    for (size_t i = 0; i < bins->count; i++)
        swi_text_format(text, "%s%" PRIu64, i ? "," : "", sw_bins_at(bins, i)->count);
    swi_text_put(text, "]");
}

const char *swi_level_word(int level)
{
    static const char *const words[] = {"note", "warning", "error"};
    return words[swi_level_of(level)];
}

/* ---- Markdown -------------------------------------------------------------------------------- */

/* A line break would end the row. */
void swi_cell_words(struct swi_text *text, const char *words)
{
    char part[256];
    while (*words) {
        size_t length = strcspn(words, "\r\n"),
               taken = length < sizeof part ? length : sizeof part - 1;
        while (taken < length && taken > sizeof part - 8 &&
               ((unsigned char)words[taken] & 0xc0) == 0x80)
            taken--;
        memcpy(part, words, taken);
        part[taken] = '\0';
        swi_escape_markdown(text, part);
        words += taken;
        if (taken == length && *words) {
            swi_text_put(text, " ");
            words += strspn(words, "\r\n");
        }
    }
}

static void cell_add(struct swi_text *text, const struct sw_table_column *column, size_t row)
{
    if (swi_cell_is_missing(column, row))
        return;
    if (column->type == SW_F64)
        swi_number_exact(text, number_of(column, row));
    else if (column->type == SW_TEXT)
        swi_cell_words(text, text_of(column, row));
    else
        swi_cell_json(text, column, row);
}

static void head_add(struct swi_text *text, const struct sw_table *table)
{
    for (size_t i = 0; i < table->columns; i++) {
        swi_text_put(text, i ? " | " : "| ");
        swi_cell_words(text, sw_table_at(table, i)->name);
    }
    swi_text_put(text, " |\n");
    for (size_t i = 0; i < table->columns; i++) {
        enum sw_type type = sw_table_at(table, i)->type;
        swi_text_put(text, type == SW_I64 || type == SW_F64 ? "|---:" : "|:---");
    }
    swi_text_put(text, "|\n");
}

void swi_value_table_markdown(struct swi_text *text, const struct sw_table *table, size_t rows,
                              size_t bytes)
{
    size_t row = 0, most = rows < table->rows ? rows : table->rows;
    head_add(text, table);
    for (; row < most && text->size < bytes; row++) {
        for (size_t i = 0; i < table->columns; i++) {
            swi_text_put(text, i ? " | " : "| ");
            cell_add(text, sw_table_at(table, i), row);
        }
        swi_text_put(text, " |\n");
    }
    if (row < table->rows)
        swi_text_format(text, "\n\u2026 %zu more rows\n", table->rows - row);
}
