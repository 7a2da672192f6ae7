# SPDX-License-Identifier: MIT
"""Compares rows of wandb from the sink and from the Python package, in one run: wandb_run.py BUILD [ROWS [TIMES]].

Writes the same rows to a file, and to a server on this machine (tests/wandb/server), in turns. Prints the median of each
figure: microseconds of a row on the loop's thread (median, mean, 99.9 %; without the clock reads), rows a second until all of
them are in the file or at the server, milliseconds to open and to close, maximum of resident MB of the process and its children
(the package has a helper process), and how much of that is not file-backed (as the pages of libraries are, which the system can
drop). Then the ratios. Without the package (BUILD/venv), its lines are missing."""
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tests", "wandb")]
from service import KEY, Service
from loggers import measured

BUILD = os.path.abspath(sys.argv[1])
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 50000
TIMES = int(sys.argv[3]) if len(sys.argv) > 3 else 3
PYTHON = os.path.join(BUILD, "venv", "bin", "python")
COLUMNS = ["p50_us", "mean_us", "p999_us", "rows_per_s", "open_ms", "close_ms", "peak_mb", "own_mb"]


def once(command, **environment):
    return measured.run([*command, str(ROWS)], BUILD, WANDB_ERROR_REPORTING="false", WANDB_SILENT="true", **environment)


def offline(command):
    return once(command, WANDB_MODE="offline")


def online(command):
    with Service("--limit", "400", "--no-bodies") as service:
        found = once(command, WANDB_MODE="online", WANDB_BASE_URL=service.url, WANDB_API_KEY=KEY)
        arrived = len(service.run()["lines"].get("wandb-history.jsonl", []))
    if arrived < ROWS:
        sys.exit(f"{command}: {arrived} of {ROWS} rows arrived")
    return found


def show(name, found):
    print(f"{name:28}" + "".join(f"{found[column]:12.4g}" if found[column] < 1000 else
                                  f"{found[column]:12.0f}" for column in COLUMNS), flush=True)


def main():
    sides = {"stepwatch": [os.path.join(BUILD, "bench", "loggers", "rows"), "wandb: {project: bench, system: false}"],
             "wandb in Python": [PYTHON, os.path.join(HERE, "loggers", "client_peer.py"), "wandb"]}
    if not os.path.exists(PYTHON):
        del sides["wandb in Python"]
    print(f"{f'{ROWS} rows, median of {TIMES}':28}" + "".join(f"{column:>12}" for column in COLUMNS))
    for place, measure in (("file", offline), ("server", online)):
        rounds = [{name: measure(command) for name, command in sides.items()} for _ in range(TIMES)]
        medians = {name: {column: statistics.median(found[name][column] for found in rounds) for column in COLUMNS}
                   for name in sides}
        for name, found in medians.items():
            show(f"{name}, {place}", found)
        if len(medians) == 2:
            ours, theirs = medians.values()
            show("  ratio", {column: (ours[column] / theirs[column] if column == "rows_per_s" else
                                      theirs[column] / ours[column]) for column in COLUMNS})


main()
