/* SPDX-License-Identifier: MIT */
/* Logs tables: integers and numbers with a fixed width, and the texts after them, all in one block.
 */
#include "core/values/logging.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 256, ROWS_MAX = 10000 };
#define TABLE_MAX ((size_t)16 << 20)

struct table_block {
    struct sw_value value;
    struct sw_table table;
    struct sw_table_column column[];
};

/* ---- checks ---------------------------------------------------------------------------------- */

static bool is_cell(enum sw_type type)
{
    return type == SW_I32 || type == SW_I64 || type == SW_F32 || type == SW_F64 ||
           type == SW_BOOL || type == SW_TEXT;
}

static bool is_given_before(const struct sw_table_column *column, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(column[k].name, column[i].name) == 0)
            return true;
    return false;
}

static int column_check(const struct swi_logging *logging, const struct sw_table_column *column,
                        size_t i, size_t rows)
{
    if (!column[i].name || !*column[i].name)
        return SWI_REFUSE(logging, "column %zu has no name", i);
    if (!is_cell(column[i].type))
        return SWI_REFUSE(logging,
                          "column \"%.64s\" has type %d, expected SW_I32, SW_I64, SW_F32, SW_F64, "
                          "SW_BOOL or SW_TEXT",
                          column[i].name, (int)column[i].type);
    if (!column[i].data && rows)
        return SWI_REFUSE(logging, "the data of column \"%.64s\" is NULL", column[i].name);
    if (is_given_before(column, i))
        return SWI_REFUSE(logging, "column \"%.64s\" is given twice", column[i].name);
    return 0;
}

static int columns_check(const struct swi_logging *logging, const struct sw_table_column *column,
                         size_t columns, size_t rows)
{
    if (columns < 1 || columns > COLUMNS_MAX)
        return SWI_REFUSE(logging, "%zu columns, expected 1 to %d", columns, COLUMNS_MAX);
    if (!column)
        return SWI_REFUSE(logging, "the columns are NULL");
    if (rows > INT64_MAX)
        return SWI_REFUSE(logging, "%zu rows: is that a negative number?", rows);
    for (size_t i = 0; i < columns; i++) {
        int rc = column_check(logging, column, i, rows);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* Reported once: the table is not refused, only shortened. */
static void rows_say(const struct swi_logging *logging, size_t rows)
{
    if (!atomic_exchange(&logging->sw->records.refusals.rows_reported, true))
        swi_say(&logging->sw->records.messages, SW_WARNING,
                "the table \"%s\" has %zu rows: the first %d are logged, here and in later tables",
                logging->name, rows, ROWS_MAX);
}

/* ---- copying --------------------------------------------------------------------------------- */

static size_t cell_size(enum sw_type type)
{
    return type == SW_BOOL ? 1 : 8;
}

static size_t cells_bytes(const struct sw_table_column *column, size_t rows)
{
    size_t bytes = swi_text_room(column->name) + (rows * cell_size(column->type) + 7) / 8 * 8;
    const char *const *text = column->data;
    for (size_t i = 0; column->type == SW_TEXT && i < rows; i++)
        bytes += swi_text_room(text[i]);
    return bytes;
}

/* SIZE_MAX: too much. */
static size_t table_bytes(const struct sw_table_column *column, size_t columns, size_t rows)
{
    size_t bytes = sizeof(struct table_block) + columns * sizeof *column;
    for (size_t i = 0; i < columns; i++) {
        bytes += cells_bytes(&column[i], rows);
        if (bytes > TABLE_MAX)
            return SIZE_MAX;
    }
    return bytes;
}

/* The places of the cells, which are aligned, and of the texts, which come after all cells. */
struct rooms {
    char *cells;
    char *texts;
};

static void integers_widen(int64_t *to, const int32_t *from, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = from[i];
}

static void floats_widen(double *to, const float *from, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = (double)from[i];
}

static void texts_copy(const char **to, const char *const *from, size_t rows, char **room)
{
    for (size_t i = 0; i < rows; i++)
        to[i] = swi_text_copy(room, from[i]);
}

static void column_copy(struct sw_table_column *to, const struct sw_table_column *from, size_t rows,
                        struct rooms *rooms)
{
    void *cells = rooms->cells;
    rooms->cells += (rows * cell_size(from->type) + 7) / 8 * 8;
    *to = (struct sw_table_column){.type = from->type, .data = cells};
    to->name = swi_text_copy(&rooms->texts, from->name);
    if (from->type == SW_I32) {
        to->type = SW_I64;
        integers_widen(cells, from->data, rows);
    } else if (from->type == SW_F32) {
        to->type = SW_F64;
        floats_widen(cells, from->data, rows);
    } else if (from->type == SW_TEXT) {
        texts_copy(cells, from->data, rows, &rooms->texts);
    } else if (rows) {
        memcpy(cells, from->data, rows * cell_size(from->type));
    }
}

static void table_copy(struct table_block *block, const struct sw_table_column *column,
                       size_t columns, size_t rows)
{
    struct rooms rooms = {.cells = (char *)(block->column + columns)};
    rooms.texts = rooms.cells;
    for (size_t i = 0; i < columns; i++)
        rooms.texts += (rows * cell_size(column[i].type) + 7) / 8 * 8;
    for (size_t i = 0; i < columns; i++)
        column_copy(&block->column[i], &column[i], rows, &rooms);
    block->table = (struct sw_table){.size = sizeof block->table,
                                     .columns = columns,
                                     .rows = rows,
                                     .stride = sizeof *block->column,
                                     .column = block->column};
    block->value = (struct sw_value){.table = &block->table};
}

static int table_send(const struct swi_logging *logging, const struct sw_table_column *column,
                      size_t columns, size_t rows)
{
    int rc = 0;
    size_t bytes = table_bytes(column, columns, rows);
    if (bytes == SIZE_MAX)
        return SWI_REFUSE(logging, "more than 16 MiB");
    struct table_block *block = swi_logging_block(logging, bytes, &rc);
    if (!block)
        return rc;
    table_copy(block, column, columns, rows);
    return swi_logging_send_block(logging, &block->value, block, bytes);
}

static int table_log(struct swi_logging *logging, const struct sw_table_column *column,
                     size_t columns, size_t rows)
{
    int rc = columns_check(logging, column, columns, rows);
    rc = rc < 0 ? rc : swi_logging_name(logging);
    if (rc < 0)
        return rc;
    if (rows > ROWS_MAX)
        rows_say(logging, rows);
    return table_send(logging, column, columns, rows > ROWS_MAX ? ROWS_MAX : rows);
}

int sw_log_table(struct sw_profiler *sw, const char *name, const struct sw_table_column *column,
                 size_t columns, size_t rows)
{
    struct swi_logging logging;
    if (!swi_value_is_wanted(sw, SW_VALUE_TABLE) ||
        !swi_logging_begin(&logging, sw, SW_VALUE_TABLE, name))
        return 0;
    SWI_RARE_WORK(&sw->measured);
    return table_log(&logging, column, columns, rows);
}
