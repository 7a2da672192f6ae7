# SPDX-License-Identifier: MIT
"""Timelines of programs that are killed or whose disk is full: the file opens, and has all but the last second."""
import json, os, random, resource, sys, time

import faults
from faults import row

SINKS = ["trace: { path: t.json }", "trace: { format: perfetto, path: t.pftrace }",
         "trace: { format: xplane, logdir: lg }"]


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
