# SPDX-License-Identifier: MIT
"""A program that ends before its time: what is left can be read, and its end is as without stepwatch."""
import collections, csv, glob, os, random, signal, sys, time

import faults
from faults import row

THROWS = os.path.join(faults.BUILDDIR, "tests/faults/throws")
SINKS = ["runlog: { path: run.jsonl }", "csv: { path: report.csv }", "table: { path: table.txt, plain: true }",
         "markdown: { path: report.md }"]


# ---- SIGKILL -------------------------------------------------------------------------------------

Killed = collections.namedtuple("Killed", "problem lost seconds torn")


def start(number, sinks=SINKS):
    os.mkdir(str(number))
    with faults.inside(str(number)):
        faults.write_config(sinks)
        return faults.loop("steps=100000", "rate=200", "stamps=stamps")


def kill_all(processes):
    """Each at a time of its own; gives the times."""
    for process in processes:
        faults.first_line(process)
    begin, killed = time.monotonic(), {}
    for delay, i in sorted((random.uniform(0, 2.5), i) for i in range(len(processes))):
        time.sleep(max(0, begin + delay - time.monotonic()))
        killed[i] = time.monotonic_ns()
        processes[i].kill()
        faults.end_of(processes[i])
    return [killed[i] for i in range(len(processes))]


def rebuilt(path, written, torn):
    """What is wrong with the report that the command makes of the log; None: nothing."""
    status, document, said = faults.report_of(path)
    if status != 0 or document is None:
        return "no report: " + said
    run = document["runs"][0]
    ends = "the run did not finish; its log ends %s line %d" % ("within" if torn else "after", run["log"]["lines"])
    if ends not in said or run["log"]["torn"] != torn or run["log"]["finished"]:
        return "not told where the log ends: " + said
    steps = run["reports"][0]["steps"] if run["reports"] else 0
    return None if steps == written else "%d steps in the log, %d in the report" % (written, steps)


def examine(number, killed_ns):
    folder = str(number)
    stamps = faults.read_stamps(folder + "/stamps")
    path = folder + "/run.jsonl"
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return Killed(None, len(stamps), (killed_ns - stamps[0]) / 1e9, False)
    lines, torn = faults.read_log(path)
    written = faults.steps_of(lines)
    lost = stamps[written:]
    problem = rebuilt(path, written, torn) if lines else None
    return Killed(problem, len(lost), (killed_ns - lost[0]) / 1e9 if lost else 0, torn)


@row(5, short=3, full=200)
def sigkill(trials):
    """At random times: the log can be read to its end, at most a second is missing, the report is made again."""
    results, at_once = [], 8
    for first in range(0, trials, at_once):
        numbers = range(first, min(first + at_once, trials))
        killed = kill_all([start(n) for n in numbers])
        results += [examine(n, ns) for n, ns in zip(numbers, killed)]
    for result in results:
        if result.problem:
            print(result.problem, file=sys.stderr)
    # A loaded machine delays the sink's thread as any other: the second is judged where it is measured alone.
    limit = 1.1 if trials >= 100 else 60
    passed = sum(r.problem is None and r.seconds <= limit for r in results)
    return trials, passed, "lost at most %.2f s; rows lost: mean %.0f, most %d; torn logs %d" % (
        max(r.seconds for r in results), sum(r.lost for r in results) / trials, max(r.lost for r in results),
        sum(r.torn for r in results))


# ---- ends that can be caught ---------------------------------------------------------------------

def reports():
    """How many reports the sinks were given: by the log, and in the table."""
    lines, torn = faults.read_log("run.jsonl")
    in_log = sum(line["type"] == "report" for line in lines)
    with open("table.txt") as file:
        in_table = file.read().count("Profiling Results")
    finished = sum(line["type"] == "finish" for line in lines)
    return in_log, in_table, finished, torn


def fresh(sinks=SINKS):
    faults.empty_folder()
    faults.write_config(sinks, plugin_path=faults.FICKLE)


def reported_once(status, expected, said):
    wrong = []
    if status != expected:
        wrong.append("status %s instead of %s" % (faults.signal_name(status), faults.signal_name(expected)))
    if reports() != (1, 1, 1, False):
        wrong.append("(reports in log, in table, ends, torn) %s" % (reports(),))
    with open("report.csv") as file:
        if len(list(csv.reader(file))) < 5:
            wrong.append("report.csv is short")
    if faults.sanitized(said):
        wrong.append(said)
    if wrong:
        print("; ".join(wrong), file=sys.stderr)
    return not wrong


def signalled(number, times=1, sinks=SINKS):
    fresh(sinks)
    process = faults.loop("steps=1000000", "rate=2000")
    faults.first_line(process)
    time.sleep(random.uniform(0, 0.3))
    for _ in range(times):
        process.send_signal(number)
    return faults.end_of(process)


def once_each(trials, sinks):
    """SIGINT, SIGTERM and SIGHUP so often each: (trials, passed, figure)."""
    passed = 0
    for _ in range(trials):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            status, _, said = signalled(number, sinks=sinks)
            passed += reported_once(status, -number, said)
    return 3 * trials, passed, "reports missing or doubled: %d" % (3 * trials - passed)


@row(6, short=1, full=67)
def signals(trials):
    """SIGINT, SIGTERM, SIGHUP: the report once, and the program ends by that signal."""
    return once_each(trials, SINKS)


@row(6, short=1, full=67)
def signals_in_a_sink(trials):
    """The same while a sink is in the middle of a call, as it is nearly all the time."""
    return once_each(trials, SINKS + ["fickle: { wait: 2ms }"])


@row(6, short=1, full=50)
def signals_unhandled(trials):
    """SIGUSR1, of which stepwatch makes nothing: the end is by it, and the report can be made of the log."""
    passed = 0
    for _ in range(trials):
        status, _, said = signalled(signal.SIGUSR1)
        lines, torn = faults.read_log("run.jsonl") if os.path.exists("run.jsonl") else ([], False)
        problem = rebuilt("run.jsonl", faults.steps_of(lines), torn) if lines else None
        wrong = ["ended with %s" % faults.signal_name(status)] if status != -signal.SIGUSR1 else []
        passed += faults.tell("SIGUSR1", wrong + ([problem] if problem else []), said)
    return trials, passed, "other ends: %d" % (trials - passed)


@row(6, short=1, full=20)
def signals_twice(trials):
    """The second signal ends the program at once: at most one report."""
    passed = 0
    for _ in range(trials):
        status, _, said = signalled(signal.SIGINT, times=2)
        once = not os.path.exists("table.txt") or open("table.txt").read().count("Profiling Results") <= 1
        passed += status == -signal.SIGINT and once and not faults.sanitized(said)
    return trials, passed, "wrong ends: %d" % (trials - passed)


@row(6, short=3, full=60)
def own_handlers(trials):
    """A program's own handlers are called and decide how it ends."""
    passed = 0
    for i in range(trials):
        fresh()
        process = faults.loop("steps=1000000", "rate=2000", "handler=1")
        faults.first_line(process)
        process.send_signal((signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)[i % 3])
        passed += faults.end_of(process)[0] == 42
    return trials, passed, "handlers replaced: %d" % (trials - passed)


@row(7, short=2, full=50)
def exits(trials):
    """exit() on the loop's thread and on another: the report once, the status unchanged."""
    passed = 0
    for i in range(trials):
        fresh()
        status, _, said = faults.run_loop("end=" + ("exit", "thread")[i % 2], "status=%d" % (i % 7))
        passed += reported_once(status, i % 7, said)
    return trials, passed, "reports missing or doubled: %d" % (trials - passed)


OTHER_SINKS = ["sqlite: { database: run.db }", "tensorboard: { logdir: boards }", "trace: { path: trace.json, format: chrome }",
               "mlflow: { dir: runs }", "wandb: { mode: offline, dir: offline }"]


@row(7, short=2, full=20)
def float_traps(trials):
    """A program for which floating-point exceptions are signals, with all kinds of sinks: none comes from stepwatch."""
    passed = 0
    for i in range(trials):
        fresh(SINKS + [sink for sink in OTHER_SINKS if faults.is_built(sink.split(":")[0])])
        how, expected = (("close", 0), ("exit", 3))[i % 2]
        status, _, said = faults.run_loop("floats=1", "threads=2", "end=" + how, "status=3")
        passed += reported_once(status, expected, said)
    return trials, passed, "SIGFPE, reports missing: %d" % (trials - passed)


CRASHES = [(("end=abort",), -signal.SIGABRT), (("end=segv",), -signal.SIGSEGV), (("end=_exit",), 3), (None, -signal.SIGABRT)]


def crash(arguments):
    """The end of a loop, or of one in C++ that throws what nobody catches."""
    return faults.run_loop(*arguments or ("100",), env=faults.OWN_FAULTS, program=faults.LOOP if arguments else THROWS)


@row(7, short=4, full=80)
def crashes(trials):
    """abort(), a fault, _exit(), an exception: the end is as without stepwatch, what is in the log can be read."""
    passed, longest = 0, 0
    for i in range(trials):
        fresh()
        arguments, expected = CRASHES[i % len(CRASHES)]
        begin = time.monotonic()
        status, _, said = crash(arguments)
        longest = max(longest, time.monotonic() - begin)
        if os.path.exists("run.jsonl"):
            faults.read_log("run.jsonl")
        # A machine that does much else may take a second for anything.
        in_time = longest < (1 if trials >= 80 else faults.PATIENCE)
        passed += faults.tell(arguments, ["ended with %s" % faults.signal_name(status)] if status != expected else [], said) and in_time
    return trials, passed, "other ends: %d; longest %.2f s" % (trials - passed, longest)
