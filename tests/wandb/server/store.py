# SPDX-License-Identifier: MIT
"""What the service knows: runs, and the files that are put into its storage."""
import base64
import datetime
import hashlib
import json
import threading
import time

HISTORY, EVENTS = "wandb-history.jsonl", "wandb-events.jsonl"
SUMMARY, OUTPUT = "wandb-summary.json", "output.log"

# Fields of a run: by their name in upsertBucket's input.
FIELDS = ("displayName", "groupName", "jobType", "notes", "tags", "host", "jobProgram", "jobRepo",
          "commit", "sweep", "description", "debug")


class Deleted(Exception):
    """A run of a name that a deleted one had."""


class Invalid(Exception):
    """A run that exceeds a limit of the service."""


def identifier(*parts):
    return base64.b64encode(":".join(parts).encode()).decode()


def stamp(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def text_or_base64(content):
    try:
        return {"text": content.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


class Run:
    def __init__(self, entity, project, name, number):
        self.entity, self.project, self.name = entity, project, name
        self.id = identifier("Run", "v1", name, project, entity)
        self.fields = {"displayName": f"fake-run-{number}", "tags": []}
        self.config = {}
        self.upserts = []       # the input of each, as it came
        self.lines = {}         # file of the stream: {line number: text}
        self.rewritten = []     # lines that came again and were not the same: [file, number, old, new]
        self.posts = []         # times of all posts to the stream
        self.files = {}         # put into the storage: name to bytes
        self.uploaded = []      # names that a post said are uploaded
        self.alerts = []
        self.state, self.exit_code = "running", None
        self.stop = False
        self.created = time.time()

    def upsert(self, given):
        self.upserts.append(given)
        for name in FIELDS:
            if given.get(name) is not None:
                self.fields[name] = given[name]
        if given.get("config") is not None:
            self.config = json.loads(given["config"])
        self.state = "running"

    def stream(self, body):
        for name, part in body.get("files", {}).items():
            kept = self.lines.setdefault(name, {})
            for number, text in enumerate(part["content"], part["offset"]):
                if name not in (SUMMARY, OUTPUT) and kept.get(number, text) != text:
                    self.rewritten.append([name, number, kept[number], text])
                kept[number] = text
        self.uploaded += body.get("uploaded", [])
        self.posts.append(time.time())
        self.state = "running"
        if body.get("complete"):
            self.exit_code = body["exitcode"]
            self.state = "failed" if self.exit_code else "finished"

    def take_over(self, rows, named):
        """Rows and the end of the run, by a process that is not the one which made it."""
        if named:
            self.config = {"_wandb": {"value": {"t": {}, "e": {"far": {
                "writerId": "far", "startedAt": "2026-01-01T00:00:00Z"}}}}}
        first = self.count(HISTORY)
        lines = [json.dumps({"_step": first + k, "_timestamp": 1767225600 + k, "_runtime": 1, "far": k})
                 for k in range(rows)]
        self.stream({"files": {HISTORY: {"offset": first, "content": lines}}, "complete": True, "exitcode": 0})

    def text(self, name):
        """The lines of a file, in their order."""
        return [text for _, text in sorted(self.lines.get(name, {}).items())]

    def rows(self, name=HISTORY):
        return [json.loads(text) for text in self.text(name)]

    def count(self, name):
        """The first free line."""
        return max(self.lines.get(name, {}), default=-1) + 1

    def summary(self):
        texts = self.text(SUMMARY)
        return json.loads(texts[-1]) if texts else {}

    def as_json(self):
        return {"entity": self.entity, "project": self.project, "name": self.name, **self.fields,
                "config": self.config, "upserts": self.upserts, "uploaded": self.uploaded,
                "lines": {name: self.text(name) for name in self.lines},
                "numbers": {name: sorted(kept) for name, kept in self.lines.items()},
                "rewritten": self.rewritten, "posts": self.posts, "alerts": self.alerts,
                "files": {name: text_or_base64(content) for name, content in self.files.items()},
                "state": self.state, "exitcode": self.exit_code}


class Store:
    """All runs, and places to put files at. Use it with its lock held."""

    user, entity = "fake-user", "fake-entity"

    def __init__(self):
        self.lock = threading.RLock()
        self.runs = {}          # (entity, project, name): Run
        self.places = {}        # token of an upload URL: what to do with the bytes
        self.blobs = {}         # token: bytes
        self.artifacts = {}     # id: what is known of it
        self.deleted = set()    # names of runs that were, and cannot be again
        self.unknown = []       # what was asked and is not answered here

    def run(self, entity, project, name):
        return self.runs.get((entity or self.entity, project or "uncategorized", name))

    def upsert(self, given):
        self.check(given)
        if given["name"] in self.deleted:
            raise Deleted(f"run {given['name']} was previously created and deleted; try a new run name")
        run = next((run for run in self.runs.values() if run.id == given.get("id")), None)
        run = run or self.run(given.get("entityName"), given.get("modelName"), given["name"])
        new = run is None
        if new:
            run = Run(given.get("entityName") or self.entity,
                      given.get("modelName") or "uncategorized", given["name"], len(self.runs) + 1)
            self.runs[run.entity, run.project, run.name] = run
        run.upsert(given)
        return run, new

    @staticmethod
    def check(given):
        """The limits of the service. A run that exceeds one is not made."""
        for name, most in (("displayName", 128), ("groupName", 128), ("jobType", 128)):
            if len(given.get(name) or "") > most:
                raise Invalid(f"{name} must be at most {most} characters")
        for tag in given.get("tags") or ():
            if not 1 <= len(tag) <= 64:
                raise Invalid(f"invalid tag {tag!r}: must be 1 to 64 characters")

    def delete(self):
        """All runs, as on their pages."""
        self.deleted |= {run.name for run in self.runs.values()}
        self.runs = {}

    def place(self, *what, keep=None):
        """A token to put bytes at; keep is called with them."""
        token = hashlib.md5(repr((what, len(self.places))).encode()).hexdigest()
        self.places[token] = keep or (lambda content: None)
        return token

    def put(self, token, content):
        self.blobs[token] = content
        self.places[token](content)

    def as_json(self):
        runs = {f"{run.entity}/{run.project}/{run.name}": run.as_json() for run in self.runs.values()}
        return {"runs": runs, "artifacts": self.artifacts, "unknown": self.unknown}
