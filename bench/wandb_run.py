# SPDX-License-Identifier: MIT
"""A row of wandb, by the sink and by the Python package, in one run: wandb_run.py BUILD [ROWS].

Into a file, and to a server on this machine (tests/wandb/server): microseconds of a row on the loop's thread,
rows a second until all of them are where they belong, milliseconds to open and to close, KiB resident at most.
Without the package (BUILD/venv) its lines are missing."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "wandb"))
from service import KEY, Service

BUILD = os.path.abspath(sys.argv[1])
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 200000
PEER_ROWS = max(ROWS // 20, 1000)  # it is slower
PYTHON = os.path.join(BUILD, "venv", "bin", "python")
COLUMNS = ["p50_us", "p999_us", "rows_per_s", "open_ms", "close_ms", "peak_kib"]


def run(command, rows, **environment):
    folder = tempfile.mkdtemp(prefix="stepwatch-bench-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    try:
        done = subprocess.run([*command, str(rows)], cwd=folder, capture_output=True, text=True, timeout=300, check=False,
                              env={**kept, "HOME": folder, "STEPWATCH_PLUGIN_PATH": BUILD + "/sinks/.libs",
                                   "WANDB_ERROR_REPORTING": "false", "WANDB_SILENT": "true", **environment})
    finally:
        shutil.rmtree(folder)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    sys.stderr.write(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def online(command, rows):
    with Service("--limit", "400", "--no-bodies") as service:
        found = run(command, rows, WANDB_MODE="online", WANDB_BASE_URL=service.url, WANDB_API_KEY=KEY)
        arrived = len(service.run()["lines"].get("wandb-history.jsonl", []))
    if arrived < rows:
        sys.exit(f"{command}: {arrived} of {rows} rows arrived")
    return found


def show(name, found):
    print(f"{name:32}" + "".join(f"{found[column]:12.4g}" if found[column] < 1000 else
                                  f"{found[column]:12.0f}" for column in COLUMNS), flush=True)


def main():
    ours, peer = [os.path.join(BUILD, "bench", "wandb")], [PYTHON, os.path.join(HERE, "wandb_peer.py")]
    print(f"{'':32}" + "".join(f"{column:>12}" for column in COLUMNS))
    show("stepwatch, file", run(ours, ROWS, WANDB_MODE="offline"))
    show("stepwatch, server", online(ours, ROWS))
    if os.path.exists(PYTHON):
        show("wandb in Python, file", run(peer, PEER_ROWS, WANDB_MODE="offline"))
        show("wandb in Python, server", online(peer, PEER_ROWS))


main()
