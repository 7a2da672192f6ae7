/* SPDX-License-Identifier: MIT */
/* rows.c - a buffer of rows for the database. A row is the number of a statement and its values.
 *
 * A database may be locked, or its disk full, for longer than a queue can hold records. So rows are
 * kept here until their transaction is committed. */
#include "sinks/sqlite/database_layout.h"
#include "core/text/characters.h"

#include <stdlib.h>
#include <string.h>

/* The head of a row: its size including the head, the number of its statement, and the number of
 * its values. Each value is a kind and eight bytes: the number, or the size of the text or bytes
 * that follow. */
struct head {
    uint32_t size;
    uint8_t statement;
    uint8_t values;
};

static struct head head_at(const struct swi_rows *rows, size_t at)
{
    struct head head;
    memcpy(&head, rows->bytes.data + at, sizeof head);
    return head;
}

static void value_add(struct swi_text *to, const struct swi_sql_value *value)
{
    char head[9] = {(char)value->kind};
    bool odd = value->repairs && !swi_utf8_is_valid(value->bytes, (size_t)value->size);
    char *repaired = odd ? swi_utf8_repair(value->bytes, (size_t)value->size) : NULL;
    if (repaired) {
        value_add(to, &(struct swi_sql_value){.kind = SWI_SQL_TEXT,
                                              .size = (int64_t)strlen(repaired),
                                              .bytes = repaired});
        free(repaired);
        return;
    }
    memcpy(head + 1, &value->integer, 8);
    swi_text_add(to, head, sizeof head);
    if (value->bytes)
        swi_text_add(to, value->bytes, (size_t)value->size);
}

void swi_rows_add(struct swi_rows *rows, int statement, bool droppable,
                  const struct swi_sql_value *value)
{
    struct head head = {.statement = (uint8_t)statement};
    rows->row = rows->bytes.size;
    swi_text_add(&rows->bytes, (const char *)&head, sizeof head);
    for (; value->kind != SWI_SQL_END; value++, head.values++)
        value_add(&rows->bytes, value);
    size_t size = rows->bytes.size - rows->row;
    bool fits = !droppable || rows->row <= SWI_ROWS_BYTES;
    if (rows->bytes.failed || !fits || size > UINT32_MAX) {
        rows->bytes.size = rows->row;
        rows->bytes.failed = false;
        rows->dropped++;
        return;
    }
    head.size = (uint32_t)size;
    memcpy(rows->bytes.data + rows->row, &head, sizeof head);
    rows->count++;
}

void swi_rows_append(struct swi_rows *rows, const struct swi_rows *from, size_t at)
{
    size_t count = 0;
    for (size_t row = at; row < from->bytes.size; row = swi_rows_next(from, row))
        count++;
    if (count)
        swi_text_add(&rows->bytes, from->bytes.data + at, from->bytes.size - at);
    if (rows->bytes.failed)
        rows->dropped += (int64_t)count;
    else
        rows->count += count;
    rows->bytes.failed = false;
}

/* Returns the size of a value, or 0 if it does not fit. */
static size_t value_size(const char *value, size_t room)
{
    int64_t size = 0;
    if (room < 9 || (unsigned char)value[0] > SWI_SQL_BYTES)
        return 0;
    if (value[0] == SWI_SQL_TEXT || value[0] == SWI_SQL_BYTES)
        memcpy(&size, value + 1, 8);
    return size >= 0 && (uint64_t)size <= room - 9 ? 9 + (size_t)size : 0;
}

/* Returns the size of a row, or 0 if it is not complete. */
static size_t row_size(const char *row, size_t room, size_t statements)
{
    struct head head;
    size_t at = sizeof head;
    if (room < sizeof head)
        return 0;
    memcpy(&head, row, sizeof head);
    if (head.size < sizeof head || head.size > room || head.statement >= statements)
        return 0;
    for (int i = 0; i < head.values; i++) {
        size_t size = value_size(row + at, head.size - at);
        if (!size)
            return 0;
        at += size;
    }
    return at == head.size ? at : 0;
}

size_t swi_rows_take(struct swi_rows *rows, const char *const *statement, const char *bytes,
                     size_t size)
{
    size_t at = 0, statements = 0, count = 0;
    while (statement[statements])
        statements++;
    for (size_t n; (n = row_size(bytes + at, size - at, statements)); at += n)
        count++;
    swi_text_add(&rows->bytes, bytes, at);
    if (rows->bytes.failed) {
        rows->bytes.failed = false;
        return 0;
    }
    rows->count += count;
    return at;
}

static int value_bind(sqlite3_stmt *statement, int number, const char **at)
{
    enum swi_sql_kind kind = (enum swi_sql_kind)(*at)[0];
    int64_t integer;
    double real;
    memcpy(&integer, *at + 1, 8);
    memcpy(&real, *at + 1, 8);
    const char *bytes = *at += 9;
    switch (kind) {
    case SWI_SQL_INTEGER:
        return sqlite3_bind_int64(statement, number, integer);
    case SWI_SQL_REAL:
        return sqlite3_bind_double(statement, number, real);
    case SWI_SQL_TEXT:
        *at += integer;
        return sqlite3_bind_text64(statement, number, bytes, (sqlite3_uint64)integer, SQLITE_STATIC,
                                   SQLITE_UTF8);
    case SWI_SQL_BYTES:
        *at += integer;
        return sqlite3_bind_blob64(statement, number, bytes, (sqlite3_uint64)integer,
                                   SQLITE_STATIC);
    default:
        return sqlite3_bind_null(statement, number);
    }
}

int swi_rows_bind(const struct swi_rows *rows, size_t at, sqlite3_stmt *statement)
{
    struct head head = head_at(rows, at);
    const char *value = rows->bytes.data + at + sizeof head;
    int rc = SQLITE_OK;
    for (int i = 1; rc == SQLITE_OK && i <= head.values; i++)
        rc = value_bind(statement, i, &value);
    return rc;
}

int swi_rows_statement(const struct swi_rows *rows, size_t at)
{
    return head_at(rows, at).statement;
}

size_t swi_rows_next(const struct swi_rows *rows, size_t at)
{
    return at + head_at(rows, at).size;
}

void swi_rows_remove(struct swi_rows *rows, size_t end)
{
    for (size_t at = 0; at < end; at = swi_rows_next(rows, at))
        rows->count--;
    rows->bytes.size -= end;
    if (end)
        memmove(rows->bytes.data, rows->bytes.data + end, rows->bytes.size);
}

void swi_rows_free(struct swi_rows *rows)
{
    swi_text_free(&rows->bytes);
    rows->count = 0;
}
