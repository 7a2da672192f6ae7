# SPDX-License-Identifier: MIT
"""The end of a run has one owner: two that want to end it, children, modules, threads that are cancelled, crashes."""
import glob, os, random, shutil, signal, subprocess, sys

import faults
from faults import row

LAST = os.path.join(faults.BUILDDIR, "tests/faults/last")
PLUGGED = os.path.join(faults.BUILDDIR, "tests/faults/plugged")
MODULE = os.path.join(faults.BUILDDIR, "tests/faults/.libs/module.so")
SINKS = ["runlog: { path: run.jsonl }", "table: { path: table.txt, plain: true }"]
# What a program leaves behind when it is ended in the middle is not a leak; faults are stepwatch's.
ENDED = dict(faults.OWN_FAULTS, TSAN_OPTIONS=faults.OWN_FAULTS["TSAN_OPTIONS"] + ":die_after_fork=0")


def last(*arguments, sinks=SINKS, profiler="", program=LAST, env=ENDED):
    """(status, stdout, stderr)"""
    for path in glob.glob("*"):
        os.remove(path)
    faults.write_config(sinks, profiler)
    process = subprocess.Popen([program, *(["stepwatch.yaml"] if program == LAST else []), *map(str, arguments)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=faults.environment(**env))
    faults.started.append(process)
    return faults.end_of(process)


def wrong_of(got, expected, reports=1, steps=20, finished=1, tables=None):
    """What is not as expected of an end: its status, and what the log and the table hold."""
    status, _, said = got
    wrong = ["ended with %s instead of %s" % (faults.signal_name(status), faults.signal_name(expected))] if status != expected else []
    if faults.sanitized(said):
        wrong.append("a crash")
    lines, torn = faults.read_log("run.jsonl") if os.path.exists("run.jsonl") else ([], False)
    found = (len(faults.reports(lines)), sum(line["type"] == "finish" for line in lines), faults.steps_of(lines), torn)
    if found != (reports, finished, steps, False):
        wrong.append("(reports, ends, steps, torn) %s" % (found,))
    table = open("table.txt").read().count("Profiling Results") if os.path.exists("table.txt") else 0
    if table != (reports if tables is None else tables):
        wrong.append("%d tables" % table)
    return wrong


def finish():
    """The end record of the log; {} if there is none."""
    lines = faults.read_log("run.jsonl")[0] if os.path.exists("run.jsonl") else []
    return ([line for line in lines if line["type"] == "finish"] or [{}])[-1]


def count(passed, trials, what):
    return trials, passed, "%s: %d of %d" % (what, trials - passed, trials)


# ---- two that end it -----------------------------------------------------------------------------

@row(6, short=4, full=200)
def signal_at_close(trials):
    """SIGTERM or SIGINT from 1 ms before to 1 ms after sw_close() begins: one report, ended by that signal."""
    passed = 0
    for i in range(trials):
        name = ("TERM", "INT")[i % 2]
        us = random.randint(-1000, 1000)
        got = last("signal", us, name)
        passed += faults.tell("signal %d %s" % (us, name), wrong_of(got, -getattr(signal, "SIG" + name)), got[2])
    return count(passed, trials, "reports missing or doubled, other ends")


@row(6, short=3, full=200)
def signal_then_end(trials):
    """raise(), and at once sw_close(), return from main() or exit(0): one report, ended by the signal."""
    passed = 0
    for i in range(trials):
        how, name = ("close", "return", "exit")[i % 3], ("TERM", "INT", "HUP")[i // 3 % 3]
        got = last("raise", how, name)
        wrong = wrong_of(got, -getattr(signal, "SIG" + name))
        if not finish().get("cause", "").startswith("SIG" + name):
            wrong.append("the cause is %s" % finish())
        passed += faults.tell("raise %s %s" % (how, name), wrong, got[2])
    return count(passed, trials, "reports missing or doubled, other ends")


@row(6, short=3, full=90)
def signal_in_a_wait(trials):
    """SIGTERM, SIGINT or SIGHUP within pause(), poll() or sleep(), after which the program calls _exit(0): one report, ended by the signal."""
    passed = 0
    for i in range(trials):
        how, name, us = ("pause", "poll", "sleep")[i % 3], ("TERM", "INT", "HUP")[i // 3 % 3], random.randint(0, 50000)
        got = last(how, us, name)
        passed += faults.tell("%s %d %s" % (how, us, name), wrong_of(got, -getattr(signal, "SIG" + name)), got[2])
    return count(passed, trials, "reports missing or doubled, other ends")


@row(7, short=3, full=200)
def exit_at_close(trials):
    """exit(3) on another thread from 1 ms before to 1 ms after sw_close() begins."""
    passed = 0
    for _ in range(trials):
        us = random.randint(-1000, 1000)
        got = last("exit", us)
        passed += faults.tell("exit %d" % us, wrong_of(got, 3), got[2])
    return count(passed, trials, "reports missing or doubled, other ends")


@row(7, short=3, full=200)
def exit_in_a_sink(trials):
    """A sink that calls exit(4), at its first record or at its last: the other sinks are complete, nobody waits for it."""
    passed = 0
    for i in range(trials):
        got = last("sink", (1, 21, 22)[i % 3], sinks=SINKS + ["exiting"], profiler=", close_timeout: 60s")
        passed += faults.tell("exit in a sink", wrong_of(got, 4), got[2])
    return count(passed, trials, "reports missing or doubled, other ends")


@row(7, short=2, full=200)
def close_at_exit(trials):
    """sw_close() from a handler of exit() that is older than sw_open(), also with a sink that is too slow."""
    passed = 0
    for i in range(trials):
        slow = i % 2 == 1
        got = last("atexit", sinks=SINKS + (["sleepy"] if slow else []), profiler=", close_timeout: 0.2s" if slow else "")
        wrong = wrong_of(got, 5)
        if got[1] != "closed: %d\n" % slow or ("left alone" in got[2]) != slow:
            wrong.append("it said: " + got[1] + got[2])
        passed += faults.tell("atexit", wrong, got[2])
    return count(passed, trials, "crashes, other ends")


# ---- many, and modules ---------------------------------------------------------------------------

@row(18, short=1, full=200)
def open_and_close(trials):
    """Three threads that open and close 20 profilers each."""
    passed = 0
    for _ in range(trials):
        got = last("threads", 20)
        passed += faults.tell("threads", wrong_of(got, 0), got[2])
    return count(passed, trials, "hangs, other ends")


def plugged(*arguments):
    libraries = os.path.join(faults.BUILDDIR, ".libs")
    return last(*arguments, program=PLUGGED, env=dict(ENDED, LD_LIBRARY_PATH=libraries))


@row(16, short=3, full=200)
def unloaded_module(trials):
    """A program that does not link stepwatch loads a module that does: uses and unloads it, unloads it with its run still open, or has it in a namespace of its own."""
    if faults.SANITIZER:
        raise faults.Skip("the program that loads the module has no sanitizer")
    passed = 0
    for i in range(trials):
        how = ("use", "leave", "apart")[i % 3]
        got = plugged("use", MODULE, 1 + i % 5) if how == "use" else plugged(how, MODULE)
        wrong = ["ended with %s" % faults.signal_name(got[0])] if got[0] != (0 if how == "use" else 3) or got[2] else []
        if how != "use":
            if not os.path.exists("module.txt") or open("module.txt").read().count("Profiling Results") != 1:
                wrong.append("no report")
        passed += faults.tell(how, wrong, got[2])
    return count(passed, trials, "crashes, reports missing, other ends")


@row(16, short=2, full=200)
def two_copies(trials):
    """Two copies of the library in one program, both measuring: each has its report at SIGTERM."""
    if faults.SANITIZER:
        raise faults.Skip("the program that loads the module has no sanitizer")
    passed = 0
    for _ in range(trials):
        shutil.copy(os.path.realpath(os.path.join(faults.BUILDDIR, ".libs/libstepwatch.so")), "../copy.so")
        got = plugged("copies", MODULE, os.path.abspath("../copy.so"))
        wrong = ["ended with %s" % faults.signal_name(got[0])] if got[0] != -signal.SIGTERM or got[2] else []
        for path in ("module.txt", "copy.txt"):
            if not os.path.exists(path) or open(path).read().count("Profiling Results") != 1:
                wrong.append("no report in " + path)
        passed += faults.tell("copies", wrong, got[2])
    return count(passed, trials, "reports missing or doubled, other ends")


# ---- threads -------------------------------------------------------------------------------------

MAIN_ENDS = ((("pthread_exit",), "", []), (("pthread_exit",), ", signals: false", []),
             (("pthread_exit", "closed"), ", close_timeout: 0.1s", ["hung_at_end"]))


@row(7, short=3, full=200)
def main_thread_ends(trials):
    """main() ends by pthread_exit(), then the thread that trains: status 0 and the report; with `signals: false`, or a sink that hangs, too."""
    if "thread" in faults.SANITIZER:
        raise faults.Skip("the thread sanitizer has a thread of its own")
    passed = 0
    for i in range(trials):
        arguments, profiler, sinks = MAIN_ENDS[i % 3]
        got = last(*arguments, profiler=profiler, sinks=SINKS + sinks)
        passed += faults.tell("pthread_exit", wrong_of(got, 0), got[2])
    return count(passed, trials, "hangs, reports missing")


@row(18, short=1, full=200)
def cancelled_threads(trials):
    """40 threads that are cancelled in the middle of calls: all calls work afterwards."""
    passed = 0
    for _ in range(trials):
        got = last("cancel", 40)
        passed += faults.tell("cancel", wrong_of(got, 0), got[2])
    return count(passed, trials, "hangs, other ends")


@row(18, short=3, full=200)
def odd_calls(trials):
    """Misuse on a stack of 16 KiB; sw_cancel() of a fit; a function for messages that misuses, logs and replaces itself."""
    passed = 0
    for i in range(trials):
        how = ("stack", "fit", "callback")[i % 3]
        got = last(how)
        wrong = wrong_of(got, 0, reports=2, steps=40, tables=1) if how == "fit" else wrong_of(got, 0)
        if how == "callback" and (got[1].count("first: ") != 1 or got[1].count("second: ") > 1):
            wrong.append("it said: " + got[1])
        passed += faults.tell(how, wrong, got[2])
    return count(passed, trials, "hangs, crashes")


# ---- children ------------------------------------------------------------------------------------

@row(17, short=16, full=200)
def forks_at_work(trials):
    """10 children by fork, _Fork, clone and vfork while a thread makes actions, reports, profilers or prints: none waits or writes."""
    # The thread sanitizer does not see _Fork and clone, and takes the child's memory for the parent's.
    ways = ("fork", "vfork") * 2 if "thread" in faults.SANITIZER else ("fork", "_Fork", "clone", "vfork")
    passed = 0
    for i in range(trials):
        how, what = ways[i % 4], ("action", "report", "open", "stdout")[i // 4 % 4]
        got = last("fork", how, what, env=dict(ENDED, ASAN_OPTIONS="detect_leaks=0"))
        wrong = wrong_of(got, 0)
        if "a child ended" in got[2] or any(line["type"] == "config" for line in faults.read_log("run.jsonl")[0]):
            wrong.append("a child waited or wrote")
        passed += faults.tell("%s, %s" % (how, what), wrong, got[2])
    return trials, passed, "%s children; waiting or writing: %d" % (format(10 * trials, ","), trials - passed)


SENTENCE = "was forked after sw_open()"


@row(17, short=4, full=200)
def daemons(trials):
    """daemon() or a double fork after sw_open(): the process that measures says so once; what it opens itself is complete."""
    passed = 0
    for i in range(trials):
        how, end = ("daemon", "double")[i % 2], ("close", "exit")[i // 2 % 2]
        if faults.SANITIZER:
            end = "exit"  # its locks are not free in a child of a process with threads
        got = last("daemon", how, end, env=dict(ENDED, ASAN_OPTIONS="detect_leaks=0"))
        said = [line for line in got[2].splitlines() if SENTENCE in line]
        expected = ["stepwatch: warning:"] + (["stepwatch:"] if end == "close" else [])
        wrong = ["it said %d times" % len(said)] if len(said) != len(expected) else []
        wrong += [line for line, begin in zip(said, expected) if not line.startswith(begin) or "call sw_open() after" not in line]
        if end == "close" and how == "daemon":
            wrong += wrong_of(got, 0)
        elif got[0] != 0:
            wrong.append("ended with %s" % faults.signal_name(got[0]))
        passed += faults.tell("%s, %s" % (how, end), wrong, got[2])
    return count(passed, trials, "silent, doubled")


# ---- crashes -------------------------------------------------------------------------------------

@row(7, short=3, full=200)
def crashes_at_once(trials):
    """A fault on the loop's thread or another, or an exception, in the first moments: all steps, the report, status and cause."""
    passed = 0
    for i in range(trials):
        how = ("segv", "thread_segv", "throw")[i % 3]
        if how == "throw":
            for path in glob.glob("*"):
                os.remove(path)
            faults.write_config(SINKS)
            got, number = faults.run_loop("20", env=ENDED, program=os.path.join(faults.BUILDDIR, "tests/faults/throws")), signal.SIGABRT
        else:
            got, number = last(how), signal.SIGSEGV
        wrong, end = wrong_of(got, -number), finish()
        if (end.get("signal"), end.get("exit_status"), end.get("interrupted")) != (number, 128 + number, True):
            wrong.append("the end is %s" % end)
        if not end.get("cause", "").startswith(number.name) or ("exception" in end.get("cause", "")) != (how == "throw"):
            wrong.append("the cause is %s" % end.get("cause"))
        passed += faults.tell(how, wrong, got[2])
    return count(passed, trials, "steps, reports or causes missing")


@row(7, short=6, full=204)
def crashes_in_the_fold(trials):
    """A crash on the thread that adds up what was noted, also in or during sw_close() and exit(): the thread that ends the program goes on behind it, and says so."""
    passed = 0
    for i in range(trials):
        who = ("loop", "stepwatch", "close", "exit", "beside", "TERM")[i % 6]
        got = last("fold", who)
        number = signal.SIGSEGV if faults.SANITIZER else signal.SIGABRT
        if who == "TERM" and not faults.SANITIZER:  # nobody is left to go on behind it
            passed += faults.tell(who, [] if got[0] == -number else ["ended with %s" % faults.signal_name(got[0])], got[2])
            continue
        wrong, cause = wrong_of(got, -number), finish().get("cause", "")
        if not faults.SANITIZER and not cause.endswith("; the report is approximate"):
            wrong.append("the cause is %s" % cause)
        passed += faults.tell(who, wrong, got[2])
    return count(passed, trials, "steps or reports missing")
