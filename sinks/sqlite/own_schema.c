/* SPDX-License-Identifier: MIT */
/* own_schema.c - the tables and views of the layout `stepwatch`. */

#include "sinks/sqlite/database_layout.h"
#include <stddef.h>

/* The first columns of the view of a kind of values. */
#define OF_VALUE                                                                                   \
    "run.name AS run, run.uid, v.name, v.step, (v.wall_ns-run.started_ns)/1e9 AS seconds"

/* A file of a run is in a folder beside the database, and there in a folder of the run. NULL if
 * there is none. */
#define FILE_OF(json) "run.uid||'/'||json_extract(" json ",'$.file')"

/* Rows of a table by run. Views read the run first and then its rows, by the primary key. CROSS
 * JOIN is what SQLite needs for that: with JOIN, it may read all rows of all runs first. */
#define FROM_RUN(table, row) "FROM run CROSS JOIN " table " " row " ON " row ".run=run.id "
#define FROM_VALUE FROM_RUN("value", "v")

/* clang-format off */
/* What a row of the table of a thinned one has, or else its own. Queries that do not ask for these
 * columns do not look for them. */
#define THINNED(column, own)                                                                       \
    "coalesce((SELECT " column " FROM thinned_metric t WHERE t.run=m.run AND t.name=m.name AND "   \
    "t.step=m.step AND t.seq=m.seq), " own ")"
#define THINNED_STEP(column, own)                                                                  \
    "coalesce((SELECT t." column " FROM thinned_step t WHERE t.run=s.run AND t.seq=s.seq), " own ")"

#define OF_METRIC                                                                                  \
    "run.name AS run, run.uid, n.name AS metric, m.step, (m.wall_ns-run.started_ns)/1e9 AS "       \
    "seconds, CASE m.special WHEN 2 THEN 9e999 WHEN 3 THEN -9e999 ELSE m.value END AS value, "     \
    "m.special=1 AS is_nan, " THINNED("count", "1") " AS count, " THINNED("min", "m.value")        \
    " AS min, " THINNED("max", "m.value") " AS max "                                               \
    "FROM run CROSS JOIN name n CROSS JOIN metric m ON m.run=run.id AND m.name=n.id"

/* The clock of the reader may differ from that of the writer, so a minute of silence counts only by
 * the clock of the writer: another run of its host has written since. The reader's own clock is
 * used for whole days; five minutes by it are said, but prove nothing. */
#define NOW_NS "(julianday('now')-2440587.5)*86400e9"
#define STATE_WITHOUT_END                                                                          \
    "CASE WHEN alive_ns<(SELECT max(alive_ns) FROM run other WHERE other.host=run.host)-60e9 "     \
    "OR alive_ns<" NOW_NS "-86400e9 THEN 'killed' "                                                \
    "WHEN alive_ns<" NOW_NS "-300e9 THEN 'silent' ELSE 'running' END "

/* A table of rows of runs. key: which differs between those of a run. */
#define TABLE(name, columns, key)                                                                  \
    "CREATE TABLE IF NOT EXISTS " name "(run INTEGER NOT NULL REFERENCES run(id) ON DELETE "       \
    "CASCADE, " columns ", PRIMARY KEY(run, " key ")) WITHOUT ROWID"

/* A view of an older release is replaced. */
#define VIEW(name, text) "DROP VIEW IF EXISTS " name, "CREATE VIEW " name " AS SELECT " text

/* All of it can be executed for a database that has a part of it: databases of older releases lack
 * the tables of values. */
const char *const swi_own_schema[] = {
    /* A run was killed if it has no ended_ns and an old alive_ns, the time of its newest
     * transaction by its own clock. */
    "CREATE TABLE IF NOT EXISTS run(id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, name TEXT "
    "NOT NULL, program TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, "
    "rank INTEGER NOT NULL DEFAULT 0, stepwatch TEXT NOT NULL, mode TEXT NOT NULL, "
    "started_ns INTEGER NOT NULL, ended_ns INTEGER, exit_status INTEGER, signal INTEGER, "
    "interrupted INTEGER, alive_ns INTEGER NOT NULL)",
    /* A value is an integer, a real or a text. */
    TABLE("config", "name TEXT NOT NULL, value", "name"),
    /* raw: the bytes of a name that is not UTF-8. */
    "CREATE TABLE IF NOT EXISTS name(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, raw BLOB)",
    /* A NaN has no value and special 1; infinities have special 2 and 3. */
    TABLE("metric", "name INTEGER NOT NULL, step INTEGER NOT NULL, seq INTEGER NOT NULL, "
          "wall_ns INTEGER NOT NULL, value REAL, special INTEGER NOT NULL DEFAULT 0, "
          "by_profiler INTEGER NOT NULL", "name, step, seq"),
    /* A cancelled step has no samples. */
    TABLE("step", "seq INTEGER NOT NULL, step INTEGER NOT NULL, epoch INTEGER NOT NULL, "
          "phase TEXT NOT NULL, samples INTEGER, wall_ns INTEGER NOT NULL, draw_ns INTEGER, "
          "batch_ns INTEGER", "seq"),
    /* What a row of metric or step is the mean of, if it has several values or steps. */
    TABLE("thinned_metric", "name INTEGER NOT NULL, step INTEGER NOT NULL, seq INTEGER NOT NULL, "
          "count INTEGER NOT NULL, min REAL, max REAL", "name, step, seq"),
    TABLE("thinned_step", "seq INTEGER NOT NULL, steps INTEGER NOT NULL, samples INTEGER, "
          "draw_ns INTEGER, batch_ns INTEGER, draw_min_ns INTEGER, draw_max_ns INTEGER, "
          "batch_min_ns INTEGER, batch_max_ns INTEGER", "seq"),
    /* epoch is -1 for the report at the end of the fit. */
    TABLE("report", "fit INTEGER NOT NULL, epoch INTEGER NOT NULL, phase TEXT NOT NULL, "
          "action TEXT NOT NULL, calls INTEGER NOT NULL, mean_s REAL, std_s REAL, total_s REAL, "
          "self_s REAL, min_s REAL, max_s REAL, p50_s REAL, p95_s REAL, p99_s REAL, share REAL, "
          "samples_per_s REAL", "fit, epoch, phase, action"),
    VIEW("runs", "uid, name, program, host, rank, "
         "datetime(started_ns/1000000000,'unixepoch') AS started, "
         "(coalesce(ended_ns, alive_ns)-started_ns)/1e9 AS seconds, "
         "CASE WHEN ended_ns IS NULL THEN " STATE_WITHOUT_END
         "WHEN signal THEN 'signal '||signal WHEN exit_status THEN 'failed' ELSE 'finished' END "
         "AS state FROM run"),
    VIEW("metrics", OF_METRIC),
    VIEW("latest", OF_METRIC " AND (m.step, m.seq)=(SELECT step, seq FROM metric "
         "WHERE run=run.id AND name=n.id ORDER BY step DESC, seq DESC LIMIT 1)"),
    VIEW("steps", "run.name AS run, run.uid, s.step, s.epoch, s.phase, s.samples, "
         "(s.wall_ns-run.started_ns)/1e9 AS seconds, s.draw_ns/1e9 AS draw_s, "
         "s.batch_ns/1e9 AS batch_s, " THINNED_STEP("steps", "1") " AS steps, "
         THINNED_STEP("samples", "s.samples") " AS samples_sum, "
         THINNED_STEP("draw_ns", "s.draw_ns") "/1e9 AS draw_sum_s, "
         THINNED_STEP("batch_ns", "s.batch_ns") "/1e9 AS batch_sum_s " FROM_RUN("step", "s")),
    VIEW("reports", "run.name AS run, run.uid, r.* " FROM_RUN("report", "r") "WHERE r.epoch=-1"),

    /* A text, table, histogram, images or a file, as a line of a run log. */
    TABLE("value", "seq INTEGER NOT NULL, step INTEGER NOT NULL, wall_ns INTEGER NOT NULL, "
          "kind TEXT NOT NULL, name TEXT NOT NULL, line TEXT NOT NULL", "seq"),
    TABLE("alert", "seq INTEGER NOT NULL, step INTEGER NOT NULL, wall_ns INTEGER NOT NULL, "
          "level TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL", "seq"),
    TABLE("summary", "name TEXT NOT NULL, value", "name"),
    VIEW("texts", OF_VALUE ", json_extract(v.line,'$.text') AS text " FROM_VALUE
         "WHERE v.kind='text'"),
    VIEW("histograms", OF_VALUE
         ", c.key AS bin, json_extract(v.line,'$.edges['||c.key||']') AS low, "
         "json_extract(v.line,'$.edges['||(c.key+1)||']') AS high, c.value AS count " FROM_VALUE
         ", json_each(v.line,'$.counts') c WHERE v.kind='histogram'"),
    /* rows is NULL and file is set for a table that is too large for a line. */
    VIEW("tables", OF_VALUE ", json_array_length(v.line,'$.columns') AS columns, "
         "json_array_length(v.line,'$.rows') AS rows, " FILE_OF("v.line") " AS file " FROM_VALUE
         "WHERE v.kind='table'"),
    /* The columns first: for each of them, the line is parsed once. */
    VIEW("cells", OF_VALUE ", r.key AS row, json_extract(h.value,'$.name') AS \"column\", "
         "json_extract(r.value,'$['||h.key||']') AS value " FROM_VALUE
         "CROSS JOIN json_each(v.line,'$.columns') h CROSS JOIN json_each(v.line,'$.rows') r "
         "WHERE v.kind='table'"),
    VIEW("pictures", OF_VALUE ", p.key AS number, " FILE_OF("p.value") " AS file, "
         "json_extract(p.value,'$.format') AS format, json_extract(p.value,'$.width') AS width, "
         "json_extract(p.value,'$.height') AS height, "
         "json_extract(p.value,'$.caption') AS caption, "
         "json_extract(p.value,'$.sha256') AS sha256 " FROM_VALUE
         ", json_each(v.line,'$.pictures') p WHERE v.kind='pictures'"),
    VIEW("files", OF_VALUE ", " FILE_OF("v.line") " AS file, "
         "json_extract(v.line,'$.path') AS path, json_extract(v.line,'$.bytes') AS bytes, "
         "json_extract(v.line,'$.sha256') AS sha256, json_extract(v.line,'$.artifact') AS type, "
         "json_extract(v.line,'$.aliases') AS aliases " FROM_VALUE "WHERE v.kind='file'"),
    VIEW("alerts", "run.name AS run, run.uid, a.step, (a.wall_ns-run.started_ns)/1e9 AS seconds, "
         "a.level, a.title, a.text " FROM_RUN("alert", "a")),
    VIEW("summaries", "run.name AS run, run.uid, s.name, s.value " FROM_RUN("summary", "s")),
    NULL,
};
/* clang-format on */
