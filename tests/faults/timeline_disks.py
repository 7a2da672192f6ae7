# SPDX-License-Identifier: MIT
"""Timelines on disks that are full, broken, slow or gone, and of programs that close all descriptors."""
import glob, os, random, shutil

import disk, faults, timelines
from faults import row

# Each in a folder of its own, so that what is left can be seen.
SINKS = ["trace: { path: %s/c/t.json, counters: false }", "trace: { format: perfetto, path: %s/p/t.pftrace, counters: false }",
         "trace: { format: torch, path: %s/t/t.pt.trace.json }", "trace: { format: xplane, logdir: %s/x }"]
FOLDERS = "cptx"


def sinks_in(folder, chosen=SINKS):
    return [sink % folder for sink in chosen]


def readable(folder):
    """What is wrong with files that were cut off: whole lines, whole packets, and no part of a file that can only be read whole."""
    wrong, counts = [], []
    for path, read in ((folder + "/c/t.json", timelines.json_batches), (folder + "/p/t.pftrace", timelines.packets)):
        try:
            counts.append(read(path) if os.path.exists(path) and os.path.getsize(path) else 0)
        except ValueError as why:
            wrong.append("%s: %s" % (path, why))
    parts = [os.path.join(where, name) for kind in "tx" for where, _, names in os.walk(folder + "/" + kind) for name in names]
    # Their locks stay where they cannot be removed.
    return wrong + ["%s is left" % path for path in parts if not path.endswith(".lock")], counts


def judge(status, said, reason, count):
    wrong = ["ended with %s" % faults.signal_name(status)] if status != 1 or faults.sanitized(said) else []
    return wrong + (["%d sinks say why" % said.count(reason)] if said.count(reason) < count else [])


def other_sink():
    if not os.path.exists("report.csv"):
        return ["the other sink's file is missing"]
    with open("report.csv") as file:
        return [] if len(file.read().split("\n")) >= 5 else ["the other sink's file is short"]


@row(8, short=4, full=40)
def disk_full_timelines(trials):
    """256 KiB are full at once, in one format each: the file ends with a whole line or packet or is not there, and the sink says so."""
    faults.require_sinks("trace")
    wrapper, passed, slowest, most = disk.mounted("size=256k", "true"), 0, 0, [0, 0]
    for trial in range(trials):
        faults.empty_folder()
        os.mkdir("disk")
        faults.write_config(sinks_in("disk", [SINKS[trial % 4]]) + ["csv: { path: report.csv }"])
        status, out, said = faults.run_loop("steps=3000", wrapper=wrapper)
        wrong, found = readable(".")
        wrong += judge(status, said, "No space left on device", 1) + other_sink()
        # Alone, a line takes some 100 bytes and a packet some 15.
        wrong += ["%s batches and packets" % found] if trial % 4 < 2 and not wrong and found[trial % 4] < (200, 5000)[trial % 4] else []
        passed += faults.tell("disk full: " + SINKS[trial % 4], wrong, said)
        slowest, most = max(slowest, faults.slowest_ms(out)), [max(pair) for pair in zip(most, found)]
    return trials, passed, "up to %d batches and %d packets were written; slowest step %.2f ms" % (*most, slowest)


@row(8, short=1, full=5)
def read_only_timelines(trials):
    """A file system that may not be written, and a folder that is removed while the loop runs: each format says so."""
    faults.require_sinks("trace")
    wrapper, passed = disk.mounted("ro", "true"), 0
    for _ in range(trials):
        faults.write_config(sinks_in("disk") + ["csv: { path: report.csv }"])
        status, _, said = faults.run_loop("steps=100", wrapper=wrapper)
        passed += faults.tell("read-only", judge(status, said, "Read-only file system", 4) + other_sink(), said)
        faults.write_config(sinks_in("there") + ["csv: { path: report.csv }"])
        process = faults.loop("steps=200", "pause=100")
        while process.stdout.readline() not in (b"paused\n", b""):
            pass
        faults.wait_until(lambda: all(glob.glob("there/%s/**/.*.part" % kind, recursive=True) for kind in "tx"), "the files")
        faults.wait_until(lambda: os.path.exists("there/c/t.json") and os.path.exists("there/p/t.pftrace"), "the files")
        shutil.rmtree("there")
        status, _, said = faults.end_of(process, b"\n")
        passed += faults.tell("removed", judge(status, said, "/there/", 3) + other_sink(), said)
        shutil.rmtree("there", ignore_errors=True)
    return 2 * trials, passed, "each format said so, the other sink is complete"


def shimmed(**more):
    if "thread" in faults.SANITIZER or not os.path.exists(faults.SHIM):
        raise faults.Skip("there is no shim beneath the thread sanitizer")
    return {"LD_PRELOAD": faults.SHIM, "SHIM_LOG": "shim.log", "ASAN_OPTIONS": "verify_asan_link_order=0", **more}


@row(8, short=4, full=200)
def broken_timelines(trials):
    """EIO at every write from the n-th on, in one format each: what is there can be read, and the loss is reported."""
    faults.require_sinks("trace")
    passed = 0
    for trial in range(trials):
        faults.empty_folder()
        n = 1 + (trial // 4 if trials > 4 else random.randrange(4))
        faults.write_config([SINKS[trial % 4].replace(" }", ", max_size: 0 }") % "there"])
        status, _, said = faults.run_loop("steps=1000", "fake=1", env=shimmed(SHIM_FAIL="write:%d:-1" % n))
        failed = any(line.startswith("failed") for line in open("shim.log"))
        wrong = readable("there")[0] if failed else []
        wrong += judge(status, said, "Input/output error", 1) if failed else ["ended with %s" % status] if status else []
        passed += faults.tell("write %d of %s" % (n, SINKS[trial % 4]), wrong, said)
    return trials, passed, "files that cannot be read, losses without a word: %d" % (trials - passed)


@row(15, short=1, full=20)
def slow_disk_timelines(trials):
    """Each write takes ten seconds: the loop and its end do not wait, and what is written is whole."""
    faults.require_sinks("trace")
    passed, longest = 0, 0
    for _ in range(trials):
        faults.empty_folder()
        faults.write_config(sinks_in("there"), ", close_timeout: 0.5s")
        status, out, said = faults.run_loop("steps=500", env=shimmed(SHIM_SLOW="10000"))
        longest = max(longest, (faults.nanoseconds("lasted", out) + faults.nanoseconds("closed", out)) / 1e9)
        wrong = readable_while_written() + judge(status, said, "did not finish within close_timeout", 1)
        wrong += ["fit and close took %.1f s" % longest] if not longest < 8 else []
        passed += faults.tell("slow disk", wrong, said)
    return trials, passed, "fit and close took at most %.2f s" % longest


def readable_while_written():
    """The same, but parts are there under their hidden names."""
    return [what for what in readable("there")[0] if "/." not in what]


def mine_are_whole():
    names = os.listdir("mine")
    contents = [open("mine/" + name, "rb").read() for name in names]
    return ["%d of %d files of the program were written to" % (sum(text != b"mine\n" for text in contents), len(names))] \
        if len(names) != 100 or any(text != b"mine\n" for text in contents) else []


@row(24, short=1, full=20)
def closed_descriptors(trials):
    """The program closes all descriptors and opens its own files: those stay as they are, and every sink goes on."""
    if "thread" in faults.SANITIZER:
        raise faults.Skip("for the thread sanitizer, closing a descriptor that a thread uses is a race")
    faults.require_sinks("trace")
    passed = 0
    for _ in range(trials):
        timelines.afresh()
        shutil.rmtree("mine", ignore_errors=True)
        os.mkdir("mine")
        faults.write_config(timelines.FORMATS + ["csv: { path: report.csv }"])
        status, _, said = faults.run_loop("steps=400", "rate=2000", "closes=%d" % random.randrange(100, 300))
        wrong = ["ended with %s" % faults.signal_name(status)] if status or faults.sanitized(said) else []
        passed += faults.tell("closed_descriptors", wrong + mine_are_whole() + timelines.differing() + other_sink(), said)
    return trials, passed, "files of the program that were written to or closed: 0"
