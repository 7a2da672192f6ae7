/* SPDX-License-Identifier: MIT */
/* write_rows.h - gets the rows of the sink sqlite into its database: in memory and on the disk
 * until their turn comes, during the run and at its end. */
#ifndef SINKS_SQLITE_WRITE_ROWS_H
#define SINKS_SQLITE_WRITE_ROWS_H

#include "sinks/sqlite/database.h"
#include "sinks/sqlite/waiting_rows.h"

#include <stdbool.h>
#include <stdint.h>

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
    bool merged;     /* rows of runs that have ended were looked for */
    int64_t dropped; /* dropped rows that were reported to core */
    bool failed;     /* the last transaction failed, and that was reported */
    bool full_said;  /* that max_waiting is reached */
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

#endif
