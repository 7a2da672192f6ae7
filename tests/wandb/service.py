# SPDX-License-Identifier: MIT
"""Starts the stand-in for the service (server/) for a test in Python, and says what it got."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "server")
KEY = "k" * 40


class Skip(Exception):
    """What is not there to run it with."""


class Service:
    """Use it in a with statement; it ends with the block."""

    def __init__(self, *arguments):
        self.folder = tempfile.mkdtemp(prefix="stepwatch-service-")
        self.process = subprocess.Popen(
            [sys.executable, "-B", SERVER, "--folder", self.folder, *arguments], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        said = json.loads(self.process.stdout.readline() or "{}")
        if "skip" in said:
            self.__exit__()
            raise Skip(said["skip"])
        self.url, self.other, self.ca = said["url"], said["other"], said["ca"]

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer != "ok":
            raise RuntimeError(f"{command}: {answer or 'the server is gone'}")

    def state(self):
        self.say("state")
        with open(os.path.join(self.folder, "state.json"), encoding="utf-8") as file:
            return json.load(file)

    def run(self):
        """The only run that it has."""
        (run,) = self.state()["runs"].values()
        return run

    def requests(self):
        with open(os.path.join(self.folder, "requests.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(30)
        finally:
            self.process.kill()
            self.process.stdout.close()
            shutil.rmtree(self.folder, ignore_errors=True)
