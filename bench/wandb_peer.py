# SPDX-License-Identifier: MIT
"""Does the same as bench/loggers/rows.c with the Python package wandb: wandb_peer.py ROWS. Prints the same line of JSON, except
for the memory, which wandb_run.py reads. System metrics and console capture are off."""
import json
import sys
import time

import wandb

ROWS = int(sys.argv[1])


def nothing_ns():
    """Returns the median of what two clock reads with nothing in between measure."""
    times = []
    for _ in range(1001):
        at = time.perf_counter_ns()
        times.append(time.perf_counter_ns() - at)
    return sorted(times)[500]


def main():
    begin = time.perf_counter_ns()
    run = wandb.init(project="bench", settings=wandb.Settings(x_disable_stats=True, console="off"))
    clock, opened, times = nothing_ns(), time.perf_counter_ns(), []
    for i in range(ROWS):
        at = time.perf_counter_ns()
        run.log({"train/loss": 1 / (i + 1), "train/accuracy": 0.5, "train/lr": 1e-3, "train/grad": float(i)})
        times.append(time.perf_counter_ns() - at - clock)
    logged = time.perf_counter_ns()
    run.finish()
    closed = time.perf_counter_ns()
    times.sort()
    print(json.dumps({"rows": ROWS, "open_ms": (opened - begin) / 1e6, "p50_us": times[ROWS // 2] / 1e3,
                      "mean_us": sum(times) / ROWS / 1e3,
                      "p999_us": times[ROWS - 1 - ROWS // 1000] / 1e3,
                      "rows_per_s": ROWS / ((closed - opened) / 1e9), "close_ms": (closed - logged) / 1e6}))


main()
