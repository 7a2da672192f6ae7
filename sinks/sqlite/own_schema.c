/* SPDX-License-Identifier: MIT */
#include "sinks/sqlite/own_schema.h"

#include <stddef.h>

/* The first columns of the view of a kind of values. */
#define OF_VALUE                                                                                   \
    "run.name AS run, run.uid, v.name, v.step, (v.wall_ns-run.started_ns)/1e9 AS seconds"

/* A file of a run is in a folder beside the database, and there in a folder of the run. NULL if
 * there is none. */
#define FILE_OF(json) "run.uid||'/'||json_extract(" json ",'$.file')"

/* All of it can be executed for a database that has a part of it: databases of older releases lack
 * the tables of values. */
const char *const swi_own_schema[] = {
    /* A run was killed if it has no ended_ns and an old alive_ns, the time of its newest
     * transaction. */
    "CREATE TABLE IF NOT EXISTS run(id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, name TEXT "
    "NOT NULL, "
    "program TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, "
    "rank INTEGER NOT NULL DEFAULT 0, stepwatch TEXT NOT NULL, mode TEXT NOT NULL, "
    "started_ns INTEGER NOT NULL, ended_ns INTEGER, exit_status INTEGER, signal INTEGER, "
    "interrupted INTEGER, alive_ns INTEGER NOT NULL)",
    /* A value is an integer, a real or a text. */
    "CREATE TABLE IF NOT EXISTS config(run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, "
    "name TEXT NOT NULL, value, PRIMARY KEY(run, name)) WITHOUT ROWID",
    /* raw: the bytes of a name that is not UTF-8. */
    "CREATE TABLE IF NOT EXISTS name(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, raw BLOB)",
    /* A NaN has no value and special 1; infinities have special 2 and 3. */
    "CREATE TABLE IF NOT EXISTS metric(run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, "
    "name INTEGER NOT NULL, step INTEGER NOT NULL, seq INTEGER NOT NULL, "
    "wall_ns INTEGER NOT NULL, value REAL, special INTEGER NOT NULL DEFAULT 0, "
    "by_profiler INTEGER NOT NULL, PRIMARY KEY(run, name, step, seq)) WITHOUT ROWID",
    /* A cancelled step has no samples. */
    "CREATE TABLE IF NOT EXISTS step(run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, "
    "seq INTEGER NOT NULL, step INTEGER NOT NULL, epoch INTEGER NOT NULL, phase TEXT NOT NULL, "
    "samples INTEGER, wall_ns INTEGER NOT NULL, draw_ns INTEGER, batch_ns INTEGER, "
    "PRIMARY KEY(run, seq)) WITHOUT ROWID",
    /* epoch is -1 for the report at the end of the fit. */
    "CREATE TABLE IF NOT EXISTS report(run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, "
    "fit INTEGER NOT NULL, epoch INTEGER NOT NULL, phase TEXT NOT NULL, action TEXT NOT NULL, "
    "calls INTEGER NOT NULL, mean_s REAL, std_s REAL, total_s REAL, self_s REAL, min_s REAL, "
    "max_s REAL, p50_s REAL, p95_s REAL, p99_s REAL, share REAL, samples_per_s REAL, "
    "PRIMARY KEY(run, fit, epoch, phase, action)) WITHOUT ROWID",
    "CREATE VIEW IF NOT EXISTS runs AS SELECT uid, name, program, host, rank, "
    "datetime(started_ns/1000000000,'unixepoch') AS started, "
    "(coalesce(ended_ns, alive_ns)-started_ns)/1e9 AS seconds, "
    "CASE WHEN ended_ns IS NULL THEN "
    "CASE WHEN alive_ns < (julianday('now')-2440587.5)*86400e9-60e9 THEN 'killed' "
    "ELSE 'running' END "
    "WHEN signal THEN 'signal '||signal WHEN exit_status THEN 'failed' ELSE 'finished' END "
    "AS state FROM run",
    "CREATE VIEW IF NOT EXISTS metrics AS SELECT run.name AS run, run.uid, n.name AS metric, "
    "m.step, "
    "(m.wall_ns-run.started_ns)/1e9 AS seconds, "
    "CASE m.special WHEN 2 THEN 9e999 WHEN 3 THEN -9e999 ELSE m.value END AS value, "
    "m.special=1 AS is_nan FROM metric m JOIN run ON run.id=m.run JOIN name n ON n.id=m.name",
    "CREATE VIEW IF NOT EXISTS latest AS SELECT run, uid, metric, max(step) AS step, value, is_nan "
    "FROM metrics "
    "GROUP BY uid, metric",
    "CREATE VIEW IF NOT EXISTS steps AS SELECT run.name AS run, run.uid, s.step, s.epoch, s.phase, "
    "s.samples, "
    "(s.wall_ns-run.started_ns)/1e9 AS seconds, s.draw_ns/1e9 AS draw_s, "
    "s.batch_ns/1e9 AS batch_s FROM step s JOIN run ON run.id=s.run",
    "CREATE VIEW IF NOT EXISTS reports AS SELECT run.name AS run, run.uid, r.* FROM report r "
    "JOIN run ON run.id=r.run WHERE r.epoch=-1",

    /* A text, table, histogram, images or a file, as a line of a run log. */
    "CREATE TABLE IF NOT EXISTS value(run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, "
    "seq INTEGER NOT NULL, step INTEGER NOT NULL, wall_ns INTEGER NOT NULL, kind TEXT NOT NULL, "
    "name TEXT NOT NULL, line TEXT NOT NULL, PRIMARY KEY(run, seq)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS alert(run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, "
    "seq INTEGER NOT NULL, step INTEGER NOT NULL, wall_ns INTEGER NOT NULL, level TEXT NOT NULL, "
    "title TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY(run, seq)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS summary(run INTEGER NOT NULL REFERENCES run(id) "
    "ON DELETE CASCADE, name TEXT NOT NULL, value, PRIMARY KEY(run, name)) WITHOUT ROWID",
    "CREATE VIEW IF NOT EXISTS texts AS SELECT " OF_VALUE ", json_extract(v.line,'$.text') AS text "
    "FROM value v JOIN run ON run.id=v.run WHERE v.kind='text'",
    "CREATE VIEW IF NOT EXISTS histograms AS SELECT " OF_VALUE ", c.key AS bin, "
    "json_extract(v.line,'$.edges['||c.key||']') AS low, "
    "json_extract(v.line,'$.edges['||(c.key+1)||']') AS high, c.value AS count "
    "FROM value v JOIN run ON run.id=v.run, json_each(v.line,'$.counts') c "
    "WHERE v.kind='histogram'",
    /* rows is NULL and file is set for a table that is too large for a line. */
    "CREATE VIEW IF NOT EXISTS tables AS SELECT " OF_VALUE ", "
    "json_array_length(v.line,'$.columns') AS columns, json_array_length(v.line,'$.rows') AS "
    "rows, " FILE_OF(
        "v.line") " AS file FROM value v JOIN run ON run.id=v.run WHERE v.kind='table'",
    /* The columns first: for each of them, the line is parsed once. */
    "CREATE VIEW IF NOT EXISTS cells AS SELECT " OF_VALUE ", r.key AS row, "
    "json_extract(h.value,'$.name') AS \"column\", json_extract(r.value,'$['||h.key||']') AS value "
    "FROM value v JOIN run ON run.id=v.run CROSS JOIN json_each(v.line,'$.columns') h "
    "CROSS JOIN json_each(v.line,'$.rows') r WHERE v.kind='table'",
    "CREATE VIEW IF NOT EXISTS pictures AS SELECT " OF_VALUE ", p.key AS number, " FILE_OF(
        "p.value") " AS file, json_extract(p.value,'$.format') AS format, "
                   "json_extract(p.value,'$.width') AS width, json_extract(p.value,'$.height') AS "
                   "height, "
                   "json_extract(p.value,'$.caption') AS caption, json_extract(p.value,'$.sha256') "
                   "AS sha256 "
                   "FROM value v JOIN run ON run.id=v.run, json_each(v.line,'$.pictures') p "
                   "WHERE v.kind='pictures'",
    "CREATE VIEW IF NOT EXISTS files AS SELECT " OF_VALUE ", " FILE_OF(
        "v.line") " AS file, "
                  "json_extract(v.line,'$.path') AS path, json_extract(v.line,'$.bytes') AS bytes, "
                  "json_extract(v.line,'$.sha256') AS sha256, json_extract(v.line,'$.artifact') AS "
                  "type, "
                  "json_extract(v.line,'$.aliases') AS aliases "
                  "FROM value v JOIN run ON run.id=v.run WHERE v.kind='file'",
    "CREATE VIEW IF NOT EXISTS alerts AS SELECT run.name AS run, run.uid, a.step, "
    "(a.wall_ns-run.started_ns)/1e9 AS seconds, a.level, a.title, a.text "
    "FROM alert a JOIN run ON run.id=a.run",
    "CREATE VIEW IF NOT EXISTS summaries AS SELECT run.name AS run, run.uid, s.name, s.value "
    "FROM summary s JOIN run ON run.id=s.run",
    NULL,
};
