# SPDX-License-Identifier: MIT
"""console.py BUILD [--all]: what a program prints is on the Logs tab and in output.log if its run is uploaded by the real
`wandb sync`, and with --all also by `stepwatch sync` and while the program runs; wandb.Api() reads it back."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import BUILD, WANDB, Run, access, environment, equal, uploads
from service import Service

STEPWATCH = os.path.join(BUILD, "tools", "stepwatch")
PROGRAM = os.path.join(BUILD, "tests", "tools", "loop")
YAML = """profiler: {{show_report: false}}
logger_callback:
  - wandb: {{mode: {}, run_id: con, project: console, system: false}}
"""
EXPECTED = ["odd \\xff bytes", "progress 2", "\033[31mred\033[0m", "terminals: 0 0",
            *(f"line {i}" for i in range(2000))]
# What the program does that prints it: a shell before it, in the same file.
SCRIPT = r"printf 'odd \377 bytes\n\rprogress 0\rprogress 1\rprogress 2\n\033[31mred\033[0m\n'; exec "


def printed(service, folder, mode):
    """Under `stepwatch run`, which reads from the first byte on, to a pipe."""
    with open(os.path.join(folder, "stepwatch.yaml"), "w", encoding="utf-8") as file:
        file.write(YAML.format(mode))
    done = subprocess.run([STEPWATCH, "run", "--", "sh", "-c", SCRIPT + PROGRAM + " print end"], cwd=folder, timeout=120,
                          check=False, env=environment(folder, **access(service)), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    equal(done.returncode, 3, f"exit status: {done.stderr}")


def online(service, folder):
    printed(service, folder, "online")


def content(text):
    return json.loads(text)["content"] if text.startswith("{") else text.split(" ", 1)[1]


def level(text):
    return json.loads(text).get("level") if text.startswith("{") else None


def reading(service, folder):
    """The file as wandb.Api() gives it."""
    code = ("import wandb; "
            "print(wandb.Api().run('fake-entity/console/con').file('output.log').download(replace=True).read(), end='')")
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, timeout=120, check=True, capture_output=True,
                          env=environment(folder, **access(service)))
    return done.stdout.decode()


def same(found, what):
    """Says the first difference, not two thousand lines."""
    equal(len(found), len(EXPECTED), f"{what}: how many")
    for line, expected in zip(found, EXPECTED):
        equal(line, expected, what)


def check(name, upload):
    with Service() as service, tempfile.TemporaryDirectory() as folder:
        upload(service, folder)
        run = Run(service)
        lines = run.kept["lines"]["output.log"]
        printed_lines = [content(text) for text in lines if level(text) != "error"]
        same(printed_lines[:len(EXPECTED)], f"{name}: lines")
        equal(printed_lines[len(EXPECTED)], "Profiling Results:", f"{name}: the report follows")
        kept = [line for line in run.files["output.log"].decode().split("\n") if line in EXPECTED]
        same(kept, f"{name}: output.log")
        same([line for line in reading(service, folder).split("\n") if line in EXPECTED],
             f"{name}: output.log by the SDK")
        print(f"{name}: {len(lines)} lines")


# The suite wandb_console has the other ways, and the interpreter takes seconds for each.
check("wandb sync", uploads(printed, WANDB, "sync"))
if "--all" in sys.argv:
    check("stepwatch sync", uploads(printed, STEPWATCH, "sync"))
    check("online", online)
