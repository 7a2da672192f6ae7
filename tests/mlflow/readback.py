# SPDX-License-Identifier: MIT
"""readback.py BUILD SOURCE: runs of the sink mlflow at the real `mlflow server`, through a proxy that fails, read back by the
real client and compared with their journals: nothing is missing, nothing is there twice."""
import glob
import http.client
import http.server
import json
import math
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

build, source = (os.path.abspath(path) for path in sys.argv[1:3])
work = tempfile.mkdtemp(prefix="stepwatch-mlflow-")
os.environ.update({"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true", "no_proxy": "*"})
from mlflow import MlflowClient  # noqa: E402


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Proxy(http.server.BaseHTTPRequestHandler):
    """Passes requests on. fault: (kind, each); kinds: lose the answer, fail without asking, cut the answer."""
    protocol_version = "HTTP/1.1"
    target = 0
    fault = (None, 1)
    count = 0

    def log_message(self, *args):
        pass

    def serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        Proxy.count += 1
        kind, each = Proxy.fault
        bad = kind and Proxy.count % each == 0
        if bad and kind == "fail":
            return self.give(503, b"busy")
        server = http.client.HTTPConnection("127.0.0.1", Proxy.target, timeout=60)
        server.request(self.command, self.path, body, {k: v for k, v in self.headers.items() if k.lower() != "host"})
        answer = server.getresponse()
        text = answer.read()
        if bad and kind == "lose":
            self.close_connection = True
            return None
        return self.give(answer.status, text, cut=bool(bad and kind == "cut"))

    def give(self, status, text, cut=False):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text) + (10 if cut else 0)))
        self.end_headers()
        self.wfile.write(text)
        self.close_connection |= cut

    do_GET = do_POST = do_PUT = serve


def server_start():
    Proxy.target = free_port()
    log = open(os.path.join(work, "server.log"), "w", encoding="utf-8")
    server = subprocess.Popen([sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(Proxy.target),
                               "--backend-store-uri", f"sqlite:///{work}/mlflow.db", "--artifacts-destination",
                               f"{work}/artifacts", "--workers", "1"], stdout=log, stderr=log, cwd=work, start_new_session=True)
    for _ in range(240):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{Proxy.target}/health", timeout=5).read()
            return server
        except OSError:
            time.sleep(0.5)
    sys.exit("the server does not start: " + open(log.name, encoding="utf-8").read()[-2000:])


def environment(online):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("MLFLOW_", "STEPWATCH_CONFIG"))}
    env["STEPWATCH_PLUGIN_PATH"] = os.path.join(build, "sinks", ".libs")
    if online:
        env["MLFLOW_TRACKING_URI"] = f"http://127.0.0.1:{proxy.server_port}"
    return env


def folder_make(name):
    folder = os.path.join(work, name)
    os.mkdir(folder)
    with open(os.path.join(folder, "stepwatch.yaml"), "w", encoding="utf-8") as file:
        file.write("profiler: {show_report: false}\nlogger_callback:\n  - mlflow: { experiment: digits, interval: 500ms, "
                   f"run_name: {name} }}\n")
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
    done = subprocess.run([os.path.join(build, "tools/stepwatch"), "sync", run], env=environment(True), capture_output=True,
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
    Proxy.fault = (kind, each)
    run = digits(folder_make(kind or "plain"), online=True)
    if not is_done(run):
        sync(run)
    Proxy.fault = (None, 1)
    run_id = check(kind or "plain", run, "FINISHED")
    files = {file.path for file in client.list_artifacts(run_id)}
    assert files == {"report.md", "profile_report.json"}, files


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


proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
proxy.handle_error = lambda request, address: None  # a client that gave up
threading.Thread(target=proxy.serve_forever, daemon=True).start()
server = server_start()
client = MlflowClient(f"http://127.0.0.1:{Proxy.target}")
try:
    for fault in ((None, 1), ("lose", 3), ("fail", 3), ("cut", 2)):
        with_fault(*fault)
    offline_then_sync()
    killed_then_sync()
    golden()
finally:
    os.killpg(server.pid, signal.SIGTERM)
    server.wait()
    shutil.rmtree(work, ignore_errors=True)
