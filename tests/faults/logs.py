# SPDX-License-Identifier: MIT
"""The run log: every region of every thread, pauses, a log that is cut off; and what the command makes of it."""
import json, os, random, signal, sys, time

import faults
from faults import row

REGIONS = ["runlog: { path: run.jsonl, detail: regions }"]
THREADS = 4


def decodes(lines):
    """How many regions of each other thread ended."""
    found = {}
    for line in lines:
        if line["type"] == "end" and line["action"] == "decode":
            found[line["thread"]] = found.get(line["thread"], 0) + 1
    return sorted(found.values())


def stamps_of(thread):
    with open("decoded", "rb") as file:
        file.seek(thread * 800000)
        data = file.read(800000)
    return [stamp for stamp in memoryview(data).cast("q") if stamp]


def log():
    return faults.read_log("run.jsonl") if os.path.exists("run.jsonl") else ([], False)


@row(5, short=1, full=100)
def sigkill_regions(trials):
    """SIGKILL with detail: regions: of each thread at most a second is missing, and the log can be read."""
    passed, longest, torn = 0, 0, 0
    limit = 1.1 if trials >= 100 else 60
    for _ in range(trials):
        faults.empty_folder()
        faults.write_config(REGIONS)
        process = faults.loop("steps=100000", "rate=200", "threads=%d" % THREADS, "decoded=decoded", "stamps=stamps")
        faults.first_line(process)
        time.sleep(random.uniform(0.2, 2.5))
        killed = time.monotonic_ns()
        process.kill()
        faults.end_of(process)
        lines, ends_torn = log()
        torn += ends_torn
        # Which thread has which number nobody knows: the one that has the fewest lines is held against each.
        fewest = (decodes(lines) + [0] * THREADS)[0] if len(decodes(lines)) == THREADS else 0
        steps = sum(line["type"] == "end" and line["action"] == "batch" for line in lines)
        lost = [stamps[kept] for stamps, kept in
                [(faults.read_stamps("stamps"), steps)] + [(stamps_of(i), fewest) for i in range(THREADS)] if len(stamps) > kept]
        seconds = max((killed - stamp) / 1e9 for stamp in lost) if lost else 0
        longest = max(longest, seconds)
        status = faults.report_of("run.jsonl")[0] if lines else 0
        passed += faults.tell("sigkill_regions", (["%.2f s of a thread are lost" % seconds] if seconds > limit else []) +
                              (["no report"] if status else []), "")
    return trials, passed, "lost at most %.2f s of any thread; torn logs %d" % (longest, torn)


def made_again(status, expected, said, what):
    """What is wrong with the report that the command makes: the run's own is in the log, and all that it has."""
    lines, torn = log()
    wrong = ["ended with %s" % faults.signal_name(status)] if status != expected or faults.sanitized(said) else []
    own = faults.reports(lines)
    if len(own) != 1 or torn:
        return wrong + ["%d reports, torn: %s" % (len(own), torn)]
    status, document, said = faults.report_of("run.jsonl")
    made = document["runs"][0] if document else None
    if status or not made or any(made["log"]["lacks"].values()) or any(made["log"]["lost"].values()):
        return wrong + ["the log lacks something: " + said]
    before = lines[:lines.index(own[0])]
    reported = sum(r["calls"] for r in own[0]["rows"] if (r["phase"], r["action"]) == ("threads", "decode"))
    if sum(decodes(before)) != reported:
        wrong.append("%d decodings before the report, which has %d" % (sum(decodes(before)), reported))
    return wrong


@row(6, short=4, full=200)
def regions_at_the_end(trials):
    """sw_close(), exit(), SIGTERM and SIGINT with detail: regions and four other threads: all that the report has is before it."""
    ends = [(("steps=200", "rate=2000"), None, 0), (("steps=200", "rate=2000", "end=exit"), None, 3),
            (("steps=1000000", "rate=2000"), signal.SIGTERM, -signal.SIGTERM), (("steps=1000000", "rate=2000"), signal.SIGINT, -signal.SIGINT)]
    passed = 0
    for i in range(trials):
        faults.empty_folder()
        faults.write_config(REGIONS)
        arguments, number, expected = ends[i % len(ends)]
        process = faults.loop("threads=%d" % THREADS, *arguments)
        faults.first_line(process)
        if number:
            time.sleep(random.uniform(0, 0.3))
            process.send_signal(number)
        status, _, said = faults.end_of(process)
        passed += faults.tell(arguments, made_again(status, expected, said, arguments), said)
    return trials, passed, "reports of which the log lacks something: %d" % (trials - passed)


@row(4, short=2, full=40)
def pauses(trials):
    """A pause of 0.3 s that goes on, or in which the program is ended or killed: it is in no duration, in either detail."""
    passed, longest = 0, 0
    for i in range(trials):
        faults.empty_folder()
        how = i // 2 % 4 if trials > 4 else i
        faults.write_config(["runlog: { path: run.jsonl, detail: %s }" % ("steps", "regions")[i % 2]])
        begin = time.monotonic()
        process = faults.loop("steps=100", "rate=1000", "pause=50", "rest=1")
        while faults.first_line(process) != "paused\n":
            pass
        running = time.monotonic() - begin
        time.sleep(0.3 if how < 3 else 1.2)
        data = None
        if how == 0:
            data, begin = b"\n", time.monotonic()
        elif how == 1:
            begin = time.monotonic()
            process.send_signal(signal.SIGTERM)
        elif how == 2:
            begin = time.monotonic()
            process.stdin.close()
            process.stdin = None
        else:
            process.kill()
        status, _, said = faults.end_of(process, data)
        # A signal ends the waiting, too: the loop may go on until it is ended.
        running += time.monotonic() - begin if how < 3 else 0
        wrong = ["ended with %s" % faults.signal_name(status)] if status != (0, -signal.SIGTERM, 0, -signal.SIGKILL)[how] else []
        lines, _ = log()
        document = faults.report_of("run.jsonl")[1]
        made = document["runs"][0]["reports"][0]["fit_ns"] / 1e9 if document else 99
        own = [report["fit_ns"] / 1e9 for report in faults.reports(lines)] or [made]
        longest = max(longest, abs(made - own[0]) / own[0])
        wrong += ["%.6f s, but the loop ran for less than %.6f s (case %d)" % (made, running, i)] if made > running else []
        wrong += ["a fit of %.6f s by the log, %.6f s by its report" % (made, own[0])] if abs(made - own[0]) > 0.01 * own[0] + 1e-4 else []
        passed += faults.tell("pauses", wrong, said)
    return trials, passed, "fit made again differs by at most %.2g" % longest


@row(9, short=1, full=20)
def copytruncate(trials):
    """A log that is copied and cut off while it is written: no hole, no half line, what is left can be read, and all of it in a row."""
    passed, cut, cuts = 0, 0, 1 if trials == 1 else 3
    for i in range(trials):
        faults.empty_folder()
        faults.write_config(["runlog: { path: run.jsonl, detail: %s }" % ("steps", "regions")[i % 2]])
        process = faults.loop("steps=%d" % (2000 * cuts), "rate=4000")
        faults.first_line(process)
        wrong, copies = [], b""
        for _ in range(cuts):
            time.sleep(random.uniform(0.3, 0.4))
            with open("run.jsonl", "r+b") as file:
                copies += file.read()
                file.truncate(0)
            cut += 1
        status, _, said = faults.end_of(process)
        with open("run.jsonl", "rb") as file:
            rest = file.read()
        for name, text in (("what is left", rest), ("all of it", copies + rest)):
            if b"\0" in text or not text.startswith(b'{"type":"run",'):
                wrong.append(name + " has a hole or no begin")
        try:
            for line in (copies + rest).splitlines():
                json.loads(line)
        except ValueError:
            wrong.append("half a line")
        if faults.report_of("run.jsonl")[0]:
            wrong.append("no report of what is left")
        passed += faults.tell("copytruncate", wrong + (["ended with %s" % status] if status else []), said)
    return trials, passed, "cut off %d times; holes and half lines: %s" % (cut, "none" if passed == trials else "some")
