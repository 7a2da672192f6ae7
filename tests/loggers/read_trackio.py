# SPDX-License-Identifier: MIT
"""read_trackio.py BUILD SOURCE: runs of the sink sqlite in the layout trackio, as the real Trackio lists, gets and serves them."""
import contextlib
import io
import json
import math
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

build, source = (os.path.abspath(path) for path in sys.argv[1:3])
work = tempfile.mkdtemp(prefix="stepwatch-trackio-")
folder = os.path.join(work, "trackio")
os.environ.update({"TRACKIO_DIR": folder, "HF_HUB_OFFLINE": "1", "no_proxy": "*", "HOME": work,
                   "STEPWATCH_PLUGIN_PATH": os.path.join(build, "sinks/.libs")})
os.environ.pop("STEPWATCH_CONFIG", None)
TRACKIO = os.path.join(os.path.dirname(sys.executable), "trackio")
LOOP = os.path.join(build, "tests/faults/loop")
STEPS = 400
mistakes, processes = [], []

def at(number, *lines):
    """The lines of a step and of what is logged in it."""
    step = {"type": "step", "t": 1000 * number, "step": number, "phase": "train", "samples": 1,
            "durations": {"draw": 10, "batch": 20}}
    return [step] + [dict(line, t=1000 * number, step=number) for line in lines]


def metric(name, value):
    return {"type": "metric", "name": name, "value": value}


LOG = [
    {"type": "run", "version": 1, "started": 1767225600.0, "name": "values", "detail": "steps"},
    {"type": "config", "name": "lr", "value": 0.001},
    {"type": "begin", "t": 0, "action": "fit"},
    {"type": "begin", "t": 0, "action": "epoch"},
    {"type": "begin", "t": 0, "action": "train"},
    *at(0, metric("loss", 2.5),
        {"type": "value", "kind": "text", "name": "note", "text": "**x** \u00e4\n\"y\""},
        {"type": "value", "kind": "histogram", "name": "w", "edges": [0, 0.5, 1], "counts": [10, 20], "nonfinite": 0},
        {"type": "value", "kind": "table", "name": "worst", "rows": [[1, 0.9], [2, None]],
         "columns": [{"name": "id", "type": "int"}, {"name": "p", "type": "float"}]},
        {"type": "alert", "level": "warning", "title": "diverged", "text": "the loss is large"}),
    *at(1, metric("loss", "NaN")),
    *at(2, metric("loss", 1), metric("loss", "-Infinity")),
    *at(3, metric("time", 4)),
    *({"type": "end", "t": 5000, "action": action} for action in ("train", "epoch", "fit")),
    {"type": "finish", "t": 6000, "exit_status": 3, "signal": 0, "interrupted": False},
]


def expect(holds, what):
    if not holds:
        mistakes.append(what)


def start(*command, **more):
    process = subprocess.Popen(command, cwd=work, **more)
    processes.append(process)
    return process


def trackio(*arguments):
    """What `trackio ... --json` says."""
    done = subprocess.run([TRACKIO, *arguments, "--json"], capture_output=True, text=True, timeout=60, cwd=work)
    expect(done.returncode == 0, "trackio %s: %s" % (" ".join(arguments), done.stderr[-300:]))
    return json.loads(done.stdout) if done.returncode == 0 else {}


def values(project, run, metric):
    found = trackio("get", "metric", "--project", project, "--run", run, "--metric", metric)
    return [(entry["step"], entry["value"]) for entry in found.get("values", [])]


def configure(project, name):
    with open(os.path.join(work, "stepwatch.yaml"), "w", encoding="utf-8") as out:
        out.write("name: %s\nprofiler: { mode: throughput, show_report: false }\n"
                  "logger_callback: [ sqlite: { layout: trackio, project: %s } ]\n" % (name, project))


# ---- values of each kind -----------------------------------------------------------------------------

def replayed():
    configure("values", "values")
    with open(os.path.join(work, "run.jsonl"), "w", encoding="utf-8") as out:
        out.writelines(json.dumps(line) + "\n" for line in LOG)
    for _ in range(2):  # the second one is another run of this name
        subprocess.run([os.path.join(build, "tests/tools/stepwatch"), "replay", "run.jsonl", "--config", "stepwatch.yaml"],
                       cwd=work, check=True, timeout=60, capture_output=True)


def same(found, wanted):
    return len(found) == len(wanted) and all(
        a[0] == b[0] and (a[1] == b[1] or (isinstance(a[1], float) and math.isnan(a[1]) and math.isnan(b[1])))
        for a, b in zip(found, wanted))


def values_are_there():
    from trackio.sqlite_storage import SQLiteStorage
    rows = {}
    for row in SQLiteStorage.get_logs("values", "values"):
        for name, value in row.items():
            rows.setdefault(name, []).append((row["step"], value))
    expect(same(rows.get("loss", []), [(0, 2.5), (1, math.nan), (2, -math.inf)]), "loss: %s" % rows.get("loss"))
    expect(rows.get("__time") == [(3, 4)], "time: %s" % rows.get("__time"))
    expect(rows.get("stepwatch/exit_status", [(0, None)])[-1][1] == 3, "status: %s" % rows.get("stepwatch/exit_status"))
    wanted = {"note": {"_type": "trackio.markdown", "_value": "**x** \u00e4\n\"y\""},
              "w": {"_type": "trackio.histogram", "bins": [0, 0.5, 1], "values": [10, 20]},
              "worst": {"_type": "trackio.table", "_value": [{"id": 1, "p": 0.9}, {"id": 2, "p": None}]}}
    for name, value in wanted.items():
        expect(rows.get(name) == [(0, value)], "%s: %s" % (name, rows.get(name)))
    alerts = SQLiteStorage.get_alerts("values")
    expect([(a["title"], a["text"], a["level"], a["step"]) for a in alerts] ==
           [("diverged", "the loss is large", "warn", 0)] * 2, "alerts: %s" % alerts)
    expect(SQLiteStorage.get_run_config("values", "values").get("lr") == 0.001, "no lr in the configuration")
    flags = SQLiteStorage.get_tab_availability_flags("values")
    expect(all(flags[tab] for tab in ("metrics", "media", "reports", "alerts")), "pages: %s" % flags)
    expect(SQLiteStorage.get_runs("values") == ["values"] * 2, "runs: %s" % SQLiteStorage.get_runs("values"))


def served():
    """The page gives the image that was logged."""
    import trackio as library
    text = ("name: rich\nprofiler: { show_report: false }\n"
            "logger_callback: [ sqlite: { layout: trackio, project: rich } ]\n")
    program = os.path.join(build, "tests/tensorboard/rich_run")
    if not os.path.exists(program):
        return
    subprocess.run([program, text], cwd=work, check=True, timeout=60, capture_output=True)
    (_, value), = values("rich", "rich", "images")
    cell = value["_value"][0]["image"]
    expect(cell["_type"] == "trackio.image" and cell["caption"] == "in *colour*", "image: %s" % cell)
    with contextlib.redirect_stdout(io.StringIO()):
        shown = library.show(project="rich", open_browser=False, block_thread=False)
    url = next(part for part in shown if isinstance(part, str) and part.startswith("http")).split("?")[0].rstrip("/")
    path = os.path.join(folder, "media", cell["file_path"])
    with urllib.request.urlopen(url + "/file?path=" + urllib.parse.quote(path), timeout=60) as answer:
        expect(answer.read(8) == b"\x89PNG\r\n\x1a\n", "the page has no image %s" % path)
    shown[0].close()


# ---- beside the client, and after a kill -------------------------------------------------------------

CLIENT = """
import trackio, time
run = trackio.init(project="shared", name="python")
for i in range(%d):
    run.log({"loss": 1 / (i + 1)})
    time.sleep(0.001)
run.finish()
""" % STEPS


def beside_the_client():
    """Both write to one project at the same time: all rows are there, once."""
    configure("shared", "c")
    client = start(sys.executable, "-c", CLIENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    loops = [start(LOOP, "stepwatch.yaml", "steps=%d" % STEPS, "rate=400", stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
             for _ in range(2)]
    _, said = client.communicate(timeout=60)
    expect(client.returncode == 0 and b"locked" not in said, "the client: %s" % said[-300:])
    for loop in loops:
        expect(loop.wait(60) == 0, "the loop ended with %s" % loop.returncode)
    wanted = [(i, 1 / (i + 1)) for i in range(STEPS)]
    expect(values("shared", "python", "loss") == wanted, "the client's rows are not complete")
    with sqlite3.connect(os.path.join(folder, "shared.db")) as db:
        counts = db.execute("SELECT count(*), count(DISTINCT log_id) FROM metrics WHERE run_name='c' AND "
                            "json_extract(CAST(metrics AS TEXT), '$.\"train/loss\"') NOT NULL GROUP BY run_id").fetchall()
    expect(counts == [(STEPS, STEPS)] * 2, "rows of the loops: %s" % counts)


def killed():
    """What was written stays, and Trackio reads it."""
    configure("killed", "killed")
    loop = start(LOOP, "stepwatch.yaml", "steps=100000", "rate=500", stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    path = os.path.join(folder, "killed.db")
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if os.path.exists(path):
            try:
                with sqlite3.connect(path) as db:
                    if db.execute("SELECT count(*) FROM metrics").fetchone()[0] > 300:
                        break
            except sqlite3.OperationalError:
                pass
        time.sleep(0.05)
    loop.send_signal(signal.SIGKILL)
    loop.wait()
    found = values("killed", "killed", "train/loss")
    expect(len(found) > 300 and found == [(i, 1 / (i + 1)) for i in range(len(found))], "after the kill: %d rows" % len(found))
    with sqlite3.connect(path) as db:
        expect(db.execute("PRAGMA integrity_check").fetchone() == ("ok",), "the database is damaged")


try:
    replayed()
    values_are_there()
    served()
    beside_the_client()
    killed()
finally:
    for left in processes:
        if left.poll() is None:
            left.kill()
            left.wait()
    shutil.rmtree(work, ignore_errors=True)
for mistake in mistakes[:20]:
    print("read_trackio.py: " + mistake, file=sys.stderr)
os._exit(1 if mistakes else 0)
