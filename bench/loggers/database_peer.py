# SPDX-License-Identifier: MIT
"""Does the same as bench/loggers/rows.c with Trackio's client, with Prometheus' client, or with the database by hand:
database_peer.py trackio|prometheus|sqlite ROWS VALUES. Prints the same line of JSON, except for the memory."""
import io
import json
import sys
import time

KIND, ROWS, VALUES = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
NAMES = [f"train/m{k}" for k in range(VALUES)]


class Trackio:
    """A project in a folder of its own; rows are written by a thread, about each half second."""

    def __init__(self):
        import trackio
        self.run = trackio.init(project="bench", embed=False)

    def log(self, i):
        self.run.log({name: float(i + k) for k, name in enumerate(NAMES)}, step=i)

    def close(self):
        self.run.finish()


class Prometheus:
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

    def close(self):
        pass


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


def main():
    out, sys.stdout = sys.stdout, io.StringIO()  # clients print, also when the program ends
    begin = time.perf_counter_ns()
    logger = {"trackio": Trackio, "prometheus": Prometheus, "sqlite": Sqlite}[KIND]()
    opened, times = time.perf_counter_ns(), []
    for i in range(ROWS):
        at = time.perf_counter_ns()
        logger.log(i)
        times.append(time.perf_counter_ns() - at)
    logged = time.perf_counter_ns()
    logger.close()
    closed = time.perf_counter_ns()
    times.sort()
    print(json.dumps({"rows": ROWS, "open_ms": (opened - begin) / 1e6, "p50_us": times[ROWS // 2] / 1e3,
                      "mean_us": sum(times) / ROWS / 1e3, "p999_us": times[ROWS - 1 - ROWS // 1000] / 1e3,
                      "rows_per_s": ROWS / ((closed - opened) / 1e9), "close_ms": (closed - logged) / 1e6}), file=out)


main()
