# SPDX-License-Identifier: MIT
"""The group `python` of bench/run: what the calls of the package stepwatch take, beside those of other packages in the same run.

The package is installed from bindings/python into a folder of its own, and links the library of the build. The rivals come from
BUILD/venv (`build-aux/venv BUILD/venv tensorboardX wandb`) and BUILD/venv-lightning (`build-aux/venv BUILD/venv-lightning 'numpy<2' torch
lightning`); without them, stepwatch is measured with python3.
"""
import json, os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GOALS = {"py_with": ("py_with_record_function", 0.1), "py_with_beside_empty": ("py_with_empty", 1.5), "py_begin_end": ("py_two_calls", 2),
         "py_begin_end_without_pause": ("py_two_calls", None),
         "py_lightning_pair": ("py_simple_profiler_pair", 1 / 3), "py_log": ("py_wandb_log", 1 / 20),
         "py_log_beside_tensorboardx": ("py_tensorboardx_log", 0.1), "py_import": (None, 10e6), "py_open_four_sinks": (None, 10e6),
         "py_lightning_memory": (None, 1)}
# package: a case that needs it
RIVALS = {"lightning": "py_simple_profiler_pair", "torch": "py_with_record_function", "wandb": "py_wandb_log",
          "tensorboardX": "py_tensorboardx_log"}


def pkg_config(folder, scratch):
    """A pkg-config that finds the build as if it were installed."""
    path = os.path.join(scratch, "pkg-config")
    with open(path, "w") as file:
        file.write(f'#!/bin/sh\nPKG_CONFIG_PATH="{folder}" exec /usr/bin/pkg-config --define-variable=includedir="{ROOT}/include" '
                   f'--define-variable=libdir="{folder}/.libs" "$@"\n')
    os.chmod(path, 0o755)


def run(folder):
    folder = os.path.abspath(folder)
    cases = {}
    with tempfile.TemporaryDirectory() as scratch:
        pkg_config(folder, scratch)
        environment = {**os.environ, "PATH": f"{scratch}:{os.environ['PATH']}", "STEPWATCH_SYSTEM": "1", "PYTHONPATH": os.path.join(scratch, "site"),
                       "STEPWATCH_PLUGIN_PATH": os.path.join(folder, "sinks", ".libs"), "WANDB_MODE": "offline", "WANDB_SILENT": "true"}
        pythons = [python for python in (os.path.join(folder, name, "bin", "python") for name in ("venv", "venv-lightning"))
                   if os.path.exists(python)]
        made = subprocess.run([(pythons or ["python3"])[0], "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target",
                               os.path.join(scratch, "site"), os.path.join(ROOT, "bindings", "python")], env=environment)
        if made.returncode:
            print("bench: the Python package cannot be built: the group python is left out", file=sys.stderr)
            return []
        for python in pythons or ["python3"]:
            found = subprocess.run([python, os.path.join(HERE, "calls.py")], cwd=scratch, env=environment, check=True, stdout=subprocess.PIPE)
            for case in json.loads(found.stdout.splitlines()[-1]):
                cases.setdefault(case["name"], case)
    for package, case in RIVALS.items():
        if case not in cases:
            print(f"bench: {package} is not installed: what its calls take is left out", file=sys.stderr)
    # Some cases are compared with two others.
    for copy, of in (("py_with_beside_empty", "py_with"), ("py_log_beside_tensorboardx", "py_log")):
        if of in cases:
            cases[copy] = {**cases[of], "name": copy}
    return list(cases.values())
