# SPDX-License-Identifier: MIT
"""Clocks that are set while the loop runs: durations and stamps are as if nobody had touched them."""
import glob, os

import faults, readers
from ends import SINKS
from faults import row
from many import crowd, judge

HOUR_NS = 3600 * 10**9
FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1") + glob.glob("/usr/lib*/faketime/libfaketimeMT.so.1")


def durations(lines):
    for line in lines:
        for value in line["durations"].values() if line["type"] == "step" else ():
            yield from value if isinstance(value, list) else [value]


@row(19, short=1, full=5)
def clock_jumps(trials):
    """A clock that jumps an hour forth and back: no negative duration."""
    passed = 0
    for _ in range(trials):
        status, said, lines = crowd("clock", 1000)
        negative = [ns for ns in durations(lines) if ns < 0]
        passed += judge("clock", status, said, lines, ("negative durations", not negative))
    return trials, passed, "negative durations: 0"


# ---- the clock of the day ------------------------------------------------------------------------

ALL_SINKS = SINKS + ["tensorboard: { logdir: runs, run: here }", "wandb: { mode: offline, dir: there }"]


def begin():
    faults.require_sinks("tensorboard", "wandb")
    faults.empty_folder()
    os.mkdir("there")
    faults.write_config(ALL_SINKS)


def back(stamps):
    """How often a stamp is more than a second before the one before it: a sink may write values of one step apart."""
    return sum(b < a - 1 for a, b in zip(stamps, stamps[1:]))


def judge_stamps(what, status, said, steps):
    lines = faults.read_log("run.jsonl")[0]
    rows = list(readers.rows(glob.glob("there/wandb/*-run-*/*.wandb")[0]))
    wrong = ["ended with %s" % faults.signal_name(status)] if status or faults.sanitized(said) else []
    wrong += ["%d steps" % faults.steps_of(lines)] if faults.steps_of(lines) != steps else []
    wrong += ["a duration of %d ns" % ns for ns in durations(lines) if not 0 <= ns < HOUR_NS]
    for where, stamps in (("log", [line["t"] / 1e9 for line in lines if line["type"] == "step"]),
                          ("event file", readers.stamps(glob.glob("runs/here/*")[0])),
                          ("wandb", [r["_timestamp"] for r in rows]), ("wandb's run time", [r["_runtime"] for r in rows])):
        wrong += ["%s: %d stamps, %d go back" % (where, len(stamps), back(stamps))] if back(stamps) or len(stamps) < steps else []
    return faults.tell(what, wrong, said)


@row(19, short=1, full=20)
def day_jumps(trials):
    """The clock of the day is set an hour forth and back, at each seventh look at it."""
    if "thread" in faults.SANITIZER or not os.path.exists(faults.SHIM):
        raise faults.Skip("there is no shim beneath the thread sanitizer")
    passed = 0
    for trial in range(trials):
        begin()
        jump = (3600, -3600)[trial % 2]
        status, _, said = faults.run_loop("steps=300", env={
            "LD_PRELOAD": faults.SHIM, "SHIM_CLOCK": str(jump), "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"})
        passed += judge_stamps("%d s" % jump, status, said, 300)
    return trials, passed, "durations below 0 or above an hour: 0; stamps that go back: 0"


def day(offset):
    with open("day.new", "w") as file:
        file.write(offset)
    os.replace("day.new", "day")


@row(19, short=1, full=20)
def faked_day(trials):
    """The same by libfaketime, in the middle of a run and of a step."""
    if not FAKETIME:
        raise faults.Skip("there is no libfaketime")
    if faults.SANITIZER:
        raise faults.Skip("libfaketime and a sanitizer do not go together")
    passed = 0
    for trial in range(trials):
        begin()
        day("+0")
        process = faults.loop("steps=300", "pause=150", env={
            "LD_PRELOAD": FAKETIME[0], "FAKETIME_TIMESTAMP_FILE": os.path.abspath("day"), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_FORCE_MONOTONIC_FIX": "0"})
        while process.stdout.readline() not in (b"paused\n", b""):
            pass
        day(("+1h", "-1h")[trial % 2])
        status, _, said = faults.end_of(process, b"\n")
        passed += judge_stamps("libfaketime", status, said, 300)
    return trials, passed, "durations below 0 or above an hour: 0; stamps that go back: 0"
