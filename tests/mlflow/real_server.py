# SPDX-License-Identifier: MIT
"""The real `mlflow server` with an SQLite database, in a folder of its own, for the tests and the benchmarks."""
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request


class NotStarted(Exception):
    pass


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class RealServer:
    """In a with statement. python: one that has mlflow. port: where it listens."""

    def __init__(self, python):
        self.folder = tempfile.mkdtemp(prefix="stepwatch-mlflow-")
        self.port = free_port()
        self.uri = f"http://127.0.0.1:{self.port}"
        self.log = os.path.join(self.folder, "server.log")
        command = [python, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(self.port), "--workers", "1",
                   "--backend-store-uri", f"sqlite:///{self.folder}/mlflow.db", "--artifacts-destination", f"{self.folder}/artifacts"]
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, start_new_session=True,
                                            env={**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true",
                                                 "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"})

    def __enter__(self):
        for _ in range(240):
            try:
                urllib.request.urlopen(self.uri + "/health", timeout=5).read()
                return self
            except OSError:
                time.sleep(0.5)
        with open(self.log, encoding="utf-8") as log:
            said = log.read()[-2000:]
        self.__exit__()
        raise NotStarted("the server does not start: " + said)

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
