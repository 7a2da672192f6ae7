# SPDX-License-Identifier: MIT
"""Databases of the sink sqlite that are locked, deleted, on full disks, or whose program is killed: each row is there once."""
import contextlib, glob, os, random, shutil, signal, sqlite3, time

import disk, faults
from faults import row

LAYOUTS = ("stepwatch", "trackio")
RATE = 400


def configure(layout, folder=".", more=()):
    """Where the database will be; the run log beside it says what was logged."""
    faults.require_sinks("sqlite")
    if layout == "stepwatch":
        faults.write_config(["sqlite: { path: %s/own.db }" % folder, "runlog: { path: run.jsonl }", *more])
        return "own.db"
    faults.write_config(["sqlite: { layout: trackio, project: p }", "runlog: { path: run.jsonl }", *more])
    return "p.db"


def trackio_in(folder):
    return {"TRACKIO_DIR": os.path.abspath(folder)}


QUERIES = {"stepwatch": "SELECT step, value FROM metrics WHERE metric='train/loss' ORDER BY step",
           "trackio": "SELECT step, json_extract(metrics, '$.\"train/loss\"') FROM metrics "
                      "WHERE json_extract(metrics, '$.\"train/loss\"') NOT NULL ORDER BY step"}


def losses(path, layout, wrong):
    """The values that the database has, by step: the loop logs 1 / (step + 1)."""
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=10)) as db:
            if db.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                wrong.append("the database is damaged")
            found = db.execute(QUERIES[layout]).fetchall()
    except sqlite3.Error as error:
        wrong.append("%s: %s" % (path, error))
        return []
    if any(value != 1.0 / (step + 1) for step, value in found) or len({step for step, _ in found}) != len(found):
        wrong.append("rows that are wrong or doubled")
    return [step for step, _ in found]


def logged():
    """How many values the run log has."""
    lines, _ = faults.read_log("run.jsonl")
    return sum(line["type"] == "metric" and line["name"] == "train/loss" for line in lines)


def clear():
    for path in glob.glob("*.db*") + glob.glob("*.lock") + ["run.jsonl"]:
        shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.remove(path)


# ---- kills -------------------------------------------------------------------------------------------

@row(5, short=2, full=100)
def sqlite_killed(trials):
    """SIGKILL at a random time: the file is whole, and has all rows but those of the last second."""
    passed, most = 0, 0
    for trial in range(trials):
        clear()
        layout, wrong = LAYOUTS[trial % 2], []
        path = configure(layout)
        process = faults.loop("steps=100000", "rate=%d" % RATE, "stamps=stamps", env=trackio_in("."))
        faults.first_line(process)
        time.sleep(1.3 + random.uniform(0, 1.2))
        process.send_signal(signal.SIGKILL)
        faults.end_of(process)
        done = len(faults.read_stamps("stamps"))
        steps = losses(path, layout, wrong)
        lost = done - len(steps)
        if steps != list(range(len(steps))):
            wrong.append("rows that are missing between others")
        if not steps or lost > 3 * RATE:  # twice of it on a machine that does much else
            wrong.append("%d of %d rows lost" % (lost, done))
        passed, most = passed + faults.tell("sqlite_killed " + layout, wrong, ""), max(most, lost)
    return trials, passed, "rows lost at %d a second: at most %d; damaged or doubled: 0" % (RATE, most)


# ---- locks -------------------------------------------------------------------------------------------

def p999_ms(path):
    gaps = sorted(faults.read_stamps(path))
    return gaps[len(gaps) * 999 // 1000] / 1e6


@row(15, short=1, full=4)
def sqlite_locked(trials):
    """Another program holds a transaction in the middle of the run: the loop goes on, and all rows get in."""
    passed, slower = 0, []
    held = 10 if trials > 1 else 1
    steps = RATE * (held + 2)
    for trial in range(trials):
        clear()
        layout, wrong = LAYOUTS[trial % 2], []
        faults.write_config(["runlog: { path: run.jsonl }"])
        faults.run_loop("steps=%d" % steps, "rate=%d" % RATE, "times=alone")
        os.remove("run.jsonl")
        path = configure(layout)
        process = faults.loop("steps=%d" % steps, "rate=%d" % RATE, "times=times", "pause=%d" % (RATE // 2), env=trackio_in("."))
        while process.stdout.readline() not in (b"paused\n", b""):
            pass
        faults.wait_until(lambda: len(losses(path, layout, [])) > 0, "the first rows")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        process.stdin.write(b"\n")
        process.stdin.flush()
        time.sleep(held)
        other.rollback()
        other.close()
        status, _, said = faults.end_of(process)
        found = losses(path, layout, wrong)
        if found != list(range(steps)) or status:
            wrong.append("%d of %d rows, ended with %s" % (len(found), steps, status))
        slower.append(p999_ms("times") - p999_ms("alone"))
        if trials > 1 and slower[-1] > 10:
            wrong.append("p99.9 of a step is %.3f ms more" % slower[-1])
        passed += faults.tell("sqlite_locked " + layout, wrong, said)
    return trials, passed, "locked for %d s: rows lost 0 of %d; p99.9 of a step at most %.3f ms more" % (held, steps, max(slower))


@row(20, short=1, full=4)
def sqlite_writers(trials):
    """Many programs write to one database: none starves, and each row is there."""
    writers, steps, passed = 24 if trials == 1 else 128, 2 * RATE, 0
    for trial in range(trials):
        clear()
        wrong = []
        path = configure("stepwatch")
        faults.write_config(["sqlite: { path: own.db }"])
        processes = [faults.loop("steps=%d" % steps, "rate=%d" % RATE) for _ in range(writers)]
        ended = [faults.end_of(process) for process in processes]
        wrong += ["ended with %s" % status for status, _, _ in ended if status]
        with contextlib.closing(sqlite3.connect(path, timeout=10)) as db:
            rows = db.execute("SELECT count(*) FROM metrics WHERE metric='train/loss'").fetchone()[0]
        if rows != writers * steps:
            wrong.append("%d of %d rows" % (rows, writers * steps))
        passed += faults.tell("sqlite_writers", wrong, "".join(said for _, _, said in ended))
    return trials, passed, "%d programs, %d steps a second each: rows lost 0 of %d" % (writers, RATE, writers * steps)


# ---- disks -------------------------------------------------------------------------------------------

@row(9, short=1, full=10)
def sqlite_space(trials):
    """The disk is full until the loop has gone on for a while: said once, and no row is lost."""
    passed, steps = 0, 4000
    wrapper = disk.mounted("size=4m", "head -c 3900000 /dev/zero >disk/ballast")
    for trial in range(trials):
        clear()
        layout, wrong = LAYOUTS[trial % 2], []
        path = configure(layout, "disk")
        process = faults.loop("steps=%d" % steps, "rate=2000", "pause=2500", wrapper=wrapper, env=trackio_in("disk"))
        while process.stdout.readline() not in (b"paused\n", b""):
            pass
        said = process.stderr.readline().decode()
        os.remove("/proc/%d/cwd/disk/ballast" % process.pid)
        status, _, more = faults.end_of(process, b"\n")
        found = losses(path, layout, wrong)
        if said.count("up to 4 MiB of rows are kept") != 1:
            wrong.append("not reported once")
        if found != list(range(steps)) or status:
            wrong.append("%d of %d rows, ended with %s" % (len(found), steps, status))
        passed += faults.tell("sqlite_space " + layout, wrong, said + more)
    return trials, passed, "rows lost after the disk had space again: 0 of %d" % steps


# ---- deleted -----------------------------------------------------------------------------------------

@row(8, short=1, full=40)
def sqlite_deleted(trials):
    """The database is deleted during the run, half of the time with its log: said once, and a new one has all rows since."""
    passed, steps = 0, RATE
    for trial in range(trials):
        clear()
        layout, wrong = LAYOUTS[trial % 2], []
        path = configure(layout)
        process = faults.loop("steps=%d" % steps, "rate=%d" % RATE, "pause=%d" % (steps // 2), env=trackio_in("."))
        while process.stdout.readline() not in (b"paused\n", b""):
            pass
        faults.wait_until(lambda: len(losses(path, layout, [])) == steps // 2, "the first half")
        for name in [path, path + "-wal", path + "-shm"][:random.choice((1, 3))]:
            os.remove(name)
        status, _, said = faults.end_of(process, b"\n")
        found = losses(path, layout, wrong)
        if found != list(range(steps // 2, steps)) or status != 0:
            wrong.append("%d rows since, of %d, ended with %s" % (len(found), steps // 2, status))
        if said.count("was deleted during the run") != 1:
            wrong.append("not reported once")
        passed += faults.tell("sqlite_deleted " + layout, wrong, said)
    return trials, passed, "rows lost after it was deleted: 0 of %d" % (steps // 2)
