# SPDX-License-Identifier: MIT
"""Clocks that are set while the loop runs: durations and stamps are as if nobody had touched them."""
import glob, mmap, os, platform, struct, time

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


# ---- the counter and the kernel's monotonic clock ------------------------------------------------

class Moved:
    """The file by which the shim moves both clocks: struct moved of shim.c."""
    FIELDS = ("kernel_ns", "frozen_ns", "counter_ticks", "counter_is")

    def __init__(self, path):
        with open(path, "wb") as file:
            file.write(bytes(32))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 32)

    def set(self, field, value):
        struct.pack_into("=q", self.memory, 8 * self.FIELDS.index(field), value)

    def get(self, field):
        return struct.unpack_from("=q", self.memory, 8 * self.FIELDS.index(field))[0]


def stand_still(moved):
    """A suspend as the program sees it: the counter runs on, CLOCK_MONOTONIC does not."""
    # A suspend stops all threads at once; here, one that is still folding could look at both clocks in between.
    time.sleep(0.3)
    frozen = time.monotonic_ns() + moved.get("kernel_ns")
    moved.set("frozen_ns", frozen)
    time.sleep(1.5)
    # It is a little later when it wakes.
    moved.set("kernel_ns", frozen + 1000000 - time.monotonic_ns())
    moved.set("frozen_ns", 0)


def kernel_on(seconds):
    return lambda moved: moved.set("kernel_ns", seconds * 10**9)


def counter_on(seconds):
    """Of a counter of 1 to 5 GHz; what matters is that it is more than was run."""
    return lambda moved: moved.set("counter_ticks", seconds * 2 * 10**9)


MOVES = [("the counter stopped for 60 s", kernel_on(60)), ("the counter stopped for 3600 s", kernel_on(3600)),
         ("suspended", stand_still), ("the counter ran on for 60 s", counter_on(60)),
         ("the counter ran on for 3600 s", counter_on(3600)), ("the counter went back by 60 s", counter_on(-60)),
         ("the counter was set to 0", lambda moved: moved.set("counter_is", 1)), ("nothing", lambda moved: None)]
WORK_NS = 1000000


def step_ns(line):
    return sum(sum(value) if isinstance(value, list) else value
               for name, value in line["durations"].items() if name in ("draw", "batch"))


def judge_moved(what, status, out, said, lines, times, inside):
    """times: what each step took by the kernel's clock, as the program saw it."""
    steps = [line for line in lines if line["type"] == "step"]
    stamps = [line["t"] for line in lines if "t" in line]
    fit = [float(report["fit_ns"]) for report in faults.reports(lines)]
    lasted = faults.nanoseconds("lasted", out)
    wrong = ["ended with %s" % faults.signal_name(status)] if status or faults.sanitized(said) else []
    wrong += ["%d steps of %d" % (len(steps), len(times))] if len(steps) != len(times) else []
    for number, (line, took) in enumerate(zip(steps, times)):
        ns = step_ns(line)
        # Of a step that a stopped counter slept through nobody knows that it did.
        if not WORK_NS * 0.99 <= ns <= took * 1.01 + 100000 and not (inside and number == len(times) // 2 and "stopped" in what):
            wrong.append("step %d: %d ns, and it took %d" % (number, ns, took))
    wrong += ["%d stamps go back" % sum(b < a for a, b in zip(stamps, stamps[1:]))] if sorted(stamps) != stamps else []
    wrong += ["fit %s ns, and it took %.0f" % (fit, lasted)] if len(fit) != 1 or abs(fit[0] - lasted) > 0.02 * lasted + 1e8 else []
    return faults.tell("%s%s" % (what, ", within a step" if inside else ""), wrong[:5], said)


def run_moved(move, inside, sinks=("runlog: { path: run.jsonl, detail: steps }",)):
    faults.empty_folder()
    faults.write_config(sinks, ", signals: false")
    moved = Moved("time")
    process = faults.loop("steps=100", "pause=50", "inside=%d" % bool(inside), "work=%d" % WORK_NS, "times=times", env={
        "LD_PRELOAD": faults.SHIM, "SHIM_TIME": os.path.abspath("time"), "SHIM_COUNTER": "1", "STEPWATCH_CLOCK": "counter"})
    while process.stdout.readline() not in (b"paused\n", b""):
        pass
    move(moved)
    status, out, said = faults.end_of(process, b"\n")
    with open("times", "rb") as file:
        times = [ns for (ns,) in struct.iter_unpack("=q", file.read())]
    return status, out, said, faults.read_log("run.jsonl")[0], times


@row(19, short=8, full=64)
def moved_clocks(trials):
    """The counter and CLOCK_MONOTONIC go apart by 60 s, by an hour, or the counter is set, within a step and between two."""
    if faults.SANITIZER or platform.machine() != "x86_64" or not os.path.exists(faults.SHIM):
        raise faults.Skip("the counter can be moved on x86_64 only, without a sanitizer")
    passed = 0
    for trial in range(trials):
        what, move = MOVES[trial % len(MOVES)]
        inside = trial // len(MOVES) % 2 == (trial % 2)
        passed += judge_moved(what, *run_moved(move, inside), inside)
    return trials, passed, "durations that are wrong: 0; stamps that go back: 0"


# ---- clocks that cannot be trusted at all --------------------------------------------------------

def run_odd(how, arguments=(), env=()):
    """All sinks under a clock that is odd from the start: (status, what was said, lines)."""
    faults.empty_folder()
    os.mkdir("there")
    faults.write_config(ALL_SINKS)
    moved = Moved("time")
    if how == "frozen":
        moved.set("frozen_ns", 5 * 10**9)
    process = faults.loop("steps=200", "pause=100", *arguments, env=dict(env, SHIM_TIME=os.path.abspath("time")))
    until = time.monotonic() + 0.3
    while how == "stepping" and time.monotonic() < until:
        moved.set("kernel_ns", 3600 * 10**9 - moved.get("kernel_ns"))
    status, _, said = faults.end_of(process, b"\n")
    return status, said, faults.read_log("run.jsonl")[0] if os.path.exists("run.jsonl") else []


@row(19, short=3, full=60)
def odd_clocks(trials):
    """CLOCK_MONOTONIC stops, jumps an hour forth and back all the time; the CPU's counter is a trap (PR_SET_TSC)."""
    faults.require_sinks("tensorboard", "wandb")
    if faults.SANITIZER or not os.path.exists(faults.SHIM):
        raise faults.Skip("there is no shim beneath a sanitizer")
    passed = 0
    for trial in range(trials):
        how = ("frozen", "stepping", "trapped")[trial % 3]
        status, said, lines = run_odd(how, *((["trap=1"],) if how == "trapped" else ((), {"LD_PRELOAD": faults.SHIM})))
        if how == "trapped" and status == 77:
            passed += 1  # this machine has no such trap
            continue
        stamps = [line["t"] for line in lines if "t" in line]
        wrong = ["ended with %s" % faults.signal_name(status)] if status or faults.sanitized(said) else []
        wrong += ["%d steps" % faults.steps_of(lines)] if faults.steps_of(lines) != 200 else []
        wrong += ["%d reports" % len(faults.reports(lines))] if len(faults.reports(lines)) != 1 else []
        wrong += ["a duration of %d ns" % ns for ns in durations(lines) if ns < 0]
        wrong += ["stamps go back"] if sorted(stamps) != stamps else []
        passed += faults.tell(how, wrong, said)
    return trials, passed, "crashes, hangs, lost steps: 0"
