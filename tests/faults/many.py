# SPDX-License-Identifier: MIT
"""Calls in odd numbers and orders, and odd surroundings."""
import csv, glob, os, resource, shutil, subprocess, sys, time

import faults
from faults import reports, row

CROWD = os.path.join(faults.BUILDDIR, "tests/faults/crowd")
SINKS = ["runlog: { path: run.jsonl }", "csv: { path: report.csv }", "table: { path: table.txt, plain: true }",
         "markdown: { path: report.md }"]


def crowd(how, number, sinks=SINKS, data=None, **options):
    """(status, what was said, lines of the log)."""
    for path in os.listdir("."):
        if os.path.isfile(path):
            os.remove(path)
    faults.write_config(sinks, ", close_timeout: 60s")
    process = subprocess.Popen([CROWD, "stepwatch.yaml", how, str(number)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=faults.environment(**options))
    faults.started.append(process)
    status, _, said = faults.end_of(process, data)
    return status, said, faults.read_log("run.jsonl")[0]


def rows_of(report, phase, action=None):
    return [r for r in report["rows"] if r["phase"] == phase and action in (None, r["action"])]


def calls(report, phase, action):
    return sum(r["calls"] for r in rows_of(report, phase, action))


def judge(what, status, said, lines, *more):
    """more: (sentence, whether it holds)."""
    found = reports(lines)
    wrong = ["ended with %s" % faults.signal_name(status)] if status or faults.sanitized(said) else []
    wrong += ["%d reports" % len(found)] if len(found) != 1 else []
    wrong += [sentence for sentence, holds in more if not holds]
    if wrong:
        print("%s: %s" % (what, "; ".join(wrong)), said[:2000], file=sys.stderr)
    return not wrong


def trained(lines):
    return [line["step"] for line in lines if line["type"] == "step" and line["phase"] == "train"]


@row(22, short=3, full=12)
def sparse_counters(trials):
    """A profiler counts only the last of 2 to 64 counters, as when another one in the program counts the others."""
    passed = 0
    for trial in range(trials):
        counters, detail = (2, 9, 40, 64)[trial % 4], ("steps", "regions", "summary")[trial % 3]
        faults.empty_folder()
        faults.write_config(["runlog: { path: run.jsonl, detail: %s }" % detail])
        status, _, said = faults.run_loop("steps=20", "counters=%d" % counters)
        lines = faults.read_log("run.jsonl")[0] if status == 0 else []
        used = [r.get("counters") for report in reports(lines) for r in rows_of(report, "train", "augment")]
        passed += judge("%d counters, detail: %s" % (counters, detail), status, said, lines,
                        ("counters are %s" % used, used == [{"counter %d" % (counters - 1): [19, 19]}]))
    return trials, passed, "the counter that was counted, and no other"


@row(8, short=1, full=200)
def environment_changes(trials):
    """The program calls setenv(), clearenv() and tzset() without a pause while its sinks start: they see what sw_open() saw."""
    faults.require_sinks("tensorboard", "wandb")
    passed = 0
    for trial in range(trials):
        faults.empty_folder()
        os.mkdir("there")
        faults.write_config(SINKS + ["tensorboard: { logdir: runs, run: here }", "wandb: { mode: offline }"])
        status, out, said = faults.run_loop("environment=1", "steps=10", env={"WANDB_DIR": "there", "TZ": "MIDST-12"})
        lines = faults.read_log("run.jsonl")[0] if os.path.exists("run.jsonl") else []
        # Local time is 12 hours from UTC, where the program's own zones never are.
        named = [path.split("-run-")[1][9:11] for path in glob.glob("there/wandb/offline-run-*")]
        ahead = [(int(hour) - time.gmtime().tm_hour) % 24 for hour in named]
        wrong = ["ended with %s" % faults.signal_name(status)] if status or faults.sanitized(said) else []
        wrong += ["%d steps" % faults.steps_of(lines)] if faults.steps_of(lines) != 10 else []
        wrong += ["wandb's folder is %s hours ahead" % ahead] if len(ahead) != 1 or ahead[0] not in (11, 12) else []
        wrong += ["the sink looked where the program pointed later"] if os.path.exists("after") else []
        passed += faults.tell("environment", wrong, said)
    return trials, passed, "crashes, and folders of another time or place: %d" % (trials - passed)


@row(17, short=1, full=160)
def forks(trials):
    """64 children that measure and end in three ways: the parent's steps, each once, and nobody waits."""
    passed = 0
    for _ in range(trials):
        # A child has none of the threads that hold what the leak sanitizer looks for.
        status, said, lines = crowd("forks", 64, ASAN_OPTIONS="detect_leaks=0")
        passed += judge("forks", status, said, lines, ("steps are doubled or missing", trained(lines) == list(range(64))),
                        ("a child wrote", not any(line["type"] == "config" for line in lines)))
    return trials, passed, "%s forks; deadlocks or doubled rows: %d" % (format(64 * trials, ","), trials - passed)


@row(18, short=1, full=50)
def handlers(trials):
    """A signal handler begins and ends a region every 50 us, most often within a call of stepwatch: nothing is damaged."""
    if "thread" in faults.SANITIZER:
        raise faults.Skip("the thread sanitizer holds signals back until a call that blocks")
    passed, steps, sum_handled = 0, 20000, 0
    for _ in range(trials):
        status, said, lines = crowd("handlers", steps)
        report = reports(lines)[0]
        handled = [line["value"] for line in lines if line["type"] == "config" and line["name"] == "handled"][0]
        regions = sum(calls(report, phase, "in handler") for phase in ("fit", "train", "threads"))
        passed += judge("handlers", status, said, lines, ("%d steps" % report["steps"], report["steps"] == steps),
                        ("the handler did not run", handled > 1), ("%d regions of %d" % (regions, handled), regions <= handled),
                        ("regions of the loop are doubled", calls(report, "train", "forward") <= steps))
        sum_handled += handled
    return trials, passed, "crashes, steps missing: %d, with %s interruptions" % (trials - passed, format(sum_handled, ","))


@row(18, short=1, full=10)
def threads(trials):
    """64 threads with 2000 regions each."""
    passed = 0
    for _ in range(trials):
        status, said, lines = crowd("threads", 64)
        report = reports(lines)[0]
        passed += judge("threads", status, said, lines, ("regions are missing", calls(report, "threads", "augment") == 64000),
                        ("steps are missing", report["steps"] == 101))
    return trials, passed, "64,000 of 64,000 regions counted"


@row(18, short=1, full=5)
def shapes(trials):
    """200 levels, 10^5 names, unmatched and crossing regions: counted, and misuse reported as such."""
    passed = 0
    for _ in range(trials):
        status, said, lines = crowd("depth", 200)
        levels = [r for r in reports(lines)[0]["rows"] if r["action"].startswith("level")]
        passed += judge("depth", status, said, lines, ("levels are missing", len(levels) == 200 and
                                                       all(r["calls"] == 2 for r in levels)))
        status, said, lines = crowd("names", 100000)
        own = [r for r in reports(lines)[0]["rows"] if r["action"].startswith("name ") or r["action"] == "other"]
        passed += judge("names", status, said, lines, ("calls are missing", sum(r["calls"] for r in own) == 100000),
                        ("there is no end of names", len(own) <= 10001))
        status, said, lines = crowd("unmatched", 1000)
        report = reports(lines)[0]
        sentences = [line for line in said.splitlines() if "such calls are ignored" in line]
        passed += judge("unmatched", status, said, lines, ("misuse is %d" % report["misuses"], report["misuses"] == 2000),
                        ("discarded are %d" % report["discarded"], report["discarded"] == 1000),
                        ("said more than once", len(set(sentences)) == len(sentences) == 3))
    return 3 * trials, passed, "misuse counted: 2,000 of 2,000; names kept: 10,000 and other"


NULLS = ["runlog: { path: /dev/null }", "csv: { path: /dev/null }", "table: { path: /dev/null, plain: true }",
         "markdown: { path: /dev/null }"]
MOST_KIB = 256  # of growth: stacks and what the C library keeps


def resident_kib(process):
    """What it has when it asks to be looked at; then it goes on."""
    assert faults.first_line(process) == "look\n"
    with open("/proc/%d/statm" % process.pid) as file:
        pages = int(file.read().split()[1])
    process.stdin.write(b"\n")
    process.stdin.flush()
    return pages * os.sysconf("SC_PAGESIZE") // 1024


# In full, a tenth is after step 1,428,574, from which on the run log is thinned and keeps its newest steps in memory.
@row(14, short=200000, full=2 * 10**7)
def endless(steps):
    """So many steps of eight actions into sinks that write to nowhere: the memory stays what it was."""
    # A sanitizer has memory of its own, which is not judged, and is slow.
    steps //= 4 if faults.SANITIZER else 1
    faults.write_config(NULLS + ["csv: { path: report.csv }"], ", close_timeout: 60s")
    process = subprocess.Popen([CROWD, "stepwatch.yaml", "endless", str(steps)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=faults.environment())
    faults.started.append(process)
    before, after = resident_kib(process), resident_kib(process)
    status, _, said = faults.end_of(process)
    with open("report.csv") as file:
        calls = {line["Action"]: int(line["Number of Calls"].replace(",", "")) for line in csv.DictReader(file) if line["Phase"] == "train"}
    wrong = ["ended with %s" % faults.signal_name(status)] if status or faults.sanitized(said) else []
    wrong += ["grew from %d to %d KiB" % (before, after)] if not faults.SANITIZER and after - before > MOST_KIB else []
    wrong += ["calls %s" % calls] if set(calls.values()) != {steps - 1} else []
    return 1, int(faults.tell("endless", wrong, said)), "%.0e steps: %d KiB after a tenth, %d after all" % (steps, before, after)


# ---- surroundings --------------------------------------------------------------------------------

@row(20, short=1, full=20)
def one_folder(trials):
    """Two processes in one folder at the same time: each has its log, whole."""
    passed = 0
    for trial in range(trials):
        os.mkdir(str(trial))
        faults.write_config(["runlog: { path: \"%d/{name}-{time}-{host}-{pid}.jsonl\" }" % trial, "csv: { path: report.csv }"])
        processes = [faults.loop("steps=200") for _ in range(2)]
        ends = [faults.end_of(process) for process in processes]
        logs = [faults.read_log(os.path.join(str(trial), name))[0] for name in os.listdir(str(trial))]
        fine = [end[0] for end in ends] == [0, 0] and [faults.steps_of(log) for log in logs] == [200, 200]
        with open("report.csv") as file:
            fine = fine and len(list(csv.reader(file))) > 5
        if not fine:
            print(ends, [faults.steps_of(log) for log in logs], file=sys.stderr)
        passed += fine
    return trials, passed, "steps lost: 0 of 400"


CONTAINER = ("unshare", "-Urupf", "sh", "-c", 'hostname "$0" && exec "$@"')


@row(20, short=1, full=20)
def containers(trials):
    """Four hosts, one folder, one process id and one second: each has a run log of its own, whole."""
    if not shutil.which("unshare") or subprocess.run([*CONTAINER, "host", "true"], capture_output=True).returncode:
        raise faults.Skip("no host of its own can be made here (unshare -Urupf)")
    passed, logs = 0, []
    for _ in range(trials):
        shutil.rmtree("runs", ignore_errors=True)
        faults.write_config(["runlog"])
        # Its clock is a fake one: all begin in the same second.
        processes = [faults.loop("steps=50", "fake=1", wrapper=(*CONTAINER, "host%d" % i)) for i in range(4)]
        ends = [faults.end_of(process) for process in processes]
        logs = [faults.read_log(os.path.join("runs", name))[0] for name in os.listdir("runs")]
        wrong = ["ended with %s" % end[0] for end in ends if end[0] or faults.sanitized(end[2])]
        wrong += ["hosts %s" % [log[0]["host"] for log in logs]] if {log[0]["host"] for log in logs} != {"host%d" % i for i in range(4)} else []
        wrong += ["the process ids differ"] if len({log[0]["pid"] for log in logs}) != 1 else []
        wrong += ["steps are missing"] if [faults.steps_of(log) for log in logs] != [50] * 4 else []
        passed += faults.tell("containers", wrong, ends[0][2])
    return trials, passed, "logs of four hosts: %d" % len(logs)


def limit_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))


def close_all():
    for fd in (0, 1, 2):
        os.close(fd)


@row(24, short=1, full=10)
def surroundings(trials):
    """umask 000 and 777, 16 descriptors, no HOME, closed descriptors."""
    tried, passed = 0, 0
    without_home = {key: "" for key in ("HOME", "TMPDIR", "XDG_CONFIG_HOME")}
    cases = [("umask 000", {"preexec_fn": lambda: os.umask(0)}), ("umask 777", {"preexec_fn": lambda: os.umask(0o777)}),
             ("16 descriptors", {"preexec_fn": limit_files}), ("no home", {"env": without_home}),
             ("closed", {"preexec_fn": close_all})]
    for _ in range(trials):
        for what, options in cases:
            for path in os.listdir("."):
                os.remove(path)
            faults.write_config(SINKS)
            status, _, said = faults.run_loop("steps=50", "quiet=1", **options)
            for path in ("run.jsonl", "report.csv"):
                os.chmod(path, 0o600)
            lines = faults.read_log("run.jsonl")[0]
            with open("report.csv") as file:
                widths = {len(line) for line in csv.reader(file)}
            fine = status == 0 and not faults.sanitized(said) and faults.steps_of(lines) == 50 and len(widths) == 1
            if not fine:
                print("%s: ended with %s, %d steps: %s" % (what, status, faults.steps_of(lines), said), file=sys.stderr)
            tried, passed = tried + 1, passed + fine
    return tried, passed, "failures: %d" % (tried - passed)
