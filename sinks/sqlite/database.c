/* SPDX-License-Identifier: MIT */
/* https://www.sqlite.org/wal.html, https://www.sqlite.org/rescode.html */
#include "sinks/sqlite/database.h"
#include "core/text/io_code.h"
#include "core/text/opened.h"

#include <errno.h>
#include <unistd.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

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

/* ---- the file system ------------------------------------------------------------------------- */

/* The types that statfs() names of file systems which several machines use at once, or a virtual
 * machine and its host. FUSE is one of them: virtiofs, sshfs, JuiceFS and others are FUSE. */
static const uint32_t of_several[] = {
    0x00006969 /* NFS */,      0x0000517b /* SMB */,       0xfe534d42 /* SMB 2 */,
    0xff534d42 /* CIFS */,     0x00c36400 /* Ceph */,      0x0bd00bd0 /* Lustre */,
    0x47504653 /* GPFS */,     0x18031977 /* WekaFS */,    0x19830326 /* BeeGFS */,
    0xaad7aaea /* PanFS */,    0x20030528 /* OrangeFS */,  0x013111a8 /* Ibrix */,
    0xbeefdead /* StorNext */, 0x61636673 /* ACFS */,      0x7461636f /* OCFS2 */,
    0x01161970 /* GFS2 */,     0xa501fcf5 /* VxFS */,      0x5346414f /* AFS */,
    0x6b414653 /* kAFS */,     0x73757245 /* Coda */,      0x65735546 /* FUSE */,
    0x01021997 /* 9p */,       0x00c0ffee /* hostfs */,    0x786f4256 /* VirtualBox */,
    0xbacbacbc /* VMware */,   0x7c7c6673 /* Parallels */,
};

/* Whether only this machine uses the file. The memory beside a database with a write-ahead log is
 * shared by the processes of one machine: with another one, SQLite damages the database. It does
 * not look, and on NFS and others that memory can be had. */
static bool is_of_one_machine(const char *path)
{
    struct statfs mounted;
    /* With O_PATH, closing the descriptor does not release SQLite's locks. */
    SWI_CLOSED int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0 || fstatfs(fd, &mounted) != 0)
        return false;
    for (size_t i = 0; i < sizeof of_several / sizeof *of_several; i++)
        if ((uint32_t)mounted.f_type == of_several[i])
            return false;
    return true;
}

/* ---- why something failed -------------------------------------------------------------------- */

/* SQLite takes a file system without locks for a file that somebody else has locked. errno is what
 * the system said. EACCES is a lock on file systems of other machines only: here, a policy such as
 * one of SELinux forbids locks. */
static bool lacks_locks(sqlite3 *db, int rc, int reason)
{
    return (rc & 0xff) == SQLITE_BUSY &&
           (reason == ENOLCK ||
            (reason == EACCES && is_of_one_machine(sqlite3_db_filename(db, "main"))));
}

static bool is_locked(sqlite3 *db, int rc, int reason)
{
    return ((rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED) &&
           !lacks_locks(db, rc, reason);
}

#define SYNCING " while waiting for the disk", "fsync()"
#define LOCKING " while locking the file", "locks"
#define SHARING " while opening the file -shm, the shared memory of its writers", "shared memory"

/* What SQLite was doing: its own text for all of these is "disk I/O error". lacks: what it needs of
 * a file system and only those of other machines, or of no kernel, lack. */
static const struct doing {
    int code;
    const char *text, *lacks;
} doings[] = {{SQLITE_IOERR_READ, " while reading", NULL},
              {SQLITE_IOERR_SHORT_READ, " while reading", NULL},
              {SQLITE_IOERR_WRITE, " while writing", NULL},
              {SQLITE_IOERR_TRUNCATE, " while changing the size of a file", NULL},
              {SQLITE_IOERR_FSYNC, SYNCING},
              {SQLITE_IOERR_DIR_FSYNC, SYNCING},
              {SQLITE_IOERR_LOCK, LOCKING},
              {SQLITE_IOERR_RDLOCK, LOCKING},
              {SQLITE_IOERR_UNLOCK, LOCKING},
              {SQLITE_IOERR_CHECKRESERVEDLOCK, LOCKING},
              {SQLITE_IOERR_SHMOPEN, SHARING},
              {SQLITE_IOERR_SHMSIZE, SHARING},
              {SQLITE_IOERR_SHMMAP, SHARING},
              {SQLITE_IOERR_SHMLOCK, SHARING},
              {0, "", NULL}};

static const struct doing *doing_of(int code)
{
    const struct doing *doing = doings;
    while (doing->code && doing->code != code)
        doing++;
    return doing;
}

static int lacks_say(const char *what, int reason, struct sw_error *err)
{
    return sw_error_append(err,
                           "its file system has no %s for it, which SQLite needs: put the "
                           "database on a local disk, or use the sink runlog there: %s",
                           what, strerror(reason));
}

static bool is_unknown(int reason)
{
    return reason == ENOLCK || reason == ENOSYS || reason == EOPNOTSUPP || reason == EINVAL ||
           reason == ENODEV;
}

/* Appends what SQLite says, its extended code and the system's reason. */
static int because(sqlite3 *db, int rc, int last, struct sw_error *err)
{
    int code = db ? sqlite3_extended_errcode(db) : rc, reason = db ? sqlite3_system_errno(db) : 0;
    const struct doing *doing = doing_of(code);
    bool system = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
    if (db && lacks_locks(db, rc, last))
        return lacks_say("locks", last, err);
    if (system && !reason)
        reason = last;
    if (doing->lacks && is_unknown(reason))
        return lacks_say(doing->lacks, reason, err);
    sw_error_append(err, "%s%s", db ? sqlite3_errmsg(db) : sqlite3_errstr(rc), doing->text);
    if (code != (code & 0xff))
        sw_error_append(err, " (SQLite's code %d)", code);
    if (system && reason)
        sw_error_append(err, ": %s", strerror(reason));
    return err->code = (code & 0xff) == SQLITE_FULL ? SW_EFULL : swi_io_code(system ? reason : 0);
}

/* Call it right after what failed. errno must have been 0 before. */
static enum swi_transaction failure(struct swi_database *database, int rc, struct sw_error *err)
{
    int reason = errno;
    if (is_locked(database->db, rc, reason))
        return SWI_LOCKED;
    sw_error_set(err, SW_EIO, "%s: ", sqlite3_db_filename(database->db, "main"));
    because(database->db, rc, reason, err);
    return SWI_FAILED;
}

/* ---- the layout ------------------------------------------------------------------------------ */

/* Whether processes can share memory beside the database. SQLite would find out only when it reads
 * from a database that has a write-ahead log already, and could not go back. */
static bool shares_memory(sqlite3 *db)
{
    enum { REGION = 32768 };
    sqlite3_file *file = NULL;
    void volatile *region;
    int rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (rc != SQLITE_OK || !file->pMethods || file->pMethods->iVersion < 2)
        return false;
    rc = file->pMethods->xShmMap(file, 0, REGION, 1, &region);
    file->pMethods->xShmUnmap(file, 0);
    return rc == SQLITE_OK;
}

/* Uses a write-ahead log where possible, which it is not on a file system of several machines, or
 * without memory that processes share. Sets database->wal. */
static int journal_choose(struct swi_database *database)
{
    static const char is_wal[] = "SELECT journal_mode='wal' FROM pragma_journal_mode";
    bool alone = is_of_one_machine(sqlite3_db_filename(database->db, "main"));
    int rc, wal = number_of(database->db, is_wal, &rc);
    if (rc == SQLITE_OK && wal != 1 && alone && shares_memory(database->db)) {
        rc = run_sql(database, "PRAGMA journal_mode=WAL");
        wal = rc == SQLITE_OK ? number_of(database->db, is_wal, &rc) : wal;
    }
    database->wal = wal == 1 && alone;
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

/* Returns SWI_FAILED, with SW_EINVAL, for a database that is not of this layout. */
static enum swi_transaction layout_prepare(struct swi_database *database, struct sw_error *err)
{
    errno = 0;
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
    if (rc == SQLITE_OK && number_of(database->db, database->layout->whole, &rc) == 0)
        rc = schema_make(database);
    database->ready = rc == SQLITE_OK;
    return database->ready ? SWI_WRITTEN : failure(database, rc, err);
}

/* ---- the file -------------------------------------------------------------------------------- */

bool swi_database_is_gone(const struct swi_database *database)
{
    struct stat st;
    if (stat(sqlite3_db_filename(database->db, "main"), &st) < 0)
        return errno == ENOENT;
    return st.st_dev != database->file.device || st.st_ino != database->file.inode;
}

void swi_database_leave(struct swi_database *database)
{
    /* The write-ahead log of that name may be another database's by now. */
    sqlite3_db_config(database->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    swi_database_close(database);
}

/* ---- open, write, close ---------------------------------------------------------------------- */

/* Resolves the links on the way to the file, which were checked: SQLite follows none, so that
 * nobody can put another one in their place. The file need not exist. Returns false with errno. */
static bool links_resolve(const char *path, char real[PATH_MAX])
{
    const char *name = strrchr(path, '/');
    char folder[PATH_MAX];
    if (realpath(path, real))
        return true;
    if (errno != ENOENT || !name)
        return false;
    /* For a slash at the end, realpath() makes a call that old sandboxes forbid. */
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path + (name == path)), path);
    if (!realpath(folder, real))
        return false;
    size_t size = strlen(real);
    int n = snprintf(real + size, PATH_MAX - size, "%s", real[1] ? name : name + 1);
    errno = ENAMETOOLONG;
    return n >= 0 && (size_t)n < PATH_MAX - size;
}

static int cannot_open(const char *path, struct sw_error *err)
{
    return sw_error_set(err, SW_EIO, "%s: cannot be opened as a database: ", path);
}

/* SQLite tries to read a file that it cannot create, and then says that there is none. Returns why
 * it cannot be created, or 0. An empty file is a database. */
static int creation_error(const char *path)
{
    SWI_CLOSED int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    return fd < 0 ? errno : 0;
}

int swi_database_open(struct swi_database *database, const char *path,
                      const struct swi_layout *layout, struct sw_error *err)
{
    enum { FLAGS = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX };
    *database = (struct swi_database){.layout = layout};
    char real[PATH_MAX];
    struct stat st;
    if (!links_resolve(path, real)) {
        int reason = errno;
        cannot_open(path, err);
        return sw_error_append(err, "%s", strerror(reason));
    }
    swi_own_files_begin();
    int rc = sqlite3_open_v2(real, &database->db, FLAGS | SQLITE_OPEN_NOFOLLOW, NULL);
    if (rc != SQLITE_OK) {
        int reason = sqlite3_system_errno(database->db) == ENOENT ? creation_error(real) : 0;
        cannot_open(path, err);
        if (reason) {
            sw_error_append(err, "%s", strerror(reason));
            err->code = swi_io_code(reason);
        } else {
            because(database->db, rc, 0, err);
        }
        swi_database_close(database);
        return err->code;
    }
    sqlite3_extended_result_codes(database->db, 1);
    if (stat(real, &st) == 0)
        database->file = (struct swi_identity){st.st_dev, st.st_ino};
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

static void progress(const struct swi_database *database)
{
    if (database->sink)
        sw_sink_progress(database->sink);
}

/* Writes rows in a transaction. end: set to the offset after the last row of it. */
static int transaction(struct swi_database *database, const struct swi_rows *rows, size_t limit,
                       size_t *end)
{
    enum { PART = 1024 };
    errno = 0;
    int rc = run_sql(database, "BEGIN IMMEDIATE"), count = 0;
    for (*end = 0; rc == SQLITE_OK && *end < rows->bytes.size && *end < limit;
         *end = swi_rows_next(rows, *end)) {
        rc = row_write(database, rows, *end);
        if (++count % PART == 0)
            progress(database);
    }
    if (rc == SQLITE_OK && (rc = run_sql(database, "COMMIT")) == SQLITE_OK)
        progress(database);
    return rc;
}

enum swi_transaction swi_database_write(struct swi_database *database, struct swi_rows *rows,
                                        size_t limit, struct sw_error *err)
{
    size_t end;
    enum swi_transaction written = database->ready ? SWI_WRITTEN : layout_prepare(database, err);
    if (written != SWI_WRITTEN)
        return written;
    int rc = transaction(database, rows, limit, &end);
    if (rc != SQLITE_OK)
        written = failure(database, rc, err);
    if (!sqlite3_get_autocommit(database->db))
        run_sql(database, "ROLLBACK");
    if (written == SWI_WRITTEN)
        swi_rows_remove(rows, end);
    return written;
}

int swi_database_version(struct swi_database *database)
{
    int rc;
    return database->db ? number_of(database->db, "PRAGMA data_version", &rc) : -1;
}

void swi_database_close(struct swi_database *database)
{
    for (int i = 0; i < SWI_STATEMENTS_MAX; i++)
        sqlite3_finalize(database->statement[i]);
    sqlite3_close(database->db);
    *database = (struct swi_database){0};
}
