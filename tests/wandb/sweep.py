# SPDX-License-Identifier: MIT
"""sweep.py BUILD: programs with the sink that the real `wandb agent` starts, online and into a file."""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import BUILD, LOOP, environment, equal
from service import KEY, Service

# The real agent, that asks more often than each 5 s.
AGENT = """
import sys, wandb, wandb.wandb_agent as agent
agent.Agent.POLL_INTERVAL = 0.2
agent.agent(sys.argv[1])
"""

CONFIG = """program: ./train
method: grid
metric: {name: train/loss, goal: minimize}
command: ["${program}", "3", "0", "0", "project: other"]
parameters: {lr: {values: [0.1, 0.2]}}
"""

# The program itself says lr 0.5, layers 3 and name.
RUNS = [{"lr": 0.1, "deep": {"a": [1, 2.5, None]}, "flag": False, "tiny": 1e-07, "text": "12"},
        {"lr": 0.2, "layers": 3}]


def sweep_write(folder, config=CONFIG, values=None):
    path = os.path.join(folder, "sweep.json")
    runs = [{"run_id": f"run{number}", "program": "./train",
             "args": {name: {"value": value} for name, value in run.items()}}
            for number, run in enumerate(values or RUNS)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"id": "swp12345", "config": config, "runs": runs}, file)
    return path


def agent(service, folder, **more):
    done = subprocess.run([sys.executable, "-c", AGENT, "fake-entity/theirs/swp12345"], cwd=folder, timeout=120,
                          check=False, capture_output=True, text=True,
                          env=environment(folder, WANDB_BASE_URL=service.url, WANDB_API_KEY=KEY,
                                          WANDB_ERROR_REPORTING="false", **more))
    return done.stdout + done.stderr


# A program that takes its values with sw_param().
PARAM_CONFIG = CONFIG.replace('"3", "0", "0", "project: other"', "").replace('", ]', '"]')
PARAM_RUNS = [{"lr": 0.25, "steps": 7}, {"lr": 1e-07, "steps": 12}]


def check_params(state, said):
    for number, values in enumerate(PARAM_RUNS):
        run = state["runs"][f"fake-entity/theirs/run{number}"]
        equal({name: run["config"][name]["value"] for name in values}, values, f"values of sw_param(): {said}")
        rows = [json.loads(row) for row in run["lines"]["wandb-history.jsonl"]]
        losses = [row["train/loss"] for row in rows if "train/loss" in row]
        equal(len(losses), values["steps"], "steps")
        weight = values["lr"] * 2 * 0.3 * 0.1
        equal(abs(losses[1] - (0.2 * (3 - weight)) ** 2) < 1e-9, True, "the loss that the learning rate makes")


def params():
    """examples/sweep.c, started by the agent."""
    with tempfile.TemporaryDirectory(prefix="stepwatch-wandb-") as folder:
        os.symlink(os.path.join(BUILD, "examples/sweep"), os.path.join(folder, "train"))
        with open(os.path.join(folder, "stepwatch.yaml"), "w", encoding="utf-8") as file:
            file.write("profiler: {show_report: false}\nlogger_callback: wandb\n")
        with Service("--sweep", sweep_write(folder, PARAM_CONFIG, PARAM_RUNS)) as service:
            said = agent(service, folder, WANDB_MODE="online")
            check_params(service.state(), said)


GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/rich/")


def golden(name):
    """A sweep that the real SDK and programs in C were run under. All programs are ours here."""
    with open(GOLDEN + name, encoding="utf-8") as file:
        sweep = json.load(file)
    with tempfile.TemporaryDirectory(prefix="stepwatch-wandb-") as folder:
        for program in {run["program"] for run in sweep["runs"]}:
            os.symlink(os.path.join(BUILD, "examples/sweep"), os.path.join(folder, program))
        with open(os.path.join(folder, "stepwatch.yaml"), "w", encoding="utf-8") as file:
            file.write("profiler: {show_report: false}\nlogger_callback: wandb\n")
        with Service("--sweep", GOLDEN + name) as service:
            said = agent(service, folder, WANDB_MODE="online", EXTRA="more")
            runs = service.state()["runs"]
            for wanted in sweep["runs"]:
                run = runs["fake-entity/theirs/" + wanted["run_id"]]
                values = {key: value["value"] for key, value in wanted["args"].items()}
                equal(run["upserts"][0].get("sweep"), sweep["id"], f"sweep of {wanted['run_id']}: {said}")
                equal({key: run["config"][key]["value"] for key in values}, values, f"values of {wanted['run_id']}")
                equal(run["exitcode"], 0, f"exit status of {wanted['run_id']}")


STOPPED = {"id": "swp12345", "config": CONFIG.replace('"3", "0", "0", "project: other"', '"measure", "ready"'),
           "runs": [{"run_id": "run0", "program": "./train", "args": {"lr": {"value": 0.25}}}],
           "stop": {"run_id": "run0", "beat": 15}}


def stopped():
    """A program that the sweep stops by SIGTERM still ends its run."""
    with tempfile.TemporaryDirectory(prefix="stepwatch-wandb-") as folder:
        os.symlink(os.path.join(BUILD, "tests/tools/loop"), os.path.join(folder, "train"))
        with open(os.path.join(folder, "stepwatch.yaml"), "w", encoding="utf-8") as file:
            file.write("profiler: {show_report: false}\nlogger_callback: wandb\n")
        path = os.path.join(folder, "sweep.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(STOPPED, file)
        with Service("--sweep", path) as service:
            said = agent(service, folder, WANDB_MODE="online")
            run = service.state()["runs"]["fake-entity/theirs/run0"]
            equal(run["exitcode"], 128 + 15, f"exit status after a stop: {said}")
            equal(run["config"]["lr"]["value"], 0.25, "a value of the sweep")


def upload(service, folder):
    subprocess.run([BUILD + "/tests/tools/stepwatch", "sync"], cwd=folder, timeout=60, check=True,
                   capture_output=True,
                   env=environment(folder, WANDB_BASE_URL=service.url, WANDB_API_KEY=KEY))


def check(state, said):
    equal(sorted(state["runs"]), [f"fake-entity/theirs/run{n}" for n in range(len(RUNS))],
          f"runs: {said}")
    for number, values in enumerate(RUNS):
        run = state["runs"][f"fake-entity/theirs/run{number}"]
        equal([upsert.get("sweep") for upsert in run["upserts"]],
              ["swp12345"] + [None] * (len(run["upserts"]) - 1), "sweep of each upsert")
        first = json.loads(run["upserts"][0]["config"])
        for name, value in {"layers": 3, **values}.items():
            equal(run["config"][name]["value"], value, name)
        equal({name: first[name]["value"] for name in values}, values, "values of the first upsert")
        equal(run["config"]["name"]["value"], 'a "quoted" ä', "what the program says alone")
        equal(run["exitcode"], 0, "exit code")
        if "lr is set by the sweep" not in said or "layers is set" in said:
            sys.exit(f"what is the sweep's was not said: {said}")
    equal(state["unknown"], [], "unknown operations")


def runs(mode):
    with tempfile.TemporaryDirectory(prefix="stepwatch-wandb-") as folder:
        os.symlink(LOOP, os.path.join(folder, "train"))
        with Service("--sweep", sweep_write(folder)) as service:
            said = agent(service, folder, WANDB_MODE=mode)
            if mode == "offline":
                upload(service, folder)
            check(service.state(), said)


def online():
    runs("online")


def offline():
    runs("offline")


def main():
    """An agent mostly waits."""
    with concurrent.futures.ThreadPoolExecutor(2) as agents:
        sweeps = [agents.submit(sweep) for sweep in (online, offline, params, stopped)]
        sweeps += [agents.submit(golden, name) for name in ("sweep.json", "sweep2.json")]
        for sweep in sweeps:
            sweep.result()
    print(f"wandb agent has started {2 * len(RUNS) + len(PARAM_RUNS) + 5} programs, and the sweep has their runs")


main()
