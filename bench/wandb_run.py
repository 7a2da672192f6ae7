# SPDX-License-Identifier: MIT
"""Compares rows of wandb from the sink and from the Python package, in one run: wandb_run.py BUILD [ROWS [TIMES]].

Writes the same rows to a file, and to a server on this machine (tests/wandb/server), in turns. Prints the median of each
figure: microseconds of a row on the loop's thread (median, mean, 99.9 %; without the clock reads), rows a second until all of
them are in the file or at the server, milliseconds to open and to close, maximum of resident MB of the process and its children
(the package has a helper process), and how much of that is not file-backed (as the pages of libraries are, which the system can
drop). Then the ratios. Without the package (BUILD/venv), its lines are missing."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "wandb"))
from service import KEY, Service

BUILD = os.path.abspath(sys.argv[1])
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 50000
TIMES = int(sys.argv[3]) if len(sys.argv) > 3 else 3
PYTHON = os.path.join(BUILD, "venv", "bin", "python")
COLUMNS = ["p50_us", "mean_us", "p999_us", "rows_per_s", "open_ms", "close_ms", "peak_mb", "own_mb"]


def status(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            return dict(line.rstrip().split(":", 1) for line in file if ":" in line)
    except OSError:
        return {}


def family(pid):
    """Returns the process and all its descendants."""
    parent = {int(name): int(status(name).get("PPid", 0)) for name in os.listdir("/proc") if name.isdigit()}
    found = {pid}
    while more := {child for child, above in parent.items() if above in found} - found:
        found |= more
    return found


class Memory(threading.Thread):
    """Reads the resident memory until the process ends, from outside and in the same way for both sides."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.over, self.peak_mb, self.own_mb = pid, threading.Event(), 0, 0

    def look(self, pids):
        read = [status(pid) for pid in pids]
        # VmHWM also has peaks between two reads.
        self.peak_mb = max(self.peak_mb, self.sum(read, "VmHWM"))
        self.own_mb = max(self.own_mb, self.sum(read, "RssAnon"))

    @staticmethod
    def sum(read, name):
        return sum(int(fields.get(name, "0").split()[0]) for fields in read) / 1000 * 1.024

    def run(self):
        look = 0
        while not self.over.wait(0.01):
            pids = family(self.pid) if look % 50 == 0 else pids
            self.look(pids)
            look += 1


def run(command, **environment):
    folder = tempfile.mkdtemp(prefix="stepwatch-bench-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    process = subprocess.Popen([*command, str(ROWS)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**kept, "HOME": folder, "STEPWATCH_PLUGIN_PATH": BUILD + "/sinks/.libs",
                                    "WANDB_ERROR_REPORTING": "false", "WANDB_SILENT": "true", **environment})
    memory = Memory(process.pid)
    memory.start()
    try:
        said, complaints = process.communicate(timeout=300)
    finally:
        process.kill()
        memory.over.set()
        memory.join()
        shutil.rmtree(folder)
    if process.returncode:
        sys.exit(f"{command}: {complaints}")
    sys.stderr.write(complaints)
    found = json.loads(said.splitlines()[-1])
    return {**found, "peak_mb": max(memory.peak_mb, found.get("peak_mb", 0)), "own_mb": memory.own_mb}


def offline(command):
    return run(command, WANDB_MODE="offline")


def online(command):
    with Service("--limit", "400", "--no-bodies") as service:
        found = run(command, WANDB_MODE="online", WANDB_BASE_URL=service.url, WANDB_API_KEY=KEY)
        arrived = len(service.run()["lines"].get("wandb-history.jsonl", []))
    if arrived < ROWS:
        sys.exit(f"{command}: {arrived} of {ROWS} rows arrived")
    return found


def show(name, found):
    print(f"{name:28}" + "".join(f"{found[column]:12.4g}" if found[column] < 1000 else
                                  f"{found[column]:12.0f}" for column in COLUMNS), flush=True)


def main():
    sides = {"stepwatch": [os.path.join(BUILD, "bench", "wandb")],
             "wandb in Python": [PYTHON, os.path.join(HERE, "wandb_peer.py")]}
    if not os.path.exists(PYTHON):
        del sides["wandb in Python"]
    print(f"{f'{ROWS} rows, median of {TIMES}':28}" + "".join(f"{column:>12}" for column in COLUMNS))
    for place, once in (("file", offline), ("server", online)):
        rounds = [{name: once(command) for name, command in sides.items()} for _ in range(TIMES)]
        medians = {name: {column: statistics.median(found[name][column] for found in rounds) for column in COLUMNS}
                   for name in sides}
        for name, found in medians.items():
            show(f"{name}, {place}", found)
        if len(medians) == 2:
            ours, theirs = medians.values()
            show("  ratio", {column: (ours[column] / theirs[column] if column == "rows_per_s" else
                                      theirs[column] / ours[column]) for column in COLUMNS})


main()
