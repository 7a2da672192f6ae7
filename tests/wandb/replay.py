# SPDX-License-Identifier: MIT
"""replay.py TRANSCRIPTS: sends what the real wandb sent to the stand-in, and compares the answers.

A transcript is a file of JSON lines: request, status, answer. Documents were not recorded, only which fields they
ask for; they are made again here. Answers must be equal but for times, addresses and what was made up.
"""
import base64
import json
import os
import re
import sys
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from names import INPUT
from service import KEY, Service, Skip

# What the arguments of a field are, by the variables that the operation has.
ARGUMENTS = {"project": [("name", "project"), ("entityName", "entity")],
             "model": [("name", "project"), ("entityName", "entity")],
             "entity": [("name", "entityName")],
             "bucket": [("name", "name")],
             "run": [("name", "runName"), ("name", "run"), ("name", "name")],
             "artifact": [("name", "name")],
             "runs": [("first", "perPage"), ("after", "cursor"), ("order", "order"), ("filters", "filters")],
             "history": [("samples", "samples"), ("minStep", "minStep"), ("maxStep", "maxStep"),
                         ("samples", "pageSize")],
             "events": [("samples", "samples")],
             "sampledHistory": [("specs", "specs")],
             "parquetHistory": [("liveKeys", "liveKeys")],
             "files": [("names", "fileNames"), ("after", "fileCursor"), ("first", "fileLimit"),
                       ("pattern", "pattern")],
             "logLines": [("first", "first"), ("after", "after")]}
FIXED = {"wandbConfig": '(keys: ["t"])'}

# Names whose values are made anew each time: a place, a time, or a hash of what the transcript shortened.
MADE_UP = {"uploadUrl", "directUrl", "url", "id", "storagePath", "createdAt", "heartbeatAt", "updatedAt", "md5",
           "sizeBytes", "displayName", "runID"}


# ---- the documents, again

def arguments(field, body, depth):
    variables = body["variable_types"]
    if body["operation"] == "mutation" and depth == 0:
        if "input" in variables:
            return "(input: $input)"
        names = INPUT.get(field, {})
        pairs = [f"{names.get(name, name)}: ${name}" for name in variables if names.get(name, name)]
        return "(input: {" + ", ".join(pairs) + "})"
    if field == "sampledHistory" and "spec" in variables:
        return "(specs: [$spec])"
    pairs = {name: variable for name, variable in ARGUMENTS.get(field, []) if variable in variables}
    if field in FIXED or not pairs:
        return FIXED.get(field, "")
    return "(" + ", ".join(f"{name}: ${variable}" for name, variable in pairs.items()) + ")"


def selection(tree, body, depth=0):
    parts = []
    for field, below in tree.items():
        made = field if depth > 0 and body["operation"] == "mutation" else field + arguments(field, body, depth)
        if "includeUpload" in body["variable_types"] and field.startswith("upload"):
            made += " @include(if: $includeUpload)"
        parts.append(made + (" {" + selection(below, body, depth + 1) + "}" if below else ""))
    return " ".join(parts)


def document(body):
    tree = {}
    for path in body["selects"]:
        at = tree
        for field in path.split("."):
            at = at.setdefault(field, {})
    declared = ", ".join(f"${name}: {kind}" for name, kind in body["variable_types"].items())
    return (f"{body['operation']} {body['operationName']}" + (f"({declared})" if declared else "") +
            " {" + selection(tree, body) + "}")


# ---- requests

class Replay:
    def __init__(self, service):
        self.service = service
        self.known = {"http://127.0.0.1:8080": service.url}  # recorded text: what it is here

    def here(self, text):
        for recorded, found in self.known.items():
            text = text.replace(recorded, found)
        return text

    def body(self, entry):
        body = entry["body"]
        if body is None or isinstance(body, str):
            return (body or "").encode()
        if entry["path"] == "/graphql":
            body = {"operationName": body["operationName"], "query": document(body),
                    "variables": json.loads(self.here(json.dumps(body["variables"])))}
        return json.dumps(body).encode()

    def headers(self, entry):
        kept = {name: value for name, value in entry["headers"].items()
                if name not in ("Content-Length", "Accept-Encoding")}
        if "Authorization" in kept:
            kept["Authorization"] = "Basic " + base64.b64encode(f"api:{KEY}".encode()).decode()
        return kept

    def send(self, entry):
        request = urllib.request.Request(self.service.url + self.here(entry["path"]), self.body(entry) or None,
                                         self.headers(entry), method=entry["method"])
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    # ---- answers

    def learn(self, recorded, found):
        if isinstance(recorded, str) and isinstance(found, str) and len(recorded) >= 8:
            for old, new in ((recorded, found), (place(recorded), place(found))):
                if old and new and old != new:
                    self.known[old] = new

    def compare(self, recorded, found, where=""):
        name = re.sub(r"\[\d+\]$", "", where).rsplit(".", 1)[-1]
        if type(recorded) is not type(found) and not (number(recorded) and number(found)):
            raise AssertionError(f"{where}: {json.dumps(found)[:300]}, expected {json.dumps(recorded)[:300]}")
        if isinstance(recorded, dict):
            if set(recorded) != set(found):
                raise AssertionError(f"{where}: has {sorted(found)}, expected {sorted(recorded)}")
            for key in recorded:
                self.compare(recorded[key], found[key], f"{where}.{key}")
        elif isinstance(recorded, list):
            self.compare_lists(recorded, found, where)
        elif name in MADE_UP:
            self.learn(recorded, found)
        elif loaded(recorded) != loaded(found):
            raise AssertionError(f"{where}: {found!r}, expected {recorded!r}")

    def compare_lists(self, recorded, found, where):
        if len(recorded) != len(found):
            raise AssertionError(f"{where}: {len(found)} entries, expected {len(recorded)}")
        if recorded and isinstance(recorded[0], dict) and "name" in recorded[0]:
            recorded, found = (sorted(entries, key=lambda one: one["name"]) for entries in (recorded, found))
        for i, (one, other) in enumerate(zip(recorded, found)):
            self.compare(one, other, f"{where}[{i}]")

    def step(self, entry):
        if entry.get("fault"):
            self.service.say(f"fault {entry['status']} times=1")
        status, body = self.send(entry)
        where = f"request {entry['n']} {entry['method']} {entry['path']}"
        if status != entry["status"]:
            raise AssertionError(f"{where}: status {status}, expected {entry['status']}: {body[:300]!r}")
        if entry["response"] is not None:
            self.compare(entry["response"], json.loads(body), where)


def place(url):
    found = re.search(r"/storage/(\w+)", url)
    return found and found[1]


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def loaded(value):
    """JSON within a text as what it says; as text what is not a number, for NaN is not equal to itself."""
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    return json.dumps(json.loads(value), sort_keys=True)


def transcript(path):
    """Its requests in the order in which they were sent; they stand in that of their answers."""
    with open(path, encoding="utf-8") as file:
        return sorted(map(json.loads, file), key=lambda entry: entry["n"])


def replay(folder, *names):
    """Transcripts of one server, one after the other."""
    count = 0
    with Service() as service:
        sender = Replay(service)
        for name in names:
            for entry in transcript(os.path.join(folder, name + ".jsonl")):
                try:
                    sender.step(entry)
                except AssertionError as error:
                    sys.exit(f"{name}: {error}")
                count += 1
        unknown = service.state()["unknown"]
        if unknown:
            sys.exit(f"{names}: not answered: {unknown}")
    return count


def main():
    folder = sys.argv[1]
    # What is read from the service was written to it before.
    before = {"public_api_read": ["online"]}
    names = sorted(name.removesuffix(".jsonl") for name in os.listdir(folder))
    count = sum(replay(folder, *before.get(name, []), name) for name in names)
    print(f"{count} requests of {len(names)} transcripts are answered as they were")


try:
    main()
except Skip as reason:
    print(f"SKIP: {reason}")
    sys.exit(77)
