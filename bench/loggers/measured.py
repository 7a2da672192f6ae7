# SPDX-License-Identifier: MIT
"""Runs a program that logs rows, and reads the memory of it and its children from outside, in the same way for all."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading


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


def run(command, build, **environment):
    """Runs a program that prints a line of JSON, in a folder of its own and with little of this environment. Adds its memory."""
    folder = tempfile.mkdtemp(prefix="stepwatch-bench-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**kept, "HOME": folder, "STEPWATCH_PLUGIN_PATH": build + "/sinks/.libs",
                                    **environment})
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
    return {**found, "peak_mb": max(memory.peak_mb, found.get("peak_mb", 0)),
            "own_mb": max(memory.own_mb, found["own_mb"])}
