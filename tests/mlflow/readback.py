# SPDX-License-Identifier: MIT
"""readback.py BUILD SOURCE [PART]...: runs of the sink mlflow at the real `mlflow server`, through a proxy that fails, read back by the
real client and compared with their journals: nothing is missing, nothing is there twice."""
import glob
import http.client
import http.server
import io
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

build, source = (os.path.abspath(path) for path in sys.argv[1:3])
work = tempfile.mkdtemp(prefix="stepwatch-mlflow-")
os.environ.update({"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true", "no_proxy": "*"})
import mlflow  # noqa: E402
from mlflow import MlflowClient  # noqa: E402
from real_server import RealServer  # noqa: E402

PATIENCE = 1  # seconds that the sink waits for an answer of a proxy that hangs


class Proxy(http.server.BaseHTTPRequestHandler):
    """Passes requests on. fault: (kind, each); kinds: lose the answer, fail without asking, cut the answer, hang with the answer for
    longer than the sink waits, and be away for five seconds after so many requests."""
    protocol_version = "HTTP/1.1"
    target = 0
    fault = (None, 1)
    count = 0
    back = 0  # monotonic seconds

    def log_message(self, *args):
        pass

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        Proxy.count += 1
        kind, each = Proxy.fault
        bad = kind and Proxy.count % each == 0
        if bad and kind == "fail":
            return self.give(503, b"busy")
        if kind == "away" and Proxy.count == each:
            Proxy.back = time.monotonic() + 5
        if time.monotonic() < Proxy.back:
            self.close_connection = True
            return None
        server = http.client.HTTPConnection("127.0.0.1", Proxy.target, timeout=60)
        server.request(self.command, self.path, body, {k: v for k, v in self.headers.items() if k.lower() != "host"})
        answer = server.getresponse()
        text = answer.read()
        if bad and kind == "hang":
            time.sleep(3 * PATIENCE)
        if bad and kind in ("lose", "hang"):
            self.close_connection = True
            return None
        return self.give(answer.status, text, cut=bool(bad and kind == "cut"))

    def give(self, status, text, cut=False):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text) + (10 if cut else 0)))
        if status == 503:
            self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(text)
        self.close_connection |= cut

    do_GET = do_POST = do_PUT = serve


def environment(online, **more):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("MLFLOW_", "STEPWATCH_CONFIG"))}
    env["STEPWATCH_PLUGIN_PATH"] = os.path.join(build, "sinks", ".libs")
    if online:
        env["MLFLOW_TRACKING_URI"] = f"http://127.0.0.1:{proxy.server_port}"
    if Proxy.fault[0] == "hang":
        env["MLFLOW_HTTP_REQUEST_TIMEOUT"] = str(PATIENCE)
    return {**env, **more}


def folder_make(name, options=""):
    folder = os.path.join(work, name)
    os.mkdir(folder)
    with open(os.path.join(folder, "stepwatch.yaml"), "w", encoding="utf-8") as file:
        file.write("profiler: {show_report: false}\nlogger_callback:\n  - mlflow: { experiment: digits, interval: 500ms, "
                   f"run_name: {name}{options} }}\n")
    return folder


def digits(folder, online, kill_after=None):
    program = subprocess.Popen([os.path.join(build, "examples/digits/digits")], cwd=folder, env={**environment(online), "STEPWATCH_CONFIG": folder + "/stepwatch.yaml"},
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if kill_after:
        time.sleep(kill_after)
        program.send_signal(signal.SIGKILL)
    _, said = program.communicate()
    assert kill_after or program.returncode == 0, said
    return glob.glob(os.path.join(folder, "runs/mlflow/run-*"))[0]


def sync(run):
    done = subprocess.run([os.path.join(build, "tests/tools/stepwatch"), "sync", run], env=environment(True), capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def journal_of(run):
    with open(os.path.join(run, "journal.jsonl"), encoding="utf-8") as file:
        text = file.read()
    return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]


def number(value):
    return float(value.replace("Infinity", "inf")) if isinstance(value, str) else float(value)


def expected_of(lines):
    """(name, step): values, of the metrics whose names are keys as they are."""
    started = math.floor(lines[0]["started"] * 1e6 + 0.5)
    found = {}
    for line in lines:
        if line["type"] == "metric" and all(c.isalnum() or c in "_./ -" for c in line["name"]):
            point = (line["step"], (started + line["t"] // 1000) // 1000, number(line["value"]))
            found.setdefault(line["name"], set()).add(point)
    return found


def same(a, b):
    return len(a) == len(b) and all(x[:2] == y[:2] and (x[2] == y[2] or math.isnan(x[2]) and math.isnan(y[2]))
                                    for x, y in zip(sorted(a, key=str), sorted(b, key=str)))


def is_done(run):
    try:
        with open(os.path.join(run, "journal.jsonl.upload"), encoding="utf-8") as file:
            return json.load(file)["done"]
    except FileNotFoundError:
        return False  # the server failed until close_timeout had passed


def check(name, run, status):
    lines = journal_of(run)
    with open(os.path.join(run, "journal.jsonl.upload"), encoding="utf-8") as file:
        run_id = json.load(file)["run_id"]
    tag = f"tags.`stepwatch.run` = '{os.path.basename(run).split('-')[-1]}'"
    runs = client.search_runs([experiment.experiment_id for experiment in client.search_experiments()], tag)
    assert [found.info.run_id for found in runs] == [run_id], f"{name}: {len(runs)} runs"
    assert runs[0].info.status == status, f"{name}: {runs[0].info.status}"
    for key, points in expected_of(lines).items():
        stored = {(m.step, m.timestamp, m.value) for m in client.get_metric_history(run_id, key)}
        assert len(stored) == len(client.get_metric_history(run_id, key)), f"{name}: {key} has doubles"
        assert same(points, stored), (f"{name}: {key}: {len(points)} in the journal, {len(stored)} at the server: "
                                      f"{sorted(points - stored)[:3]}, {sorted(stored - points)[:3]}")
    params = {line["name"]: line["value"] for line in lines if line["type"] == "config"}
    assert runs[0].data.params == {key: str(value) for key, value in params.items()}, f"{name}: {runs[0].data.params}"
    print(f"{name}: {sum(map(len, expected_of(lines).values()))} values, {status}")
    return run_id


def with_fault(kind, each):
    Proxy.fault, Proxy.count, Proxy.back = (kind, each), 0, 0
    run = digits(folder_make(kind or "plain"), online=True)
    if not is_done(run):
        sync(run)
    assert Proxy.count >= each, f"{kind}: only {Proxy.count} requests came"
    Proxy.fault = (None, 1)
    run_id = check(kind or "plain", run, "FINISHED")
    files = {file.path for file in client.list_artifacts(run_id)}
    assert files == {"report.md", "profile_report.json", "valid", "histograms", "images"}, files


def offline_then_sync():
    run = digits(folder_make("offline"), online=False)
    sync(run)
    assert "already uploaded" in sync(run)
    check("offline", run, "FINISHED")


def killed_then_sync():
    run = digits(folder_make("killed"), online=True, kill_after=random.uniform(0.5, 2))
    sync(run)
    check("killed", run, "KILLED")


def golden():
    run = os.path.join(work, "mlflow", "run-20260101_000000-8aa6b6c8243d7ca6c47fc2ff9c912864")
    os.makedirs(run)
    shutil.copyfile(os.path.join(source, "tests/golden/mlflow/run.jsonl"), os.path.join(run, "journal.jsonl"))
    sync(run)
    with open(os.path.join(run, "journal.jsonl.upload"), encoding="utf-8") as file:
        run_id = json.load(file)["run_id"]
    stored = [(m.step, m.value) for m in client.get_metric_history(run_id, "train/loss")]
    assert len(stored) == 7 and math.isnan(stored[1][1]), stored
    assert client.get_run(run_id).data.params["note _x__2-453d344d"] == "tab\tand \\ ", "an odd name"
    print("golden: a run with odd names and values")


def program_run(name, online, command, options="", **env):
    """Runs a program of the build in a folder of its own; returns the folders of its runs."""
    folder = folder_make(name, options)
    done = subprocess.run(command, cwd=folder, env=environment(online, **env), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    runs = sorted(glob.glob(os.path.join(folder, "runs/mlflow/run-*")))
    for run in [run for run in runs if not is_done(run)]:
        sync(run)
    return runs


def run_of(folder):
    with open(os.path.join(folder, "journal.jsonl.upload"), encoding="utf-8") as file:
        return client.get_run(json.load(file)["run_id"])


def paths_of(run_id, below=None):
    found = []
    for file in client.list_artifacts(run_id, below):
        found += paths_of(run_id, file.path) if file.is_dir else [file.path]
    return found


def bytes_of(run_id, path):
    with open(client.download_artifacts(run_id, path, tempfile.mkdtemp(dir=work)), "rb") as file:
        return file.read()


def images_check(run_id, paths):
    from PIL import Image
    rgb = [[(x * 32, y * 32, (x + y) * 16) for x in range(8)] for y in range(8)]
    grey = [[int(x / 7 * 255 + 0.5) for x in range(8)] for _ in range(8)]
    for key, count, step, expected in (("valid~samples _8_-2d6ceeb6", 1, 0, rgb), ("grey", 2, 0, grey)):
        names = [path for path in paths if path.startswith(f"images/{key}+step+{step}+timestamp+")]
        assert len(names) == 2 * count, (key, paths)
        for name in names:
            image = Image.open(io.BytesIO(bytes_of(run_id, name)))
            assert [[image.getpixel((x, y)) for x in range(8)] for y in range(8)] == expected, name


def rich(name, online):
    (folder,) = program_run(name, online, [os.path.join(build, "tests/mlflow/rich_program")])
    run = run_of(folder)
    run_id, paths = run.info.run_id, paths_of(run.info.run_id)
    images_check(run_id, paths)
    table = client.load_table(run.info.experiment_id, "worst.json", [run_id])
    rows = table.astype(object).where(table.notna(), None).values.tolist()
    assert rows == [[1, 'cat "|" dog', 0.25], [2, None, 1e-07], [1, 'cat "|" dog', 0.25]], table
    assert client.load_table(run.info.experiment_id, "alerts.json", [run_id])["title"].tolist() == ["diverged"]
    assert json.loads(bytes_of(run_id, "histograms/histogram_1.json"))["data"] == [[k, k + 1, 1] for k in range(64)]
    for path, text in (("texts/note_1.md", "**bold** ä"), ("weights/model.bin", "second"), ("output.log", "first line\nsecond line\n"),
                       ("files/report.md", "the program's own")):
        assert bytes_of(run_id, path).decode() == text, path
    assert run.data.metrics["best"] == 0.25 and run.data.tags["outcome"] == "good", run.data
    assert run.data.tags["mlflow.loggedImages"] == "True"
    print(f"{name}: {len(paths)} files of values, pixels and tables as logged")


def system():
    names = {"cpu_utilization_percentage", "system_memory_usage_megabytes", "system_memory_usage_percentage", "disk_usage_percentage",
             "disk_usage_megabytes", "disk_available_megabytes", "network_receive_megabytes", "network_transmit_megabytes"}
    command = [os.path.join(build, "examples/digits/digits")]
    here = {"STEPWATCH_CONFIG": "stepwatch.yaml"}
    (folder,) = program_run("system", True, command, MLFLOW_SYSTEM_METRICS_SAMPLING_INTERVAL="0.5",
                            MLFLOW_SYSTEM_METRICS_NODE_ID="node_0", **here)
    run = run_of(folder)
    found = {key for key in run.data.metrics if key.startswith("system/")}
    assert found == {"system/node_0/" + name for name in names}, found
    steps = [m.step for m in client.get_metric_history(run.info.run_id, "system/node_0/disk_usage_percentage")]
    assert sorted(steps) == list(range(len(steps))) and len(steps) > 1, steps
    (folder,) = program_run("quiet", True, command, MLFLOW_ENABLE_SYSTEM_METRICS_LOGGING="false", **here)
    assert not any(key.startswith("system/") for key in run_of(folder).data.metrics)
    print(f"system metrics: {len(names)} names of the client, {len(steps)} samples; none if they are switched off")


def ranks():
    mpirun = shutil.which("mpirun")
    if not mpirun:
        print("SKIP: no mpirun for runs of several ranks")
        return
    command = [mpirun, "-n", "4", "--oversubscribe", "--allow-run-as-root", os.path.join(build, "examples/digits/digits")]
    runs = [run_of(folder) for folder in program_run("ranks", True, command, ", ranks: all", STEPWATCH_CONFIG="stepwatch.yaml")]
    parents = {run.data.tags["stepwatch.rank"]: run.data.tags.get("mlflow.parentRunId") for run in runs}
    first = [run.info.run_id for run in runs if run.data.tags["stepwatch.rank"] == "0"]
    assert parents == {"0": None, **{str(rank): first[0] for rank in (1, 2, 3)}}, parents
    assert all(run.info.status == "FINISHED" for run in runs)
    assert any(key.startswith("system/rank_3/") for run in runs for key in run.data.metrics)
    print("ranks: three runs below that of rank 0")


def faults():
    for fault in ((None, 1), ("lose", 15), ("fail", 3), ("cut", 15), ("hang", 100), ("away", 100)):
        with_fault(*fault)


def values():
    rich("rich", online=True)
    rich("rich-offline", online=False)


PARTS = {"faults": faults, "offline": offline_then_sync, "killed": killed_then_sync, "golden": golden, "values": values,
         "system": system, "ranks": ranks}
proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
proxy.handle_error = lambda request, address: None  # a client that gave up
threading.Thread(target=proxy.serve_forever, daemon=True).start()
with RealServer(sys.executable) as server:
    Proxy.target = server.port
    client = MlflowClient(server.uri)
    mlflow.set_tracking_uri(server.uri)  # for load_table()
    for part in [name for name in PARTS if name in sys.argv[3:] or not sys.argv[3:]]:
        PARTS[part]()
shutil.rmtree(work, ignore_errors=True)
