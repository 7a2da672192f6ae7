/* SPDX-License-Identifier: MIT */
/* database_layout.h - the tables of a database, and how records become its rows. */
#ifndef SINKS_SQLITE_DATABASE_LAYOUT_H
#define SINKS_SQLITE_DATABASE_LAYOUT_H

#include "core/text/buffer.h"
#include "core/text/map.h"
#include "sinks/common/file_names.h"
#include "sinks/common/runlog/value_lines.h"
#include "sinks/common/thinning.h"

#include <stepwatch/sink.h>

#include <math.h>
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

/* ---- the values of a step of Trackio --------------------------------------------------------- */

/* A key and its value. */
struct swi_object_pair {
    size_t key;        /* its number */
    size_t begin, end; /* in the text */
    bool replaced;     /* a later pair has the same key */
};

/* Initialise it as {0}. */
struct swi_object {
    struct swi_text text; /* the pairs, one after the other */
    struct swi_object_pair *pair;
    size_t count, room;
    struct swi_map keys; /* of this step and of earlier ones */
    size_t *newest;      /* by the number of the key: its newest pair, from 1; 0: none */
};

/* Begins a pair, whose value the caller adds to the text. A pair with this key is replaced. Names
 * that Trackio uses itself get __ in front. */
void swi_object_key(struct swi_object *object, const char *name);

/* Adds the whole object to `json`, and empties it. json->failed is set if out of memory. */
void swi_object_take(struct swi_object *object, struct swi_text *json);

void swi_object_free(struct swi_object *object);

/* ---- rows.c ---------------------------------------------------------------------------------- */

/* The most memory that rows take. Then droppable rows are dropped. */
#define SWI_ROWS_BYTES ((size_t)4 << 20)

struct swi_rows {
    struct swi_text bytes;
    size_t count;
    size_t row; /* offset of the last row */
    int64_t dropped;
};

/* A value of a row. The functions below make one; texts and bytes are borrowed. */
struct swi_sql_value {
    enum swi_sql_kind {
        SWI_SQL_NULL,
        SWI_SQL_INTEGER,
        SWI_SQL_REAL,
        SWI_SQL_TEXT,
        SWI_SQL_BYTES,
        SWI_SQL_END
    } kind;
    union {
        int64_t integer;
        double real;
        int64_t size; /* of a text, or of bytes */
    };
    const char *bytes;
    bool repairs; /* \xNN is stored for each byte that is not UTF-8 */
};

static inline struct swi_sql_value swi_sql_integer(int64_t value)
{
    return (struct swi_sql_value){.kind = SWI_SQL_INTEGER, .integer = value};
}

/* NAN is NULL. */
static inline struct swi_sql_value swi_sql_real(double value)
{
    return (struct swi_sql_value){.kind = isnan(value) ? SWI_SQL_NULL : SWI_SQL_REAL,
                                  .real = value};
}

static inline struct swi_sql_value swi_sql_bytes(const char *bytes, size_t size)
{
    return (struct swi_sql_value){.kind = SWI_SQL_BYTES, .size = (int64_t)size, .bytes = bytes};
}

static inline struct swi_sql_value swi_sql_text(const char *text)
{
    return (struct swi_sql_value){
        .kind = SWI_SQL_TEXT, .size = (int64_t)strlen(text), .bytes = text};
}

/* A text that may be no UTF-8. */
static inline struct swi_sql_value swi_sql_name(const char *name)
{
    return (struct swi_sql_value){
        .kind = SWI_SQL_TEXT, .size = (int64_t)strlen(name), .bytes = name, .repairs = true};
}

/* Adds a row: the number of a statement, below 256, and its parameters, up to SWI_SQL_END.
 * droppable: it is dropped and counted if the rows before it take too much memory. Any row is
 * dropped if out of memory. */
void swi_rows_add(struct swi_rows *rows, int statement, bool droppable,
                  const struct swi_sql_value *value);

#define SWI_ROW(rows, statement, droppable, ...)                                                   \
    swi_rows_add(rows, statement, droppable,                                                       \
                 (const struct swi_sql_value[]){__VA_ARGS__, {.kind = SWI_SQL_END}})

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

/* Returns the bytes of the row that was added last; 0 if it was dropped. */
static inline int64_t swi_rows_last(const struct swi_rows *rows)
{
    return (int64_t)(rows->bytes.size - rows->row);
}

/* Removes the rows before an offset. */
void swi_rows_remove(struct swi_rows *rows, size_t end);
void swi_rows_free(struct swi_rows *rows);

/* ---- oldest_rows.c --------------------------------------------------------------------------- */

/* With when_full: rotate, the oldest rows are deleted when there are max_size bytes of them. Rows
 * have numbers, in the order in which they are added; a part is those from one number to another.
 */

struct swi_rows_part {
    int64_t first; /* number of the first row */
    int64_t bytes; /* of the rows that are deleted with it */
    int64_t step;  /* the highest of a metric */
};

/* Initialise it as {0}. */
struct swi_oldest_rows {
    int64_t max_size, part_size; /* 0: no rows are deleted */
    int64_t bytes;               /* of all parts */
    int64_t kept;                /* bytes of rows that are not deleted as long as they are few */
    int64_t kept_end;            /* number of the first of them that may be deleted; 0: none */
    struct swi_rows_part *part;  /* the oldest first */
    size_t count, room;
};

/* Begins with the options. */
void swi_oldest_rows_begin(struct swi_oldest_rows *oldest, const struct swi_thinning *thinning);

/* Notes a row and what it takes in the database. step: of a metric; of another row INT64_MIN. */
void swi_oldest_rows_note(struct swi_oldest_rows *oldest, int64_t bytes, int64_t number,
                          int64_t step);

/* Notes one that stays, as long as such rows take less than a quarter of max_size. */
void swi_oldest_rows_keep(struct swi_oldest_rows *oldest, int64_t bytes, int64_t number);

/* Returns the oldest part if there are too many rows, or NULL. end: set to the number of the first
 * row after it. */
const struct swi_rows_part *swi_oldest_rows_part(const struct swi_oldest_rows *oldest,
                                                 int64_t *end);

/* Forgets the oldest part. */
void swi_oldest_rows_remove(struct swi_oldest_rows *oldest);

void swi_oldest_rows_free(struct swi_oldest_rows *oldest);

/* ---- layouts --------------------------------------------------------------------------------- */

enum { SWI_NAMES_SEEN = 1024, SWI_TRACKIO_NAME = 512 };

/* The state of a run. */
struct swi_sqlite_run {
    const struct sw_run *run;
    const struct swi_thinning *thinning;
    char uid[33];       /* 32 hexadecimal digits, random */
    int64_t started_ns; /* wall clock, since 1970 */
    int64_t row;        /* number of the next row that needs one */
    struct swi_rows rows;
    struct swi_oldest_rows oldest;
    struct swi_rows kept; /* rows that a database made anew needs first (layout stepwatch) */
    struct swi_value_files files;
    struct swi_clean_names clean_names; /* of metrics and values */
    struct swi_object open;             /* values of the current step (layout trackio) */
    bool open_stays;                    /* it has more than numbers */
    struct swi_map hparams;             /* names in the configuration (layout trackio) */
    struct swi_text *hparam;            /* by number of the name: its value as JSON */
    int64_t open_step, open_ns;         /* step and time of `open` */
    char name[SWI_TRACKIO_NAME];        /* with the rank if there are several (layout trackio) */
    bool config_changed;
    char *names[SWI_NAMES_SEEN]; /* metric names that have been added, by hash (layout stepwatch) */
};

/* What some layout has rows for. */
#define SWI_SQLITE_WANTS                                                                           \
    (SW_WANT(SW_RECORD_RUN) | SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_METRICS) |             \
     SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_EPOCH) | SW_WANT(SW_RECORD_REPORT) |              \
     SW_WANT(SW_RECORD_END) | SW_WANT(SW_RECORD_MONITOR) | SW_WANT(SW_RECORD_VALUE) |              \
     SW_WANT(SW_RECORD_ALERT) | SW_WANT(SW_RECORD_SUMMARY))

struct swi_layout {
    const char *name;
    int application_id, version; /* PRAGMA application_id and user_version */
    const char *const *schema;   /* the statements that create what is missing; ends with NULL */
    const char *whole; /* a query for 0 if parts of it are missing or of an older release */
    const char *const *statement; /* statements by number, for swi_rows_add(); ends with NULL */
    uint32_t wants;               /* kinds of records, as SW_WANT bits */
    /* Checks a database that is not empty. Returns 0, or SW_EINVAL and err says what to do. */
    int (*check)(sqlite3 *db, int application_id, int version, struct sw_error *err);
    /* Chooses the folders for images and files. */
    void (*files_begin)(struct swi_sqlite_run *run, struct sw_sink *sink, const char *database);
    /* Adds what a database needs that was made anew during the run. */
    void (*again)(struct swi_sqlite_run *run);
    /* Adds the rows of a record. */
    void (*record)(struct swi_sqlite_run *run, const struct sw_record *record);
    /* Adds statements that delete the rows of a part, which come before the number `end`. */
    void (*remove)(struct swi_sqlite_run *run, const struct swi_rows_part *part, int64_t end);
    /* Adds incomplete rows before a transaction. now_ns: wall clock. */
    void (*flush)(struct swi_sqlite_run *run, int64_t now_ns);
};

/* Returns the time of a record, in nanoseconds since 1970; the latest that there is after 2262. */
static inline int64_t swi_record_wall_ns(const struct swi_sqlite_run *run,
                                         const struct sw_record *record)
{
    int64_t ns;
    return __builtin_add_overflow(run->started_ns, record->time_ns, &ns) ? INT64_MAX : ns;
}

/* ---- trackio_values.c ------------------------------------------------------------------------ */

/* Adds a text of Markdown, as the value of a key. */
void swi_trackio_markdown(struct swi_text *json, const char *text);

/* Chooses Trackio's folder for media of the project. database: its file. */
void swi_trackio_files_begin(struct swi_sqlite_run *run, struct sw_sink *sink,
                             const char *database);

/* Adds a value that is more than a number to the open step, and writes the files that it names
 * before. A file of the program is only written: Trackio shows it as one of the project. */
void swi_trackio_value(struct swi_sqlite_run *run, const struct sw_record *record);

/* ---- the layouts ----------------------------------------------------------------------------- */

extern const struct swi_layout swi_layout_own, swi_layout_trackio;

/* The statements that create the tables and views of the layout `stepwatch`; ends with NULL. */
extern const char *const swi_own_schema[];

#endif
