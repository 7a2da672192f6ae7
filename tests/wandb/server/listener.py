# SPDX-License-Identifier: MIT
"""The service over HTTP: reads requests, writes each of them down, answers or misbehaves."""
import base64
import gzip
import http.server
import json
import os
import re
import select
import socket
import ssl
import threading
import time
import urllib.parse

import store as kept
from faults import reset
from graphql import Refused, execute


class Journal:
    """Every request, as a line of JSON in DIR/requests.jsonl."""

    def __init__(self, folder, bodies=True):
        self.file = open(os.path.join(folder, "requests.jsonl"), "w", buffering=1, encoding="utf-8")
        self.lock, self.count, self.begin, self.bodies = threading.Lock(), 0, time.monotonic(), bodies

    def write(self, entry, body=b""):
        if self.bodies:
            found = kept.text_or_base64(body)
            entry.update({"body": found["text"]} if "text" in found else {"body_base64": found["base64"]})
        with self.lock:
            self.count += 1
            entry = {"n": self.count, "t": round(time.monotonic() - self.begin, 3), **entry}
            self.file.write(json.dumps(entry) + "\n")


class Request:
    """What was asked: how faults name it, and who may ask it."""

    def __init__(self, method, path, headers, body):
        self.method, self.headers, self.body = method, headers, body
        place = urllib.parse.urlsplit(path).path
        self.parts = [urllib.parse.unquote(part) for part in place.strip("/").split("/")]
        self.read = None
        self.operation = self.name()

    def name(self):
        if self.parts == ["graphql"]:
            body = self.json()
            named = re.match(r"\s*(?:query|mutation)\s+(\w+)", body.get("query") or "")
            return body.get("operationName") or (named[1] if named else "graphql")
        if self.parts[0] == "files":
            return "file_stream" if self.method == "POST" else "download"
        return self.parts[0] or "nothing"

    def json(self):
        if self.read is None:
            text = gzip.decompress(self.body) if self.headers.get("Content-Encoding") == "gzip" else self.body
            found = json.loads(text or b"{}")
            self.read = found if isinstance(found, dict) else {}
        return self.read

    def operations(self):
        """All names that a fault may know it by."""
        names = {"any", self.operation.lower()}
        return names | {"graphql"} if self.parts == ["graphql"] else names


def failure(status, message):
    return status, {}, json.dumps({"errors": [{"message": message}], "error": message}).encode()


class Service:
    """Answers a request by (status, headers, body)."""

    def __init__(self, store, schema, key=None):
        self.store, self.schema = store, schema
        self.expected = key and "Basic " + base64.b64encode(f"api:{key}".encode()).decode()

    def answer(self, request):
        with self.store.lock:
            try:
                if request.parts[0] == "storage":
                    return self.storage(request)
                if not self.known(request.headers.get("Authorization", "")):
                    return failure(401, "user is not logged in")
                return self.place(request)
            except (ValueError, KeyError, TypeError) as error:
                return failure(400, f"{type(error).__name__}: {error}")

    def known(self, given):
        return given == self.expected if self.expected else given.startswith("Basic ")

    def place(self, request):
        if request.parts == ["graphql"] and request.method == "POST":
            return self.graphql(request.json())
        if request.operation == "file_stream" and len(request.parts) == 5:
            return self.stream(request)
        if request.operation == "download":
            run = self.store.run(*request.parts[1:4])
            content = run and run.files.get("/".join(request.parts[4:]))
            return (200, {}, content) if content is not None else failure(404, "no such file")
        return failure(404, "no such place")

    def graphql(self, body):
        try:
            data = execute(body.get("query", ""), body.get("operationName"), body.get("variables") or {},
                           self.schema.roots())
        except kept.Deleted as refusal:
            return failure(409, str(refusal))
        except kept.Invalid as refusal:
            return failure(400, str(refusal))
        except Refused as refusal:
            self.store.unknown.append(f"{body.get('operationName')}: {refusal}")
            return failure(400, str(refusal))
        return 200, {"Content-Type": "application/json"}, json.dumps({"data": data}).encode()

    def stream(self, request):
        run = self.store.run(*request.parts[1:4])
        if not run:
            return failure(404, f"run {request.parts[3]} not found")
        run.stream(request.json())
        answer = {"limits": {"heartbeat_seconds": 30, "system_samples": 15, "system_sample_seconds": 2}}
        if request.json().get("complete"):
            answer["exitcode"] = run.exit_code
        if run.stop:
            answer["stopped"] = True
        return 200, {"Content-Type": "application/json"}, json.dumps(answer).encode()

    def storage(self, request):
        """As an object store with signed addresses: strict about what came with the signature."""
        token = request.parts[-1]
        if request.method == "GET":
            content = self.store.blobs.get(token)
            return (200, {}, content) if content is not None else failure(404, "no such object")
        if request.headers.get("Authorization"):
            return failure(400, "only one way of authorization is allowed")
        if request.headers.get("X-Fake-Upload") != "1":
            return failure(403, "the signature does not match")
        if request.headers.get("Content-Length") is None:
            return failure(411, "the length is required")
        if token not in self.store.places:
            return failure(404, "no such place")
        self.store.put(token, request.body)
        return 200, {}, b""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, *_):
        pass

    def read(self):
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def serve(self):
        server, body, entry = self.server, b"", {"listener": self.server.label, "method": self.command,
                                                 "path": self.path, "headers": list(self.headers.items())}
        fault = early = None
        try:
            early = server.faults.take({"request"})
            if early:
                entry["fault"] = early.text
                return self.reset()
            body = self.read()
            if len(body) < int(self.headers.get("Content-Length", 0)):
                entry["incomplete"] = True
                return self.reset()
            request = Request(self.command, self.path, self.headers, body)
            entry["operation"] = request.operation
            fault = server.faults.take(request.operations()) if server.label == "main" else None
            entry["fault"] = fault and fault.text
            answer = (200, {}, b"{}")
            if not fault or fault.stored:
                answer = server.service.answer(request)
            entry["status"] = answer[0] if not fault else fault.kind
        except (OSError, ValueError) as error:
            entry["error"] = str(error)
            return self.reset()
        finally:
            server.journal.write(entry, body)
        if fault:
            fault.misbehave(self, answer)
        else:
            self.send(*answer)

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = do_PATCH = serve

    # ---- for faults as well

    def text(self, status, headers, body):
        """The bytes of an answer, all at once."""
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
        reason = http.server.BaseHTTPRequestHandler.responses.get(status, ("Other",))[0]
        lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers.items())]
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + (b"" if self.command == "HEAD" else body)

    def send(self, status, headers, body):
        self.connection.sendall(self.text(status, headers, body))

    def left(self):
        """Whether the client hung up."""
        readable, _, _ = select.select([self.connection], [], [], 0)
        if not readable:
            return False
        try:
            return self.connection.recv(1, socket.MSG_PEEK) == b""
        except (OSError, ValueError):
            return not isinstance(self.connection, ssl.SSLSocket) or self.connection.recv(1) == b""

    def reset(self):
        self.close_connection = True
        reset(self.connection)


class Listener(http.server.ThreadingHTTPServer):
    """One port. dead() makes the port refuse connections; alive() takes them again."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, host, label, parts, certificate=None):
        super().__init__((host, 0), Handler)
        self.label, self.certificate = label, certificate
        self.faults, self.service, self.journal = parts
        self.connections, self.lock = set(), threading.Lock()
        self.url = f"{'https' if certificate else 'http'}://{host}:{self.server_port}"
        self.other_url = self.url
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def finish_request(self, request, client_address):
        if self.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self.certificate)
            try:
                request.settimeout(30)
                request = context.wrap_socket(request, server_side=True)
            except OSError as error:
                self.journal.write({"listener": self.label, "tls": str(error)})
                return
        with self.lock:
            self.connections.add(request)
        try:
            super().finish_request(request, client_address)
        finally:
            with self.lock:
                self.connections.discard(request)

    def handle_error(self, *_):
        """A client that leaves in the middle of a connection is none of this server's errors."""

    def dead(self):
        self.shutdown()
        self.socket.close()
        with self.lock:
            for connection in self.connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        # The port stays ours: bound, and nobody listens.
        self.socket = socket.socket(self.address_family, self.socket_type)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)

    def alive(self):
        self.server_activate()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
