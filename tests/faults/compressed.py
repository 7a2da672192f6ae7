# SPDX-License-Identifier: MIT
"""Run logs that are compressed: killed, cut off and damaged within a frame, on a full disk, and larger than they look."""
import gzip, os, random, subprocess, time

import disk, ends, faults, inputs
from faults import row

LOG = "runlog: { path: run.jsonl, compress: %s, detail: %s }"
FORMATS = ("gzip", "zstd") if faults.zstd() else ("gzip",)
STEPS = 4000


def log(trial, detail="steps"):
    """Formats take turns."""
    return LOG % (FORMATS[trial % len(FORMATS)], detail)


@row(5, short=4, full=100)
def sigkill_compressed(trials):
    """SIGKILL within a frame: what was flushed can be read, at most a second is missing, the report is made again."""
    results = []
    for first in range(0, trials, 8):
        numbers = range(first, min(first + 8, trials))
        killed = ends.kill_all([ends.start(n, [log(n)]) for n in numbers])
        results += [ends.examine(n, ns) for n, ns in zip(numbers, killed)]
    limit = 1.1 if trials >= 100 else 60
    passed = sum(faults.tell("sigkill_compressed", [r.problem] if r.problem else [], "") and r.seconds <= limit for r in results)
    return trials, passed, "lost at most %.2f s; torn logs %d" % (max(r.seconds for r in results), sum(r.torn for r in results))


@row(9, short=2, full=20)
def copytruncate_compressed(trials):
    """Copied and cut off three times while it is written: what is left can be read, and all of it in a row."""
    passed, steps = 0, 0
    for i in range(trials):
        faults.empty_folder()
        faults.write_config([log(i, ("steps", "regions")[i // 2 % 2])])
        process = faults.loop("steps=6000", "rate=4000")
        faults.first_line(process)
        copies = b""
        for _ in range(3):
            time.sleep(random.uniform(0.3, 0.4))
            with open("run.jsonl", "r+b") as file:
                copies += file.read()
                file.truncate(0)
        status, _, said = faults.end_of(process)
        wrong = ["ended with %s" % status] if status else []
        with open("run.jsonl", "rb") as file, open("all.gz", "wb") as both:
            both.write(copies + file.read())
        for path in ("run.jsonl", "all.gz"):
            status, document, told = faults.report_of(path)
            run = document["runs"][0] if document and document["runs"] else None
            damaged = run["log"]["damaged"] if run else -1
            wrong += ["%s: status %s, damaged: %d: %s" % (path, status, damaged, told)] if status or damaged else []
        steps = run["reports"][0]["steps"] if run and run["reports"] else 0
        passed += faults.tell("copytruncate_compressed", wrong, said)
    return trials, passed, "damaged frames: %s; steps in the last: %d" % ("0" if passed == trials else "some", steps)


def lines_of(path):
    return len(faults.read_log(path)[0])


@row(8, short=2, full=10)
def disk_full_compressed(trials):
    """24 KiB are full after a second: what is in the log and what is said to be lost is all there was."""
    passed, lost = 0, 0
    faults.write_config([log(0)])
    faults.run_loop("steps=%d" % STEPS, "rate=4000", "fake=1")
    lines = lines_of("run.jsonl")
    wrapper = disk.mounted("size=24k", "true")
    for i in range(trials):
        faults.write_config([log(i).replace("run.jsonl", "disk/run.jsonl"), "csv: { path: report.csv }"])
        status, _, said = faults.run_loop("steps=%d" % STEPS, "rate=4000", "fake=1", wrapper=wrapper)
        wrong = disk.judge(said, status, "No space left on device")
        lost = disk.lost_records(said)
        there = lines_of("run.jsonl")
        if there + lost != lines or not lost:
            wrong.append("%d lines there, %d lost, of %d" % (there, lost, lines))
        passed += faults.tell("disk_full_compressed", wrong, said)
    return trials, passed, "%d of %d lines lost, all reported" % (lost, lines)


@row(9, short=2, full=10)
def space_comes_back_compressed(trials):
    """The disk is full until the loop has gone on for a while: nothing is lost, and no frame is torn."""
    passed = 0
    faults.write_config([log(0)])
    faults.run_loop("steps=%d" % STEPS, "rate=4000", "fake=1")
    lines = lines_of("run.jsonl")
    wrapper = disk.mounted("size=4m", "head -c 4180000 /dev/zero >disk/ballast")
    for i in range(trials):
        faults.write_config([log(i).replace("run.jsonl", "disk/run.jsonl"), "csv: { path: report.csv }"])
        process = faults.loop("steps=%d" % STEPS, "rate=4000", "fake=1", "pause=2000", wrapper=wrapper)
        while process.stdout.readline() not in (b"paused\n", b""):
            pass
        said = process.stderr.readline().decode()
        os.remove("/proc/%d/cwd/disk/ballast" % process.pid)
        status, _, more = faults.end_of(process, b"\n")
        wrong = disk.judge(said + more, status, "No space left on device")
        if lines_of("run.jsonl") != lines or disk.lost_records(more):
            wrong.append("%d lines there of %d" % (lines_of("run.jsonl"), lines))
        if faults.report_of("run.jsonl")[1]["runs"][0]["log"]["damaged"]:
            wrong.append("damaged")
        passed += faults.tell("space_comes_back_compressed", wrong, said + more)
    return trials, passed, "lines after recovery: all %d" % lines


READERS = ["report --json", "explain", "watch --once", "watch --once --tail", "runs", "merge", "export -o t.json"]


@row(13, short=12, full=300)
def damaged_compressed(trials):
    """A bit, 64 bytes or the end of a frame is lost: every command reads the other frames, and crashes at none."""
    faults.empty_folder()
    logs = []
    for i in range(len(FORMATS)):
        faults.write_config([log(i)])
        faults.run_loop("steps=%d" % (2 * STEPS), "rate=8000", "fake=1")
        with open("run.jsonl", "rb") as file:
            logs.append(file.read())
    passed, fewest = 0, 2 * STEPS
    for trial in range(trials):
        data = logs[trial // 3 % len(logs)]
        frames = data.count(b"SW\0\0")
        damage = (inputs.flipped, inputs.zeroed, inputs.cut)[trial % 3]
        with open("damaged.jsonl.packed", "wb") as file:
            file.write(damage(data, 1, len(data)))
        status, document, said = faults.report_of("damaged.jsonl.packed")
        run = document["runs"][0] if document and document["runs"] else None
        steps = run["reports"][0]["steps"] if run and run["reports"] else 0
        # Without the first frame, there is no run.
        wrong = [] if status == 0 or (status == 1 and "is it a run log?" in said) else ["ended with %s" % status]
        whole = status == 0 and damage != inputs.cut
        wrong += ["%d steps" % steps] if whole and steps < 2 * STEPS * (1 - 2.2 / frames) else []
        wrong += ["a sanitizer spoke"] if faults.sanitized(said) else []
        reader = READERS[trial % len(READERS)]
        ended, _, told = inputs.command(*reader.split(), "damaged.jsonl.packed")
        wrong += ["%s ended with %s" % (reader, ended)] if ended not in (0, 1) or faults.sanitized(told) else []
        fewest = min(fewest, steps) if whole else fewest
        passed += faults.tell(damage.__name__, wrong, said + told)
    return trials, passed, "found at least %d of %d steps in %d frames" % (fewest, 2 * STEPS, frames)


def most_mib(*arguments):
    """(exit status, most memory) of the command."""
    process = subprocess.Popen([faults.COMMAND, *arguments], env=faults.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024


@row(13, short=2, full=6)
def compressed_bombs(trials):
    """A log of 1.3 MB (zstd: 60 kB) with a line of 1 GiB, half of it in few trials: no command takes memory for it all."""
    passed, most, limit = 0, 0, 1200 if faults.SANITIZER else 256
    faults.empty_folder()
    bombs = []
    for i, pack in enumerate((gzip.compress, faults.zstd_frame)[:len(FORMATS)]):
        faults.write_config([log(i)])
        faults.run_loop("steps=100", "fake=1")
        with open("run.jsonl", "rb") as file:
            whole = file.read()
        bombs.append("bomb%d.jsonl.packed" % i)
        with open(bombs[i], "wb") as file:
            file.write(whole + (64 if trials > 2 else 32) * pack(b"x" * (16 << 20)) + pack(b"\n") + whole)
    for trial in range(trials):
        wrong = []
        for reader in READERS:
            status, mib = most_mib(*reader.split(), bombs[trial % len(bombs)])
            most = max(most, mib)
            wrong += ["%s: status %d, %.0f MiB" % (reader, status, mib)] if status not in (0, 1) or mib > limit else []
        passed += faults.tell("compressed_bombs", wrong, "")
    return trials, passed, "most %.0f MiB" % most
