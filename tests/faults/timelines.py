# SPDX-License-Identifier: MIT
"""Timelines of programs that are killed or whose disk is full: the file opens, and has all but the last second."""
import glob, json, os, platform, random, resource, shutil, signal, sys, time

import clocks, faults, viewer
from faults import row

SINKS = ["trace: { path: t.json }", "trace: { format: perfetto, path: t.pftrace }",
         "trace: { format: xplane, logdir: lg }", "trace: { format: torch, path: t.pt.trace.json }"]


def json_batches(path):
    """The batches of an array without an end, which viewers read line by line."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not text.startswith("[\n"):
        raise ValueError("does not begin an array")
    if not text.endswith("\n]\n"):
        lines = text[2:]
        if lines and not lines.endswith("},\n"):
            raise ValueError("ends within a line: %r" % text[-40:])
        text = "[" + lines.rstrip(",\n") + "]"
    return sum(event["name"] == "batch" and event["ph"] in "XB" for event in json.loads(text))


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def packets(path):
    """The whole packets of a file; a cut one may be the last."""
    with open(path, "rb") as file:
        data = file.read()
    at = count = 0
    while at < len(data):
        if data[at] != 0x0a:
            raise ValueError("no packet at byte %d" % at)
        try:
            size, begin = number(data, at + 1)
        except IndexError:
            break
        if begin + size > len(data):
            break
        at = begin + size
        count += 1
    return count


def wrong_with(folder, killed_ns):
    """What is wrong with the files, and how many seconds they lack."""
    stamps = faults.read_stamps(folder + "/stamps")
    if any("xplane" in name for _, _, names in os.walk(folder + "/lg") for name in names if not name.startswith(".")):
        return "a part of an XPlane file has its name", 0
    if os.path.exists(folder + "/t.pt.trace.json"):
        return "a part of a file of torch has its name", 0
    if not os.path.exists(folder + "/t.json") or not os.path.getsize(folder + "/t.json"):
        return None, (killed_ns - stamps[0]) / 1e9 if stamps else 0
    try:
        batches, whole = json_batches(folder + "/t.json"), packets(folder + "/t.pftrace")
    except ValueError as why:
        return str(why), 0
    lost = stamps[batches:]
    if batches > 400 and whole < batches:  # each is flushed at a time of its own
        return "%d packets for %d batches" % (whole, batches), 0
    return None, (killed_ns - lost[0]) / 1e9 if lost else 0


@row(30, short=2, full=50)
def sigkill_timelines(trials):
    """At random times: a viewer opens the timelines, at most a second is missing, and half a file has no name."""
    faults.require_sinks("trace")
    passed, longest = 0, 0
    for trial in range(trials):
        os.mkdir(str(trial))
        with faults.inside(str(trial)):
            faults.write_config(SINKS)
            process = faults.loop("steps=100000", "rate=200", "stamps=stamps")
            faults.first_line(process)
            time.sleep(random.uniform(0, 2.5))
            killed_ns = time.monotonic_ns()
            process.kill()
            faults.end_of(process)
        problem, seconds = wrong_with(str(trial), killed_ns)
        if problem:
            print(problem, file=sys.stderr)
        longest = max(longest, seconds)
        # A loaded machine delays the sink's thread as any other: the second is judged where it is measured alone.
        passed += problem is None and seconds <= (1.6 if trials >= 20 else 60)
    return trials, passed, "lost at most %.2f s" % longest


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (40960, 40960))


@row(31, short=1, full=10)
def file_limit_timelines(trials):
    """No file may be larger than 40 KiB: the timelines end with a whole line and packet, and the loop is not disturbed."""
    faults.require_sinks("trace")
    passed = 0
    for trial in range(trials):
        os.mkdir(str(trial))
        with faults.inside(str(trial)):
            faults.write_config([sink.replace("path", "counters: false, path") for sink in SINKS[:2]])
            process = faults.loop("steps=3000", preexec_fn=limit_files)
            status, _, said = faults.end_of(process)
            batches, whole = json_batches("t.json"), packets("t.pftrace")
            sizes = [os.path.getsize(name) for name in ("t.json", "t.pftrace")]
        fine = status in (0, 1) and batches > 20 and whole > 100 and max(sizes) <= 40960 and "t.json" in said
        if not fine:
            print("status %s, %d batches, %d packets, %s: %s" % (status, batches, whole, sizes, said), file=sys.stderr)
        passed += fine
    return trials, passed, "whole lines up to the limit"


# ---- the same regions as in the run log ----------------------------------------------------------

FORMATS = ["runlog: { path: run.jsonl, detail: regions }", "trace: { path: t.json }", "trace: { format: perfetto, path: t.pftrace }",
           "trace: { format: xplane, logdir: lg }", "trace: { format: torch, path: t.pt.trace.json }"]


def log_totals(lines):
    """{thread/name: (calls, ns)} of a run log, and what was open at its end."""
    opened, sums = {}, {}
    key = lambda thread, name: "%s/%s" % ("thread %d" % thread if thread else "loop", name)
    for line in lines:
        thread, kind = line.get("thread", 0), line["type"]
        if kind in ("begin", "pause"):
            opened.setdefault(thread, []).append((line.get("action", "paused"), line["t"]))
        elif kind in ("end", "cancel", "resume"):
            name, begin = opened[thread].pop()
            total = sums.setdefault(key(thread, name), [0, 0])
            total[0], total[1] = total[0] + 1, total[1] + line["t"] - begin
    left = {key(thread, name) for thread, names in opened.items() for name, _ in names}
    return {name: tuple(total) for name, total in sums.items()}, left


def differing():
    """What the timelines show otherwise than the log, and what a viewer complains about. What is open at the end ends there."""
    expected, left = log_totals(faults.read_log("run.jsonl")[0])
    paths = ["t.json", "t.pftrace", "t.pt.trace.json"] + glob.glob("lg/plugins/profile/*/*.xplane.pb")
    wrong = ["%d files" % len(paths)] if len(paths) != 4 or not expected else []
    for path in paths:
        try:
            found = viewer.totals(viewer.view(path))
        except (SystemExit, OSError, ValueError, KeyError) as why:
            wrong.append("%s: %s" % (path, why))
            continue
        ended = {name: total for name, total in found.items() if name not in left}
        wrong += ["%s: %s" % (path, what) for what in viewer.differences({n: t for n, t in expected.items() if n not in left}, ended)[:3]]
    return wrong


def afresh():
    faults.empty_folder()
    shutil.rmtree("lg", ignore_errors=True)


ENDS = [("end=close", 0), ("end=exit", 3), ("end=thread", 3), ("fork=40", 0), ("SIGTERM", -signal.SIGTERM), ("SIGINT", -signal.SIGINT)]


def run_to(how, threads):
    """Returns how it ended and what it said."""
    if not how.startswith("SIG"):
        status, _, said = faults.run_loop("steps=80", "rate=2000", how, "threads=%d" % threads)
        return status, said
    process = faults.loop("steps=100000", "rate=2000", "threads=%d" % threads)
    faults.first_line(process)
    time.sleep(random.uniform(0, 0.2))
    process.send_signal(getattr(signal, how))
    status, _, said = faults.end_of(process)
    return status, said


@row(6, short=3, full=60)
def ends_of_timelines(trials):
    """sw_close(), exit(), also on another thread, SIGTERM, SIGINT, and a child that measures: each format has what the run log has."""
    faults.require_sinks("trace")
    passed = 0
    for trial in range(trials):
        how, expected = ENDS[trial % len(ENDS)] if trials > 3 else random.choice(ENDS)
        afresh()
        faults.write_config(FORMATS)
        status, said = run_to(how, 0 if how.startswith("fork") else 3)
        wrong = ["ended with %s" % faults.signal_name(status)] if status != expected or faults.sanitized(said) else []
        passed += faults.tell(how, wrong + differing(), said)
    return trials, passed, "regions that a format shows otherwise than the run log: 0"


@row(19, short=1, full=16)
def moved_timelines(trials):
    """The counter and CLOCK_MONOTONIC go apart in a step, as in a suspend: each format has the times of the run log."""
    faults.require_sinks("trace")
    if faults.SANITIZER or platform.machine() != "x86_64" or not os.path.exists(faults.SHIM):
        raise faults.Skip("the counter can be moved on x86_64 only, without a sanitizer")
    passed = 0
    for trial in range(trials):
        what, move = clocks.MOVES[(3 + trial) % len(clocks.MOVES)]
        afresh()
        status, _, said, lines, times = clocks.run_moved(move, trial % 2 == 0, FORMATS)
        wrong = ["ended with %s" % faults.signal_name(status)] if status else []
        stamps = [line["t"] for line in lines if line["type"] in ("begin", "end")]
        wrong += ["%d times go back" % sum(b < a for a, b in zip(stamps, stamps[1:]))] if sorted(stamps) != stamps else []
        passed += faults.tell(what, wrong + differing(), said)
    return trials, passed, "times that a format shows otherwise than the run log: 0"


# ---- many regions --------------------------------------------------------------------------------

IN_STEP, MOST_KIB, SLICE_BYTES = 8, 65536, 31


def peak_kib(process):
    with open("/proc/%d/status" % process.pid) as file:
        return int(next(line for line in file if line.startswith("VmHWM")).split()[1])


@row(14, short=100000, full=10**7)
def many_regions(regions):
    """So many regions in every format at once: the memory stays below 64 MiB, none is lost, and the protobuf form takes 31 bytes for each."""
    faults.require_sinks("trace")
    steps = regions // IN_STEP // (8 if faults.SANITIZER else 1)
    bounds = "max_size: 0, counters: false"
    faults.write_config(["trace: { path: /dev/null, %s }" % bounds, "trace: { format: perfetto, path: t.pftrace, %s }" % bounds,
                         "trace: { format: xplane, logdir: lg, %s }" % bounds,
                         "trace: { format: torch, path: t.pt.trace.json, %s }" % bounds], ", close_timeout: 600s")
    process = faults.loop("steps=%d" % steps, "work=20000", "pause=%d" % (steps - 1))
    while process.stdout.readline() not in (b"paused\n", b""):
        pass
    kib = peak_kib(process)
    status, _, said = faults.end_of(process, b"\n")
    size = os.path.getsize("t.pftrace") / (steps * IN_STEP)
    wrong = ["ended with %s" % faults.signal_name(status)] if status or faults.sanitized(said) or said else []
    wrong += ["%d KiB" % kib] if kib > MOST_KIB and not faults.SANITIZER else []
    wrong += ["%.1f bytes a region" % size] if size > SLICE_BYTES else []
    return 1, int(faults.tell("many_regions", wrong, said)), "%.0e regions: at most %d KiB, %.1f bytes a region" % (steps * IN_STEP, kib, size)
