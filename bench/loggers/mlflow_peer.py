# SPDX-License-Identifier: MIT
"""Does the same as bench/loggers/rows.c with MLflow's own client: mlflow_peer.py sync|async ROWS VALUES. Prints the same line of
JSON, except for the memory. The server is that of MLFLOW_TRACKING_URI."""
import json
import sys
import time

import mlflow

WAITS, ROWS, VALUES = sys.argv[1] == "sync", int(sys.argv[2]), int(sys.argv[3])


def main():
    begin = time.perf_counter_ns()
    mlflow.set_experiment("bench")
    mlflow.start_run(log_system_metrics=False)
    opened, times = time.perf_counter_ns(), []
    for i in range(ROWS):
        at = time.perf_counter_ns()
        mlflow.log_metrics({f"train/m{k}": float(i + k) for k in range(VALUES)}, step=i, synchronous=WAITS)
        times.append(time.perf_counter_ns() - at)
    logged = time.perf_counter_ns()
    mlflow.end_run()
    closed = time.perf_counter_ns()
    times.sort()
    print(json.dumps({"rows": ROWS, "open_ms": (opened - begin) / 1e6, "p50_us": times[ROWS // 2] / 1e3,
                      "mean_us": sum(times) / ROWS / 1e3, "p999_us": times[ROWS - 1 - ROWS // 1000] / 1e3,
                      "rows_per_s": ROWS / ((closed - opened) / 1e9), "close_ms": (closed - logged) / 1e6}))


main()
