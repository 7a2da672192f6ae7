# SPDX-License-Identifier: MIT
"""What a report says that stepwatch itself cost, against a clock of ours around every call."""
import os, re

import faults
from faults import row

AROUND = os.path.join(faults.BUILDDIR, "tests/faults/.libs/around.so")
DIGITS = os.path.join(faults.BUILDDIR, "examples/digits/digits")
TABLE = "table: { path: table.txt }"
SINKS = {
    "the table only": [TABLE],
    "all file sinks": [TABLE, "csv: { path: report.csv }", "markdown: { path: report.md }", "runlog: { path: run.jsonl }",
                       "tensorboard: { logdir: runs, run: here }", "wandb: { mode: offline, dir: there }"],
    "detail: regions": [TABLE, "runlog: { path: run.jsonl, detail: regions }"],
}
LOOPS = {
    "a tight loop": ("steps=5000",),
    "1 ms and 4 MiB between steps": ("steps=250", "rate=1000", "touch=%d" % (4 << 20)),
    "digits": None,
}
ATTEMPTS = 12  # where other programs interrupt calls, only those that are timed are known: one quiet time is enough
MOST = 0.25


def configure(sinks):
    faults.empty_folder()
    os.mkdir("there")
    with open("stepwatch.yaml", "w") as out:
        out.write("profiler: { mode: simple, show_report: false }\nlogger_callback:\n")
        out.writelines("  - %s\n" % sink for sink in sinks)


def run(loop, sinks):
    """(what the table says, what the clock around the calls says), nanoseconds a step."""
    configure(sinks)
    env = {"LD_PRELOAD": AROUND, "STEPWATCH_CONFIG": os.path.abspath("stepwatch.yaml")}
    process = faults.loop(*(LOOPS[loop] or ("--epochs", "5")), env=env, **({} if LOOPS[loop] else {"program": DIGITS, "config": False}))
    status, _, said = faults.end_of(process)
    around = re.search(r"^around (\d+) (\d+)$", said, re.M)
    with open("table.txt") as file:
        own = re.search(r"stepwatch itself: ([0-9,]+) ns a step", file.read())
    if status not in (0, 1) or not around or not own:  # 1: in a tight loop sinks drop records, and say so
        raise AssertionError("%s ended with %s: %s" % (loop, status, said[:500]))
    return int(own.group(1).replace(",", "")), int(around.group(2)) / int(around.group(1))


@row(29, short=9, full=90)
def own_cost(trials):
    """What a report says of its own cost, in three loops with three kinds of sinks each, against a clock around each call."""
    faults.require_sinks("tensorboard", "wandb")
    if faults.SANITIZER or not os.path.exists(AROUND):
        raise faults.Skip("a sanitizer has costs of its own")
    passed, worst = 0, 0.0
    cases = [(loop, kind) for loop in LOOPS for kind in SINKS]
    for trial in range(trials):
        loop, kind = cases[trial % len(cases)]
        found = []
        while len(found) < ATTEMPTS and not any(abs(own / around - 1) <= MOST for own, around in found):
            found.append(run(loop, SINKS[kind]))
        off = min(abs(own / around - 1) for own, around in found)
        worst = max(worst, off)
        passed += faults.tell("%s with %s" % (loop, kind), [] if off <= MOST else ["%s" % found], "")
    return trials, passed, "off by %.0f %% at most" % (100 * worst)
