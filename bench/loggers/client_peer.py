# SPDX-License-Identifier: MIT
"""Does the same as bench/loggers/rows.c with an official client, or with a database by hand: client_peer.py KIND ROWS [VALUES].
Prints the same line of JSON, except for the peak of its memory, which measured.py reads.

KIND is a name in CLIENTS below. What a client needs besides, such as the address of its server, is in its environment.
`nothing` logs no rows: its memory is that of the interpreter."""
import io
import json
import sys
import time

KIND, ROWS, VALUES = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 10
NAMES = [f"train/m{k}" for k in range(VALUES)]


class Nothing:
    """The interpreter, the loop and its clock reads."""

    def log(self, i):
        pass

    def close(self):
        pass


class Mlflow:
    """A run of the server in MLFLOW_TRACKING_URI; each call waits for the server."""
    waits = True

    def __init__(self):
        import mlflow
        self.client = mlflow
        mlflow.set_experiment("bench")
        mlflow.start_run(log_system_metrics=False)

    def log(self, i):
        self.client.log_metrics({name: float(i + k) for k, name in enumerate(NAMES)}, step=i, synchronous=self.waits)

    def close(self):
        self.client.end_run()


class MlflowAsync(Mlflow):
    """The same; a thread waits for the server."""
    waits = False


class Trackio:
    """A project in a folder of its own; rows are written by a thread, about each half second."""

    def __init__(self):
        import trackio
        self.run = trackio.init(project="bench", embed=False)

    def log(self, i):
        self.run.log({name: float(i + k) for k, name in enumerate(NAMES)}, step=i)

    def close(self):
        self.run.finish()


class Wandb:
    """Four values in a row. System metrics and console capture are off."""

    def __init__(self):
        import wandb
        self.run = wandb.init(project="bench", settings=wandb.Settings(x_disable_stats=True, console="off"))

    def log(self, i):
        self.run.log({"train/loss": 1 / (i + 1), "train/accuracy": 0.5, "train/lr": 1e-3, "train/grad": float(i)})

    def close(self):
        self.run.finish()


class Prometheus(Nothing):
    """A gauge for each name and a histogram of the step, on a page of this machine."""

    def __init__(self):
        from prometheus_client import Gauge, Histogram, start_http_server
        start_http_server(0, "127.0.0.1")
        gauge = Gauge("metric", "Newest value.", ["name"])
        self.values = [gauge.labels(name) for name in NAMES]
        self.steps = Histogram("step_duration_seconds", "Duration of steps.")

    def log(self, i):
        for k, value in enumerate(self.values):
            value.set(float(i + k))
        self.steps.observe(1e-4)


class Sqlite:
    """A row for each value, and a transaction for each 1,000 rows, as somebody would write it in an afternoon."""

    def __init__(self):
        import sqlite3
        self.db = sqlite3.connect("hand.db", isolation_level=None)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=NORMAL")
        self.db.execute("CREATE TABLE metric(name TEXT, step INTEGER, value REAL, PRIMARY KEY(name, step)) WITHOUT ROWID")
        self.db.execute("BEGIN")

    def log(self, i):
        self.db.executemany("INSERT INTO metric VALUES(?,?,?)", [(name, i, float(i + k)) for k, name in enumerate(NAMES)])
        if i % 1000 == 999:
            self.db.execute("COMMIT")
            self.db.execute("BEGIN")

    def close(self):
        self.db.execute("COMMIT")
        self.db.close()


CLIENTS = {"nothing": Nothing, "mlflow": Mlflow, "mlflow_async": MlflowAsync, "trackio": Trackio, "wandb": Wandb,
           "prometheus": Prometheus, "sqlite": Sqlite}


def nothing_ns():
    """Returns the median of what two clock reads with nothing in between measure."""
    times = []
    for _ in range(1001):
        at = time.perf_counter_ns()
        times.append(time.perf_counter_ns() - at)
    return sorted(times)[500]


def own_mb():
    """Returns the memory that is not of files, which processes share."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon:")) * 1.024e-3


def main():
    out, sys.stdout = sys.stdout, io.StringIO()  # clients print, also when the program ends
    begin = time.perf_counter_ns()
    logger = CLIENTS[KIND]()
    clock, opened, times = nothing_ns(), time.perf_counter_ns(), []
    for i in range(ROWS):
        at = time.perf_counter_ns()
        logger.log(i)
        times.append(time.perf_counter_ns() - at - clock)
    logged, own = time.perf_counter_ns(), own_mb()
    logger.close()
    closed = time.perf_counter_ns()
    times.sort()
    print(json.dumps({"rows": ROWS, "open_ms": (opened - begin) / 1e6, "p50_us": times[ROWS // 2] / 1e3,
                      "mean_us": sum(times) / ROWS / 1e3, "p999_us": times[ROWS - 1 - ROWS // 1000] / 1e3,
                      "rows_per_s": ROWS / ((closed - opened) / 1e9), "close_ms": (closed - logged) / 1e6, "own_mb": own}), file=out)


main()
