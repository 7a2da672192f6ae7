# SPDX-License-Identifier: MIT
"""A running TensorBoard on 127.0.0.1, asked over HTTP."""
import atexit
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class Board:
    """tensorboard --logdir, with the fast loader (a Rust server) or the slow one (Python)."""

    def __init__(self, logdir, fast, reload_s=5, log=None):
        command = [sys.executable, "-m", "tensorboard.main", "--logdir", logdir, "--host", "127.0.0.1",
                   "--port", "0", "--reload_interval", str(reload_s),
                   "--load_fast", "true" if fast else "false"]
        self.name = "fast" if fast else "slow"
        self.log = open(log or os.path.join(logdir, f"../server-{self.name}.log"), "w+")
        # Its own process group: the fast loader is a child process.
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT,
                                        start_new_session=True)
        atexit.register(self.close)
        try:
            self.url = self._wait_for_url()
        except Exception:
            self.close()
            raise

    def _wait_for_url(self):
        for _ in range(600):
            self.log.seek(0)
            found = re.search(r"http://127\.0\.0\.1:\d+", self.log.read())
            if found:
                return found.group(0)
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.log.seek(0)
        raise RuntimeError("tensorboard did not start: " + self.log.read())

    def get(self, route, **parameters):
        """The JSON of a route below /data; None where it answers 404."""
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        try:
            with urllib.request.urlopen(self.url + "/data" + route + query, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise AssertionError(f"{self.name}: {route}{query}: {error}") from error

    def post(self, route, body):
        request = urllib.request.Request(self.url + "/data" + route, json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def wait_for_runs(self, runs, seconds=60):
        """Until all these runs are loaded."""
        end = time.monotonic() + seconds
        while not set(runs) <= set(self.get("/runs")):
            if time.monotonic() > end:
                raise AssertionError(f"{self.name}: {sorted(set(runs) - set(self.get('/runs')))} never came")
            time.sleep(0.2)

    def scalars(self, run, tag):
        """[[step, value], ...] of a line, with NaN and infinity as the strings that JSON has for them."""
        points = self.get("/plugin/scalars/scalars", run=run, tag=tag)
        return None if points is None else [[step, value] for _, step, value in points]

    def close(self):
        try:
            os.killpg(self.process.pid, 15)
            self.process.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            self.process.kill()
        self.log.close()
