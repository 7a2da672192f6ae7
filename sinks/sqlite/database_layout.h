/* SPDX-License-Identifier: MIT */
/* database_layout.h - the tables of a database, and how records become its rows. */
#ifndef SINKS_SQLITE_DATABASE_LAYOUT_H
#define SINKS_SQLITE_DATABASE_LAYOUT_H

#include "sinks/common/clean_names.h"
#include "sinks/common/runlog/value_files.h"
#include "sinks/common/thinning.h"
#include "sinks/sqlite/rows.h"
#include "sinks/sqlite/trackio_object.h"

#include <stepwatch/sink.h>

#include <sqlite3.h>

enum { SWI_NAMES_SEEN = 1024 };

/* The state of a run. */
struct swi_sqlite_run {
    const struct sw_run *run;
    const struct swi_thinning *thinning;
    char uid[33];       /* 32 hexadecimal digits, random */
    int64_t started_ns; /* wall clock, since 1970 */
    int64_t row;        /* number of the next row that needs one */
    struct swi_rows rows;
    struct swi_rows kept; /* rows that a database made anew needs first (layout stepwatch) */
    struct swi_value_files files;
    struct swi_clean_names clean_names; /* of metrics and values */
    struct swi_object open;             /* values of the current step (layout trackio) */
    struct swi_text config;             /* JSON of the configuration (layout trackio) */
    int64_t open_step, open_ns;         /* step and time of `open` */
    bool config_changed;
    char *names[SWI_NAMES_SEEN]; /* metric names that have been added, by hash (layout stepwatch) */
};

struct swi_layout {
    const char *name;
    int application_id, version; /* PRAGMA application_id and user_version */
    const char *const *schema;   /* the statements that create what is missing; ends with NULL */
    const char *whole; /* a query for 0 if parts of it are missing or of an older release */
    const char *const *statement; /* statements by number, for swi_rows_begin(); ends with NULL */
    uint32_t wants;               /* kinds of records, as SW_WANT bits */
    /* Checks a database that is not empty. Returns 0, or SW_EINVAL and err says what to do. */
    int (*check)(sqlite3 *db, int application_id, int version, struct sw_error *err);
    /* Chooses the folders for images and files. */
    void (*files_begin)(struct swi_sqlite_run *run, struct sw_sink *sink, const char *database);
    /* Adds what a database needs that was made anew during the run. */
    void (*again)(struct swi_sqlite_run *run);
    /* Adds the rows of a record. */
    void (*record)(struct swi_sqlite_run *run, const struct sw_record *record);
    /* Adds incomplete rows before a transaction. now_ns: wall clock. */
    void (*flush)(struct swi_sqlite_run *run, int64_t now_ns);
};

/* Returns the time of a record, in nanoseconds since 1970. */
static inline int64_t swi_record_wall_ns(const struct swi_sqlite_run *run,
                                         const struct sw_record *record)
{
    return run->started_ns + record->time_ns;
}

/* Returns the level of an alert: 0 note, 1 warning, 2 error. */
static inline int swi_alert_level(const struct sw_alert *alert)
{
    return alert->level < 0 ? 0 : alert->level > 2 ? 2 : alert->level;
}

#endif
