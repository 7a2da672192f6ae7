# SPDX-License-Identifier: MIT
"""Ends of programs with timelines that are cut at a limit, of those that crash, and who may ask for a timeline."""
import glob, json, os, random, re, select, signal, time

import ends, faults, timelines, viewer
from faults import row
from hostile import NOBODY


# ---- limits --------------------------------------------------------------------------------------

LIMITED = ["trace: { path: last.json, max_size: 200kB, keep: last, counters: false }",
           "trace: { format: perfetto, path: last.pftrace, max_size: 60kB, keep: last, counters: false }",
           "trace: { path: first.json, max_size: 40kB, counters: false }", "trace: { path: few.json, max_events: 100 }",
           "trace: { format: perfetto, path: few.pftrace, max_events: 100 }", "trace: { path: packed.json, compress: gzip }"]


def events(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()[1:]
    return [json.loads(line.rstrip(",")) for line in lines if line != "]"]


def numbered(stem, end):
    """The numbers of the files of `keep: last`."""
    return sorted(int(re.search(r"\.(\d+)\.", path).group(1)) for path in glob.glob("%s.[0-9]*.%s" % (stem, end)))


def newest_step(path):
    return max([event["args"]["step"] for event in events(path) if "step" in event.get("args", {})], default=-1)


def wrong_numbers(end):
    found = numbered("last", end)
    fine = found and found == list(range(found[0], found[0] + len(found))) and len(found) <= 5
    return [] if fine else ["files %s" % found]


def judge_limited(stamps, killed_ns):
    """(what is wrong, seconds that the newest file of keep: last lacks)."""
    wrong = wrong_numbers("json") + wrong_numbers("pftrace")
    for path in glob.glob("*.json") + glob.glob("*.pftrace"):
        try:
            viewer.view(path) if os.path.getsize(path) else None
        except (SystemExit, ValueError, KeyError) as why:
            wrong.append("%s: %s" % (path, why))
    if wrong:
        return wrong, 0
    few = events("few.json")
    taken = sum(event["ph"] in "XB" for event in few)
    wrong += ["%d events with max_events: 100" % taken] if taken > 100 else []
    wrong += ["first.json has %d bytes" % os.path.getsize("first.json")] if os.path.getsize("first.json") > 40000 else []
    newest = max(newest_step(path) for path in glob.glob("last.[0-9]*.json"))
    lost = stamps[newest + 1:]
    return wrong, (killed_ns - lost[0]) / 1e9 if lost else 0


@row(5, short=1, full=50)
def sigkill_limits(trials):
    """SIGKILL with max_size, max_events, keep and compress: each file opens, and the last one lacks at most a second."""
    faults.require_sinks("trace")
    passed, longest = 0, 0
    for _ in range(trials):
        faults.empty_folder()
        faults.write_config(LIMITED)
        process = faults.loop("steps=100000", "rate=1000", "stamps=stamps")
        faults.first_line(process)
        faults.wait_until(lambda: len(numbered("last", "json")) >= 2 and all(map(os.path.exists, ("few.json", "first.json"))), "two files")
        time.sleep(random.uniform(0, 1.5 if trials > 1 else 0.2))
        killed_ns = time.monotonic_ns()
        process.kill()
        faults.end_of(process)
        wrong, seconds = judge_limited(faults.read_stamps("stamps"), killed_ns)
        longest = max(longest, seconds)
        wrong += ["%.2f s are missing" % seconds] if seconds > (1.6 if trials >= 20 else 60) else []
        passed += faults.tell("sigkill_limits", wrong, "")
    return trials, passed, "lost at most %.2f s" % longest


# ---- crashes -------------------------------------------------------------------------------------

@row(7, short=4, full=80)
def crashes_of_timelines(trials):
    """abort(), a fault and an exception: each format has what the run log has. After _exit(), what was flushed opens."""
    faults.require_sinks("trace")
    passed = 0
    for trial in range(trials):
        arguments, expected = ends.CRASHES[trial % len(ends.CRASHES)]
        timelines.afresh()
        faults.write_config(timelines.FORMATS)
        status, _, said = ends.crash(arguments)
        wrong = ["ended with %s" % faults.signal_name(status)] if status != expected or "Sanitizer" in said else []
        wrong += what_is_flushed() if arguments == ("end=_exit",) else timelines.differing()
        passed += faults.tell(arguments or "an exception", wrong, said)
    return trials, passed, "regions that a format shows otherwise than the run log: 0"


def what_is_flushed():
    """Of a program that is gone at once."""
    wrong = []
    for path in glob.glob("t.json") + glob.glob("t.pftrace"):
        try:
            viewer.view(path) if os.path.getsize(path) else None
        except (SystemExit, ValueError, KeyError) as why:
            wrong.append("%s: %s" % (path, why))
    whole = glob.glob("t.pt.trace.json") + glob.glob("lg/plugins/profile/*/[!.]*")
    return wrong + ["%s has its name" % path for path in whole]


# ---- who may ask for a timeline ------------------------------------------------------------------

def plant_file():
    open("ask", "w").close()
    os.chown("ask", NOBODY, NOBODY)


def plant_link():
    open("mine", "w").close()
    os.symlink("mine", "ask")
    os.chown("ask", NOBODY, NOBODY, follow_symlinks=False)


def plant_target():
    open("theirs", "w").close()
    os.chown("theirs", NOBODY, NOBODY)
    os.symlink("theirs", "ask")


ASKING = [("a file of another user", plant_file, False), ("a link of another user", plant_link, False),
          ("a link to a file of another user", plant_target, False), ("a file of one's own", lambda: open("ask", "w").close(), True)]


def asked(name):
    """A program that waits, before anybody asks."""
    os.mkdir(name)
    with faults.inside(name):
        faults.write_config(["trace: { path: t.json }"], ", capture: { file: ask, steps: 3 }")
        process = faults.loop("steps=100000", "rate=500", "pause=10")
        while faults.first_line(process) not in ("paused\n", ""):
            pass
    return process


def line_of(stream):
    """A line that comes in time, or ""."""
    ready, _, _ = select.select([stream], [], [], faults.PATIENCE)
    return stream.readline().decode() if ready else ""


def windows():
    return glob.glob("t_*.json")


def judge_asked(process, obeyed):
    """What is wrong with what the program, which waits, makes of the file."""
    said = "" if obeyed else line_of(process.stderr)
    process.stdin.write(b"\n")
    process.stdin.flush()
    faults.wait_until(windows, "a window") if obeyed else time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    status, _, more = faults.end_of(process)
    sentence = "belongs to another user, so it asks for no captures"
    wrong = ["ended with %s" % faults.signal_name(status)] if status != -signal.SIGTERM or faults.sanitized(said + more) else []
    wrong += ["%d windows" % len(windows())] if bool(windows()) != obeyed else []
    wrong += ["said %d times" % (said + more).count(sentence)] if (said + more).count(sentence) != (not obeyed) else []
    return wrong, said + more


@row(24, short=1, full=10)
def planted_captures(trials):
    """The file that asks for a capture belongs to another user, or is a link of one: nothing is recorded, and the program says why."""
    faults.require_sinks("trace")
    if os.geteuid() != 0:
        raise faults.Skip("a file of another user can only be made by root")
    passed = 0
    for trial in range(trials):
        folders = ["%d-%d" % (trial, number) for number in range(len(ASKING))]
        processes = [asked(folder) for folder in folders]
        for folder, (_, plant, _) in zip(folders, ASKING):
            with faults.inside(folder):
                plant()
        for folder, process, (what, _, obeyed) in zip(folders, processes, ASKING):
            with faults.inside(folder):
                passed += faults.tell(what, *judge_asked(process, obeyed))
    return trials * len(ASKING), passed, "captures for other users: 0"
