/* SPDX-License-Identifier: MIT */
/* database.h - an SQLite database that other programs read and write at the same time.
 *
 * It uses a write-ahead log, writes many rows in one transaction, and never waits for a lock. If
 * the database is locked, the caller tries the whole transaction again later. Each row has a key of
 * its own, so repeating a transaction whose outcome is unknown does no harm. */
#ifndef SINKS_SQLITE_DATABASE_H
#define SINKS_SQLITE_DATABASE_H

#include "core/files/identity.h"
#include "core/text/buffer.h"
#include "sinks/sqlite/database_layout.h"

#include <stepwatch/error.h>

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { SWI_STATEMENTS_MAX = 20 };

/* Small enough that a nearly full disk takes what fits. */
#define SWI_TRANSACTION_BYTES ((size_t)256 << 10)
/* If writers wait for each other, each turn is used for more. */
#define SWI_TRANSACTION_MOST ((size_t)4 << 20)

struct swi_database {
    sqlite3 *db;
    const struct swi_layout *layout;
    bool ready; /* the layout was checked or created */
    bool wal;   /* false if the file system does not allow a write-ahead log */
    struct swi_identity file;
    sqlite3_stmt *statement[SWI_STATEMENTS_MAX];
    struct sw_sink *sink; /* is told of progress, so that sw_close() waits for rows; or NULL */
};

enum swi_transaction {
    SWI_WRITTEN,
    SWI_LOCKED, /* another program holds a lock: try again later */
    SWI_FAILED  /* such as a full disk: try again later; err says what failed */
};

/* Opens or creates the file, whose folder must exist. Returns 0, SW_EIO, or SW_EINVAL for a file
 * that is not a database of this layout. If the database is locked, the layout is checked later. */
int swi_database_open(struct swi_database *database, const char *path,
                      const struct swi_layout *layout, struct sw_error *err);

/* Writes the oldest rows, about `limit` bytes of them at most, in one transaction. Removes them
 * from `rows` if they are written. */
enum swi_transaction swi_database_write(struct swi_database *database, struct swi_rows *rows,
                                        size_t limit, struct sw_error *err);

/* Returns a number that changes when another connection writes to the database; -1: unknown. */
int swi_database_version(struct swi_database *database);

/* Returns whether the file was deleted, or replaced by another one. */
bool swi_database_is_gone(const struct swi_database *database);

/* Closes a database whose file is gone, or whose descriptors the program has closed, and touches no
 * file of that name. */
void swi_database_leave(struct swi_database *database);

void swi_database_close(struct swi_database *database);

/* ---- waiting_rows.c -------------------------------------------------------------------------- */

struct swi_unwritten {
    char path[PATH_MAX]; /* "" without a file */
    int lock;            /* descriptor of the locked file, if there is one */
    struct swi_identity identity;
    int64_t begin, end; /* offsets of the rows that are not in the database */
    size_t count;       /* of them, as far as this process has added them */
};

/* Makes the file of a run, and begins it. Returns false if it cannot be made. */
bool swi_unwritten_begin(struct swi_unwritten *waiting, const char *database,
                         const struct swi_layout *layout, const char *uid);

/* Moves all rows to the file. Returns false, and the rows stay, if it cannot be written. */
bool swi_unwritten_add(struct swi_unwritten *waiting, struct swi_rows *rows);

/* Writes about `limit` bytes of the oldest rows to the database in one transaction. The file is
 * removed after the last. Returns SWI_WRITTEN if there are none. */
enum swi_transaction swi_unwritten_write(struct swi_unwritten *waiting,
                                         struct swi_database *database, size_t limit,
                                         struct sw_error *err);

/* Leaves the file to others. */
void swi_unwritten_leave(struct swi_unwritten *waiting);

/* Returns whether rows of a layout wait for a database. */
bool swi_unwritten_has(const char *database, const struct swi_layout *layout);

/* What was done with the files of runs that have ended. */
struct swi_unwritten_others {
    size_t runs, in_use; /* merged; still locked by their runs */
    /* Called after each transaction. Returns whether to go on, or to try again if it is locked. */
    bool (*go_on)(void *arg, enum swi_transaction outcome);
    void *arg;
};

/* Writes the rows of other runs that have ended to the database. Returns SWI_WRITTEN unless go_on()
 * ended it or a file cannot be written: err says which and why. */
enum swi_transaction swi_unwritten_merge(struct swi_unwritten_others *others,
                                         struct swi_database *database, const char *path,
                                         struct sw_error *err);

/* ---- write_rows.c ---------------------------------------------------------------------------- */

/* When a sink tries again to write to a database that another program has locked. Each try is at a
 * random time, so that writers do not meet again and again, and the longer one has waited, the more
 * often it tries. So all get their turn, however many there are. */
struct swi_turns {
    uint64_t random;  /* not 0 */
    int64_t since_ns; /* since when the database has been locked; 0: it is not */
    int64_t next_ns;  /* when to try again */
};

#define SWI_TURN_MOST_NS INT64_C(256000000)
#define SWI_TURN_LEAST_NS INT64_C(16000000)

/* Returns the time until the next try: on average half of SWI_TURN_MOST_NS at first, and less each
 * second down to half of SWI_TURN_LEAST_NS. */
static inline int64_t swi_turns_pause_ns(struct swi_turns *turns, int64_t now_ns)
{
    int64_t seconds = turns->since_ns ? (now_ns - turns->since_ns) / 1000000000 : 0;
    int64_t most = seconds < 15 ? SWI_TURN_MOST_NS / (seconds + 1) : SWI_TURN_LEAST_NS;
    turns->random ^= turns->random << 13; /* Marsaglia's xorshift */
    turns->random ^= turns->random >> 7;
    turns->random ^= turns->random << 17;
    return (int64_t)(turns->random % (uint64_t)most);
}

/* Notes the outcome of a try. */
static inline void swi_turns_note(struct swi_turns *turns, bool locked, int64_t now_ns)
{
    if (!locked)
        turns->since_ns = turns->next_ns = 0;
    else if (!turns->since_ns)
        turns->since_ns = now_ns;
    if (locked)
        turns->next_ns = now_ns + swi_turns_pause_ns(turns, now_ns);
}

/* The state of the sink. */
struct swi_sqlite {
    const char *layout_name;
    const char *path;
    const char *database_path; /* the option database, a second name of path */
    const char *project;
    int64_t max_waiting; /* bytes on the disk; 0: no limit */
    bool merge;          /* only rows that others have left */
    struct swi_thinning thinning;
    struct sw_sink *sink;
    const struct swi_layout *layout;
    struct swi_database database;
    struct swi_sqlite_run run;
    char file[PATH_MAX];
    struct swi_unwritten waiting; /* rows on the disk; those in memory are newer */
    struct swi_turns turns;
    bool merged;         /* rows of runs that have ended were looked for */
    int64_t dropped;     /* dropped rows that were reported to core */
    int64_t deadline_ns; /* of the end of the run; 0: unknown */
    bool failed;         /* the last transaction failed, and that was reported */
    bool full_said;      /* that max_waiting is reached */
};

/* Opens the database, again if it is gone. */
int swi_sqlite_reopen(struct swi_sqlite *s, struct sw_error *err);

/* Writes all rows if the database is not locked. Ignores errors, because rows that cannot be
 * written are kept. */
void swi_sqlite_write_now(struct swi_sqlite *s);

/* Writes all rows, as long as this sink or other writers get on. */
enum swi_transaction swi_sqlite_write_at_last(struct swi_sqlite *s, struct sw_error *err);

/* Says what is not in the database after that. Returns SW_EIO. */
int swi_sqlite_left(struct swi_sqlite *s, enum swi_transaction written, const struct sw_error *why,
                    struct sw_error *err);

/* Adds what runs that have ended have left on the disk. What cannot be added now stays where it is.
 * at_end: waits for turns. others: set to what was done. */
enum swi_transaction swi_sqlite_merge(struct swi_sqlite *s, bool at_end,
                                      struct swi_unwritten_others *others, struct sw_error *err);

/* ---- own_files.c: descriptors that the program has closed ------------------------------------ */

/* Replaces the system calls, once for the process, and from now on remembers the files that the
 * calling thread opens. */
void swi_own_files_begin(void);

/* Returns whether the program has closed a descriptor of an open database. Ask before a
 * transaction: SQLite takes a lock that cannot be had for one of another program, and waits. */
bool swi_own_files_were_closed(void);

/* ---- trackio_folder.c ------------------------------------------------------------------------ */

/* Returns a variable of the environment, or NULL. */
typedef const char *swi_trackio_env_fn(void *arg, const char *name);

/* Sets path to the database of a project: PROJECT.db in $TRACKIO_DIR, else in $HF_HOME/trackio,
 * else in $XDG_CACHE_HOME/huggingface/trackio, else in ~/.cache/huggingface/trackio. Like Trackio,
 * replaces ~ and $NAME in the last three, and uses only letters and digits of any
 * script, - and _ of the project's name, or "default" if none are left. Returns 0, SW_ENOMEM, or
 * SW_EINVAL if Trackio uses the name itself or if no folder is known. */
int swi_trackio_path(swi_trackio_env_fn *env, void *arg, const char *project, struct swi_text *path,
                     struct sw_error *err);

#endif
