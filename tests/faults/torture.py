# SPDX-License-Identifier: MIT
"""One call after the other fails: no crash, no leak, and nothing is missing without a word."""
import collections, os, re, shutil, sys, time

import faults
from faults import row

KINDS = ["malloc", "open", "write", "fsync", "rename", "pthread_create", "dlopen"]
SINKS = ["runlog: { path: run.jsonl }", "csv: { path: report.csv }", "table: { path: table.txt }",
         "markdown: { path: report.md }"]
OUTPUTS = ["run.jsonl", "report.csv", "table.txt", "report.md"]
ENVIRONMENT = {"LD_PRELOAD": faults.SHIM, "SHIM_LOG": "shim.log",
               # The shim has to come first, and leaks must be reported.
               "ASAN_OPTIONS": "verify_asan_link_order=0:allocator_may_return_null=1"}


CLOSE_TIMEOUT = 40

Result = collections.namedtuple("Result", "status said outputs log seconds")


def content(path):
    """The words in it, except those that differ between processes; None if there is no such file."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        text = re.sub(r'"(pid|own_ns)":[0-9.]+', "", file.read())
    return re.findall(r"[0-9A-Za-z_.,%/µ]+", text)


def run(fail, place=None, wrapper=()):
    if os.path.exists("shim.log"):
        os.remove("shim.log")
    # Only what replaces an older content is synced.
    for path in OUTPUTS:
        with open(path, "w", encoding="utf-8") as file:
            file.write("of an older run\n")
    environment = dict(ENVIRONMENT, SHIM_FAIL=fail, **{"SHIM_PLACE": place} if place else {})
    begin = time.monotonic()
    status, _, said = faults.run_loop("steps=25", "fake=1", env=environment, wrapper=wrapper)
    seconds = time.monotonic() - begin
    log = open("shim.log").read().split("\n") if os.path.exists("shim.log") else []
    return Result(status, said, [content(path) for path in OUTPUTS], log, seconds)


def places(log, word):
    return {line.split()[1] for line in log if line.startswith(word + " ")}


def told(words):
    """An action without memory for its name is reported as the action other."""
    return words and "other" in words


def problem_of(result, whole):
    if result.status not in (0, 1) or faults.sanitized(result.said):
        return "ended with %s: %s" % (faults.signal_name(result.status), result.said)
    if result.seconds > CLOSE_TIMEOUT:
        return "the end was waited for in vain: " + result.said
    missing = [path for path, now, then in zip(OUTPUTS, result.outputs, whole) if now != then and not told(now)]
    return "nothing is said of %s" % " ".join(missing) if missing and not result.said else None


def chosen(calls, trials):
    """All of them, or so many that lie evenly among them."""
    if trials <= 0 or calls <= trials:
        return range(1, calls + 1)
    return sorted({1 + i * calls // trials for i in range(trials)})


def torture(kind, trials):
    """(trials, passed, places that call, places that were let down)."""
    undisturbed = run("%s:0:0" % kind)
    whole, log = undisturbed.outputs, undisturbed.log
    calls = int(log[0].split()[1])
    seen, failed, passed, tried = places(log, "seen"), set(), 0, 0
    waiting = [(n, None) for n in chosen(calls, trials)]
    while waiting:
        n, place = waiting.pop(0)
        result = run("%s:%d" % (kind, n), place)
        problem = problem_of(result, whole)
        if problem:
            print("%s:%d at %s: %s" % (kind, n, " ".join(places(result.log, "failed")), problem), file=sys.stderr)
        failed |= places(result.log, "failed")
        tried += 1
        passed += problem is None
        # Threads take turns differently each time: what the numbers missed is let down by its place.
        if not waiting and place is None and trials <= 0:
            waiting = [(1, place) for place in sorted(seen - failed)]
    return tried, passed, seen, failed


def prepare():
    if not os.path.exists(faults.SHIM):
        raise faults.Skip("the shim was not built")
    if "thread" in faults.SANITIZER:
        raise faults.Skip("the thread sanitizer bears no shim beneath it")
    faults.write_config(SINKS, ", signals: true, close_timeout: %ds" % CLOSE_TIMEOUT)


@row(10, short=5, full=0)
def calls_fail(trials):
    """Each malloc, open, write, fsync, rename, pthread_create and dlopen, one in each run."""
    prepare()
    tried, passed, seen, failed = 0, 0, set(), set()
    for kind in KINDS:
        result = torture(kind, trials)
        tried, passed = tried + result[0], passed + result[1]
        seen |= {(kind, place) for place in result[2]}
        failed |= {(kind, place) for place in result[3]}
    return tried, passed, "crashes, leaks, silence: %d; places that call: %d, of which failed: %d" % (
        tried - passed, len(seen), len(failed))


@row(10, short=1, full=60)
def leaks(trials):
    """The same under valgrind: what a failure leaves behind is freed, and nothing is used that was never set."""
    prepare()
    if faults.SANITIZER:
        raise faults.Skip("the address sanitizer looks for leaks in calls_fail")
    if not shutil.which("valgrind"):
        raise faults.Skip("there is no valgrind")
    calls, passed, tried = int(run("malloc:0:0").log[0].split()[1]), 0, 0
    for n in chosen(calls, trials):
        result = run("malloc:%d" % n, wrapper=(
            "valgrind", "-q", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect", "--error-exitcode=99",
            "--soname-synonyms=somalloc=nouserintercepts"))
        fine = result.status in (0, 1)
        if not fine:
            print("malloc:%d at %s: %s" % (n, " ".join(places(result.log, "failed")), result.said), file=sys.stderr)
        tried, passed = tried + 1, passed + fine
    return tried, passed, "leaks: %d" % (tried - passed)
