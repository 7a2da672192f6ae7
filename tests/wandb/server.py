# SPDX-License-Identifier: MIT
"""A small stand-in for the service, for one run on 127.0.0.1: keeps what it was sent."""
import http.server
import json
import re
import threading
import urllib.parse

KEY = "k" * 40


class Run:
    """What the service would know of the run."""

    def __init__(self):
        self.upserts = []      # variables of each mutation
        self.lines = {}        # file of the stream: {line number: text}
        self.files = {}        # uploaded: name to bytes
        self.finished = None   # exit code
        self.unknown = []      # operations that this server does not know
        self.unauthorized = 0

    def rows(self, name):
        return [json.loads(text) for _, text in sorted(self.lines.get(name, {}).items())]

    def upsert(self, variables):
        self.upserts.append(variables)
        bucket = {"id": "UnVuOjE=", "name": variables["name"], "displayName": "shown",
                  "description": None, "config": None, "sweepName": None, "historyLineCount": 0,
                  "project": {"id": "UHJvamVjdDox", "name": variables.get("project") or "uncategorized",
                              "entity": {"id": "RW50aXR5OjE=", "name": "tester"}}}
        return {"upsertBucket": {"bucket": bucket, "inserted": True}}

    def upload_urls(self, variables, base):
        names = variables["files"]
        files = [{"name": name, "uploadUrl": f"{base}/storage/{urllib.parse.quote(name)}"}
                 for name in names]
        return {"createRunFiles": {"runID": "UnVuOjE=", "uploadHeaders": ["X-Upload:1"],
                                   "files": files}}

    def stream(self, body):
        for name, part in body.get("files", {}).items():
            kept = self.lines.setdefault(name, {})
            for i, text in enumerate(part["content"]):
                kept[part["offset"] + i] = text
        if body.get("complete"):
            self.finished = body["exitcode"]
        return {"exitcode": None, "limits": {}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, *_):
        pass

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def graphql(self, request):
        run, name = self.server.run, request.get("operationName", "")
        variables = request.get("variables") or {}
        base = f"http://127.0.0.1:{self.server.server_port}"
        if name == "UpsertBucket":
            return self.answer(200, {"data": run.upsert(variables)})
        if name == "CreateRunFiles":
            return self.answer(200, {"data": run.upload_urls(variables, base)})
        if name == "ServerFeaturesQuery":
            return self.answer(200, {"data": {"serverInfo": {"features": []}}})
        run.unknown.append(name)
        return self.answer(200, {"data": None, "errors": [{"message": f"{name} is not known"}]})

    def do_POST(self):
        body = json.loads(self.body() or b"{}")
        if not self.headers.get("Authorization", "").startswith("Basic "):
            self.server.run.unauthorized += 1
        if self.path == "/graphql":
            return self.graphql(body)
        if re.fullmatch(r"/files/[^/]+/[^/]+/[^/]+/file_stream", self.path):
            return self.answer(200, self.server.run.stream(body))
        return self.answer(404, {"error": "no such place"})

    def do_PUT(self):
        name = urllib.parse.unquote(self.path.removeprefix("/storage/"))
        self.server.run.files[name] = self.body()
        self.answer(200, {})


class Server(http.server.ThreadingHTTPServer):
    """Use it in a with statement; it ends with the block."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.run = Run()

    def handle_error(self, *_):
        """A client that leaves in the middle of a connection is none of this server's errors."""

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()
