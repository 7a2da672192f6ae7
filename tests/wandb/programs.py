# SPDX-License-Identifier: MIT
"""Programs that tests in Python run, and what the service has of a run; the first argument is the build folder."""
import base64
import json
import os
import pathlib
import subprocess
import sys

from service import KEY

BUILD = os.path.abspath(sys.argv[1])
LOOP = os.path.join(BUILD, "tests/wandb/wandb-loop")
WANDB = os.path.join(os.path.dirname(sys.executable), "wandb")


def environment(folder, **more):
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": folder, "STEPWATCH_PLUGIN_PATH": BUILD + "/sinks/.libs", **more}


def loop(folder, *arguments, **more):
    return subprocess.run([LOOP, *arguments], cwd=folder, env=environment(folder, **more),
                          timeout=60, check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode


def run_of(folder):
    return next(pathlib.Path(folder, "wandb").glob("offline-run-*"))


class Run:
    """The only run that the service has."""

    def __init__(self, service):
        state = service.state()
        self.unknown, self.artifacts = state["unknown"], state["artifacts"]
        (self.kept,) = state["runs"].values()
        self.upserts, self.config = self.kept["upserts"], self.kept["config"]
        self.finished = self.kept["exitcode"]
        self.files = {name: base64.b64decode(file["base64"]) if "base64" in file else
                      file["text"].encode() for name, file in self.kept["files"].items()}

    def rows(self, name):
        return [json.loads(text) for text in self.kept["lines"].get(name, [])]


def access(service):
    return {"WANDB_BASE_URL": service.url, "WANDB_API_KEY": KEY, "WANDB_ERROR_REPORTING": "false"}


def uploads(write, *command):
    """Gives a function that uploads by the command what `write(service, folder, "offline")` has made."""
    def upload(service, folder):
        write(service, folder, "offline")
        done = subprocess.run([*command, str(run_of(folder))], cwd=folder, timeout=120, check=False,
                              capture_output=True, text=True, env=environment(folder, **access(service)))
        equal(done.returncode, 0, f"{command}: {done.stdout}{done.stderr}")
    return upload


def equal(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: found {found!r}, expected {expected!r}")
