# SPDX-License-Identifier: MIT
"""server.py - stands in for an MLflow server with an SQL store: records all requests, checks them as the real one does,
and fails on demand.

server.py RECORD [FAULT...]: listens on a free port of 127.0.0.1 and prints it; ends when standard input ends. Each request is a
line of the file RECORD: {"method", "path", "headers", "body", "status"}. Faults, each for requests whose path contains WHAT:
    lose:N:WHAT         each Nth is done, and its answer is lost
    fail:N:STATUS:WHAT  each Nth is not done, and answered with STATUS
    mute:N:WHAT         the first N get no answer
    refuse:KEY          a batch with this metric is answered with 400
    plain               names may have letters of ASCII alone, and no colon
    dead:N:WHAT         each Nth is not done, and the connection is closed without an answer
    foreign:N:WHAT      each Nth is not done, and answered with 200 and a page, as by a proxy
    nameless:N:WHAT     each Nth is not done, and answered with 200 and runs that have no id
    empty:N:WHAT        each Nth is not done, and answered with 200 and nothing
    cut:N:WHAT          each Nth is done, and its answer is cut off within the body
    drip:N:WHAT         the first N get a byte a second
    deleted:NAME        this experiment exists, and is deleted
    files:nowhere       the server does not keep files itself
    folders             a store of folders, which keeps a value as often as it comes
POST /faults replaces them by those of its body.
It also takes what is sent to a Pushgateway, which only keeps the last text of a path, or deletes it.
GET /state on it answers with all that it knows, as JSON.
"""
import hashlib
import http.server
import json
import re
import sys
import threading
import time
import urllib.parse

KEY = re.compile(r"^[\w.\-/ :]{1,250}$")


class Refused(Exception):
    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.code = status, code


class Store:
    def __init__(self, faults):
        self.deleted = {fault.split(":", 1)[1] for fault in faults if fault.startswith("deleted:")}
        self.experiments = {"Default": "0", **{name: str(100 + i) for i, name in enumerate(self.deleted)}}
        self.runs = {}
        self.files = {}
        # A server on Windows takes no colon, and an old one letters of ASCII alone.
        self.key = re.compile(r"^[a-zA-Z0-9_.\-/ ]{1,250}$") if "plain" in faults else KEY
        self.refused = {fault.split(":", 1)[1] for fault in faults if fault.startswith("refuse:")}
        self.folders = "folders" in faults
        self.artifacts = "s3://bucket" if "files:nowhere" in faults else "mlflow-artifacts:"

    def run(self, run_id):
        if run_id not in self.runs:
            raise Refused(404, "RESOURCE_DOES_NOT_EXIST", f"Run with id={run_id} not found")
        return self.runs[run_id]

    def active(self, run_id):
        run = self.run(run_id)
        if run["info"]["lifecycle_stage"] != "active":
            raise Refused(400, "INVALID_PARAMETER_VALUE", f"The run {run_id} must be in the 'active' state.")
        return run

    def experiment(self, name):
        if name not in self.experiments:
            raise Refused(404, "RESOURCE_DOES_NOT_EXIST", f"Could not find experiment with name '{name}'")
        return {"experiment": {"experiment_id": self.experiments[name], "name": name,
                               "lifecycle_stage": "deleted" if name in self.deleted else "active"}}

    def create_experiment(self, body):
        if len(body["name"]) > 500:
            raise Refused(400, "INVALID_PARAMETER_VALUE", "'name' exceeds the maximum length of 500 characters")
        if body["name"] in self.experiments:
            raise Refused(400, "RESOURCE_ALREADY_EXISTS", f"Experiment '{body['name']}' already exists.")
        self.experiments[body["name"]] = str(len(self.experiments))
        return {"experiment_id": self.experiments[body["name"]]}

    def create(self, body):
        run_id = hashlib.md5(str(len(self.runs)).encode()).hexdigest()
        info = {"run_id": run_id, "experiment_id": body["experiment_id"], "run_name": body["run_name"], "status": "RUNNING",
                "start_time": body["start_time"], "lifecycle_stage": "active",
                "artifact_uri": f"{self.artifacts}/{body['experiment_id']}/{run_id}/artifacts"}
        tags = {tag["key"]: tag["value"] for tag in body["tags"]}
        self.runs[run_id] = {"info": info, "tags": tags, "params": {}, "metrics": set()}
        return {"run": self.shown(self.runs[run_id])}

    @staticmethod
    def shown(run):
        pairs = [{"key": key, "value": value} for key, value in run["tags"].items()]
        return {"info": run["info"], "data": {"tags": pairs, "metrics": [{"key": m[0]} for m in sorted(run["metrics"])]}}

    def search(self, body):
        wanted = re.findall(r"tags\.`([^`]+)` = '([^']*)'", body["filter"])
        if not wanted:
            raise Refused(400, "INVALID_PARAMETER_VALUE", "the filter has no backticks")
        found = [run for run in self.runs.values() if all(run["tags"].get(key) == value for key, value in wanted)
                 and run["info"]["experiment_id"] in body["experiment_ids"]]
        return {"runs": [self.shown(run) for run in found[:body["max_results"]]]} if found else {}

    def check(self, metric, refused):
        value = metric["value"]
        good = isinstance(value, (int, float)) and not isinstance(value, bool) or value in ("NaN", "Infinity", "-Infinity")
        good = good and type(metric["timestamp"]) is int and type(metric["step"]) is int and self.key.match(metric["key"])
        if not good or metric["key"] in refused:
            raise Refused(400, "INVALID_PARAMETER_VALUE", f"Invalid value for metric {metric['key']}")

    def log_batch(self, body):
        run = self.active(body["run_id"])
        metrics, params = body.get("metrics", []), body.get("params", [])
        if len(metrics) > 1000 or len(params) > 100 or (metrics and params):
            raise Refused(400, "INVALID_PARAMETER_VALUE", "too many in a batch")
        for metric in metrics:
            self.check(metric, self.refused)
        for param in params:
            if not self.key.match(param["key"]):
                raise Refused(400, "INVALID_PARAMETER_VALUE", f"Invalid parameter name: {param['key']}")
            if run["params"].get(param["key"], param["value"]) != param["value"]:
                raise Refused(400, "INVALID_PARAMETER_VALUE", f"Changing param values is not allowed: {param['key']}")
        run["params"].update({param["key"]: param["value"] for param in params})
        stored = len(run["metrics"])
        for i, m in enumerate(metrics):
            number = [stored + i] if self.folders else []
            run["metrics"].add((m["key"], m["step"], m["timestamp"], m["value"], *number))
        return {}

    def set_tag(self, body):
        if not self.key.match(body["key"]):
            raise Refused(400, "INVALID_PARAMETER_VALUE", f"Invalid tag name: {body['key']}")
        self.active(body["run_id"])["tags"][body["key"]] = body["value"]
        return {}

    def update(self, body):
        self.active(body["run_id"])["info"].update({k: body[k] for k in ("status", "end_time") if k in body})
        return {"run_info": self.run(body["run_id"])["info"]}

    def delete(self, body):
        self.active(body["run_id"])["info"]["lifecycle_stage"] = "deleted"
        return {}

    def post(self, name, body):
        return {"experiments/create": self.create_experiment, "runs/create": self.create, "runs/search": self.search,
                "runs/log-batch": self.log_batch, "runs/set-tag": self.set_tag, "runs/update": self.update,
                "runs/delete": self.delete}[name](body)

    def get(self, path, query):
        if path == "/state":
            runs = {key: {**run, "metrics": sorted(run["metrics"], key=str)} for key, run in self.runs.items()}
            return {"experiments": self.experiments, "runs": runs, "files": self.files}
        if path.endswith("/server-info"):
            return {"store_type": "FileStore" if self.folders else "SqlStore"}
        if path.endswith("/metrics/get-history"):
            points = [m for m in self.run(query["run_id"][0])["metrics"] if m[0] == query["metric_key"][0]]
            return {"metrics": [{"key": m[0], "step": m[1], "timestamp": m[2], "value": m[3]} for m in points]}
        if path.endswith("/experiments/get-by-name"):
            return self.experiment(query["experiment_name"][0])
        if path.endswith("/experiments/get"):
            name = [name for name, number in self.experiments.items() if number == query["experiment_id"][0]]
            return self.experiment(name[0] if name else "no name")
        if path.endswith("/runs/get"):
            return {"run": self.shown(self.run(query["run_id"][0]))}
        raise Refused(404, "ENDPOINT_NOT_FOUND", path)


class Faults:
    def __init__(self, faults):
        kinds = ("lose", "fail", "mute", "dead", "drip", "foreign", "nameless", "empty", "cut")
        self.rules = [fault.split(":") for fault in faults if fault.split(":")[0] in kinds]
        self.seen = [0] * len(self.rules)

    def next(self, path):
        """What to do wrong with this request: (kind, status), or None."""
        for i, rule in enumerate(self.rules):
            if path == "/state" or rule[-1] not in path:
                continue
            self.seen[i] += 1
            if self.seen[i] <= int(rule[1]) if rule[0] in ("mute", "drip") else self.seen[i] % int(rule[1]) == 0:
                return rule[0], int(rule[2]) if rule[0] == "fail" else 0
        return None


def shown(body):
    """What is not UTF-8 by its checksum, because JSON has no bytes."""
    try:
        body.encode()
        return body
    except UnicodeEncodeError:
        return "sha256:" + hashlib.sha256(body.encode("utf-8", "surrogateescape")).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store = faults = record = None
    lock = threading.Lock()

    def log_message(self, *args):
        pass

    def answer(self, path, query, body):
        prefix = "/api/2.0/mlflow/"
        if self.command == "GET":
            return self.store.get(path, query)
        if self.command == "PUT":
            self.store.files[urllib.parse.unquote(path.split("/artifacts/", 1)[-1])] = shown(body)
            return None
        if self.command == "DELETE":
            self.store.files.pop(path, None)
            return None
        if self.headers["Content-Type"] != "application/json" or "Content-Encoding" in self.headers:
            raise Refused(400, "BAD_REQUEST", "not JSON")
        if not path.startswith(prefix):
            raise Refused(404, "ENDPOINT_NOT_FOUND", path)
        return self.store.post(path[len(prefix):], json.loads(body))

    def serve(self):
        parts = urllib.parse.urlsplit(self.path)
        if parts.path == "/faults":
            words = self.rfile.read(int(self.headers["Content-Length"])).decode().split()
            Handler.faults = Faults(words)
            self.send_response(204)
            self.end_headers()
            return
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode("utf-8", "surrogateescape")
        with self.lock:
            fault = self.faults.next(parts.path)
            status, text = self.handle_one(parts, body, fault)
            if parts.path != "/state":
                line = {"method": self.command, "path": self.path, "headers": dict(self.headers), "body": shown(body), "status": status}
                self.record.write(json.dumps(line) + "\n")
                self.record.flush()
        if fault and fault[0] == "mute":
            time.sleep(3600)
        if fault and fault[0] in ("lose", "dead"):
            self.close_connection = True
            return
        if fault and fault[0] == "drip":
            self.drip()
            return
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        if fault:
            self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(text[:-1] if fault and fault[0] == "cut" else text)
        self.close_connection |= fault is not None and fault[0] == "cut"

    def drip(self):
        self.close_connection = True
        try:
            for _ in range(600):
                self.wfile.write(b"H")
                self.wfile.flush()
                time.sleep(1)
        except OSError:
            pass

    def handle_one(self, parts, body, fault):
        if fault and fault[0] == "fail":
            return fault[1], b"{}"
        if fault and fault[0] == "foreign":
            return 200, b"<html>Please log in.</html>"
        if fault and fault[0] == "empty":
            return 200, b""
        if fault and fault[0] == "nameless":
            return 200, b'{"runs": [null, {"info": {"run_id": 7}}], "run": {"info": {}}}'
        if fault and fault[0] in ("mute", "drip", "dead"):
            return 0, b""
        try:
            answer = self.answer(parts.path, urllib.parse.parse_qs(parts.query), body)
            return 200, b"" if answer is None else json.dumps(answer).encode()
        except Refused as refused:
            return refused.status, json.dumps({"error_code": refused.code, "message": str(refused)}).encode()

    do_GET = do_POST = do_PUT = do_DELETE = serve


def main():
    Handler.record = open(sys.argv[1], "w", encoding="utf-8")
    Handler.store, Handler.faults = Store(sys.argv[2:]), Faults(sys.argv[2:])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda request, address: None  # a client that gave up
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    try:
        sys.stdin.read()
    except ConnectionResetError:
        pass


main()
