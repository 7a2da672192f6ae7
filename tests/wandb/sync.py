# SPDX-License-Identifier: MIT
"""sync.py BUILD: runs of the sink, uploaded by the real `wandb sync` to the stand-in for the service."""
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import BUILD, LOOP, WANDB, Run, environment, equal, loop, run_of
from service import KEY, Service


def sync(folder, command=WANDB, **more):
    """Uploads the run; gives what the server has then, and what was printed."""
    with Service() as service:
        done = subprocess.run([command, "sync", str(run_of(folder))], cwd=folder, timeout=120,
                              check=False, capture_output=True, text=True,
                              env=environment(folder, WANDB_BASE_URL=service.url, WANDB_API_KEY=KEY,
                                              WANDB_ERROR_REPORTING="false", **more))
        return Run(service), done.stdout + done.stderr


def a_whole_run(folder):
    equal(loop(folder, "40", "0"), 0, "exit status of the loop")
    kept = json.loads((run_of(folder) / "files/wandb-metadata.json").read_text())
    run, said = sync(folder)
    the_metadata(run, kept)
    rows = run.rows("wandb-history.jsonl")
    if not rows:
        sys.exit(f"no rows arrived: {said}")
    equal([row["_step"] for row in rows], list(range(41)), "steps")
    equal([row["train/loss"] for row in rows[:40]], [1 / (k + 1) for k in range(40)], "losses")
    equal(all(row["epoch"] == 0 for row in rows[:40]), True, "epoch in each row")
    equal(math.isnan(rows[3]["not_a_number"]), True, "NaN")
    equal(rows[3]["infinite"], math.inf, "infinity")
    equal([k for k, row in enumerate(rows) if "throughput/batch" in row], [11, 21, 31],
          "steps of the rolling throughput")
    equal(rows[39]["profile_report"]["_type"], "table-file", "table in the last row")
    equal(rows[40]["profile_results"]["_type"], "table-file", "table in a row of its own")
    a_config(run)
    a_summary(run)
    the_tables(run, rows)
    equal(run.finished, 0, "exit code")
    equal(run.unknown, [], "unknown operations")


def a_config(run):
    config = run.config
    equal(config["lr"]["value"], 0.5, "config lr")
    equal(config["layers"]["value"], 3, "config layers")
    equal(config["name"]["value"], 'a "quoted" ä', "config name")
    metrics = config["_wandb"]["value"]["m"]
    equal(metrics[1], {"2": "valid/*", "5": 1, "6": [1], "7": []}, "step metric of valid/*")
    equal(run.kept["project"], "loops", "project")
    equal(run.kept["tags"], ["a", "b c"], "tags")


def a_summary(run):
    summary = run.rows("wandb-summary.json")[-1]
    equal(summary["train/loss"], 1 / 40, "last loss")
    equal(summary["train/draw_duration"]["_type"], "numpy.ndarray", "39 durations")
    equal(summary["train/draw_duration"]["size"], 39, "how many durations")
    equal(abs(summary["train/draw_duration"]["mean"] - 0.01) < 1e-9, True, "mean duration")
    equal(summary["_step"], 40, "step of the summary")


def the_metadata(run, kept):
    """What wandb makes of the environment's record is what the sink wrote beside it."""
    found = json.loads(run.files["wandb-metadata.json"])
    equal(found.pop("startedAt")[:26], kept.pop("startedAt")[:26], "start of the run")
    equal(found, kept, "metadata")
    own = run.config["_wandb"]["value"]
    equal(own["t"]["5"].split()[0], "stepwatch", "who wrote the run")


def the_artifact(run, value, table):
    """The same table, committed under the name that the row's value has."""
    client, name = value["artifact_path"].removeprefix("wandb-client-artifact://").split("/")
    (artifact,) = [one for one in run.artifacts.values() if one["input"]["clientID"] == client]
    equal(artifact["state"], "COMMITTED", f"{name}: state of the artifact")
    equal(artifact.get("wrong"), None, f"{name}: what is not as its hash says")
    found = json.loads(artifact["files"][name])
    equal([found["columns"], found["data"]], [table["columns"], table["data"]], name)
    equal(artifact["input"]["artifactTypeName"], "run_table", f"{name}: type")


def the_tables(run, rows):
    for row, key, calls in ((39, "profile_report", 1), (40, "profile_results", 1)):
        path = rows[row][key]["path"]
        table = json.loads(run.files[path])
        equal(table["columns"][0], "Phase", f"{key}: first column")
        equal(table["data"][0][4], calls, f"{key}: calls of fit")
        equal(len(table["data"]), rows[row][key]["nrows"], f"{key}: rows")
        the_artifact(run, rows[row][key], table)
    bars = json.loads(run.files[rows[39]["step_time_table"]["path"]])
    equal(bars["columns"], ["action", "ms"], "columns of the chart's table")
    equal([name for name, _ in bars["data"]], ["draw", "batch"], "bars of the chart")
    equal([round(ms, 6) for _, ms in bars["data"]], [10, 20], "milliseconds of a step")
    chart = run.config["_wandb"]["value"]["visualize"]["step_time"]
    equal(chart["panel_config"]["panelDefId"], "wandb/bar/v0", "kind of the chart")
    equal(b"Profiling Results:" in run.files["output.log"], True, "lines in output.log")
    for name in ("config.yaml", "wandb-summary.json", "wandb-metadata.json"):
        equal(name in run.files, True, f"{name} was uploaded")


def a_failed_run(folder):
    equal(loop(folder, "3", "0", "5"), 5, "exit status of the loop")
    run, _ = sync(folder)
    equal(run.finished, 5, "exit code of a failed run")


def a_disabled_run(folder):
    equal(loop(folder, "3", "0", WANDB_MODE="disabled"), 0, "exit status of the loop")
    equal(os.path.exists(os.path.join(folder, "wandb")), False, "a disabled run leaves no file")


def lines(run, name):
    """NaN is not equal to itself; as text it is. The time of a sample is a difference of large numbers."""
    rows = [json.loads(text, parse_constant=str) for text in run.kept["lines"].get(name, [])]
    for row in rows if "events" in name else []:
        row["_runtime"] = round(row["_runtime"], 4)
    return rows


def a_run_by_both(folder, make):
    """What wandb sync makes of a run's file at the service, stepwatch sync makes of it too."""
    make(folder)
    copy = os.path.join(folder, "copy")
    shutil.copytree(os.path.join(folder, "wandb"), os.path.join(copy, "wandb"), symlinks=True)
    theirs, said = sync(folder)
    ours, said_too = sync(copy, BUILD + "/tests/tools/stepwatch",
                          XDG_DATA_HOME=os.path.join(folder, ".local/share"))
    for name in ("wandb-history.jsonl", "wandb-events.jsonl"):
        equal(*[lines(run, name) for run in (ours, theirs)], f"{name}: {said} {said_too}")
    equal(*[lines(run, "wandb-summary.json")[-1] for run in (ours, theirs)], "summary")
    equal(*[[line["content"] for line in run.rows("output.log")] for run in (ours, theirs)],
          "lines of output")
    equal(*[sorted(run.files) for run in (ours, theirs)], "files")
    for name in ours.files:
        if name.startswith("media/") or name == "output.log":
            equal(ours.files[name], theirs.files[name], name)
    equal(*[the_config(run) for run in (ours, theirs)], "config")
    equal(*[the_artifacts(run) for run in (ours, theirs)], f"artifacts: {said_too}")
    for key in ("project", "alerts", "displayName", "tags", "host", "state", "exitcode"):
        equal(ours.kept[key], theirs.kept[key], key)


def the_artifacts(run):
    """What each is, without the ids that the service gives, and places of this machine."""
    found = {}
    for artifact in run.artifacts.values():
        given, manifest = artifact["input"], json.loads(artifact["manifest"])
        for entry in manifest["contents"].values():
            for name in ("local_path", "skip_cache", "birthArtifactID"):
                entry.pop(name, None)
        found[given["artifactCollectionName"]] = [
            artifact["state"], artifact["files"], artifact.get("wrong"), manifest,
            sorted(one["alias"] for one in given["aliases"]),
            sorted(one["tagName"] for one in given.get("tags") or [])] + [
            given.get(name) for name in ("artifactTypeName", "digest", "description", "metadata",
                                         "clientID", "sequenceClientID")]
    return found


def the_config(run):
    """Without what names the writer, and times that wandb knows to the nanosecond."""
    config = json.loads(json.dumps(run.config))
    own = config["_wandb"]["value"]
    own["t"] = own["t"]["5"]
    (own["e"],) = own["e"].values()
    own["e"]["startedAt"] = own["e"]["startedAt"][:26].rstrip("Z")
    for metric in own["m"]:
        metric.setdefault("6", [])
    return config


def a_loop(folder):
    equal(loop(folder, "40", "0"), 0, "exit status of the loop")


SDK = """
import os, pathlib, sys, wandb
run = wandb.init(project="sdk", dir=".", config={"lr": 0.1, "nested": {"a": [1, 2]}})
run.define_metric("valid/*", step_metric="epoch")
for i in range(5):
    run.log({"loss": 1 / (i + 1), "nest": {"x": i, "y": float("nan")}, "a.b": i, "valid/loss": 2, "epoch": 0})
run.alert("diverged", "the loss is **nan**", level=wandb.AlertLevel.WARN)
run.alert(title="again", text="x")
print("hello")
print("progress 1\\rprogress 2")
print("an error", file=sys.stderr)
pathlib.Path("model.bin").write_bytes(b"weights" * 100000)
pathlib.Path("data.bin").write_bytes(b"data")
model = wandb.Artifact("model", "model", description="a model", metadata={"acc": 0.5, "deep": {"a": [1]}})
model.add_file("model.bin")
model.add_file("data.bin", name="below/other.bin")
run.log_artifact(model, aliases=["best"], tags=["small"])
data = wandb.Artifact("data", "dataset")
data.add_reference("file://" + os.path.abspath("data.bin"))
run.log_artifact(data)
run.log({"table": wandb.Table(columns=["a", "b"], data=[[1, "x"], [2, None]])})
run._add_singleton("mask/class_labels", "img", {0: "bg", 1: "fg"})
run.log({"last": float("-inf"), "text": "a \\"b\\" ä", "none": None, "list": [1, 2]})
run.summary["best"] = {"loss": 0.5}
print("no end of the line", end="")
run.finish(exit_code=3)
"""


def a_run_of_the_sdk(folder):
    subprocess.run([sys.executable, "-c", SDK], cwd=folder, timeout=120, check=False,
                   capture_output=True,
                   env=environment(folder, WANDB_MODE="offline", WANDB_ERROR_REPORTING="false"))


def a_killed_run(folder, seed):
    """Killed at any time: what is in the file is uploaded, without a gap."""
    generator = random.Random(seed)
    child = subprocess.Popen([LOOP, "100000", "1000"], cwd=folder, env=environment(folder),
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    time.sleep(1.5 + generator.random())
    child.send_signal(signal.SIGKILL)
    offered = len(child.communicate(timeout=10)[0].splitlines())
    run, said = sync(folder)
    steps = [row["_step"] for row in run.rows("wandb-history.jsonl")]
    equal(steps, list(range(len(steps))), f"steps of a killed run (seed {seed}): {said}")
    equal(run.finished, 1, f"exit code of a killed run (seed {seed})")
    # A flush a second.
    if offered - len(steps) > 1500:
        sys.exit(f"{offered - len(steps)} of {offered} rows were lost (seed {seed})")
    print(f"  killed after {offered} rows: {len(steps)} in the file")


def main():
    cases = [a_whole_run, a_failed_run, a_disabled_run]
    cases += [lambda folder, make=make: a_run_by_both(folder, make)
              for make in (a_loop, a_run_of_the_sdk)]
    cases += [lambda folder, seed=seed: a_killed_run(folder, seed) for seed in (1, 2)]
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="stepwatch-wandb-") as folder:
            case(folder)
    print(f"{len(cases)} runs were accepted by wandb sync")


main()
