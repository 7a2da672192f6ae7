/* SPDX-License-Identifier: MIT */

#include "config.h"
#include "core/text/parts.h"
#include "tools/log/log_lines.h"
#include "tools/output/print.h"
#include "tools/runs/recorded_runs.h"

#include <stepwatch/error.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif

/* ---- runs in a database ---------------------------------------------------------------------- */

/* The state is that of the view `runs`. Everything else is found by the primary keys of the tables,
 * in a database of any size. What a database of the sink begins with, and what it has where SQLite
 * keeps the number of the program that the file belongs to. */
static bool is_own(const char *path)
{
    enum { OF_PROGRAM = 68, HEAD = 100 };
    char head[HEAD] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool read = fd >= 0 && pread(fd, head, HEAD, 0) == HEAD;
    if (fd >= 0)
        close(fd);
    return read && memcmp(head, "SQLite format 3", 16) == 0 &&
           memcmp(head + OF_PROGRAM, "swtc", 4) == 0;
}

#ifdef HAVE_SQLITE

enum { WAIT_MS = 2000, VERSION_KNOWN = 1 };

#define RUN "(SELECT id FROM run WHERE uid=?1)"

static const char runs_query[] =
    "SELECT v.uid, v.name, v.program, v.host, v.rank, v.state, v.seconds, r.started_ns/1e9, r.pid, "
    "r.exit_status FROM runs v JOIN run r ON r.uid=v.uid";
static const char step_query[] =
    "SELECT step+1 FROM step WHERE run=" RUN " AND phase='train' ORDER BY seq DESC LIMIT 1";
static const char values_query[] =
    "SELECT n.name, CASE m.special WHEN 2 THEN 9e999 WHEN 3 THEN -9e999 ELSE m.value END "
    "FROM name n CROSS JOIN metric m ON m.run=" RUN " AND m.name=n.id AND (m.step, m.seq)="
    "(SELECT step, seq FROM metric WHERE run=" RUN " AND name=n.id ORDER BY step DESC, seq DESC "
    "LIMIT 1) WHERE NOT m.by_profiler LIMIT 64";
static const char rate_query[] = "SELECT samples_per_s FROM report WHERE run=" RUN
                                 " AND epoch=-1 AND phase='train' AND action='step' "
                                 "ORDER BY fit DESC LIMIT 1";

static char *column_copy(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return strdup(text ? text : "");
}

static double column_number(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? NAN
                                                           : sqlite3_column_double(row, column);
}

/* The database has "signal 9" for a run that a signal ended. */
static void state_take(struct recorded_run *run, const char *state)
{
    bool signal = strncmp(state, "signal ", 7) == 0;
    run->state = RUN_KILLED;
    for (int i = 0; i < RUN_STATES; i++)
        if (strcmp(state, run_state_name((enum run_state)i)) == 0)
            run->state = (enum run_state)i;
    if (signal)
        run->state = RUN_INTERRUPTED;
    run->cause = signal ? strdup(state) : NULL;
}

static struct recorded_run *run_new(sqlite3_stmt *row, const char *path)
{
    struct recorded_run *run = calloc(1, sizeof *run);
    struct stat st;
    if (!run)
        return NULL;
    *run = (struct recorded_run){.path = strdup(path),
                                 .uid = column_copy(row, 0),
                                 .name = column_copy(row, 1),
                                 .program = column_copy(row, 2),
                                 .host = column_copy(row, 3),
                                 .rank = sqlite3_column_int64(row, 4),
                                 .world_size = 1,
                                 .ranks = 1,
                                 .exit_status = -1,
                                 .pid = sqlite3_column_int64(row, 8),
                                 .started_s = column_number(row, 7),
                                 .duration_s = column_number(row, 6),
                                 .samples_per_s = NAN,
                                 .steps = -1};
    if (sqlite3_column_type(row, 9) == SQLITE_INTEGER)
        run->exit_status = sqlite3_column_int64(row, 9);
    if (!run->path) {
        recorded_run_free(run);
        return NULL;
    }
    run->bytes = stat(path, &st) == 0 ? st.st_size : 0;
    const char *state = (const char *)sqlite3_column_text(row, 5);
    state_take(run, state ? state : "");
    return run;
}

static void steps_take(struct recorded_run *run, sqlite3_stmt *row)
{
    if (sqlite3_column_type(row, 0) == SQLITE_INTEGER)
        run->steps = sqlite3_column_int64(row, 0);
}

static void value_take(struct recorded_run *run, sqlite3_stmt *row)
{
    const char *name = (const char *)sqlite3_column_text(row, 0);
    if (name)
        recorded_run_value(run, name, column_number(row, 1));
}

static void rate_take(struct recorded_run *run, sqlite3_stmt *row)
{
    run->samples_per_s = column_number(row, 0);
}

/* Gives each row of a query about a run to take(). */
static bool of_run(sqlite3 *db, const char *query, struct recorded_run *run,
                   void (*take)(struct recorded_run *run, sqlite3_stmt *row))
{
    sqlite3_stmt *rows = NULL;
    int rc = sqlite3_prepare_v2(db, query, -1, &rows, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(rows, 1, run->uid, -1, SQLITE_TRANSIENT);
    if (rc == SQLITE_OK)
        while ((rc = sqlite3_step(rows)) == SQLITE_ROW)
            take(run, rows);
    sqlite3_finalize(rows);
    return rc == SQLITE_DONE;
}

/* A newer version may have other tables. */
static int version_of(sqlite3 *db)
{
    sqlite3_stmt *rows = NULL;
    int version = 0;
    if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &rows, NULL) == SQLITE_OK &&
        sqlite3_step(rows) == SQLITE_ROW)
        version = sqlite3_column_int(rows, 0);
    sqlite3_finalize(rows);
    return version;
}

static bool runs_take(sqlite3 *db, const char *path, struct recorded_runs *runs)
{
    sqlite3_stmt *rows = NULL;
    int rc = sqlite3_prepare_v2(db, runs_query, -1, &rows, NULL);
    bool fine = rc == SQLITE_OK;
    while (fine && (rc = sqlite3_step(rows)) == SQLITE_ROW) {
        struct recorded_run *run = run_new(rows, path);
        fine = run && of_run(db, step_query, run, steps_take) &&
               of_run(db, values_query, run, value_take) && of_run(db, rate_query, run, rate_take);
        if (run)
            fine = recorded_runs_add(runs, run) && fine;
    }
    sqlite3_finalize(rows);
    return fine && rc == SQLITE_DONE;
}

/* The file may come from somebody else: its views call no function that could do harm. */
static int database_read(struct recorded_runs *runs, const char *path, struct sw_error *err)
{
    sqlite3 *db = NULL;
    int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
    if (rc == SQLITE_OK) {
        sqlite3_busy_timeout(db, WAIT_MS);
        sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    }
    if (rc == SQLITE_OK && version_of(db) > VERSION_KNOWN)
        rc = sw_error_set(err, SW_EINVAL, "%s: was made by a newer stepwatch: update stepwatch",
                          path);
    else if (rc != SQLITE_OK || !runs_take(db, path, runs))
        rc = sw_error_set(err, SW_EIO, "%s: %s", path, db ? sqlite3_errmsg(db) : "out of memory");
    sqlite3_close(db);
    return rc < 0 ? rc : 1;
}

#else

static int database_read(struct recorded_runs *runs, const char *path, struct sw_error *err)
{
    (void)runs;
    return sw_error_set(err, SW_EINVAL, "%s: this stepwatch was built without sqlite3", path);
}

#endif

enum { DEPTH_MOST = 32 };

/* Returns 1 if the file holds runs, or may do so; 0 if not, or a negative code. */
static int file_add(struct recorded_runs *runs, const char *path, struct sw_error *err)
{
    struct recorded_run *run = NULL;
    if (!log_is_name(path)) {
        int found = is_own(path) ? database_read(runs, path, err) : 0;
        if (found)
            return found;
    }
    int rc = log_ends_read(path, &run, err);
    if (rc < 0 || !run)
        return rc;
    if (recorded_runs_add(runs, run))
        return 1;
    return sw_error_set(err, SW_ENOMEM, "not enough memory for the runs");
}

static bool is_folder(const char *path, const struct dirent *entry)
{
    struct stat st;
    return entry->d_type == DT_DIR ||
           (entry->d_type == DT_UNKNOWN && lstat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static void folder_add(struct recorded_runs *runs, DIR *folder, const char *path, int depth);

static void entry_add(struct recorded_runs *runs, const char *path, const struct dirent *entry,
                      int depth)
{
    SW_ERROR_SCOPE(err);
    if (is_folder(path, entry)) {
        /* The values of a log, and rows that wait for a database, are not runs. */
        bool beside = swi_ends(path, ".files") || swi_ends(path, "-waiting");
        DIR *folder = beside || depth == DEPTH_MOST ? NULL : opendir(path);
        if (folder) {
            folder_add(runs, folder, path, depth + 1);
        } else if (!beside && depth < DEPTH_MOST) {
            say("runs", "%s: %s", path, strerror(errno));
            runs->unreadable++;
        }
        return;
    }
    bool database =
        swi_ends(path, ".db") || swi_ends(path, ".sqlite") || swi_ends(path, ".sqlite3");
    if ((log_is_name(path) || database) && file_add(runs, path, &err) < 0) {
        say("runs", "%s", sw_error_text(&err));
        runs->unreadable++;
    }
}

/* Links to folders are not followed: they may lead around in a circle. */
static void folder_add(struct recorded_runs *runs, DIR *folder, const char *path, int depth)
{
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        char *inner = NULL;
        bool slash = swi_ends(path, "/");
        if (entry->d_name[0] == '.' ||
            asprintf(&inner, "%s%s%s", path, slash ? "" : "/", entry->d_name) < 0)
            continue;
        entry_add(runs, inner, entry, depth);
        free(inner);
    }
    closedir(folder);
}

int recorded_runs_find(struct recorded_runs *runs, const char *path, struct sw_error *err)
{
    DIR *folder = opendir(path);
    if (folder) {
        folder_add(runs, folder, path, 0);
        return 0;
    }
    int found = file_add(runs, path, err);
    if (found)
        return found < 0 ? found : 0;
    return sw_error_set(err, SW_EFORMAT,
                        "%s: expected a run log, a database of the sink sqlite, or a folder with "
                        "them",
                        path);
}
