# SPDX-License-Identifier: MIT
"""The group `loggers` of bench/run: rows of ten values, as fast as they are accepted, with sinks of experiment trackers and with
their official clients.

For each side: `row`, nanoseconds of a row on the loop's thread (the smallest, median and largest of several runs' medians);
`rows_per_s`, until all rows are where they belong; `memory`, the most that the process and its children had resident;
`memory_added`, how much more that is than the same loop, in the same language, has without a logger: what the logger adds to a
program; `own_added`, the part of it without file-backed pages, such as library code, which processes share. `paced` is a loop that
waits for the sink after every ten rows, so that few rows wait in memory, as in a loop that does work. A client that is not installed is
left out: `build-aux/venv BUILD/venv-mlflow mlflow==3.17.2` installs MLflow's, and
`build-aux/venv BUILD/venv-trackio trackio==0.43.0 prometheus_client==0.26.0` the others'.
"""
import functools, os, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "tests", "mlflow")]
from real_server import RealServer
from . import measured

VALUES = 10
TIMES = 3
GOALS = {"mlflow_row": (None, 300), "mlflow_offline_row": (None, 300), "prometheus_row": (None, 300), "sqlite_row": (None, 300),
         "trackio_row": (None, 300), "mlflow_memory": ("mlflow_client_memory", 0.1),
         "prometheus_memory_added": ("prometheus_client_memory_added", 0.1), "prometheus_file_row": (None, 300),
         "prometheus_paced_own_added": ("prometheus_client_own_added", 0.1),
         "prometheus_file_memory_added": ("prometheus_client_memory_added", 0.1), "trackio_memory": ("trackio_client_memory", 0.1)}


def case(name, unit, values):
    values = sorted(values)
    return {"name": name, "unit": unit, "min_ns": values[0], "median_ns": values[len(values) // 2], "max_ns": values[-1]}


@functools.lru_cache(maxsize=None)
def without_logger(command, folder):
    """Returns the memory of a program without a logger, all of it and its own: medians of several runs."""
    found = [measured.run([*command, "nothing", "20000", str(VALUES)], folder) for _ in range(TIMES)]
    return {kind: sorted(one[kind] for one in found)[TIMES // 2] for kind in ("peak_mb", "own_mb")}


def memory_of(name, found, base):
    yield case(f"{name}_memory", "MB", [one["peak_mb"] for one in found])
    for kind, unit in ("memory", "peak_mb"), ("own", "own_mb"):
        yield case(f"{name}_{kind}_added", "MB", [max(one[unit] - base[unit], 0.001) for one in found])


def runs_of(program, logger, rows, folder, *more, times=TIMES, **environment):
    return [measured.run([*program, logger, str(rows), str(VALUES), *more], folder, **environment) for _ in range(times)]


def cases_of(name, program, logger, rows, folder, times=TIMES, **environment):
    """Yields the cases of a logger. program: rows.c or client_peer.py, as a tuple."""
    found = runs_of(program, logger, rows, folder, times=times, **environment)
    yield case(f"{name}_row", "ns", [one["p50_us"] * 1e3 for one in found])
    yield case(f"{name}_rows_per_s", "1/s", [one["rows_per_s"] for one in found])
    yield from memory_of(name, found, without_logger(program, folder))


def program_of(folder):
    return os.path.join(folder, "bench", "loggers", "rows")


def of_sink(name, sink, folder, rows=20000, **environment):
    """The same for a sink: the entry of logger_callback, on one line of YAML."""
    return cases_of(name, (program_of(folder),), sink, rows, folder, **environment)


def paced(name, sink, folder):
    """The memory of a sink for which the loop waits after every ten rows."""
    program = (program_of(folder),)
    return memory_of(f"{name}_paced", runs_of(program, sink, 20000, folder, "10"), without_logger(program, folder))


# ---- MLflow ----------------------------------------------------------------------------------------

def mlflow(folder):
    python = os.path.join(folder, "venv-mlflow", "bin", "python")
    yield from of_sink("mlflow_offline", "mlflow: {mode: offline, system: false}", folder)
    if not os.path.exists(python):
        return
    peer = (python, os.path.join(HERE, "client_peer.py"))
    quiet = {"MLFLOW_DISABLE_TELEMETRY": "true", "no_proxy": "*", "GIT_PYTHON_REFRESH": "quiet"}
    with RealServer(python) as server:
        at = {"MLFLOW_TRACKING_URI": server.uri, **quiet}
        yield from of_sink("mlflow", "mlflow: {experiment: bench, system: false}", folder, rows=2000, **at)
        yield from cases_of("mlflow_client", peer, "mlflow", 300, folder, times=1, **at)
        yield from cases_of("mlflow_client_async", peer, "mlflow_async", 1000, folder, times=1, **at)


# ---- Prometheus, SQLite, Trackio -------------------------------------------------------------------

def local(folder):
    for name, sink in ("prometheus", 'prometheus: {listen: "127.0.0.1:0"}'), ("prometheus_file", "prometheus: {path: run.prom}"):
        yield from of_sink(name, sink, folder)
        yield from paced(name, sink, folder)
    yield from of_sink("sqlite", "sqlite: {path: run.db}", folder)
    yield from of_sink("trackio", "sqlite: {layout: trackio, project: bench}", folder)
    python = os.path.join(folder, "venv-trackio", "bin", "python")
    if not os.path.exists(python):
        return
    peer = (python, os.path.join(HERE, "client_peer.py"))
    for kind, name in ("prometheus", "prometheus_client"), ("sqlite", "sqlite_by_hand"), ("trackio", "trackio_client"):
        yield from cases_of(name, peer, kind, 20000, folder, HF_HUB_OFFLINE="1")


# ---- all of them -----------------------------------------------------------------------------------

def run(folder):
    subprocess.run(["make", "bench/loggers/rows"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return [*mlflow(folder), *local(folder)]
