/* SPDX-License-Identifier: MIT */
/* rows.h - a buffer of rows for the database. A row is the number of a statement and its values.
 *
 * A database may be locked, or its disk full, for longer than a queue can hold records. So rows are
 * kept here until their transaction is committed. */
#ifndef SINKS_SQLITE_ROWS_H
#define SINKS_SQLITE_ROWS_H

#include "core/text/buffer.h"

#include <sqlite3.h>
#include <stdint.h>

/* The most memory that rows take. Then droppable rows are dropped. */
#define SWI_ROWS_BYTES ((size_t)4 << 20)

struct swi_rows {
    struct swi_text bytes;
    size_t count;
    size_t row; /* offset of the row that is being written, or of the last one */
    int64_t dropped;
};

/* Begins a row. statement: a number below 256. */
void swi_rows_begin(struct swi_rows *rows, int statement);

/* Append the value of the next parameter. */
void swi_rows_integer(struct swi_rows *rows, int64_t value);
void swi_rows_real(struct swi_rows *rows, double value); /* NAN is NULL */
void swi_rows_text(struct swi_rows *rows, const char *text);
/* A text with \xNN for each byte that is not UTF-8. */
void swi_rows_name(struct swi_rows *rows, const char *name);
void swi_rows_bytes(struct swi_rows *rows, const void *bytes, size_t size);
void swi_rows_null(struct swi_rows *rows);

/* Ends a row. droppable: it is dropped and counted if the rows before it take too much memory. Any
 * row is dropped if out of memory. */
void swi_rows_end(struct swi_rows *rows, bool droppable);

/* Binds the values of the row at an offset to a statement. They are borrowed until the rows change.
 * Returns an SQLite result code. */
int swi_rows_bind(const struct swi_rows *rows, size_t at, sqlite3_stmt *statement);

/* Return the statement of the row at an offset, and the offset of the next row. */
int swi_rows_statement(const struct swi_rows *rows, size_t at);
size_t swi_rows_next(const struct swi_rows *rows, size_t at);

/* Adds the rows of another buffer from an offset on. Those that memory is missing for are counted
 * as dropped. */
void swi_rows_append(struct swi_rows *rows, const struct swi_rows *from, size_t at);

/* Adds the rows at the beginning of bytes that were in a buffer: those that are whole, and of which
 * each value lies within its row. statement: as in the layout. Returns how many bytes they are. */
size_t swi_rows_take(struct swi_rows *rows, const char *const *statement, const char *bytes,
                     size_t size);

/* Removes the rows before an offset. */
void swi_rows_remove(struct swi_rows *rows, size_t end);
void swi_rows_free(struct swi_rows *rows);

#endif
