# SPDX-License-Identifier: MIT
"""Faults: what goes wrong with an answer, and for which requests.

    KIND [on=OPERATION] [times=N] [seconds=S] [after=N] [stored=yes|no] [NAME=VALUE]...

on: any, graphql, file_stream, storage, or the name of a GraphQL operation; after: number of requests that are
answered correctly first; stored: whether the request takes effect. Without times and seconds, a fault lasts until
all faults are cleared. KIND is a status number (with retry_after=SECONDS and limit=REMAINING:RESET) or:

    dead       the port refuses connections (for any request; only seconds= applies)
    mute       the request is read, but never answered
    drip       the correct answer, one byte every every= seconds (1)
    reset      the connection is reset in the middle of the answer; on=request: before the body is read
    redirect   to the other host with status code= (307), or to=URL
    endless    a body that does not end; headers: the same with header lines
    gzip, deflate   256 MiB of blanks, compressed
    garbage    not JSON; deep: 100,000 nested lists
    half       Content-Length is twice the size of the body
"""
import functools
import json
import socket
import struct
import threading
import time
import zlib

# The answer says 200 for all the client can see: the request took effect.
STORED = ("drip", "endless", "headers", "gzip", "deflate", "garbage", "deep", "half")
BOMB = 256 << 20
ENDLESS = 256 << 20  # where even this server stops


class Fault:
    def __init__(self, text):
        words = text.split()
        self.text, self.kind = text, words[0] if words else ""
        self.options = dict(word.split("=", 1) for word in words[1:])
        if not self.kind.isdigit() and not hasattr(self, self.kind + "_answer") and self.kind != "dead":
            raise ValueError(f"there is no fault {self.kind!r}")
        self.on = self.options.get("on", "any").lower()
        self.left = int(self.options["times"]) if "times" in self.options else None
        self.skip = int(self.options.get("after", 0))
        self.until = time.monotonic() + float(self.options["seconds"]) if "seconds" in self.options else None
        self.stored = self.options.get("stored", "yes" if self.kind in STORED else "no") == "yes"
        self.over = threading.Event()

    def late(self):
        return self.until is not None and time.monotonic() > self.until

    def spent(self):
        return self.over.is_set() or self.left == 0 or self.late()

    def concerns(self, operations):
        """Counts a request that may be misused."""
        if self.spent() or self.on not in operations or self.kind == "dead":
            return False
        if self.skip:
            self.skip -= 1
            return False
        if self.left is not None:
            self.left -= 1
        return True

    def misbehave(self, handler, answer):
        """answer: (status, headers, body) as it should be."""
        if self.kind.isdigit():
            return self.status_answer(handler)
        return getattr(self, self.kind + "_answer")(handler, answer)

    # ---- the kinds

    def status_answer(self, handler):
        headers = {}
        if "retry_after" in self.options:
            headers["Retry-After"] = self.options["retry_after"].replace("_", " ")
        if "limit" in self.options:
            remaining, reset = self.options["limit"].split(":")
            headers.update({"RateLimit-Remaining": remaining, "RateLimit-Reset": reset})
        text = f"injected fault {self.kind}"
        body = json.dumps({"errors": [{"message": text}], "error": text}).encode()
        handler.send(int(self.kind), headers, body)

    def mute_answer(self, handler, _):
        while not self.over.wait(0.05) and not self.late() and not handler.left():
            pass
        handler.reset()

    def drip_answer(self, handler, answer):
        for byte in handler.text(*answer):
            handler.connection.sendall(bytes([byte]))
            if self.over.wait(float(self.options.get("every", 1))):
                return handler.reset()

    def reset_answer(self, handler, answer):
        text = handler.text(*answer)
        handler.connection.sendall(text[:len(text) // 2])
        time.sleep(0.05)
        handler.reset()

    def redirect_answer(self, handler, _):
        to = self.options.get("to", handler.server.other_url)
        handler.send(int(self.options.get("code", 307)), {"Location": to + handler.path}, b"")

    def endless_answer(self, handler, _):
        handler.connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                   b"Transfer-Encoding: chunked\r\n\r\n")
        chunk = b'10000\r\n["' + b"a" * 65532 + b'",\r\n'
        self.flood(handler, chunk)

    def headers_answer(self, handler, _):
        handler.connection.sendall(b"HTTP/1.1 200 OK\r\n")
        self.flood(handler, b"X-Long: " + b"a" * 8000 + b"\r\n")

    def flood(self, handler, piece):
        for _ in range(ENDLESS // len(piece)):
            handler.connection.sendall(piece)
            if self.over.is_set():
                break
        handler.reset()

    def compressed(self, handler, encoding, bits):
        handler.send(200, {"Content-Encoding": encoding}, bomb(bits))

    def gzip_answer(self, handler, _):
        self.compressed(handler, "gzip", 31)

    def deflate_answer(self, handler, _):
        self.compressed(handler, "deflate", 15)

    def garbage_answer(self, handler, _):
        handler.send(200, {}, b'{"data": {"upsertBucket": \xff\xfe nil, \x00\x1b[31m <html>')

    def deep_answer(self, handler, _):
        handler.send(200, {}, b'{"data": ' + b"[" * 100000 + b"]" * 100000 + b"}")

    def half_answer(self, handler, answer):
        status, headers, body = answer
        handler.send(status, {**headers, "Content-Length": str(2 * len(body) + 1)}, body)
        handler.close_connection = True


@functools.cache
def bomb(bits):
    press = zlib.compressobj(1, zlib.DEFLATED, bits)
    return b"".join(press.compress(b" " * (1 << 20)) for _ in range(BOMB >> 20)) + press.flush()


class Faults:
    """Those that are on. The first one that concerns a request has it."""

    def __init__(self, texts=()):
        self.lock, self.all = threading.Lock(), [Fault(text) for text in texts]

    def add(self, text):
        fault = Fault(text)
        with self.lock:
            self.all.append(fault)
        return fault

    def clear(self):
        with self.lock:
            for fault in self.all:
                fault.over.set()
            self.all = []

    def take(self, operations):
        with self.lock:
            return next((fault for fault in self.all if fault.concerns(operations)), None)

    def dead(self):
        with self.lock:
            return any(fault.kind == "dead" and not fault.spent() for fault in self.all)


def reset(connection):
    """Closes so that the other side is told that the connection was reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
