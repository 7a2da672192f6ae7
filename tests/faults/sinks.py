# SPDX-License-Identifier: MIT
"""Sinks that are slow, hang, fail or crash, and files that are not sinks: named, counted, and of no concern to the loop."""
import json, os, random, re, shutil, subprocess

import accounts, faults
from faults import row

PLUGINS = os.path.join(faults.BUILDDIR, "tests/plugins/.libs")
QUEUE = 128  # records, of fickle


def fickle(close_timeout, profiler="", **options):
    """The sink with these options, beside one that is complete in any case."""
    shown = ", ".join("%s: %s" % item for item in options.items())
    faults.write_config(["fickle: { %s }" % shown, "runlog: { path: run.jsonl }"], profiler + ", close_timeout: %ds" % close_timeout,
                        plugin_path=faults.FICKLE)


def marks():
    """How many steps the sink took."""
    return os.path.getsize("marks") if os.path.exists("marks") else 0


def number(pattern, said):
    found = re.search(pattern, said)
    return int(found.group(1)) if found else 0


# ---- slow ----------------------------------------------------------------------------------------

CLOSE_TIMEOUT = 1

def p99_us(stamps):
    gaps = sorted(b - a for a, b in zip(stamps, stamps[1:]))
    return gaps[len(gaps) * 99 // 100] / 1000


def at_full_rate(steps, **options):
    """(p99 of a step, seconds of sw_close(), status, what was said)."""
    fickle(CLOSE_TIMEOUT, **options)
    status, out, said = faults.run_loop("steps=%d" % steps, "stamps=stamps")
    return p99_us(faults.read_stamps("stamps")), faults.nanoseconds("closed", out) / 1e9, status, said


def missing(said):
    """Records that the sink did not write, by what is said of it: failed, dropped, missed, and left in its queue."""
    return [number(pattern, said) for pattern in (
        r"sink fickle: (\d+) of \d+ records failed", r"(\d+) records? dropped because the sink was too slow",
        r"(\d+) records? missed", r"; (\d+) records? did not make it")]


def judge_slow(what, steps, status, said):
    *_, waiting = missing(said)
    wrong = ["ended with %s" % faults.signal_name(status)] if status != 1 or faults.sanitized(said) else []
    wrong += ["not named"] if "sink fickle: did not finish within close_timeout (1 s) and was left alone" not in said else []
    # What the sink was given and what waits in its queue.
    wrong += ["%d wait" % waiting] if waiting > 2 * QUEUE else []
    # Left alone, it may take one more before the program has ended.
    wrong += ["%d taken, %s not, of %d" % (marks(), missing(said), steps)] if marks() + sum(missing(said)) - steps not in (0, 1) else []
    return faults.tell(what, wrong, said)


@row(15, short=1, full=10)
def slow_sinks(trials):
    """A sink that takes a second for each step, and one that never comes back, at full rate."""
    steps, passed, deltas, seconds = 100000 if trials > 1 else 5000, 0, [], 0
    for _ in range(trials):
        usual = at_full_rate(steps)[0]
        for what, options in (("slow", {"wait": "1s"}), ("hangs", {"hang": "record"})):
            p99, end_s, status, said = at_full_rate(steps, **options)
            # Judged where it is measured alone: a loaded machine delays whatever it likes.
            in_time = trials == 1 or (p99 - usual < 100 and end_s < CLOSE_TIMEOUT + 0.5)
            fine = judge_slow(what, steps, status, said) and in_time
            passed, seconds = passed + fine, max(seconds, end_s)
            deltas.append(p99 - usual)
    return 2 * trials, passed, "queue at most %d records; p99 of a step %+.2f to %+.2f us; end after %.2f s of %d" % (
        QUEUE, min(deltas), max(deltas), seconds, CLOSE_TIMEOUT)


# ---- as much as there is memory for --------------------------------------------------------------

CROWD = os.path.join(faults.BUILDDIR, "tests/faults/crowd")
MOST_KIB = 64 * 1024
# How often the cost of one of the first 1,000 names one of the last may have: they are in no cache.
MOST_RATIO = 6


def crowd_that_hangs(how, count):
    """(peak in KiB, everything it printed, what was said) beside a sink that never comes back."""
    faults.write_config(["hung"], ", close_timeout: 0s", plugin_path=faults.FICKLE)
    done = subprocess.run([CROWD, "stepwatch.yaml", how, str(count)], env=faults.environment(), capture_output=True, timeout=1800)
    out, said = done.stdout.decode(), done.stderr.decode()
    return number(r"peak (\d+)", out), out, said


def judge_peak(how, count, peak, said):
    # A sanitizer has memory of its own, which is not judged.
    wrong = ["%d KiB for %d" % (peak, count)] if not 0 < peak < MOST_KIB and not faults.SANITIZER else []
    wrong += ["not reported"] if "sink hung: did not finish within close_timeout" not in said else []
    wrong += ["not counted"] if "dropped because the sink was too slow" not in said else []
    wrong += ["a sanitizer spoke"] if faults.sanitized(said) else []
    return faults.tell(how, wrong, said)


@row(15, short=3000, full=10**6)
def hung_memory(count):
    """A sink that never comes back while there are so many epochs, and more hyper-parameters and names of metrics."""
    peaks, passed = [], 0
    for how, times in (("epochs", 1), ("configs", 60), ("metrics", 60)):
        many = min(count * times, 10**6)
        peak, out, said = crowd_that_hangs(how, many)
        peaks.append("%s %s: %.1f MiB" % (format(many, ","), how, peak / 1024))
        passed += judge_peak(how, many, peak, said)
    first, last = number(r"first (\d+)", out), number(r"last (\d+)", out)
    wrong = ["a value took %d ns at first and %d at last" % (first, last)] if last > MOST_RATIO * first else []
    passed -= not faults.tell("names", wrong if not faults.SANITIZER else [], said)
    return 3, passed, "%s; a value of the last name took %.1f times that of the first" % ("; ".join(peaks), last / max(first, 1))


# ---- failing and crashing ------------------------------------------------------------------------

# Options of fickle, the exit status, and what is said of it with 100 steps: fewer than the queue has room for.
FAILURES = [
    ({"fail": "open"}, 1, "sink fickle: the moon is full; the run continues without this sink"),
    ({"fail": "record"}, 1, "sink fickle: gave up after 10 failures in a row; the run continues without it"),
    ({"fail": "record", "after": 50}, 1, "sink fickle: 10 of 60 records failed: first error: the moon is full"),
    ({"fail": "sometimes"}, 1, "sink fickle: 33 of 100 records failed: first error: the moon is full"),
    ({"fail": "close"}, 1, "sink fickle: the moon is full"),
    ({"fail": "sometimes", "error": "nothing"}, 1, "a record failed, and the sink gave no reason"),
    ({"fail": "sometimes", "error": "garbage"}, 1, r"first error: \x9b\x9b"),
    ({"hang": "open"}, 1, "sink fickle: did not finish within close_timeout (3 s) and was left alone"),
    ({"hang": "flush"}, 1, "sink fickle: did not finish within close_timeout (3 s) and was left alone"),
    ({"hang": "close"}, 1, "sink fickle: did not finish within close_timeout (3 s) and was left alone"),
] + [({"crash": where, "after": after}, -11, "sink fickle crashed, which ends the program: SIGSEGV")
     for where, after in (("open", 0), ("record", 50), ("flush", 0), ("close", 0))]


def start(number, options):
    os.mkdir(str(number))
    with faults.inside(str(number)):
        fickle(3, **options)
        return faults.loop("steps=100", env=faults.OWN_FAULTS)


def judge_failure(folder, options, expected, sentence, end):
    """Whether the loop went on in spite of it, and the sentence was said."""
    status, _, said = end
    wrong = ["ended with %s" % faults.signal_name(status)] if status != expected else []
    wrong += ["not said: " + sentence] if sentence not in said else []
    steps = faults.steps_of(faults.read_log(folder + "/run.jsonl")[0]) if expected >= 0 else 100
    wrong += ["the log has %d steps" % steps] if steps != 100 else []
    wrong += ["a sanitizer spoke"] if expected >= 0 and faults.sanitized(said) else []
    return faults.tell(options, wrong, said)


@row(16, short=1, full=10)
def failing_sinks(trials):
    """Errors always, from the n-th on, each third time; texts that are none; hanging and crashing callbacks."""
    passed = 0
    for _ in range(trials):
        processes = [start(number, case[0]) for number, case in enumerate(FAILURES)]
        for number, case in enumerate(FAILURES):
            passed += judge_failure(str(number), *case, faults.end_of(processes[number]))
            shutil.rmtree(str(number))
    return trials * len(FAILURES), passed, "cases with a correct text: %d of %d" % (passed // trials, len(FAILURES))


ENDED = "its thread was ended by pthread_exit() or pthread_cancel()"


@row(16, short=1, full=10)
def ended_sinks(trials):
    """Callbacks that end or cancel the thread on which they run: the sink is named and given up, and nobody waits for it."""
    cases = [({how: where}, 1, ENDED) for how in ("ends", "cancels") for where in ("open", "record", "flush", "close")]
    passed = 0
    for _ in range(trials):
        for case in cases:
            end = faults.end_of(start("0", case[0]))
            waited = "left alone" in end[2]
            passed += judge_failure("0", *case, end) and faults.tell(case[0], ["it was waited for"] if waited else [], end[2])
            shutil.rmtree("0")
    return trials * len(cases), passed, "hangs, results of others missing: %d" % (trials * len(cases) - passed)


# ---- files that are not sinks --------------------------------------------------------------------

def write(data):
    def make(path):
        with open(path, "wb") as file:
            file.write(data)
    return make


def plain_with(old, new):
    """A copy of a good plugin in which some bytes are others."""
    def make(path):
        with open(os.path.join(PLUGINS, "plain.so"), "rb") as file:
            data = file.read()
        assert len(old) == len(new) and old in data
        write(data.replace(old, new))(path)
    return make


def writable(path):
    shutil.copyfile(os.path.join(PLUGINS, "plain.so"), path)
    os.chmod(path, 0o646)


def built(name):
    return lambda path: shutil.copyfile(os.path.join(PLUGINS, name + ".so"), path)


# Name of the sink, how its file is made, and the reason that is reported.
REFUSED = [
    ("text", write(b"#!/bin/sh\n"), "it is not an ELF file, expected a shared object"),
    ("empty", write(b""), "it is empty, expected a shared object"),
    ("folder", os.mkdir, "it is a directory, expected a shared object"),
    ("fifo", os.mkfifo, "it is not a regular file, expected a shared object"),
    ("link", lambda path: os.symlink(os.path.join(PLUGINS, "plain.so"), path), 'the file is named link.so, but its sink is named "plain"'),
    ("other", built("plain"), 'the file is named other.so, but its sink is named "plain": the names must match'),
    ("cut", write(b"\177ELF\2\1\1"), "the loader says: file too short"),
    ("narrow", plain_with(b"\177ELF\2\1", b"\177ELF\1\1"), "the loader says: wrong ELF class: ELFCLASS32"),
    ("dependent", plain_with(b"libc.so.6", b"libq.so.6"), "the loader says: libq.so.6: cannot open shared object file"),
    ("writable", writable, "it is writable by everybody: chmod o-w it"),
    ("wrong_magic", built("wrong_magic"), "its sw_sink_plugin is not a sink descriptor: magic is 0x12345678"),
    ("wrong_abi", built("wrong_abi"), "it was built for sink ABI 99, this stepwatch has 2"),
    ("wrong_size", built("wrong_size"), "its descriptor has 100 bytes, expected"),
    ("wrong_option_size", built("wrong_option_size"), "an entry of its option table has 40 bytes, expected"),
    ("wrong_table", built("wrong_table"), 'option precision: its fallback "40" is not within 1..17'),
    ("no_symbol", built("no_symbol"), "it exports no symbol sw_sink_plugin: it is not a stepwatch sink"),
    ("missing_symbol", built("missing_symbol"), "the loader says: undefined symbol: nobody_defines_this"),
]


def listed():
    """Problems that `stepwatch sinks` reports about what it finds, by name."""
    done = subprocess.run([faults.COMMAND, "sinks", "--json", "--config", "stepwatch.yaml"], capture_output=True,
                          env=faults.environment(**faults.OWN_FAULTS), timeout=faults.PATIENCE)
    sinks = json.loads(done.stdout or b'{"sinks":[]}')["sinks"]
    return {sink["name"]: sink.get("problem", "") for sink in sinks}, done.stderr.decode("utf-8", "replace")


def refused(name, reason, problems):
    faults.write_config([name], plugin_path="plugins")
    status, _, said = faults.run_loop("steps=1", env=faults.OWN_FAULTS)
    path = os.path.join(os.getcwd(), "plugins", name + ".so")
    wrong = ["ended with %s" % faults.signal_name(status)] if status or faults.sanitized(said) else []
    wrong += ["not said: sink %s: %s: %s" % (name, path, reason)] \
        if "stepwatch.yaml:3:5: sink %s: %s: %s" % (name, path, reason) not in said else []
    wrong += ["stepwatch sinks says %s" % problems.get(name)] if reason not in problems.get(name, "") else []
    return faults.tell(name, wrong, said)


def crashes_when_loaded(problems):
    """The one that crashes before anybody can look at it, in a program and in a list of all."""
    faults.write_config(["crash_load"], plugin_path="plugins")
    status, _, said = faults.run_loop("steps=1", env=faults.OWN_FAULTS)
    wrong = ["ended with %s" % faults.signal_name(status)] if status != -6 else []
    wrong += ["not named"] if "sink crash_load crashed, which ends the program: SIGABRT" not in said else []
    wrong += ["stepwatch sinks says %s" % problems.get("crash_load")] if problems.get("crash_load") != "it crashes when loaded: Aborted" else []
    return faults.tell("crash_load", wrong, said)


@row(16, short=1, full=5)
def no_sinks(trials):
    """Files that are not sinks, or not to be trusted: refused with path and reason, and listed as what they are."""
    os.mkdir("plugins")
    passed = 0
    for name, make, _ in REFUSED:
        make("plugins/%s.so" % name)
    built("crash_load")("plugins/crash_load.so")
    faults.write_config([], plugin_path="plugins")
    for _ in range(trials):
        problems, said = listed()
        passed += sum(refused(name, reason, problems) for name, _, reason in REFUSED)
        passed += crashes_when_loaded(problems)
    return trials * (len(REFUSED) + 1), passed, "cases with a correct text: %d of %d" % (passed // trials, len(REFUSED) + 1)


# ---- what adds up --------------------------------------------------------------------------------

def by_chance():
    """(settings of the profiler, options of the sink) for a run."""
    settings = random.choice(["", ", drop_first_batch: false"]) + ", rolling_average: %d" % random.randrange(2, 50)
    options = {"wait": "%dus" % random.choice([0, 0, 100, 2000]), "fail": random.choice(["never", "sometimes", "record"]),
               "after": random.randrange(300)}
    return settings, options


@row(28, short=3, full=200)
def accounting(trials):
    """Own times are the whole, steps x mean the total; what a sink was given, it wrote, or the loss is reported."""
    passed = 0
    for _ in range(trials):
        settings, options = by_chance()
        fickle(60, settings, **options)
        steps = random.randrange(1, 3000)
        _, _, said = faults.run_loop("steps=%d" % steps)
        found = faults.reports(faults.read_log("run.jsonl")[0])
        faults.report_of("run.jsonl")
        wrong = ["%d reports" % len(found)] if len(found) != 1 else []
        wrong += ["%d taken, %s not, of %d" % (marks(), missing(said), steps)] if marks() + sum(missing(said)) != steps else []
        passed += faults.tell((settings, options), wrong, said)
    return trials, passed, "%s reports of all rows so far; largest relative difference %.1g" % (
        format(accounts.checked, ","), accounts.worst)
