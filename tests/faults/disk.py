# SPDX-License-Identifier: MIT
"""Disks that are full, broken, gone: said once, counted, and of no concern to the loop and the other sinks."""
import os, re, resource, shutil, subprocess

import faults
from faults import row

STEPS = 4000


def undisturbed():
    """How many lines a log of so many steps has."""
    os.mkdir("undisturbed")
    faults.write_config(["runlog: { path: undisturbed/run.jsonl }"])
    status, _, said = faults.run_loop("steps=%d" % STEPS, "rate=4000", "fake=1")
    assert status == 0, said
    return len(faults.read_log("undisturbed/run.jsonl")[0])


def mounted(options, then):
    """The start of a command that has a tmpfs at ./disk; nobody else sees it, so what is there is copied at the end."""
    os.makedirs("disk", exist_ok=True)
    probe = subprocess.run(["unshare", "-Urm", "mount", "-t", "tmpfs", "none", "disk"], capture_output=True) \
        if shutil.which("unshare") else None
    if not probe or probe.returncode:
        raise faults.Skip("no file system can be mounted here (unshare -Urm)")
    script = 'mount -t tmpfs -o %s none disk && { %s; } && { "$@"; status=$?; cp -r disk/. . 2>/dev/null; exit $status; }'
    return ("unshare", "-Urm", "sh", "-c", script % (options, then), "sh")


def lost_lines(said):
    return sum(int(n) for n in re.findall(r"(\d+) lines? of \S+ lost", said))


def lost_records(said):
    return sum(int(n) for n in re.findall(r"(\d+) records? lost", said))


def judge(said, status, reason):
    """What is wrong with the reports of a broken disk: there must be one when it is seen, and one at the end."""
    wrong = []
    if status != 1:
        wrong.append("ended with %s" % faults.signal_name(status))
    if faults.sanitized(said) or said.count(reason) != 2:
        wrong.append("not reported exactly once and at the end")
    with open("report.csv") as file:
        if len(file.read().split("\n")) < 5:
            wrong.append("the other sink's file is short")
    return wrong


@row(8, short=1, full=10)
def disk_full(trials):
    """256 KiB are full after a second: what is in the log and what is said to be lost is all there was."""
    lines, passed, slowest, lost = undisturbed(), 0, 0, 0
    wrapper = mounted("size=256k", "true")
    for _ in range(trials):
        faults.write_config(["runlog: { path: disk/run.jsonl }", "csv: { path: report.csv }"])
        status, out, said = faults.run_loop("steps=%d" % STEPS, "rate=4000", "fake=1", wrapper=wrapper)
        wrong = judge(said, status, "No space left on device")
        there, torn = faults.read_log("run.jsonl")
        if torn or len(there) + lost_lines(said) != lines:
            wrong.append("%d lines there, %d lost, of %d" % (len(there), lost_lines(said), lines))
        passed += faults.tell("disk_full", wrong, said)
        slowest, lost = max(slowest, faults.slowest_ms(out)), lost_lines(said)
    return trials, passed, "%d of %d lines lost, all reported; slowest step %.2f ms" % (lost, lines, slowest)


@row(9, short=1, full=10)
def space_comes_back(trials):
    """The disk is full until the loop has gone on for a while: nothing is lost."""
    lines, passed = undisturbed(), 0
    wrapper = mounted("size=4m", "head -c 3900000 /dev/zero >disk/ballast")
    for _ in range(trials):
        faults.write_config(["runlog: { path: disk/run.jsonl }", "csv: { path: report.csv }"])
        process = faults.loop("steps=%d" % STEPS, "rate=4000", "fake=1", "pause=1200", wrapper=wrapper)
        while process.stdout.readline() not in (b"paused\n", b""):
            pass
        said = process.stderr.readline().decode()
        os.remove("/proc/%d/cwd/disk/ballast" % process.pid)
        status, out, more = faults.end_of(process, b"\n")
        wrong = judge(said + more, status, "No space left on device")
        there = len(faults.read_log("run.jsonl")[0])
        if there != lines or lost_lines(more):
            wrong.append("%d lines there of %d" % (there, lines))
        passed += faults.tell("space_comes_back", wrong, said + more)
    return trials, passed, "lines after recovery: all %d" % lines


@row(8, short=1, full=5)
def read_only(trials):
    """A file system that may not be written."""
    wrapper, passed = mounted("ro", "true"), 0
    for _ in range(trials):
        faults.write_config(["runlog: { path: disk/run.jsonl }", "csv: { path: report.csv }"])
        status, _, said = faults.run_loop("steps=100", wrapper=wrapper)
        passed += faults.tell("read_only", judge(said, status, "Read-only file system"), said)
    return trials, passed, "reported, the other sink complete"


@row(8, short=1, full=5)
def file_limit(trials):
    """RLIMIT_FSIZE: as a full disk, and no death by SIGXFSZ."""
    passed = 0
    for _ in range(trials):
        faults.write_config(["runlog: { path: run.jsonl }", "csv: { path: report.csv }"])
        status, _, said = faults.run_loop("steps=100", "fake=1", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (8192, resource.RLIM_INFINITY)))
        wrong = judge(said, status, "File too large")
        there, torn = faults.read_log("run.jsonl")
        if torn or not lost_lines(said):
            wrong.append("a torn line, or none lost")
        passed += faults.tell("file_limit", wrong, said)
    return trials, passed, "no torn line, the lost ones reported"


@row(8, short=3, full=0)
def writes_fail(trials):
    """EIO at every write from the n-th on, for each n; calls_fail has one at a time."""
    if "thread" in faults.SANITIZER or not os.path.exists(faults.SHIM):
        raise faults.Skip("there is no shim beneath the thread sanitizer")
    environment = {"LD_PRELOAD": faults.SHIM, "SHIM_LOG": "shim.log", "ASAN_OPTIONS": "verify_asan_link_order=0"}
    faults.write_config(["runlog: { path: run.jsonl }", "table: { path: table.txt, plain: true }"])
    tried, passed, n, whole = 0, 0, 0, None
    while n == 0 or not trials or tried < trials:
        environment["SHIM_FAIL"] = "write:%d:%d" % (max(n, 1), -1 if n else 0)
        status, _, said = faults.run_loop("steps=600", "fake=1", env=environment)
        there, torn = faults.read_log("run.jsonl")
        whole = whole or len(there)
        failed = any(line.startswith("failed") for line in open("shim.log"))
        if n and not failed:
            break
        if n:
            wrong = ["ended with %s" % status] if status != 1 or faults.sanitized(said) else []
            wrong += ["%d lines and %d lost, of %d" % (len(there), lost_lines(said), whole)] \
                if len(there) + lost_lines(said) != whole else []
            tried, passed = tried + 1, passed + faults.tell("writes_fail", wrong, said)
        n += 1
    return tried, passed, "of %d lines all there or reported as lost" % whole


@row(8, short=1, full=20)
def vanished_folder(trials):
    """The folder is removed while the loop runs: a message says that the log is gone, and the report is written again."""
    passed = 0
    for _ in range(trials):
        faults.write_config(["runlog: { path: there/run.jsonl }", "csv: { path: there/report.csv }"])
        process = faults.loop("steps=200", "fake=1", "pause=100")
        while process.stdout.readline() not in (b"paused\n", b""):
            pass
        faults.wait_until(lambda: os.path.exists("there/run.jsonl"), "the log")
        shutil.rmtree("there")
        status, _, said = faults.end_of(process, b"\n")
        wrong = ["ended with %s" % status] if status != 1 or faults.sanitized(said) else []
        wrong += ["not reported"] if "was removed" not in said or lost_lines(said) < 200 else []
        wrong += ["no report"] if not os.path.exists("there/report.csv") else []
        passed += faults.tell("vanished_folder", wrong, said)
        shutil.rmtree("there", ignore_errors=True)
    return trials, passed, "reported with the lines lost"


@row(24, short=1, full=20)
def stdouts(trials):
    """A closed stdout, and one that is a pipe which nobody reads: reported, and no death by SIGPIPE."""
    passed = 0
    for _ in range(trials):
        faults.write_config(["table: { plain: true }", 'runlog: { path: "-" }', "csv: { path: report.csv }"])
        for closed in (True, False):
            reader, writer = os.pipe()
            os.close(reader)
            process = faults.loop("steps=100", "quiet=1", stdout=writer, preexec_fn=(lambda: os.close(1)) if closed else None)
            os.close(writer)
            status, _, said = faults.end_of(process)
            reason = "Bad file descriptor" if closed else "Broken pipe"
            wrong = ["ended with %s" % faults.signal_name(status)] if status != 1 or faults.sanitized(said) else []
            wrong += [] if reason in said and os.path.exists("report.csv") else ["not reported, or no report.csv"]
            passed += faults.tell("stdouts", wrong, said)
    return 2 * trials, passed, "no SIGPIPE"
