# SPDX-License-Identifier: MIT
"""defaults.py BUILD: the project that nobody names is the one that the real SDK would choose."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import LOOP, environment, equal
from service import KEY, Service

SDK = """
import os, sys, wandb
for folder, program in zip(sys.argv[1::2], sys.argv[2::2]):
    os.chdir(folder)
    print(wandb.util.auto_project_name(program))
"""

# The current folder, the program as it is started there, and WANDB_PROGRAM.
CASES = [("digits", "./train", None),
         ("digits", "src/deep/train", None),
         ("digits/src", "deep/train", None),
         ("digits/src", "../train", None),
         ("digits", "../train", None),
         ("digits", "../digits2/train", None),
         (".", "digits/train", None),
         ("digits", "linked/train", None),
         ("digits", "./train", "src/train.py"),
         ("digits", "./train", "/usr/bin/train.py"),
         (".", "digits/train", "digits/src/train.py")]


def repository(folder):
    for path in ("digits/src/deep", "digits2"):
        os.makedirs(os.path.join(folder, path))
    for path in (".", "digits", "digits/src/deep", "digits2"):
        shutil.copy(LOOP, os.path.join(folder, path, "train"))
    os.symlink("src/deep", os.path.join(folder, "digits/linked"))
    subprocess.run(["git", "init", "-q", os.path.join(folder, "digits")], check=True)


def sdk_says(folder, cases):
    questions = [word for current, program, told in cases
                 for word in (os.path.join(folder, current), told or program)]
    return subprocess.run([sys.executable, "-c", SDK, *questions], check=True, timeout=60, text=True,
                          capture_output=True, env=environment(folder)).stdout.splitlines()


def sink_says(service, number, folder, program, told):
    more = {"WANDB_PROGRAM": told} if told else {}
    done = subprocess.run([program, "1", "0", "0", f"run_id: r{number}"], cwd=folder, timeout=60,
                          check=False, capture_output=True, text=True,
                          env=environment(folder, WANDB_BASE_URL=service.url, WANDB_API_KEY=KEY, **more))
    runs = [run for name, run in service.state()["runs"].items() if name.endswith(f"r{number}")]
    if len(runs) != 1:
        sys.exit(f"{program} in {folder} made {len(runs)} runs: {done.stderr}")
    return runs[0]["project"]


def main():
    if not shutil.which("git"):
        print("SKIP: without git, the SDK finds no repository")
        return
    with tempfile.TemporaryDirectory(prefix="stepwatch-wandb-") as folder, Service() as service:
        folder = os.path.realpath(folder)
        repository(folder)
        answers = sdk_says(folder, CASES)
        equal(len(answers), len(CASES), "answers of the SDK")
        for number, (current, program, told) in enumerate(CASES):
            current, expected = os.path.join(folder, current), answers[number]
            equal(sink_says(service, number, current, program, told), expected,
                  f"project of {told or program} in {current}")
    print(f"{len(CASES)} programs have the project that wandb would choose")


main()
