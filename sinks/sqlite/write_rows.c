/* SPDX-License-Identifier: MIT */
/* write_rows.c - gets the rows of the sink sqlite into its database: in memory and on the disk
 * until their turn comes, during the run and at its end. */

#include "sinks/sqlite/database.h"
#include "core/clock/now.h"
#include "sinks/common/part_file.h"

#include <inttypes.h>
#include <time.h>

int swi_sqlite_reopen(struct swi_sqlite *s, struct sw_error *err)
{
    int rc = swi_parent_folders_make(s->file, err);
    return rc == 0 ? swi_database_open(&s->database, s->file, s->layout, err) : rc;
}

/* ---- transactions ---------------------------------------------------------------------------- */

static void dropped_tell(struct swi_sqlite *s)
{
    int64_t more = s->run.rows.dropped - s->dropped;
    if (more > 0)
        sw_sink_lost(s->sink, more);
    s->dropped = s->run.rows.dropped;
}

/* A database that somebody has deleted is made anew, for what comes from then on. Returns whether
 * there is a database to write to. */
static bool database_renew(struct swi_sqlite *s, struct sw_error *err)
{
    if (s->database.db && !swi_database_is_gone(&s->database))
        return true;
    if (s->database.db) {
        swi_database_leave(&s->database);
        s->layout->again(&s->run);
        sw_sink_say(s->sink, 1,
                    "%s: was deleted during the run: a new database gets the rows from now on",
                    s->file);
    }
    return swi_sqlite_reopen(s, err) == 0;
}

/* Rows that wait in memory longer than that are kept on the disk, where a kill does not reach them.
 * Less than what makes rows droppable. */
#define MEMORY_MOST ((size_t)1 << 20)

static void full_say(struct swi_sqlite *s)
{
    s->full_said = true;
    sw_sink_say(s->sink, 1,
                "%s would have more than max_waiting (%" PRId64
                " bytes): until the database takes rows again, 4 MiB of them wait in memory, and "
                "values beyond that are lost",
                s->waiting.path, s->max_waiting);
}

/* Moves the rows to the disk. The file begins with what a database needs that has nothing of this
 * run. */
static void rows_keep(struct swi_sqlite *s)
{
    bool begun = *s->waiting.path;
    if (!s->run.rows.count ||
        (!begun && !swi_unwritten_begin(&s->waiting, s->file, s->layout, s->run.uid)))
        return;
    if (!begun)
        s->layout->again(&s->run);
    int64_t size = s->waiting.end + (int64_t)s->run.rows.bytes.size;
    if (!s->max_waiting || size <= s->max_waiting)
        swi_unwritten_add(&s->waiting, &s->run.rows);
    else if (!s->full_said)
        full_say(s);
}

/* Writes all that waits. If others wait for the database, too, a turn is used for all of it. */
static enum swi_transaction all_write(struct swi_sqlite *s, struct sw_error *err)
{
    enum swi_transaction written = SWI_WRITTEN;
    size_t limit = s->turns.since_ns ? SWI_TRANSACTION_MOST : SWI_TRANSACTION_BYTES;
    s->database.sink = s->sink;
    while (written == SWI_WRITTEN && *s->waiting.path)
        written = swi_unwritten_write(&s->waiting, &s->database, SWI_TRANSACTION_MOST, err);
    while (written == SWI_WRITTEN && s->run.rows.count)
        written = swi_database_write(&s->database, &s->run.rows, limit, err);
    return written;
}

/* If the program has closed the descriptors, the next transaction opens the database again.
 * Connections of one process share the index of the log: all must leave it before one can open it.
 */
static void leave_if_closed(struct swi_sqlite *s)
{
    if (s->database.db && swi_own_files_were_closed())
        swi_database_leave(&s->database);
}

static enum swi_transaction rows_write(struct swi_sqlite *s, struct sw_error *err)
{
    leave_if_closed(s);
    enum swi_transaction written = database_renew(s, err) ? all_write(s, err) : SWI_FAILED;
    if (written != SWI_WRITTEN)
        leave_if_closed(s);
    swi_turns_note(&s->turns, written == SWI_LOCKED, swi_now_ns());
    if (written != SWI_WRITTEN && s->run.rows.bytes.size > MEMORY_MOST)
        rows_keep(s);
    if (written == SWI_FAILED && !s->failed)
        sw_sink_say(s->sink, 1,
                    "%s; up to 4 MiB of rows are kept in memory, and more on the disk if it can "
                    "be, and written later",
                    sw_error_text(err));
    s->failed = written == SWI_FAILED;
    dropped_tell(s);
    return written;
}

/* Ignores errors, because rows that cannot be written are kept. */
void swi_sqlite_write_now(struct swi_sqlite *s)
{
    SW_ERROR_SCOPE(ignored);
    rows_write(s, &ignored);
}

/* ---- at the end ------------------------------------------------------------------------------ */

/* How long the close goes on: as long as this sink or other writers get on. */
struct patience {
    struct swi_sqlite *sink;
    int64_t until_ns, most_ns; /* most_ns: by what others do */
    int version;               /* of the database */
};

/* Four fifths of the time that sw_close() waits. */
static int64_t patience_ns(const struct swi_sqlite *s)
{
    return s->sink->run->close_timeout_ns / 5 * 4;
}

static struct patience patience_begin(struct swi_sqlite *s)
{
    enum { OTHERS = 10 }; /* times as long if other writers are what gets on */
    int64_t now = swi_now_ns(), left = swi_end_left_ns(s->sink->run, s->deadline_ns) / 5 * 4;
    return (struct patience){s, now + left, now + OTHERS * patience_ns(s),
                             swi_database_version(&s->database)};
}

/* Sleeps until the next turn. Returns whether to try again after this outcome. */
static bool is_patient(struct patience *patience, enum swi_transaction outcome)
{
    struct swi_sqlite *s = patience->sink;
    int64_t now = swi_now_ns();
    int version = swi_database_version(&s->database);
    if (outcome == SWI_WRITTEN || (version != patience->version && now < patience->most_ns)) {
        patience->until_ns = now + patience_ns(s);
        sw_sink_progress(s->sink);
    }
    patience->version = version;
    if (outcome == SWI_WRITTEN)
        return true;
    int64_t pause = swi_turns_pause_ns(&s->turns, now), left = patience->until_ns - now;
    if (left > 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)(pause < left ? pause : left)}, NULL);
    return left > 0;
}

/* The rows are on the disk meanwhile: whatever waits for the end of the program may kill it. */
enum swi_transaction swi_sqlite_write_at_last(struct swi_sqlite *s, struct sw_error *err)
{
    struct patience patience = patience_begin(s);
    enum swi_transaction written = rows_write(s, err);
    if (written != SWI_WRITTEN)
        rows_keep(s);
    while (written != SWI_WRITTEN && is_patient(&patience, written)) {
        sw_error_free(err);
        written = rows_write(s, err);
    }
    return written;
}

/* ---- rows of runs that have ended ------------------------------------------------------------ */

static bool go_on_while_patient(void *patience, enum swi_transaction outcome)
{
    return outcome != SWI_FAILED && is_patient(patience, outcome);
}

static bool go_on_while_written(void *arg, enum swi_transaction outcome)
{
    (void)arg;
    return outcome == SWI_WRITTEN;
}

enum swi_transaction swi_sqlite_merge(struct swi_sqlite *s, bool at_end,
                                      struct swi_unwritten_others *others, struct sw_error *err)
{
    leave_if_closed(s);
    struct patience patience = patience_begin(s);
    s->database.sink = s->sink;
    *others = (struct swi_unwritten_others){
        .go_on = at_end ? go_on_while_patient : go_on_while_written, .arg = &patience};
    enum swi_transaction written =
        s->database.db ? swi_unwritten_merge(others, &s->database, s->file, err) : SWI_WRITTEN;
    others->arg = NULL;
    return written;
}

int swi_sqlite_left(struct swi_sqlite *s, enum swi_transaction written, const struct sw_error *why,
                    struct sw_error *err)
{
    size_t rows = s->waiting.count + s->run.rows.count;
    sw_error_set(err, SW_EIO, "%zu rows are not in the database: %s%s", rows,
                 written == SWI_LOCKED ? s->file : sw_error_text(why),
                 written == SWI_LOCKED ? ": it is locked by another program" : "");
    if (*s->waiting.path)
        sw_error_append(err,
                        "; %zu of them are kept in %s until the next run with this database, or "
                        "`stepwatch sync %s`, adds them",
                        s->waiting.count, s->waiting.path, s->file);
    return SW_EIO;
}
