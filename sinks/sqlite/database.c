/* SPDX-License-Identifier: MIT */
/* https://www.sqlite.org/wal.html, https://www.sqlite.org/rescode.html */
#include "sinks/sqlite/database.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int run_sql(struct swi_database *database, const char *sql)
{
    return sqlite3_exec(database->db, sql, NULL, NULL, NULL);
}

/* Returns the first column of the first row as a number, or -1 if there is none. */
static int number_of(sqlite3 *db, const char *sql, int *rc)
{
    sqlite3_stmt *statement = NULL;
    int number = -1;
    *rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (*rc == SQLITE_OK && (*rc = sqlite3_step(statement)) == SQLITE_ROW)
        number = sqlite3_column_int(statement, 0);
    if (*rc == SQLITE_ROW || *rc == SQLITE_DONE)
        *rc = SQLITE_OK;
    sqlite3_finalize(statement);
    return number;
}

static bool is_locked(int rc)
{
    return (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED;
}

static enum swi_transaction failure(struct swi_database *database, int rc, struct sw_error *err)
{
    if (is_locked(rc))
        return SWI_LOCKED;
    sw_error_set(err, SW_EIO, "%s: %s", sqlite3_db_filename(database->db, "main"),
                 sqlite3_errmsg(database->db));
    return SWI_FAILED;
}

/* ---- the layout ------------------------------------------------------------------------------ */

/* Uses a write-ahead log where possible, which it is not on a network file system. Sets
 * database->wal. */
static int journal_choose(struct swi_database *database)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(database->db, "PRAGMA journal_mode=WAL", -1, &statement, NULL);
    if (rc == SQLITE_OK && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *mode = (const char *)sqlite3_column_text(statement, 0);
        database->wal = mode && strcmp(mode, "wal") == 0;
        rc = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    if (rc == SQLITE_OK && !database->wal)
        rc = run_sql(database, "PRAGMA journal_mode=DELETE");
    return rc;
}

/* Creates in a transaction what is missing of the schema. Another program may do the same. */
static int schema_make(struct swi_database *database)
{
    char pragma[64];
    int rc = run_sql(database, "BEGIN IMMEDIATE");
    for (const char *const *sql = database->layout->schema; rc == SQLITE_OK && *sql; sql++)
        rc = run_sql(database, *sql);
    if (database->layout->application_id) {
        snprintf(pragma, sizeof pragma, "PRAGMA application_id=%d",
                 database->layout->application_id);
        rc = rc == SQLITE_OK ? run_sql(database, pragma) : rc;
    }
    snprintf(pragma, sizeof pragma, "PRAGMA user_version=%d", database->layout->version);
    rc = rc == SQLITE_OK ? run_sql(database, pragma) : rc;
    rc = rc == SQLITE_OK ? run_sql(database, "COMMIT") : rc;
    if (rc != SQLITE_OK && !sqlite3_get_autocommit(database->db))
        run_sql(database, "ROLLBACK");
    return rc;
}

/* Returns whether the database lacks a part of the schema: it is new, or of an older release. */
static bool schema_is_missing(struct swi_database *database, int *rc)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM sqlite_schema WHERE name='%s'",
             database->layout->newest);
    return number_of(database->db, sql, rc) == 0;
}

/* Returns SWI_FAILED, with SW_EINVAL, for a database that is not of this layout. */
static enum swi_transaction layout_prepare(struct swi_database *database, struct sw_error *err)
{
    int rc, tables = number_of(database->db, "SELECT count(*) FROM sqlite_schema", &rc);
    int application = rc == SQLITE_OK ? number_of(database->db, "PRAGMA application_id", &rc) : 0;
    int version = rc == SQLITE_OK ? number_of(database->db, "PRAGMA user_version", &rc) : 0;
    if (rc == SQLITE_OK && tables > 0 &&
        database->layout->check(database->db, application, version, err) != 0)
        return SWI_FAILED;
    if (rc == SQLITE_OK)
        rc = journal_choose(database);
    if (rc == SQLITE_OK)
        rc = run_sql(database, "PRAGMA synchronous=NORMAL");
    if (rc == SQLITE_OK && schema_is_missing(database, &rc))
        rc = schema_make(database);
    database->ready = rc == SQLITE_OK;
    return database->ready ? SWI_WRITTEN : failure(database, rc, err);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void file_note(struct swi_database *database, const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return;
    database->device = st.st_dev;
    database->inode = st.st_ino;
}

bool swi_database_is_gone(const struct swi_database *database)
{
    struct stat st;
    if (stat(sqlite3_db_filename(database->db, "main"), &st) < 0)
        return errno == ENOENT;
    return st.st_dev != database->device || st.st_ino != database->inode;
}

void swi_database_leave(struct swi_database *database)
{
    /* The write-ahead log of that name may be another database's by now. */
    sqlite3_db_config(database->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    swi_database_close(database);
}

/* ---- open, write, close ---------------------------------------------------------------------- */

/* SQLite's own text does not say why a file cannot be opened. */
static void open_complain(sqlite3 *db, const char *path, int rc, struct sw_error *err)
{
    int reason = db ? sqlite3_system_errno(db) : 0;
    sw_error_set(err, SW_EIO, "%s: cannot be opened as a database: %s%s%s", path,
                 db ? sqlite3_errmsg(db) : sqlite3_errstr(rc), reason ? ": " : "",
                 reason ? strerror(reason) : "");
}

int swi_database_open(struct swi_database *database, const char *path,
                      const struct swi_layout *layout, struct sw_error *err)
{
    enum { FLAGS = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX };
    *database = (struct swi_database){.layout = layout};
    int rc = sqlite3_open_v2(path, &database->db, FLAGS | SQLITE_OPEN_NOFOLLOW, NULL);
    if (rc != SQLITE_OK) {
        open_complain(database->db, path, rc, err);
        swi_database_close(database);
        return SW_EIO;
    }
    sqlite3_extended_result_codes(database->db, 1);
    file_note(database, path);
    if (layout_prepare(database, err) != SWI_FAILED)
        return 0;
    swi_database_close(database);
    return err->code;
}

static sqlite3_stmt *statement_of(struct swi_database *database, int number, int *rc)
{
    sqlite3_stmt **statement = &database->statement[number];
    if (!*statement)
        *rc = sqlite3_prepare_v3(database->db, database->layout->statement[number], -1,
                                 SQLITE_PREPARE_PERSISTENT, statement, NULL);
    return *statement;
}

static int row_write(struct swi_database *database, const struct swi_rows *rows, size_t at)
{
    int rc = SQLITE_OK;
    sqlite3_stmt *statement = statement_of(database, swi_rows_statement(rows, at), &rc);
    if (rc == SQLITE_OK)
        rc = swi_rows_bind(rows, at, statement);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(statement);
    if (statement)
        sqlite3_reset(statement);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Writes rows in a transaction. end: set to the offset after the last row of it. */
static int transaction(struct swi_database *database, const struct swi_rows *rows, size_t *end)
{
    int rc = run_sql(database, "BEGIN IMMEDIATE");
    for (*end = 0; rc == SQLITE_OK && *end < rows->bytes.size && *end < SWI_TRANSACTION_BYTES;
         *end = swi_rows_next(rows, *end))
        rc = row_write(database, rows, *end);
    return rc == SQLITE_OK ? run_sql(database, "COMMIT") : rc;
}

enum swi_transaction swi_database_write(struct swi_database *database, struct swi_rows *rows,
                                        struct sw_error *err)
{
    size_t end;
    enum swi_transaction written = database->ready ? SWI_WRITTEN : layout_prepare(database, err);
    if (written != SWI_WRITTEN)
        return written;
    int rc = transaction(database, rows, &end);
    if (rc != SQLITE_OK)
        written = failure(database, rc, err);
    if (!sqlite3_get_autocommit(database->db))
        run_sql(database, "ROLLBACK");
    if (written == SWI_WRITTEN)
        swi_rows_remove(rows, end);
    return written;
}

void swi_database_close(struct swi_database *database)
{
    for (int i = 0; i < SWI_STATEMENTS_MAX; i++)
        sqlite3_finalize(database->statement[i]);
    sqlite3_close(database->db);
    *database = (struct swi_database){0};
}
