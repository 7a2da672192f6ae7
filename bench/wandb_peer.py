# SPDX-License-Identifier: MIT
"""What bench/wandb.c does, by the Python package wandb: wandb_peer.py ROWS; prints the same line of JSON.

Its helper process counts for the memory. System metrics and console capture are off."""
import glob
import json
import os
import sys
import time

import wandb

ROWS = int(sys.argv[1])


def status(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        return dict(line.rstrip().split(":", 1) for line in file if ":" in line)


def peak_kib():
    """The most that was resident of this process and all below it."""
    known, peak = {}, 0
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            known[int(os.path.basename(folder))] = status(os.path.basename(folder))
        except OSError:
            continue
    ours = {os.getpid()}
    while more := {pid for pid, fields in known.items() if int(fields["PPid"]) in ours} - ours:
        ours |= more
    for pid in ours:
        peak += int(known[pid].get("VmHWM", "0 kB").split()[0])
    return peak


def main():
    begin = time.perf_counter_ns()
    run = wandb.init(project="bench", settings=wandb.Settings(x_disable_stats=True, console="off"))
    opened, times = time.perf_counter_ns(), []
    for i in range(ROWS):
        at = time.perf_counter_ns()
        run.log({"train/loss": 1 / (i + 1), "train/accuracy": 0.5, "train/lr": 1e-3, "train/grad": float(i)})
        times.append(time.perf_counter_ns() - at)
    logged = time.perf_counter_ns()
    peak = peak_kib()
    run.finish()
    closed = time.perf_counter_ns()
    times.sort()
    print(json.dumps({"rows": ROWS, "open_ms": (opened - begin) / 1e6, "p50_us": times[ROWS // 2] / 1e3,
                      "p999_us": times[ROWS - 1 - ROWS // 1000] / 1e3,
                      "rows_per_s": ROWS / ((closed - opened) / 1e9), "close_ms": (closed - logged) / 1e6,
                      "peak_kib": peak}))


main()
